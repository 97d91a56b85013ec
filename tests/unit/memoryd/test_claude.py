"""Claude Code's settings: our entries come and go, and nothing else moves."""

from __future__ import annotations

import json
import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.cli.frame import root
from memoryd.errors import SettingsUnusable
from memoryd.service.claude import EVENTS, is_ours, with_hooks, without_hooks
from memoryd.service.claude_settings import read_settings, write_settings
from memoryd.service.rivals import look

PLUGIN = Path(__file__).parents[3] / "deploy" / "claude-plugin"
MARKETPLACE = Path(__file__).parents[3] / ".claude-plugin" / "marketplace.json"
NOW = datetime(2026, 11, 30, 14, 5, tzinfo=UTC)
THEIRS = {"type": "command", "command": "/opt/lint.sh"}
FOREIGN = {
    "model": "opus",
    "hooks": {"Stop": [{"hooks": [THEIRS]}], "Notification": [{"matcher": "*", "hooks": [THEIRS]}]},
    "unknown": {"größe": [1, 2.5, None]},
}


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of Claude Code's files, in a home of the test's own, without the program."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / ".claude"))
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".claude").mkdir()
    return tmp_path / ".claude"


def run(*words: str) -> Any:
    return CliRunner().invoke(root, ["claude", *words])


def test_every_event_has_one_hook_of_ours() -> None:
    hooks = with_hooks(FOREIGN)["hooks"]
    assert set(hooks) == {*EVENTS, "Notification"}
    for event in EVENTS:
        assert [is_ours(one) for group in hooks[event] for one in group["hooks"]].count(True) == 1
    assert hooks["Stop"][0] == {"hooks": [THEIRS]}
    handler = hooks["SessionStart"][0]["hooks"][0]
    assert handler["args"][:2] == ["-I", "-S"]
    assert Path(handler["args"][2]).is_file()


def test_install_twice_is_install_once_and_uninstall_leaves_what_was() -> None:
    once = with_hooks(FOREIGN)
    assert with_hooks(once) == once
    assert without_hooks(once) == FOREIGN
    assert list(once) == list(FOREIGN)


def test_an_entry_of_another_installation_is_replaced_and_a_neighbour_stays() -> None:
    old = {"type": "command", "command": "/old/bin/python", "args": ["-I", "-S", "/old/clients/hook.py"]}
    mixed = {"hooks": {"Stop": [{"hooks": [old, THEIRS]}], "Setup": [{"hooks": [old]}]}}
    hooks = with_hooks(mixed)["hooks"]
    assert hooks["Stop"][0] == {"hooks": [THEIRS]}
    assert "/old" not in json.dumps(hooks)
    assert "Setup" not in hooks


@given(
    st.dictionaries(
        st.sampled_from([*EVENTS, "Notification", "Later"]),
        st.lists(st.fixed_dictionaries({"hooks": st.lists(st.just(THEIRS), min_size=1, max_size=2)}), min_size=1),
    )
)
@settings(max_examples=30)
def test_whatever_hooks_there_are_come_back(hooks: dict[str, Any]) -> None:
    values = {"hooks": hooks} if hooks else {}
    assert without_hooks(with_hooks(values)) == values


def test_the_file_keeps_its_indent_mode_place_and_a_backup(tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.json"
    kept.write_text(json.dumps(FOREIGN, indent=4, ensure_ascii=False))
    kept.chmod(0o640)
    path = tmp_path / "settings.json"
    path.symlink_to(kept)
    file = read_settings(path)
    backup = write_settings(file, with_hooks(file.values), NOW)
    assert backup is not None
    assert json.loads(backup.read_text()) == FOREIGN
    assert path.is_symlink()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640
    text = kept.read_text()
    assert '\n    "model": "opus"' in text
    assert "größe" in text
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([kept.name, path.name, backup.name])


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}")
    file = read_settings(path)
    path.write_text('{"model": "haiku"}')
    with pytest.raises(SettingsUnusable, match="changed at this moment"):
        write_settings(file, with_hooks(file.values), NOW)
    assert path.read_text() == '{"model": "haiku"}'


