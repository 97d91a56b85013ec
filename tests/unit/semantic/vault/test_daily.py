from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from semantic.vault.daily import DailyNotes, read_daily_notes


@pytest.mark.parametrize(
    ("folder", "pattern", "path", "day"),
    [
        ("", "YYYY-MM-DD", "2026-11-30.md", date(2026, 11, 30)),
        ("Daily", "YYYY-MM-DD", "Daily/2026-11-30.md", date(2026, 11, 30)),
        ("Daily", "YYYY-MM-DD", "2026-11-30.md", None),
        ("Daily", "YYYY-MM-DD", "Daily/x/2026-11-30.md", None),
        ("", "YYYY-MM-DD", "2026-13-30.md", None),
        ("", "YYYY-MM-DD", "2026-11-30 plan.md", None),
        ("d", "YYYY/MMMM/YYYY-MMM-DD", "d/2026/November/2026-Nov-30.md", date(2026, 11, 30)),
        ("d", "YYYY/MM-MMMM/YYYY-MM-DD-dddd", "d/2026/11-November/2026-11-30-Monday.md", date(2026, 11, 30)),
        ("", "YYYY/YYYY-MM-DD", "2025/2026-11-30.md", None),
        ("", "[Day] D.M.YYYY", "Day 3.2.2026.md", date(2026, 2, 3)),
        ("", "MMMM Do, YYYY", "March 1st, 2026.md", date(2026, 3, 1)),
        ("", "gggg-[W]ww", "2026-W48.md", None),
    ],
)
def test_day_of(folder: str, pattern: str, path: str, day: date | None) -> None:
    assert DailyNotes("v", Path(), folder, pattern).day_of(path) == day


def test_only_a_vault_that_obsidian_opened_has_daily_notes(tmp_path: Path) -> None:
    problems: list[tuple[str, str]] = []
    assert read_daily_notes("v", tmp_path, problems) is None
    (tmp_path / ".obsidian").mkdir()
    found = read_daily_notes("v", tmp_path, problems)
    assert found is not None
    assert (found.folder, found.format) == ("", "YYYY-MM-DD")
    (tmp_path / ".obsidian/daily-notes.json").write_text(json.dumps({"folder": "/Journal/", "format": ""}))
    found = read_daily_notes("v", tmp_path, problems)
    assert found is not None
    assert (found.folder, found.format) == ("Journal", "YYYY-MM-DD")
    assert problems == []
