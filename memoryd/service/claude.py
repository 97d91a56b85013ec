"""Claude Code's side: the hooks that it is told of, and its settings file, changed without losing a word of it."""

from __future__ import annotations

import copy
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryd.errors import SettingsUnusable
from memoryd.paths import create_private
from memoryd.text.durable import sync_folder

WAITS_S = 5
"""How long Claude Code waits for a hook of ours; the hook itself answers within a second."""
EVENTS: Mapping[str, Mapping[str, Any]] = {
    "SessionStart": {},
    "UserPromptSubmit": {},
    "PreToolUse": {"matcher": "Read|Edit|Write|NotebookEdit"},
    "PostToolUse": {"matcher": "Edit|Write|NotebookEdit|Bash"},
    "PostToolUseFailure": {"matcher": "Edit|Write|NotebookEdit|Bash", "async": True},
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


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A settings file as read: its values, and how it was written."""

    path: Path
    values: dict[str, Any]
    text: str | None
    """``None`` where there is no file yet."""

    @property
    def indent(self) -> str:
        """The white space of one level."""
        found = re.search(r"^([ \t]+)\S", self.text or "", re.MULTILINE)
        return found[1] if found else "  "


def claude_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of Claude Code's own files."""
    return Path(environ.get("CLAUDE_CONFIG_DIR") or "~/.claude").expanduser()


def hook_command() -> tuple[str, list[str]]:
    """Return program and arguments of the hook: an interpreter that starts isolated, which is the fastest way."""
    return sys.executable, ["-I", "-S", str(_client("hook.py"))]


def pipe_command() -> tuple[str, list[str]]:
    """Return program and arguments of the MCP pipe."""
    return sys.executable, ["-I", "-S", str(_client("mcp_pipe.py"))]


def read_settings(path: Path) -> SettingsFile:
    """Read a settings file; one that is not there is empty.

    Raises:
        SettingsUnusable: It is not JSON that can be changed safely; it stays as it is.
    """
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        return SettingsFile(path, {}, None)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise SettingsUnusable(f"cannot read {path}: {reason}; nothing was changed") from error
    try:
        values = json.loads(text, object_pairs_hook=_once_each) if text.strip() else {}
    except json.JSONDecodeError as error:
        raise SettingsUnusable(
            f"{path}, line {error.lineno}, column {error.colno}: not JSON ({error.msg.lower()}; comments and commas at "
            f"the end of a list are no JSON); mend it and repeat, nothing was changed"
        ) from error
    except ValueError as error:
        raise SettingsUnusable(f"{path}: {error}; remove one of them and repeat, nothing was changed") from error
    if not isinstance(values, dict) or not isinstance(values.get("hooks", {}), dict):
        raise SettingsUnusable(f"{path} is no object with an object `hooks` in it; mend it and repeat")
    return SettingsFile(path, values, text)


def write_settings(file: SettingsFile, values: Mapping[str, Any], now: datetime) -> Path | None:
    """Replace a settings file in one step, and return the backup of what was there before.

    A link is followed, so that a file kept elsewhere stays where it is kept; its mode stays.

    Raises:
        SettingsUnusable: It cannot be written, or somebody changed it since it was read.
    """
    target = Path(os.path.realpath(file.path))
    body = json.dumps(values, indent=file.indent, ensure_ascii=False) + "\n"
    backup = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.text is not None:
            if target.read_text("utf-8-sig") != file.text:
                raise SettingsUnusable(f"{file.path} was changed at this moment by another program; repeat")
            backup = target.with_name(f"{target.name}.before-memoryd-{now:%Y%m%d-%H%M%S-%f}")
            create_private(backup, target.read_bytes())
        temporary = target.with_name(f".{target.name}.memoryd-{os.getpid()}")
        temporary.unlink(missing_ok=True)
        create_private(temporary, body.encode())
        if file.text is not None:
            temporary.chmod(target.stat().st_mode & 0o7777)
        temporary.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise SettingsUnusable(f"cannot write {file.path}: {error.strerror}; it is as it was") from error
    return backup


def with_hooks(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings in which our hooks stand once, and everything else as it was."""
    changed = copy.deepcopy(dict(values))
    hooks = changed.setdefault("hooks", {})
    for event in [*hooks]:
        if event not in EVENTS:
            _take_out(hooks, event)
    for event in EVENTS:
        wanted = entry_of(event)
        groups = hooks.get(event)
        ours = [group for group in groups if _handlers(group)] if isinstance(groups, list) else []
        if ours == [wanted]:
            continue
        _take_out(hooks, event)
        hooks.setdefault(event, []).append(wanted)
    return changed


def without_hooks(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings without our hooks; what they leave empty goes with them."""
    changed = copy.deepcopy(dict(values))
    hooks = changed.get("hooks", {})
    had = bool(hooks)
    for event in [*hooks]:
        _take_out(hooks, event)
    if had and not hooks:
        del changed["hooks"]
    return changed


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
            for handler in group.get("hooks", ()) if isinstance(group, dict) else ():
                if isinstance(handler, dict):
                    yield event, handler


def _handlers(group: Any) -> list[Any]:
    """Return our handlers of a group."""
    return [one for one in group.get("hooks", ()) if is_ours(one)] if isinstance(group, dict) else []


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


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, _ in pairs if sum(name == other for other, _ in pairs) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return found
