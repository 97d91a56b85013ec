"""Appending and rewriting so that nothing is lost and nothing is half-written."""

from __future__ import annotations

import errno
import json
import os
import stat
import threading
from pathlib import Path

import pytest

from episodic.errors import JournalUnwritable
from episodic.journal import dayfile
from episodic.journal.dayfile import append, make_folder, recover, rewrite


@pytest.fixture
def day(tmp_path: Path) -> Path:
    return tmp_path / "2026-11-30.md"


def add(day: Path, section: str) -> dayfile.Written:
    return append(day, section, heading="# 2026-11-30\n", mark=section.encode(), intent=day.parent / "intent")


def test_a_new_file_starts_with_its_heading(day: Path) -> None:
    written = add(day, "## a\nx\n")

    assert day.read_bytes() == b"# 2026-11-30\n\n## a\nx\n"
    assert written.before is None
    assert day.read_bytes()[written.offset :] == b"## a\nx\n"


def test_sections_are_set_off_by_one_blank_line(day: Path) -> None:
    add(day, "## a\nx\n")
    written = add(day, "## b\ny\n")

    assert day.read_bytes().endswith(b"x\n\n## b\ny\n")
    assert written.ended_in_newline


def test_a_file_that_ends_inside_a_line_gets_a_newline_first(day: Path) -> None:
    day.write_bytes(b"typed by hand")
    written = add(day, "## a\nx\n")

    assert day.read_bytes() == b"typed by hand\n\n## a\nx\n"
    assert not written.ended_in_newline


def test_modes_do_not_depend_on_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o777)
    try:
        folder = tmp_path / "a" / "b"
        make_folder(folder)
        add(folder / "2026-11-30.md", "## a\nx\n")
    finally:
        os.umask(old)

    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "2026-11-30.md").stat().st_mode) == 0o600


def test_a_folder_where_the_file_should_be_is_one_clear_error(day: Path) -> None:
    day.mkdir()

    with pytest.raises(JournalUnwritable, match="2026-11-30"):
        add(day, "## a\nx\n")


def test_a_file_where_the_folder_should_be_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")

    with pytest.raises(JournalUnwritable, match="folder"):
        make_folder(tmp_path / "a")
    with pytest.raises(JournalUnwritable, match="folder"):
        make_folder(tmp_path / "a" / "b")


@pytest.mark.parametrize("existing", [b"", b"# 2026-11-30\n\n## old\nkept\n"])
@pytest.mark.parametrize("fits", [0, 5])
def test_a_full_disk_leaves_nothing_half_written(
    day: Path, existing: bytes, fits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if existing:
        day.write_bytes(existing)
    real = os.write

    def short(descriptor: int, data: bytes) -> int:
        if fits == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, data[:fits])

    with monkeypatch.context() as patch:
        patch.setattr("episodic.journal.dayfile.os.write", short)
        with pytest.raises(JournalUnwritable, match="not in it"):
            add(day, "## a\nx\n")

    assert (day.read_bytes() if day.exists() else b"") == existing
    add(day, "## a\nx\n")
    assert day.read_bytes().endswith(b"## a\nx\n")


