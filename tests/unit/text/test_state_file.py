"""A file of state/ that may be lost: whatever becomes of it, whoever asks goes on, and it is said."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryd.text.state_file import StateFile

SCHEMA = "CREATE TABLE words (word TEXT PRIMARY KEY, meaning TEXT) WITHOUT ROWID;"
WORDS = 2_000


def opened(path: Path | None, number: int = 1, **more: Callable[[sqlite3.Connection], None]) -> StateFile:
    return StateFile(path, schema=SCHEMA, format=number, holds="the words", busy_s=0.01, **more)


def fill(file: StateFile) -> None:
    with file.lock:
        for number in range(WORDS):
            file.rows("INSERT INTO words VALUES (?, ?)", (f"{number:05}", "long " * 20))


def words(file: StateFile) -> list[str]:
    return [row[0] for row in file.rows("SELECT word FROM words ORDER BY word")]


def test_what_was_written_is_there_the_next_time_and_is_nobody_elses(tmp_path: Path) -> None:
    path = tmp_path / "words.sqlite"
    file = opened(path)
    file.open()
    file.rows("INSERT INTO words VALUES ('a', 'b')")
    file.close()
    assert words(opened(path)) == ["a"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert file.problem is None


@pytest.mark.parametrize("damage", ["no database", "overwritten", "cut off", "another log"])
def test_a_damaged_file_is_set_aside_and_made_anew(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "words.sqlite"
    file = opened(path)
    fill(file)
    file.close()
    data = path.read_bytes()
    spoilt = {
        "no database": b"no database at all",
        "overwritten": data[:4096] + b"\xff" * (len(data) - 4096),
        "cut off": data[: len(data) // 3 + 17],
        "another log": data[:100],
    }[damage]
    path.write_bytes(spoilt)
    again = opened(path)
    assert words(again) == []
    assert "was damaged" in (again.problem or "")
    assert "words.sqlite.broken" in (again.problem or "")
    assert (tmp_path / "words.sqlite.broken").read_bytes()[:10] == spoilt[:10]
    again.rows("INSERT INTO words VALUES ('a', 'b')")
    again.close()
    assert words(opened(path)) == ["a"]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_one_of_another_format_is_made_anew_without_a_word(tmp_path: Path, number: int) -> None:
    path = tmp_path / "words.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE others (a)")
        other.execute(f"PRAGMA user_version = {number}")
    other.close()
    file = opened(path)
    assert words(file) == []
    assert file.problem is None
    assert [one.name for one in tmp_path.glob("*.broken")] == []


def test_one_that_cannot_be_made_is_kept_in_memory_until_it_can(tmp_path: Path) -> None:
    path = tmp_path / "words.sqlite"
    path.mkdir()
    file = opened(path)
    file.rows("INSERT INTO words VALUES ('a', 'b')")
    assert words(file) == ["a"]
    assert "in memory only" in (file.problem or "")
    file.close()
    path.rmdir()
    assert words(file) == []
    assert file.problem is None


def test_a_failure_of_the_moment_is_raised_named_and_forgotten_with_the_next_success(tmp_path: Path) -> None:
    path = tmp_path / "words.sqlite"
    file = opened(path)
    file.open()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(sqlite3.OperationalError):
        file.rows("INSERT INTO words VALUES ('a', 'b')")
    assert "the words cannot be used: database is locked" in (file.problem or "")
    other.execute("ROLLBACK")
    other.close()
    file.rows("INSERT INTO words VALUES ('a', 'b')")
    assert file.problem is None


def test_each_opening_is_told_of() -> None:
    told: list[int] = []
    file = opened(None, opened=lambda one: told.append(len(one.execute("SELECT * FROM words").fetchall())))
    assert words(file) == words(file) == []
    file.close()
    assert words(file) == []
    assert told == [0, 0]


def test_nothing_is_left_of_what_was_deleted(tmp_path: Path) -> None:
    file = opened(tmp_path / "words.sqlite")
    file.rows("INSERT INTO words VALUES ('xyzzy', 'plugh')")
    file.rows("DELETE FROM words")
    file.wipe()
    assert [one.name for one in tmp_path.iterdir() if b"plugh" in one.read_bytes()] == []
    file.rows("INSERT INTO words VALUES ('a', 'b')")
    assert words(file) == ["a"]
