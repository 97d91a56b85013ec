"""``memoryd claude``: Claude Code, told of memory and of nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from memoryd.cli.frame import FAILED, Failure, Frame, Group, pass_frame
from memoryd.service.claude import pipe_command, with_hooks, without_hooks
from memoryd.service.claude_settings import claude_folder, read_settings, remove_made, write_settings
from memoryd.service.rivals import look

_CLAUDE_S = 60
_SETTINGS = click.option(
    "--settings",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The settings file; without it the user's own.",
)


@click.group(cls=Group)
def command() -> None:
    """Claude Code: hooks that capture and remind, and the tools."""


@command.command("install")
@_SETTINGS
@click.option("--hooks-only", is_flag=True, help="Do not register the tools as an MCP server.")
@pass_frame
def install(frame: Frame, path: Path | None, hooks_only: bool) -> None:
    """Add the hooks to Claude Code's settings, and register the tools.

    Nothing but memoryd's own entries is touched; a copy of the settings is kept beside them. Doing it again changes
    nothing.
    """
    changed, backup = _change(path, with_hooks)
    tools = "" if hooks_only else _register()
    _tell(frame, changed, backup, tools, done="the hooks are installed", same="the hooks were installed already")


@command.command("uninstall")
@_SETTINGS
@pass_frame
def uninstall(frame: Frame, path: Path | None) -> None:
    """Take memoryd's own entries out of Claude Code's settings; the memory stays."""
    changed, backup = _change(path, without_hooks)
    if changed is not None and backup is not None and remove_made(changed, backup):
        backup = None
    tools = _unregister()
    _tell(frame, changed, backup, tools, done="the hooks are gone", same="there were no hooks of memoryd")


@command.command("doctor")
@click.option("--turn-off-auto-memory", is_flag=True, help="Set autoMemoryEnabled to false in the user's settings.")
@pass_frame
def doctor(frame: Frame, turn_off_auto_memory: bool) -> None:
    """Look at the hooks, and name what else remembers for Claude Code. Nothing is changed unless asked."""
    if turn_off_auto_memory:
        _change(None, lambda values: {**values, "autoMemoryEnabled": False})
    found = look(os.environ, Path.home(), Path.cwd())
    if frame.as_json:
        items = [{"kind": one.kind, "text": one.text} for one in found]
        click.echo(json.dumps({"items": items}, ensure_ascii=False))
    else:
        for one in found:
            click.echo(f"{one.kind}: {one.text}")
        if not found:
            click.echo("nothing is wrong, and nothing else remembers")
    if any(one.kind == "problem" for one in found):
        raise click.exceptions.Exit(FAILED)


def _change(path: Path | None, change: Any) -> tuple[Path | None, Path | None]:
    """Change the settings; return the file if it was changed, and the backup."""
    if path is not None and not path.absolute().parent.is_dir():
        raise Failure(f"there is no folder {path.absolute().parent}; make it, or name a file in another")
    file = read_settings(path or claude_folder(os.environ) / "settings.json")
    values: Mapping[str, Any] = change(file.values)
    if values == file.values:
        return None, None
    return file.path, write_settings(file, values, datetime.now().astimezone())


def _register() -> str:
    """Register the pipe with Claude Code's own command, which alone may write that file; say what came of it."""
    program, arguments = pipe_command()
    words = ["claude", "mcp", "add", "--scope", "user", "memoryd", "--", program, *arguments]
    if shutil.which("claude") is None:
        return f"the program claude is not on the PATH; to register the tools: {' '.join(words)}"
    if _run("claude", "mcp", "get", "memoryd").returncode == 0:
        return "the tools were registered already"
    done = _run(*words)
    return "the tools are registered" if done.returncode == 0 else f"claude refused the tools: {done.stderr.strip()}"


def _unregister() -> str:
    if shutil.which("claude") is None or _run("claude", "mcp", "get", "memoryd").returncode != 0:
        return ""
    done = _run("claude", "mcp", "remove", "--scope", "user", "memoryd")
    return "the tools are not registered any more" if done.returncode == 0 else f"claude said: {done.stderr.strip()}"


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=_CLAUDE_S, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(words, 1, "", f"it did not run: {type(error).__name__}")


def _tell(frame: Frame, changed: Path | None, backup: Path | None, tools: str, *, done: str, same: str) -> None:
    if frame.as_json:
        body = {
            "changed": changed is not None,
            "settings": str(changed) if changed else None,
            "backup": str(backup) if backup else None,
            "tools": tools or None,
        }
        click.echo(json.dumps(body, ensure_ascii=False))
        return
    click.echo(f"{done} in {changed}" if changed else same)
    if backup:
        click.echo(f"the settings as they were: {backup}")
    if tools:
        click.echo(tools)
