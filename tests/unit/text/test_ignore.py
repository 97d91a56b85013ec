from __future__ import annotations

from pathlib import Path

import pytest

from memoryd.text.ignore import IGNORE_FILE, NO_RULES, Rules, read_rules


@pytest.mark.parametrize(
    ("path", "hidden"),
    [
        (".git/x.md", True),
        ("a/.hidden/b.md", True),
        (".note.md.swp", True),
        (".syncthing.note.md.tmp", True),
        (".#note.md", True),
        ("a/b.md", False),
        ("note.sync-conflict-20261130-120000-ABC.md", False),
    ],
)
def test_hidden_names_need_no_rule(path: str, hidden: bool) -> None:
    assert NO_RULES.hides(path) is hidden


def test_the_file_has_gitignores_syntax(tmp_path: Path) -> None:
    (tmp_path / IGNORE_FILE).write_text("# comment\nprivate/\n*.tmp.md\n!keep.tmp.md\n/top.md\nlogs/**/old.md\n")
    rules = read_rules(tmp_path)
    hidden = ["x/private/deep/a.md", "a.tmp.md", "private/keep.tmp.md", "top.md", "logs/a/b/old.md"]
    shown = ["keep.tmp.md", "private.md", "x/top.md", "old.md"]
    assert [path for path in hidden + shown if rules.hides(path)] == hidden
    assert rules.hides("private", folder=True)
    assert not rules.hides("private")


def test_a_bad_line_is_named_and_the_others_count(tmp_path: Path) -> None:
    (tmp_path / IGNORE_FILE).write_text("!\nprivate/\n")
    rules = read_rules(tmp_path)
    assert rules.hides("private/a.md")
    assert [name for name, _ in rules.problems] == [IGNORE_FILE]
    assert "line 1" in rules.problems[0][1]


def test_without_a_file_nothing_is_ruled_out_and_one_that_cannot_be_read_keeps_its_last_rules(tmp_path: Path) -> None:
    held = Rules(("private/",))
    assert read_rules(tmp_path, held) == NO_RULES
    assert read_rules(tmp_path / "nowhere", held) == NO_RULES
    (tmp_path / IGNORE_FILE).mkdir()
    kept = read_rules(tmp_path, held)
    assert kept.hides("private/a.md")
    assert "as last read" in kept.problems[0][1]
    assert "no rules" in read_rules(tmp_path).problems[0][1]
