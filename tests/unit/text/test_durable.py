"""Files written whole, private whatever the umask, and synced before the caller goes on."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryd.text.durable import (
    beside,
    create_file,
    in_64_bits,
    is_leftover,
    remove_leftover,
    replace_file,
    sync_folder,
    write_file,
)


@pytest.fixture(params=[0o000, 0o022, 0o177])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files and folders that fsync was called for, by name."""
    names: list[str] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        names.append(Path(f"/proc/self/fd/{descriptor}").resolve().name)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    return names


@pytest.mark.parametrize("write", [create_file, write_file])
@pytest.mark.parametrize("mode", [0o600, 0o644])
@pytest.mark.usefixtures("umask")
def test_the_mode_is_as_asked_whatever_the_umask(tmp_path: Path, write: Callable[..., None], mode: int) -> None:
    file = tmp_path / "f"
    write(file, b"words", mode=mode)
    assert file.read_bytes() == b"words"
    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_creating_replaces_nothing(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"theirs")
    with pytest.raises(FileExistsError):
        create_file(file, b"ours")
    assert file.read_bytes() == b"theirs"


def test_writing_leaves_nothing_of_a_longer_file_and_narrows_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"a longer text")
    file.chmod(0o644)
    write_file(file, b"short")
    assert file.read_bytes() == b"short"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="a descriptor is named by /proc here")
def test_each_reaches_the_disk_before_it_returns(tmp_path: Path, synced: list[str]) -> None:
    create_file(tmp_path / "made", b"x")
    write_file(tmp_path / "written", b"x")
    sync_folder(tmp_path)
    assert synced == ["made", "written", tmp_path.name]


def test_only_a_folder_is_synced_as_one(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        sync_folder(file)


def test_two_who_replace_one_file_do_not_write_into_each_others_copy(tmp_path: Path) -> None:
    file = tmp_path / "f"
    with beside(file, b"one") as first, beside(file, b"other") as second:
        assert first != second
        assert is_leftover(first.name)
        second.replace(file)
        first.replace(file)
    assert file.read_bytes() == b"one"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_a_copy_that_is_not_renamed_is_removed_and_the_file_is_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "f"
    replace_file(file, b"old")

    def full(_descriptor: int) -> None:
        raise OSError("no space")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        replace_file(file, b"new")
    assert file.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_only_what_is_old_and_nobody_writes_is_removed(tmp_path: Path) -> None:
    left = tmp_path / ".0123456789ab.memoryd-tmp"
    left.write_bytes(b"half")
    remove_leftover(left)
    assert left.exists()
    with beside(tmp_path / "f", b"now") as copy:
        for path in (left, copy):
            os.utime(path, (1, 1))
            remove_leftover(path)
        assert (left.exists(), copy.exists()) == (False, True)
    remove_leftover(left)  # gone is gone


@pytest.mark.parametrize("name", ["a.md", ".a.md.swp", ".memoryd-tmp", ".memoryd-note-x.tmp", "a.memoryd-tmp"])
def test_what_others_left_is_no_copy_of_ours(name: str) -> None:
    assert not is_leftover(name)


@pytest.mark.parametrize("number", [0, 1, -1, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, 17_179_869_184 * 10**9])
def test_what_the_system_tells_of_a_file_fits_a_database(number: int) -> None:
    held = in_64_bits(number)
    assert -(2**63) <= held < 2**63
    assert (held - number) % 2**64 == 0
