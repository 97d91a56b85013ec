"""What else remembers for Claude Code beside us. Two memories give two accounts of one thing; this names them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memoryd.errors import SettingsUnusable
from memoryd.service.claude import EVENTS, handlers_of, is_ours
from memoryd.service.claude_settings import claude_folder, read_settings

_OTHERS = re.compile(
    r"memsearch|claude-mem|mem0|mempalace|basic-memory|supermemory|hindsight|cavemem|memmy|kgai|kg-memory|openmemory|"
    r"server-memory|letta|graphiti|cognee",
    re.IGNORECASE,
)
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found: ``problem`` keeps memory from working, ``note`` is for the person to judge."""

    kind: Literal["problem", "note"]
    text: str


def look(environ: Mapping[str, str], home: Path, project: Path) -> list[Finding]:
    """Look at Claude Code's files of a user and of a project, and change nothing.

    Args:
        environ: The environment.
        home: The user's home folder.
        project: The folder that the user works in.
    """
    folder = claude_folder(environ)
    found: list[Finding] = []
    merged: list[tuple[Path, dict[str, Any]]] = []
    places = (folder / "settings.json", project / ".claude/settings.json", project / ".claude/settings.local.json")
    for path in dict.fromkeys(places):
        try:
            merged.append((path, read_settings(path).values))
        except SettingsUnusable as error:
            found.append(Finding("problem", str(error)))
    found += _hooks(merged)
    found += _servers(merged, folder, home, project)
    found += _auto_memory(merged, folder)
    found += _instructions(folder, project)
    return found


def _hooks(merged: list[tuple[Path, dict[str, Any]]]) -> Iterator[Finding]:
    ours: set[str] = set()
    is_plugin = any(_is_enabled(values, "memoryd") for _, values in merged)
    for path, values in merged:
        for name in ("disableAllHooks", "allowManagedHooksOnly"):
            if values.get(name) is True:
                yield Finding("problem", f"{path}: {name} is true, so no hook of memoryd runs")
        for event, handler in handlers_of(values):
            said = " ".join([str(handler.get("command", "")), *map(str, handler.get("args") or ())])
            if is_ours(handler):
                ours.add(event)
                missing = [one for one in _files(handler) if not Path(one).exists()]
                if missing:
                    yield Finding("problem", f"{path}: the hook of {event} runs {missing[0]}, which is not there; "
                                  "`memoryd claude install` puts it right")  # fmt: skip
            elif other := _OTHERS.search(said):
                yield Finding("note", f"{path}: a hook of {event} runs {other[0]}, which is another memory")
        for name, is_on in _plugins(values).items():
            if is_on and (other := _OTHERS.search(name)):
                yield Finding("note", f"{path}: the plugin {name} is another memory ({other[0]})")
    if is_plugin and ours:
        yield Finding("problem", "the hooks stand in the settings and in the plugin: each turn is told twice; "
                      "`memoryd claude uninstall` leaves the plugin's")  # fmt: skip
    elif not is_plugin and not ours:
        yield Finding("problem", "no hook of memoryd is installed; `memoryd claude install` does it")
    elif not is_plugin and (lacking := [event for event in EVENTS if event not in ours]):
        yield Finding("problem", f"no hook for {', '.join(lacking)}; `memoryd claude install` adds them")


def _servers(merged: list[tuple[Path, dict[str, Any]]], folder: Path, home: Path, project: Path) -> Iterator[Finding]:
    """Look at the MCP servers, which stand in a file of Claude Code's own."""
    own = folder / ".claude.json" if (folder / ".claude.json").exists() else home / ".claude.json"
    servers: dict[str, Path] = {}
    for path in (own, project / ".mcp.json"):
        try:
            values = json.loads(path.read_text("utf-8"))
            servers |= {str(name): path for name in values.get("mcpServers") or {}}
        except (OSError, ValueError, AttributeError, TypeError):
            continue
    if "memoryd" not in servers and not any(_is_enabled(values, "memoryd") for _, values in merged):
        yield Finding(
            "note", "the tools of memoryd are not registered as an MCP server; `memoryd claude install` does it"
        )
    for name, path in servers.items():
        if other := _OTHERS.search(name):
            yield Finding("note", f"{path}: the MCP server {name} is another memory ({other[0]})")


def _auto_memory(merged: list[tuple[Path, dict[str, Any]]], folder: Path) -> Iterator[Finding]:
    is_on = not any(values.get("autoMemoryEnabled") is False for _, values in merged)
    kept = sorted(folder.glob("projects/*/memory/MEMORY.md"))
    if is_on:
        has = f" and has written {len(kept)} MEMORY.md" if kept else ""
        yield Finding("note", f"autoMemoryEnabled is on{has}; what it keeps may differ from what "
                      "memoryd knows; `memoryd claude doctor --turn-off-auto-memory` sets it to false")  # fmt: skip
    if any(values.get("autoDreamEnabled") is True for _, values in merged):
        yield Finding("note", "Claude Code's autoDreamEnabled is on: it rewrites its own memory in the background")


def _instructions(folder: Path, project: Path) -> Iterator[Finding]:
    """Name the files of standing instructions where there are several."""
    above = [project, *project.parents]
    names = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md")
    places = [folder / "CLAUDE.md", *(place / name for place in above for name in names)]
    found = [path for path in dict.fromkeys(places) if path.is_file()]
    if len(found) > 1:
        named = ", ".join(map(str, found[:_NAMED])) + (
            f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        )
        yield Finding("note", f"{len(found)} files of instructions are read here: {named}; what they say of memory "
                      "should stand in one of them")  # fmt: skip


def _files(handler: Mapping[str, Any]) -> list[str]:
    words = [str(handler.get("command", "")), *map(str, handler.get("args") or ())]
    return [word for word in words if word.startswith("/")]


def _plugins(values: Mapping[str, Any]) -> Mapping[str, Any]:
    named = values.get("enabledPlugins")
    return named if isinstance(named, dict) else {}


def _is_enabled(values: Mapping[str, Any], name: str) -> bool:
    return any(is_on and plugin.partition("@")[0] == name for plugin, is_on in _plugins(values).items())
