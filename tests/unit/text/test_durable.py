"""Files written whole, private whatever the umask, and synced before the caller goes on."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryd.text.durable import create_file, sync_folder, write_file


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