def test_a_failing_fsync_takes_the_entry_back(day: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add(day, "## old\nx\n")
    before = day.read_bytes()

    def failing(descriptor: int) -> None:
        raise OSError(errno.EIO, "no")

    with monkeypatch.context() as patch:
        patch.setattr("episodic.journal.dayfile.os.fsync", failing)
        with pytest.raises(JournalUnwritable):
            add(day, "## a\nx\n")
    assert day.read_bytes() == before


def test_an_editor_that_swaps_the_file_during_the_append_loses_nothing(
    day: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(day, "## old\nx\n")
    real = os.fsync
    swaps: list[int] = []

    def swapping(descriptor: int) -> None:
        real(descriptor)
        if not swaps:
            swaps.append(1)
            copy = day.with_name("editor")
            copy.write_bytes(b"# 2026-11-30\n\n## old\nx, edited\n")
            copy.replace(day)

    monkeypatch.setattr("episodic.journal.dayfile.os.fsync", swapping)
    add(day, "## new\ny\n")

    assert day.read_bytes() == b"# 2026-11-30\n\n## old\nx, edited\n\n## new\ny\n"


def test_a_swapped_file_that_has_the_entry_gets_it_only_once(day: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fsync
    swaps: list[int] = []

    def copying(descriptor: int) -> None:
        real(descriptor)
        if not swaps and day.exists():
            swaps.append(1)
            copy = day.with_name("editor")
            copy.write_bytes(day.read_bytes() + b"\nadded\n")
            copy.replace(day)

    monkeypatch.setattr("episodic.journal.dayfile.os.fsync", copying)
    add(day, "## new\ny\n")
    assert day.read_bytes().count(b"## new") == 1


@pytest.mark.parametrize("keep", [1, 8, 30])
def test_a_torn_tail_of_a_killed_append_is_cut_off(day: Path, keep: int) -> None:
    add(day, "## old\nx\n")
    whole = day.read_bytes()
    add(day, "## torn\n" + "y" * 60 + "\n")
    os.truncate(day, len(whole) + keep)

    assert "interrupted" in (recover(day.parent / "intent") or "")
    assert day.read_bytes() == whole


def test_recovery_leaves_a_whole_entry_and_a_persons_text_alone(day: Path) -> None:
    intent = day.parent / "intent"
    assert recover(intent) is None
    add(day, "## a\nx\n")
    assert recover(intent) is None

    with day.open("ab") as file:
        file.write(b"typed since\n")
    assert recover(intent) is None

    noted = json.loads(intent.read_text("utf-8"))
    day.write_bytes(b"# 2026-11-30\n\n## other")
    intent.write_text(json.dumps({**noted, "size": 3}), "utf-8")
    assert recover(intent) is None
    assert day.read_bytes() == b"# 2026-11-30\n\n## other"

    intent.write_bytes(b'{"path": "cut')
    assert recover(intent) is None


def test_rewrite_keeps_mode_and_leaves_no_temporary_file(day: Path) -> None:
    day.write_bytes(b"a\nb\n")
    day.chmod(0o640)

    rewrite(day, lambda data: data.replace(b"b\n", b""))

    assert day.read_bytes() == b"a\n"
    assert stat.S_IMODE(day.stat().st_mode) == 0o640
    assert [path.name for path in day.parent.iterdir()] == [day.name]


def test_rewrite_takes_in_a_save_that_comes_between(day: Path) -> None:
    day.write_bytes(b"a\nb\n")
    calls = []

    def change(data: bytes) -> bytes:
        calls.append(data)
        if len(calls) == 1:
            copy = day.with_name("editor")
            copy.write_bytes(b"a\nb\nc\n")
            copy.replace(day)
        return data.replace(b"b\n", b"")

    rewrite(day, change)
    assert day.read_bytes() == b"a\nc\n"


def test_a_failed_rewrite_leaves_the_file(day: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    day.write_bytes(b"a\nb\n")

    def failing(path: Path, data: bytes, *, mode: int) -> None:
        path.write_bytes(data[:1])
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr("memoryd.text.durable.create_file", failing)
    with pytest.raises(JournalUnwritable, match="as it was"):
        rewrite(day, lambda data: b"x" + data)
    assert [path.name for path in day.parent.iterdir()] == [day.name]
    assert day.read_bytes() == b"a\nb\n"


def test_two_rewrites_at_once_keep_what_both_changed(day: Path) -> None:
    day.write_bytes(b"\n")

    def add_letter(letter: bytes) -> None:
        for _ in range(20):
            rewrite(day, lambda now: now + letter)

    threads = [threading.Thread(target=add_letter, args=(letter,)) for letter in (b"a", b"b", b"c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {letter: day.read_bytes().count(letter) for letter in (b"a", b"b", b"c")} == {b"a": 20, b"b": 20, b"c": 20}
    assert [path.name for path in day.parent.iterdir()] == [day.name]
