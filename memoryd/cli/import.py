"""``memoryd import``: take in what other programs keep of the past."""

# ruff: noqa: N999 - the module is found by the command's name, which is a word of the language

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from memoryd.cli.frame import Command, Failure, Frame, Group, clean, counted, pass_frame
from memoryd.cli.progress import run_job

_WORDS = {
    "recorded": "recorded",
    "known": "known already",
    "copy": "copies in a fork",
    "forgotten": "forgotten before",
    "empty": "with nothing in them",
    "not over": "not over yet",
}


@click.group(cls=Group)
def command() -> None:
    """Take in what other programs keep of the past; what is known stays as it is."""


@command.command("claude", cls=Command)
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only say what would be taken in.")
@pass_frame
def claude(frame: Frame, path: Path, dry_run: bool) -> None:
    """Take in session files of Claude Code.

    PATH is one file, or a folder such as ~/.claude/projects with all below it.
    """
    _take_in(frame, "claude", path, is_dry=dry_run)


@command.command("kg-memory", cls=Command)
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only say what would be taken in.")
@pass_frame
def kg_memory(frame: Frame, path: Path, dry_run: bool) -> None:
    """Take in the knowledge graph of the MCP memory server.

    PATH is its file, memory.json or memory.jsonl: entities become elements, their observations the reason.
    """
    _take_in(frame, "kg-memory", path, is_dry=dry_run)


def _take_in(frame: Frame, source: str, path: Path, *, is_dry: bool) -> None:
    arguments = {"source": source, "path": str(path.resolve()), "dry_run": is_dry}
    result = run_job(frame, "import", arguments)
    is_empty = not any(result["turns"].values()) and bool(result["problems"] or result["skipped"])
    if not frame.as_json and not is_empty:
        for line in _describe(result, is_dry=is_dry):
            click.echo(clean(line))
    if is_empty:
        for problem in result["problems"]:
            click.echo(clean(f"could not read {problem}"), err=True)
        passed = ", ".join(f"{count} {reason}" for reason, count in result["skipped"].items())
        raise Failure(f"nothing could be read in {path}{f' (passed over: {passed})' if passed else ''}")


def _describe(result: dict[str, Any], *, is_dry: bool) -> list[str]:
    turns = {name: count for name, count in result["turns"].items() if count}
    told = [f"{count} {_WORDS.get(name, name)}" for name, count in turns.items()]
    head = "dry run, nothing is written: " if is_dry else ""
    passed = ", ".join(f"{count} {reason}" for reason, count in result["skipped"].items())
    lines = [f"{head}{counted(result['files'], 'file')} read: {', '.join(told) or 'nothing to take in'}"]
    if passed:
        lines.append(f"passed over: {passed}")
    return lines + [f"could not read {problem}" for problem in result["problems"]]