_PRETTY = json.dumps(FOREIGN, indent=2, ensure_ascii=False) + "\n"
_NASTY = {
    "as Claude Code writes it": _PRETTY,
    "byte order mark": "\ufeff" + _PRETTY,
    "CRLF": _PRETTY.replace("\n", "\r\n"),
    "tabs": json.dumps(FOREIGN, indent="\t"),
    "no line end": _PRETTY.strip(),
    "one line": json.dumps(FOREIGN),
    "no space at all": json.dumps(FOREIGN, separators=(",", ":")),
    "odd spacing": '{ "model":"opus" ,\n\n\n      "permissions" : {"allow":[ "Bash(ls)","Read" ],  "deny":[]}\n  }\n\n',
    "odd values": '{"a": 1.50, "b": 1E400, "c": "\\u00e9 \\ud800", "d": -0.0, "e": 12345678901234567890}',
    "odd groups": '{"hooks": {"Stop": [null, 1, {"hooks": null}, {"hooks": "x"}], "Later": {"hooks": []}, "Nx": null}}',
    "two megabytes": json.dumps({"env": {f"KEY_{i}": "x" * 80 for i in range(20_000)}, **FOREIGN}, indent=2),
    "others at all our events": json.dumps({"hooks": {event: [{"hooks": [THEIRS]}] for event in EVENTS}}, indent=3),
}


@pytest.mark.parametrize("kind", _NASTY)
def test_a_foreign_byte_is_never_touched_and_uninstall_restores_the_file(claude: Path, kind: str) -> None:
    path = claude / "settings.json"
    path.write_bytes(_NASTY[kind].encode())
    assert run("install", "--hooks-only").exit_code == 0
    there = path.read_bytes()
    ours = json.loads(there.decode("utf-8-sig"))["hooks"]
    assert all(any(is_ours(one) for group in ours[event] if isinstance(group, dict) and isinstance(group["hooks"], list)
                   for one in group["hooks"]) for event in EVENTS)  # fmt: skip
    assert ("\r\n" in _NASTY[kind]) == (b"\r\n" in there)
    assert b"\n" not in there.replace(b"\r\n", b"") or "\r\n" not in _NASTY[kind], "line ends are not mixed"
    assert run("install", "--hooks-only").exit_code == 0
    assert path.read_bytes() == there
    assert run("uninstall").exit_code == 0
    assert path.read_bytes() == _NASTY[kind].encode()


@pytest.mark.parametrize("text", ["", "  \n", "\ufeff"])
def test_an_empty_file_is_as_good_as_none(claude: Path, text: str) -> None:
    (claude / "settings.json").write_text(text)
    assert run("install", "--hooks-only").exit_code == 0
    assert set(json.loads((claude / "settings.json").read_text())["hooks"]) == set(EVENTS)


def test_what_cannot_be_changed_safely_is_refused_and_stays(claude: Path) -> None:
    path = claude / "settings.json"
    path.write_text("{}")
    path.chmod(0o444)
    assert "write-protected" in run("install").stderr
    assert path.read_text() == "{}"
    path.unlink()
    path.mkdir()
    assert "is a directory" in run("install").stderr.lower()
    path.rmdir()
    path.symlink_to(claude / "nowhere" / "settings.json")
    assert "a link to a file that is not there" in run("install").stderr
    path.unlink()
    path.write_bytes(b'{"a": "\xff"}')
    assert "not UTF-8" in run("install").stderr
    path.write_text("[" * 100_000)
    assert "nested too deeply" in run("install").stderr
    path.write_text('{"a": ' + "[" * 900 + "]" * 900 + "}")
    deep = run("install")
    assert deep.exit_code == 0 or "nested too deeply" in deep.stderr
    path.unlink()
    os.mkfifo(path)
    assert "is no file" in run("install").stderr
    assert [one.name for one in claude.iterdir() if "before-memoryd" not in one.name] == ["settings.json"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"hooks": {"Stop": {"hooks": []}}}', "`hooks.Stop` is no list"),
        ('{"a": 1, // why\n}', "line 1, column 10: not JSON"),
        ('{"a": 1,}', "not JSON"),
        ('{"hooks": {}, "hooks": {}}', "'hooks' stands twice"),
        ("[]", "no object"),
        ('{"hooks": []}', "no object"),
    ],
)
def test_broken_settings_are_refused_and_stay(claude: Path, text: str, said: str) -> None:
    (claude / "settings.json").write_text(text)
    outcome = run("install")
    assert outcome.exit_code == 1
    assert said in outcome.stderr
    assert (claude / "settings.json").read_text() == text
    assert [one.name for one in claude.iterdir()] == ["settings.json"]


def test_install_says_what_it_did_and_how_to_register_the_tools(claude: Path) -> None:
    first = run("install")
    assert first.exit_code == 0
    assert "the hooks are installed" in first.output
    assert "claude mcp add --scope user memoryd --" in first.output
    before = (claude / "settings.json").read_text()
    assert "installed already" in run("install").output
    assert (claude / "settings.json").read_text() == before
    assert "the hooks are gone" in run("uninstall").output
    assert list(claude.iterdir()) == [], "what was made for the hooks goes with them"
    (claude / "settings.json").write_text("{}")
    run("install")
    run("uninstall")
    assert (claude / "settings.json").read_text() == "{}", "what was there stays"


