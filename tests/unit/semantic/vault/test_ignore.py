from __future__ import annotations

import json
from pathlib import Path

import pytest

from semantic.vault.ignore import Ignore, read_ignore


@pytest.mark.parametrize(
    ("path", "hidden"),
    [
        (".obsidian/app.json", True),
        (".trash/old.md", True),
        (".git/x.md", True),
        ("a/.hidden/b.md", True),
        ("a/b.md", False),
        ("Templates/T.md", False),
    ],
)
def test_hidden_folders_are_left_alone(path: str, hidden: bool) -> None:
    assert Ignore().hides(path) is hidden


def test_the_vaults_own_settings_are_followed(tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian/templates.json").write_text(json.dumps({"folder": "Meta/Templates/"}))
    (tmp_path / ".obsidian/app.json").write_text(json.dumps({"userIgnoreFilters": ["Archive/", "/draft\\d+/", 3]}))
    rules = read_ignore(tmp_path)
    assert rules.problems == ()
    hidden = ["Meta/Templates/T.md", "Archive/a.md", "x/draft12.md"]
    shown = ["Meta/Templates2/T.md", "x/Archive/a.md", "x/draft.md"]
    assert [path for path in hidden + shown if rules.hides(path)] == hidden


def test_ignore_file_has_gitignore_syntax(tmp_path: Path) -> None:
    (tmp_path / ".memorydignore").write_text("# comment\nprivate/\n*.tmp.md\n!keep.tmp.md\n")
    rules = read_ignore(tmp_path)
    assert rules.hides("private", folder=True)
    assert rules.hides("x/private/deep/a.md")
    assert rules.hides("a.tmp.md")
    assert not rules.hides("keep.tmp.md")
    assert rules.hides("private/keep.tmp.md")
    assert not rules.hides("private.md")


def test_broken_settings_are_named_and_hide_nothing(tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian/templates.json").write_text("{broken")
    (tmp_path / ".obsidian/app.json").write_text(json.dumps({"userIgnoreFilters": ["/(/"]}))
    rules = read_ignore(tmp_path)
    assert [name for name, _ in rules.problems] == [".obsidian/templates.json", ".obsidian/app.json"]
    assert not rules.hides("a.md")


def test_a_pattern_that_blows_up_hides_nothing() -> None:
    assert not Ignore(patterns=(r"(a|aa)+$",)).hides("a" * 40 + "b")
