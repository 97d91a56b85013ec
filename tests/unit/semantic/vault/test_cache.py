"""What is kept of notes from one start to the next: believed only where the file proves it, and never missed."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from semantic.errors import NoteUnwritable
from semantic.fields import note_document
from semantic.log.ids import note_id
from semantic.search.query import SemanticQuery
from semantic.testing import open_store
from semantic.vault import shelf
from semantic.vault.cache import NoteCache
from semantic.vault.contract import Contract
from semantic.vault.library import Library
from semantic.vault.note import read_note
from semantic.vault.stored import pack_note, pack_weights, unpack_note, unpack_weights
from semantic.weighing import weigh

TEXT = (
    "---\ntitle: 'a: b'\nsummary: One line.\ndate: 2026-03-02\ntags: [type/x, Ünïcode]\naliases: [x, y]\nn: 1.5\n---\n"
    "# Häding\n\n[[A#h|b]] ![[pic.png]] [t](dir/B%20c.md#^d)\n\n## Two\n\nwords 中文字 🦊\n"
)


class Readings:
    """Counts how often a note is parsed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0

        def counted(*args: object, **named: object) -> object:
            self.count += 1
            return read_note(*args, **named)  # type: ignore[arg-type]  # handed on as it came

        monkeypatch.setattr(shelf, "read_note", counted)

    def taken(self) -> int:
        """Return the count since the last call."""
        count, self.count = self.count, 0
        return count


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> Readings:
    return Readings(monkeypatch)


def later() -> datetime:
    """Return an instant at which every file of the test is old enough to be trusted by its time stamp."""
    return datetime.now(UTC) + timedelta(minutes=1)


def start(root: Path, told: str = "told", clock: object = later) -> Library:
    library = Library({"v": root / "v"}, Contract(), clock, UTC, NoteCache(root / "notes.sqlite", told))  # type: ignore[arg-type]  # a clock
    library.reconcile()
    return library


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "v").mkdir()
    (tmp_path / "v/A.md").write_text(TEXT)
    (tmp_path / "v/B.md").write_text("[[A]] #tag\n")
    (tmp_path / "v/bad.md").write_bytes(b"---\na: b: c\n---\n\xff\n")
    return tmp_path


def test_what_is_kept_is_what_was_read() -> None:
    note = read_note("v", "dir/N.md", TEXT.encode(), modified=later(), zone=UTC, contract=Contract())
    assert unpack_note("v", "dir/N.md", pack_note(note) or b"") == note
    weighed = weigh(note_document(note), ("en", "de"))
    assert unpack_weights(note.id, pack_weights(weighed)) == weighed
    for broken in (b"", b"{}", b"[]", b'{"id": 1}'):
        with pytest.raises(ValueError):
            unpack_note("v", "dir/N.md", broken)
        with pytest.raises(ValueError):
            unpack_weights(note.id, broken)
    with pytest.raises(ValueError):
        unpack_weights(note.id, pack_weights(weighed)[:-4])


def test_a_second_start_parses_nothing(home: Path, readings: Readings) -> None:
    first = start(home)
    assert readings.taken() == 3
    again = start(home)
    assert readings.taken() == 0
    assert again.digest() == first.digest()
    assert again.note("v", "A.md") == first.note("v", "A.md")
    assert stat.S_IMODE((home / "notes.sqlite").stat().st_mode) == 0o600


def test_a_vault_that_is_away_at_the_start_is_served_as_last_read(home: Path, readings: Readings) -> None:
    first = start(home)
    readings.taken()
    (home / "v").rename(home / "away")
    again = start(home)
    (problem,) = again.reconcile().problems
    assert "does not exist; its 3 notes are kept as last read" in problem.reason
    assert again.digest() == first.digest()
    assert again.snapshot() == first.snapshot()
    (found,) = again.notes(tag="tag")
    assert found.text == "[[A]] #tag\n"
    assert again.fresh_note("v", "B.md") == found
    with pytest.raises(NoteUnwritable):
        again.bounds("v")
    (home / "away" / "B.md").unlink()
    (home / "away" / "C.md").write_text("new\n")
    (home / "away").rename(home / "v")
    report = again.reconcile()
    assert (report.removed, [one for one in report.problems if one.path == "v:"]) == (1, [])
    assert sorted(one.path for one in again.snapshot().values()) == ["A.md", "C.md", "bad.md"]
    assert readings.taken() == 1
    assert start(home).digest() == again.digest()


def test_a_vault_whose_mount_point_is_empty_at_the_start_is_served_as_last_read(home: Path) -> None:
    first = start(home)
    (home / "v").rename(home / "away")
    (home / "v").mkdir()
    again = start(home)
    assert again.digest() == first.digest()
    assert [one.is_away for one in again.daily_notes()] == [True]
    (problem,) = [one for one in again.reconcile().problems if one.path == "v:"]
    assert "only 0 of 3 notes are there, so the folder may be half mounted" in problem.reason
    assert start(home).snapshot() == first.snapshot()
    (home / "v").rmdir()
    (home / "away").rename(home / "v")
    assert [one.is_away for one in again.daily_notes()] == [True]
    assert [one for one in again.reconcile().problems if one.path == "v:"] == []
    assert again.digest() == first.digest()
    assert again.daily_notes() == []
    assert Library({"v": home / "v"}, Contract(), later, UTC).reconcile().files == 3


def test_a_loss_that_is_accepted_at_the_start_is_one(home: Path) -> None:
    start(home)
    for file in (home / "v").iterdir():
        file.unlink()
    library = Library({"v": home / "v"}, Contract(), later, UTC, NoteCache(home / "notes.sqlite", "told"))
    library.reconcile(accept_loss=True)
    assert library.snapshot() == {}
    assert start(home).snapshot() == {}


