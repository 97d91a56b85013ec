"""A backup gives back what was put in, or it is refused: there is nothing between."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryd.errors import BackupFailed
from memoryd.jobs.archive import LIST_NAME, read_archive, write_archive

NOW = datetime(2026, 11, 30, 14, 5, tzinfo=UTC)


def silent(_: str) -> None:
    """Tell nobody."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A backup of two days and a note, as bytes."""
    folder = tmp_path_factory.mktemp("kept")
    memory = folder / "memory"
    for path in ("journal/2026-11-29.md", "journal/2026-11-30.md", "vault/Größe.md"):
        (memory / path).parent.mkdir(parents=True, exist_ok=True)
        (memory / path).write_text("".join(f"{path} line {number}\n" for number in range(300)))
    write_archive(memory, folder / "b.tar.gz", at=NOW, tell=silent)
    return (folder / "b.tar.gz").read_bytes()


def held_in(data: bytes, folder: Path) -> dict[str, bytes]:
    file = folder / "read.tar.gz"
    file.write_bytes(data)
    return {path: kept.data for path, kept in read_archive(file, silent).items()}


@given(st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_byte_or_a_cut_is_refused_or_harmless(tmp_path: Path, whole: bytes, data: st.DataObject) -> None:
    wanted = held_in(whole, tmp_path)
    assert len(wanted) == 3
    at = data.draw(st.integers(0, len(whole) - 1))
    bad = bytearray(whole)
    bad[at] ^= data.draw(st.integers(1, 255))
    for damaged in (bytes(bad), whole[:at]):
        try:
            found = held_in(damaged, tmp_path)
        except BackupFailed:
            continue
        assert found == wanted


def archive_of(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in members:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


@pytest.mark.parametrize(
    "name", ["memory/../../x", "/memory/x", "memory", "memory/a/../../x", "other/x", "../memory/x"]
)
def test_a_path_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    listed = json.dumps({"v": 1, "at": NOW.isoformat(), "files": {}}).encode()
    with pytest.raises(BackupFailed, match="outside the memory"):
        held_in(archive_of((name, b"x"), (LIST_NAME, listed)), tmp_path)


@pytest.mark.parametrize(
    "listed", [b"", b"[]", b"{}", b'{"v": 2, "files": {}}', b'{"v": 1, "files": {"a": 1}}', b"\xff", b"[" * 100_000]
)
def test_a_list_that_is_none_is_refused(tmp_path: Path, listed: bytes) -> None:
    with pytest.raises(BackupFailed):
        held_in(archive_of((LIST_NAME, listed)), tmp_path)


@pytest.mark.parametrize(
    "data",
    [b"", b"text", gzip.compress(b"text"), gzip.compress(b"\0" * 10_240)],
    ids=["empty", "text", "packed text", "an archive of nothing"],
)
def test_what_is_no_archive_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(BackupFailed, match="no backup"):
        held_in(data, tmp_path)
