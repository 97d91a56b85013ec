"""What is refused before anything is done: folders that are not there, files that are, models that are not known."""

import json
from pathlib import Path

import pytest

from memoryd.cli.frame import local_time, trouble_with
from tests.unit.memoryd.test_cli import FakeClient, daemon, run

__all__ = ["daemon"]

MODELS = {"items": [{"name": "small", "state": "serving"}, {"name": "large", "state": "absent"}]}


def posted(daemon: FakeClient) -> list[str]:
    return [path for method, path, _ in daemon.calls if method == "POST"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("use", "nosuch"), 4, "there is no model nosuch; known are small, large, and none"),
        (("pull", "nosuch"), 4, "there is no model nosuch"),
        (("use", "large"), 5, "`memoryd models pull large` fetches them"),
    ],
)
def test_models(daemon: FakeClient, words: tuple[str, ...], code: int, said: str) -> None:
    daemon.answers = {"GET /v1/models": MODELS}
    done = run("models", *words)
    assert done.exit_code == code
    assert said in done.stderr
    assert posted(daemon) == []


def test_backup_and_claude_make_no_folder(daemon: FakeClient, tmp_path: Path) -> None:
    file = tmp_path / "typo" / "x"
    for words in (("backup", str(file)), ("claude", "install", "--hooks-only", "--settings", str(file))):
        done = run(*words)
        assert done.exit_code == 1
        assert f"there is no folder {file.parent}; make it" in done.stderr
    (tmp_path / "there").touch()
    done = run("backup", str(tmp_path / "there"))
    assert done.exit_code == 5
    assert "--force" in done.stderr
    assert posted(daemon) == []
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


@pytest.mark.parametrize(
    ("turns", "skipped", "problems", "code"),
    [
        ({"recorded": 0}, {"unreadable": 3}, [], 1),
        ({}, {}, ["/s/a.jsonl: Permission denied"], 1),
        ({}, {}, [], 0),
        ({"known": 2}, {"unreadable": 3}, [], 0),
    ],
)
def test_an_import_that_read_nothing_has_failed(
    daemon: FakeClient, tmp_path: Path, turns: dict[str, int], skipped: dict[str, int], problems: list[str], code: int
) -> None:
    file = tmp_path / "a.jsonl"
    file.touch()
    result = {"files": 1, "turns": turns, "skipped": skipped, "problems": problems}
    daemon.answers = {"GET /v1/jobs/import": {"state": "idle", "result": result}}
    done = run("import", "claude", str(file))
    assert done.exit_code == code, done.output
    assert (str(file) in done.stderr) == (code == 1)
    assert all(problem in done.output for problem in problems)


def test_notes_are_one_line_each_unless_more_is_asked(daemon: FakeClient) -> None:
    note = {"vault": "v", "path": "a.md", "title": "A", "tags": [], "broken": ["B"], "violations": ["no summary", "x"]}
    daemon.answer = {"items": [note]}
    assert run("note", "list").stdout == "v:a.md “A” (1 dead link, 2 violations)\n"
    assert run("note", "list", "--violations").stdout == "v:a.md “A” (1 dead link)\n    no summary\n    x\n"
    assert run("note", "list", "--broken").stdout == "v:a.md “A” (2 violations)\n    link to nothing: B\n"
    assert json.loads(run("note", "list", "--json").stdout) == daemon.answer


def test_a_vault_has_one_colon_and_a_time_no_fractions() -> None:
    assert trouble_with({"path": "birds:", "reason": "away"}) == "birds: away"
    assert trouble_with({"path": "birds:a.md", "reason": "torn"}) == "birds:a.md: torn"
    assert len(local_time("2026-11-30T15:52:37.423+00:00")) == len("2026-11-30 15:52")