def test_a_note_of_an_absent_vault_whose_text_is_not_held_is_said(home: Path) -> None:
    start(home)
    with contextlib.closing(sqlite3.connect(home / "notes.sqlite")) as database, database:
        database.execute("UPDATE notes SET note = x'00' WHERE path = 'A.md'")
    (home / "v").rename(home / "away")
    again = start(home)
    assert sorted(one.path for one in again.snapshot().values()) == ["B.md", "bad.md"]
    (home / "v").write_text("a file")
    (problem,) = start(home).reconcile().problems
    assert "is no folder" in problem.reason
    (home / "v").unlink()
    library = Library({"v": home / "v"}, Contract(), later, UTC, NoteCache(home / "notes.sqlite", "told"))
    (problem,) = library.reconcile().problems
    assert "its 2 notes are kept as last read; 1 more were known, and their text is not held here" in problem.reason


def test_what_changed_while_nobody_looked_is_read(home: Path, readings: Readings) -> None:
    start(home)
    readings.taken()
    (home / "v/A.md").write_text(TEXT + "more\n")
    (home / "v/B.md").unlink()
    (home / "v/C.md").write_text("new\n")
    library = start(home)
    assert readings.taken() == 2
    assert [note.path for note in library.notes()] == ["A.md", "C.md", "bad.md"]
    assert start(home).digest() == library.digest()
    assert readings.taken() == 0


def test_the_same_stamp_does_not_hide_other_bytes(home: Path, readings: Readings) -> None:
    """A file written twice within a tick of the clock has the size and stamp that were kept: it is read."""
    file = home / "v/B.md"
    before = file.stat()
    start(home, clock=lambda: datetime.now(UTC))  # just written: the stamp proves nothing
    file.write_text("[[A]] #gat\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    note = start(home).note("v", "B.md")
    assert note is not None
    assert note.tags == ("gat",)
    assert readings.taken() == 4  # the others were read for their bytes, which were the same, and parsed no more


def test_a_touched_or_copied_file_is_read_and_not_parsed_if_its_stamp_stays(home: Path, readings: Readings) -> None:
    start(home)
    readings.taken()
    file = home / "v/A.md"
    status = file.stat()
    copy = home / "v/copy"
    copy.write_bytes(file.read_bytes())
    os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))
    copy.replace(file)  # another inode, as after a restore
    start(home)
    assert readings.taken() == 0


def test_another_reader_or_contract_keeps_nothing(home: Path, readings: Readings) -> None:
    start(home)
    readings.taken()
    start(home, told="another contract")
    assert readings.taken() == 3


@pytest.mark.parametrize("damage", ["garbage", "truncated", "row", "swapped"])
def test_a_damaged_cache_costs_time_and_nothing_else(home: Path, readings: Readings, damage: str) -> None:
    digest = start(home).digest()
    readings.taken()
    file = home / "notes.sqlite"
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if damage == "row":
            database.execute("UPDATE notes SET note = x'7b7d'")
        if damage == "swapped":
            database.execute("UPDATE notes SET note = (SELECT note FROM notes WHERE path = 'A.md')")
    database.close()
    if damage == "garbage":
        file.write_bytes(b"no database" * 1000)
    if damage == "truncated":
        file.write_bytes(file.read_bytes()[:5000])
    assert start(home).digest() == digest
    assert start(home).digest() == digest


def test_words_of_notes_are_kept_and_searched_alike(tmp_path: Path) -> None:
    (tmp_path / "v").mkdir()
    for number in range(5):
        (tmp_path / f"v/{number}.md").write_text(f"# N{number}\n\nheron {'quay ' * number}\n")

    def ask() -> list[tuple[str, float]]:
        store = open_store(tmp_path / "m", vaults={"v": tmp_path / "v"}, clock=later, cache=tmp_path / "notes.sqlite")
        store.reconcile()
        found = [(hit.id, hit.score) for hit in store.search(SemanticQuery("quay heron", dense=False), None).hits]
        store.close()
        return found

    first = ask()
    assert len(first) == 5
    assert ask() == first
    (tmp_path / "v/0.md").write_text("kestrel\n")
    changed = ask()
    assert len(changed) == 4
    (tmp_path / "notes.sqlite").unlink()
    assert ask() == changed


def test_a_note_that_is_gone_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "v").mkdir()
    (tmp_path / "v/kept.md").write_text("# Kept\n\nquay [[gone]]\n")
    (tmp_path / "v/gone.md").write_text("# Gone\n\nxyzzyheron\n")
    file = tmp_path / "notes.sqlite"

    def look() -> tuple[set[str], bool]:
        store = open_store(tmp_path / "m", vaults={"v": tmp_path / "v"}, clock=later, cache=file)
        store.reconcile()
        store.search(SemanticQuery("quay", dense=False), None)
        store.close()
        with contextlib.closing(sqlite3.connect(file)) as database:
            ids = {id_.partition("#")[0] for (id_,) in database.execute("SELECT id FROM words")}
        return ids, any(b"xyzzyheron" in one.read_bytes() for one in tmp_path.glob("notes.sqlite*"))

    kept, gone = note_id("v", "kept.md"), note_id("v", "gone.md")
    assert look() == ({kept, gone}, True)
    (tmp_path / "v/gone.md").unlink()
    assert look() == ({kept}, False)


def test_a_time_stamp_of_another_century_stops_nothing(home: Path, readings: Readings) -> None:
    """A file system may hold a year that does not fit a database's nanoseconds; the note is read as any other."""
    os.utime(home / "v/A.md", ns=(0, 2**63 + 10**18))
    first = start(home)
    assert first.note("v", "A.md") is not None
    assert len(first.notes()) == 3
    readings.taken()
    assert start(home).digest() == first.digest()
