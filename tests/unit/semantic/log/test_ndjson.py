from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from memoryd.text.durable import create_file
from semantic.errors import WriteFailed
from semantic.log import ndjson


def write(path: Path, data: bytes) -> None:
    with ndjson.opened(path) as descriptor:
        ndjson.append(descriptor, path, data)


def test_folders_and_file_are_private_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        write(tmp_path / "log" / "user" / "a.ndjson", b"x\n")
    finally:
        os.umask(old)
    assert (tmp_path / "log" / "user").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "log" / "user" / "a.ndjson").stat().st_mode & 0o777 == 0o600


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.ndjson"
    write(path, b"first\n")
    real = os.write

    def full(descriptor: int, data: Any) -> int:
        if len(data) > 3:
            return real(descriptor, data[:3])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(WriteFailed, match="No space left"):
        write(path, b"second\n")
    monkeypatch.undo()
    assert path.read_bytes() == b"first\n"


def test_a_failing_fsync_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.ndjson"
    write(path, b"first\n")

    def broken(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(WriteFailed):
        write(path, b"second\n")
    monkeypatch.undo()
    assert path.read_bytes() == b"first\n"


def test_a_folder_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").mkdir()
    with pytest.raises(WriteFailed, match=r"a\.ndjson"):
        write(tmp_path / "a.ndjson", b"x\n")


def test_replace_is_whole_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    write(path, b"old\n")
    ndjson.replace(path, b"new\n")
    assert path.read_bytes() == b"new\n"
    assert [one.name for one in tmp_path.iterdir()] == ["a.ndjson"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_two_writers_of_one_file_do_not_write_into_the_same_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.ndjson"
    beside: list[str] = []

    def interrupted(place: Path, data: bytes, *, mode: int) -> None:
        create_file(place, data, mode=mode)
        beside.append(place.name)
        if len(beside) == 1:
            ndjson.replace(path, b"second\n")

    monkeypatch.setattr(ndjson, "create_file", interrupted)
    ndjson.replace(path, b"first\n")
    assert len(set(beside)) == 2
    assert path.read_bytes() == b"first\n"
    assert [one.name for one in tmp_path.iterdir()] == ["a.ndjson"]


def test_a_replacement_that_fails_leaves_the_old_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.ndjson"
    write(path, b"old\n")

    def broken(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(WriteFailed, match="as it was"):
        ndjson.replace(path, b"new\n")
    monkeypatch.undo()
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == {"a.ndjson": b"old\n"}


def test_what_a_killed_rewrite_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "user").mkdir()
    kept = [tmp_path / "user" / name for name in ("a.ndjson", ".b.swp", "a.ndjson.tmp", ".note.tmp")]
    left = [tmp_path / "user" / name for name in (".a.ndjson.0123456789ab.tmp", ".a.ndjson.tmp")]
    for path in (*kept, *left):
        path.write_bytes(b"x\n")
    assert ndjson.remove_leftovers(tmp_path) == []
    assert sorted((tmp_path / "user").iterdir()) == sorted(kept)
    blocked = tmp_path / "user" / ".c.ndjson.tmp"
    blocked.mkdir()
    (problem,) = ndjson.remove_leftovers(tmp_path)
    assert problem.path.endswith("user/.c.ndjson.tmp")
    assert "remove it yourself" in problem.reason


def test_an_opened_file_that_was_swapped_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    write(path, b"old\n")
    with ndjson.opened(path) as descriptor:
        assert ndjson.is_same_file(descriptor, path)
        ndjson.replace(path, b"new\n")
        assert not ndjson.is_same_file(descriptor, path)


def test_a_link_in_the_place_of_the_file_is_not_written_through(tmp_path: Path) -> None:
    outside = tmp_path / "system"
    outside.write_bytes(b"kept\n")
    (tmp_path / "log").mkdir()
    for target in (outside, tmp_path / "nothing"):
        path = tmp_path / "log" / f"{target.name}.ndjson"
        path.symlink_to(target)
        with pytest.raises(WriteFailed, match=rf"{target.name}\.ndjson .*it is a link; put the file itself"):
            write(path, b"x\n")
    assert outside.read_bytes() == b"kept\n"
    assert not (tmp_path / "nothing").exists()


def test_lines_and_the_unfinished_rest() -> None:
    assert ndjson.split_lines(b"a\nb\nc") == ([b"a", b"b"], b"c")
    assert ndjson.split_lines(b"") == ([], b"")
