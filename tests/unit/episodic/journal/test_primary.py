"""Which install writes which file."""

from __future__ import annotations

import stat
from datetime import date
from pathlib import Path

import pytest

from episodic.errors import JournalUnwritable
from episodic.journal.primary import claim, day_file_name, day_of

LOW, HIGH = "0a0a0a0a0a0a", "f0f0f0f0f0f0"
DAY = date(2026, 11, 30)


def test_the_first_install_is_the_primary_and_stays(tmp_path: Path) -> None:
    assert claim(tmp_path, HIGH) == HIGH
    assert claim(tmp_path, LOW) == HIGH
    assert (tmp_path / ".primary").read_text() == f"{HIGH}\n"
    assert stat.S_IMODE((tmp_path / ".primary").stat().st_mode) == 0o600


@pytest.mark.parametrize("other", [".primary.sync-conflict-20261130-101112-ABCDEFG", ".primary"])
def test_of_two_claims_the_smaller_id_stays(tmp_path: Path, other: str) -> None:
    claim(tmp_path, HIGH)
    with (tmp_path / other).open("a") as file:
        file.write(f"{LOW}\n")

    assert claim(tmp_path, HIGH) == LOW
    assert claim(tmp_path, LOW) == LOW
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(".primary", f"{LOW}\n")]


def test_a_claim_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / ".primary").mkdir()

    with pytest.raises(JournalUnwritable, match="primary"):
        claim(tmp_path, LOW)


def test_names_of_day_files() -> None:
    assert day_file_name(DAY, install=LOW, primary=LOW) == "2026-11-30.md"
    assert day_file_name(DAY, install=HIGH, primary=LOW) == f"2026-11-30.{HIGH}.md"


@pytest.mark.parametrize(
    "name", ["2026-11-30.md", f"2026-11-30.{HIGH}.md", "2026-11-30 Monday.md", "2026-11-30.sync-conflict-1.md"]
)
def test_names_that_are_this_day(name: str) -> None:
    assert day_of(name) == DAY


@pytest.mark.parametrize(
    "name",
    [
        "2026-13-01.md",
        "2026-11-305.md",
        "notes.md",
        "2026-11-30.txt",
        "x2026-11-30.md",
        "0001-06-01.md",
        "9999-06-01.md",
    ],
)
def test_names_that_are_no_day(name: str) -> None:
    assert day_of(name) is None