def test_the_tools_are_registered_by_claudes_own_program(claude: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = claude.parent / "bin" / "claude"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s|" "$@" >> "$HOME/said"\nprintf "\\n" >> "$HOME/said"\n[ "$2" != get ]\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.defpath}")
    assert "the tools are registered" in run("install").output
    said = (claude.parent / "said").read_text().splitlines()
    assert said[0] == "mcp|get|memoryd|"
    assert said[1].startswith("mcp|add|--scope|user|memoryd|--|")
    assert said[1].endswith("mcp_pipe.py|")


def test_doctor_names_rivals_and_changes_nothing(claude: Path) -> None:
    run("install", "--hooks-only")
    path = claude / "settings.json"
    values = json.loads(path.read_text())
    values["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "claude-mem save"}]})
    path.write_text(json.dumps(values))
    (claude / "projects" / "-x" / "memory").mkdir(parents=True)
    (claude / "projects" / "-x" / "memory" / "MEMORY.md").touch()
    (claude / "CLAUDE.md").touch()
    (claude.parent / "CLAUDE.md").touch()
    (claude.parent / ".mcp.json").write_text('{"mcpServers": {"basic-memory": {}}}')
    before = {one: one.read_bytes() for one in claude.parent.rglob("*") if one.is_file()}
    outcome = run("doctor")
    assert outcome.exit_code == 0
    for said in ("claude-mem", "has written 1 MEMORY.md", "2 files of instructions", "MCP server basic-memory"):
        assert said in outcome.output
    assert {one: one.read_bytes() for one in claude.parent.rglob("*") if one.is_file()} == before
    assert "autoMemoryEnabled is on" not in run("doctor", "--turn-off-auto-memory").output
    assert json.loads(path.read_text())["autoMemoryEnabled"] is False


def test_doctor_finds_what_keeps_hooks_from_running(claude: Path) -> None:
    gone = {"type": "command", "command": "/gone/python", "args": ["-I", "-S", "/gone/clients/hook.py"]}
    values = {
        "disableAllHooks": True,
        "enabledPlugins": {"memoryd@memoryd": True},
        "hooks": {"Stop": [{"hooks": [gone]}]},
    }
    (claude / "settings.json").write_text(json.dumps(values))
    problems = [one.text for one in look(os.environ, claude.parent, claude.parent) if one.kind == "problem"]
    assert len(problems) == 3
    assert "disableAllHooks" in problems[0]
    assert "/gone/python" in problems[1]
    assert "told twice" in problems[2]


def test_without_hooks_doctor_says_so(claude: Path) -> None:
    outcome = run("doctor")
    assert outcome.exit_code == 1
    assert "no hook of memoryd is installed" in outcome.output


def test_the_plugin_has_the_hooks_that_install_writes() -> None:
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text())
    market = json.loads(MARKETPLACE.read_text())
    assert manifest["name"] == market["plugins"][0]["name"] == "memoryd"
    assert (MARKETPLACE.parent.parent / market["plugins"][0]["source"]).resolve() == PLUGIN.resolve()
    assert [one.name for one in (PLUGIN / ".claude-plugin").iterdir()] == ["plugin.json"]
    hooks = json.loads((PLUGIN / "hooks" / "hooks.json").read_text())["hooks"]
    assert set(hooks) == set(EVENTS)
    for event, special in EVENTS.items():
        (group,) = hooks[event]
        (handler,) = group["hooks"]
        assert handler["type"] == "command"
        assert handler["timeout"] == 5
        assert is_ours(handler)
        assert {
            **({"matcher": group["matcher"]} if "matcher" in group else {}),
            **{key: value for key, value in handler.items() if key == "async"},
        } == special
        program = Path(handler["command"].replace("${CLAUDE_PLUGIN_ROOT}", str(PLUGIN)))
        assert os.access(program, os.X_OK)
    servers = json.loads((PLUGIN / ".mcp.json").read_text())["mcpServers"]
    assert set(servers) == {"memoryd"}


@pytest.mark.parametrize("skill", sorted(one.name for one in (PLUGIN / "skills").iterdir()))
def test_a_skill_keeps_claudes_limits(skill: str) -> None:
    text = (PLUGIN / "skills" / skill / "SKILL.md").read_text()
    _, front, body = text.split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in front.strip().splitlines())
    assert fields["name"] == skill
    assert len(fields["description"]) < 1536
    assert "Use when" in fields["description"]
    assert len(body.splitlines()) < 500
