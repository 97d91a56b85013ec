"""What Claude Code is told of us: the hooks, the tools, and which entries of its settings are ours."""

from __future__ import annotations

import copy
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

WAITS_S = 5
"""How long Claude Code waits for a hook of ours; the hook itself answers within a second."""
EVENTS: Mapping[str, Mapping[str, Any]] = {
    "SessionStart": {},
    "UserPromptSubmit": {},
    "PreToolUse": {"matcher": "Read|Edit|Write|NotebookEdit"},
    "PostToolUse": {"matcher": "Edit|Write|NotebookEdit|Bash"},
    "PostToolUseFailure": {"matcher": "Edit|Write|NotebookEdit|Bash", "async": True},
    "SubagentStart": {},
    "SubagentStop": {"async": True},
    "PreCompact": {"async": True},
    "PostCompact": {"async": True},
    "Stop": {},
    "StopFailure": {"async": True},
    "SessionEnd": {},
}
"""Event -> what is special about its entry: which tools it is for, and whether Claude Code goes on at once."""

_HOOK_FILE = "clients/hook.py"
_OWN_SHELL = re.compile(r"\bmemoryd[- ]hook\b|clients/hook\.py\b")


def hook_command() -> tuple[str, list[str]]:
    """Return program and arguments of the hook: an interpreter that starts isolated, which is the fastest way."""
    return sys.executable, ["-I", "-S", str(_client("hook.py"))]


def pipe_command() -> tuple[str, list[str]]:
    """Return program and arguments of the MCP pipe."""
    return sys.executable, ["-I", "-S", str(_client("mcp_pipe.py"))]


def with_hooks(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings in which our hooks stand once, and everything else as it was."""
    changed = _with_own_hooks(values)
    hooks = changed.setdefault("hooks", {})
    for event in [*hooks]:
        if event not in EVENTS:
            _take_out(hooks, event)
    for event in EVENTS:
        wanted = entry_of(event)
        groups = hooks.get(event)
        ours = [group for group in groups or () if _handlers(group)]
        if ours == [wanted]:
            continue
        _take_out(hooks, event)
        hooks.setdefault(event, []).append(wanted)
    return changed


def without_hooks(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings without our hooks; what they leave empty goes with them."""
    changed = _with_own_hooks(values)
    hooks = changed.get("hooks", {})
    had = bool(hooks)
    for event in [*hooks]:
        _take_out(hooks, event)
    if had and not hooks:
        del changed["hooks"]
    return changed


def _with_own_hooks(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings whose hooks may be changed without changing those given; all else is the same."""
    return {key: copy.deepcopy(value) if key == "hooks" else value for key, value in values.items()}


def entry_of(event: str) -> dict[str, Any]:
    """Return what the settings hold for an event."""
    special = dict(EVENTS[event])
    matcher = special.pop("matcher", None)
    program, arguments = hook_command()
    handler = {"type": "command", "command": program, "args": arguments, "timeout": WAITS_S, **special}
    return {**({"matcher": matcher} if matcher else {}), "hooks": [handler]}


def is_ours(handler: Any) -> bool:
    """Tell whether a handler runs our hook, of this or of another installation."""
    if not isinstance(handler, dict) or handler.get("type", "command") != "command":
        return False
    command, arguments = str(handler.get("command", "")), handler.get("args")
    if not isinstance(arguments, list):
        return _OWN_SHELL.search(command) is not None
    name = Path(command).name
    if name in {"memoryd-hook", "memoryd-hook.sh"} or (name == "memoryd" and arguments[:1] == ["hook"]):
        return True
    return any(str(one).replace(os.sep, "/").endswith(_HOOK_FILE) for one in arguments)


def handlers_of(values: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return every handler of a settings file with its event."""
    for event, groups in values.get("hooks", {}).items():
        for group in groups if isinstance(groups, list) else ():
            yield from ((event, handler) for handler in _members(group) if isinstance(handler, dict))


def _members(group: Any) -> list[Any]:
    """Return the handlers of a group; what has another shape than a group is somebody else's, and has none."""
    held = group.get("hooks") if isinstance(group, dict) else None
    return held if isinstance(held, list) else []


def _handlers(group: Any) -> list[Any]:
    """Return our handlers of a group."""
    return [one for one in _members(group) if is_ours(one)]


def _take_out(hooks: dict[str, Any], event: str) -> None:
    groups = hooks.get(event)
    if not isinstance(groups, list) or not any(_handlers(group) for group in groups):
        return
    kept = []
    for group in groups:
        if not _handlers(group):
            kept.append(group)
        elif others := [one for one in group["hooks"] if not is_ours(one)]:
            kept.append({**group, "hooks": others})
    if kept:
        hooks[event] = kept
    else:
        del hooks[event]


def _client(name: str) -> Path:
    return Path(__file__).resolve().parent.parent.parent / "clients" / name
