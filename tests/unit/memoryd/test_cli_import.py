"""``memoryd import``: a source by its name or by a look, and what came of it in words."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.unit.memoryd.test_cli import FakeClient, daemon, run

__all__ = ["daemon"]

DONE: dict[str, Any] = {
    "source": "mempalace",
    "files": 2,
    "turns": {"recorded": 3, "known": 1, "differs": 1, "refused": 1},
    "kinds": {
        "episode": {"recorded": 2, "known": 1},
        "note": {"recorded": 1, "differs": 1},
        "decision": {"refused": 1},
    },
    "first": {"episode": ["2026-10-05 09:21 talks"], "note": ["birds"]},
    "skipped": {"drawers without a time": 4},
    "differs": ["Cart: vault:a.md"],
    "folders": {},
    "problems": ["Ana: is near Anna"],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.db"
    path.touch()
    return path


def answer(daemon: FakeClient, result: dict[str, Any]) -> None:
    daemon.answers = {"GET /v1/jobs/import": {"state": "idle", "result": result}}


def sent(daemon: FakeClient) -> dict[str, Any]:
    (body,) = (body for method, _, body in daemon.calls if method == "POST")
    return dict(body["body"]["args"])


def test_a_path_alone_is_looked_at_and_said(daemon: FakeClient, file: Path) -> None:
    answer(daemon, DONE)
    done = run("import", str(file))
    assert sent(daemon) == {"path": str(file), "dry_run": False}
    assert done.stdout.splitlines() == [
        "taken for a palace of MemPalace (mempalace)",
        (
            "2 files read: episodes: 2 recorded, 1 known already; notes: 1 recorded, 1 standing here with another text"
            "; decisions: 1 that could not be taken in"
        ),
        "passed over: 4 drawers without a time",
        "stands here with another text, and is left as it is: Cart: vault:a.md",
        "could not take in Ana: is near Anna",
    ]


def test_a_dry_run_shows_the_first_of_each_kind(daemon: FakeClient, file: Path) -> None:
    answer(daemon, DONE)
    for words in (("mempalace", str(file), "--dry-run"), ("--dry-run", str(file))):
        done = run("import", *words)
        assert sent(daemon)["dry_run"] is True
        assert "  episode 2026-10-05 09:21 talks\n  note birds\n" in done.stdout
        assert "dry run, nothing is written: 2 files read" in done.stdout
        daemon.calls.clear()


def test_folders_are_proposed_as_lines_of_the_settings(daemon: FakeClient, file: Path) -> None:
    proposed = {"turns": {"proposed": 1}, "kinds": {"folder": {"proposed": 1}}, "folders": {"n": '/a "b"'}, "first": {}}
    answer(daemon, DONE | proposed | {"differs": [], "problems": [], "skipped": {}})
    assert run("import", "qmd", str(file)).stdout.endswith('  [vault.paths]\n  "n" = "/a \\"b\\""\n')


@pytest.mark.parametrize("word", ["/no/such/place", "./none", "~nobody"])
def test_what_looks_like_a_path_is_one(daemon: FakeClient, word: str) -> None:
    done = run("import", word)
    assert (done.exit_code, daemon.calls) == (2, [])
    assert f"Path '{word}' does not exist" in done.stderr


def test_a_slip_in_a_name_is_answered_with_it(daemon: FakeClient, file: Path) -> None:
    done = run("import", "memsaerch", str(file))
    assert "Did you mean 'memsearch'?" in done.stderr
    assert "session files of Claude Code" in run("import", "--help").stdout


def test_an_empty_path_is_a_wrong_word_and_no_failure(daemon: FakeClient) -> None:
    done = run("import", "")
    assert done.exit_code == 2
    assert "does not exist" in done.stderr
    assert daemon.calls == []


def test_a_folder_is_proposed_as_the_settings_can_read_it(daemon: FakeClient, file: Path) -> None:
    odd = '/a "b"\\c/\u00fc\x7f\n'
    answer(daemon, DONE | {"folders": {"notes": odd}})
    lines = run("import", str(file)).stdout.splitlines()
    start = lines.index("  [vault.paths]")
    assert tomllib.loads("\n".join(lines[start : start + 2]))["vault"]["paths"] == {"notes": odd}
