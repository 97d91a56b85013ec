"""``memoryd import``: take in what other programs keep of the past."""

# ruff: noqa: N999 - the module is found by the command's name, which is a word of the language

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from memoryd.cli.frame import Command, Failure, Frame, Group, clean, counted, pass_frame
from memoryd.cli.progress import run_job

SOURCES = {
    "claude": (
        "session files of Claude Code",
        "one file, or a folder such as ~/.claude/projects with all below it: each turn becomes an episode.",
    ),
    "memsearch": (
        "days of memsearch",
        "the folder .memsearch, the project that holds it, or a folder of days: each turn becomes an episode.",
    ),
    "claude-mem": (
        "the database of claude-mem",
        "claude-mem.db, or the folder that holds it: all that was kept of a prompt becomes an episode.",
    ),
    "mempalace": (
        "a palace of MemPalace",
        "the palace, or ~/.mempalace: what is dated becomes episodes, mined files become notes, facts decisions.",
    ),
    "kgai": (
        "the decision log of kgai",
        "the repository, or .kgai/store in it: each decision becomes a decision, with its reason and its time.",
    ),
    "kg-memory": (
        "the graph of KG Memory, or of the MCP memory server",
        "~/.knowledge-graph, a graph in it, or memory.json: things become elements, what was noted of them the reason.",
    ),
    "graphify": (
        "a graph of Graphify",
        "graphify-out, or graph.json in it: reasons and concepts become notes; code is read from its own files.",
    ),
    "qmd": (
        "the collections of qmd",
        "~/.config/qmd/index.yml, or index.sqlite: their folders are proposed as vaults, nothing is written.",
    ),
    "basic-memory": (
        "notes of basic-memory",
        "the folder of a project, or ~/.basic-memory for all of them: each note becomes a note.",
    ),
}
"""Name -> what is taken in, and what PATH is."""

WORDS = {
    "recorded": "recorded",
    "known": "known already",
    "captured": "told by their own session before",
    "differs": "standing here with another text",
    "copy": "copies in a fork",
    "forgotten": "forgotten before",
    "empty": "with nothing in them",
    "not over": "not over yet",
    "proposed": "proposed",
    "refused": "that could not be taken in",
}
"""What became of things -> how it is said."""


class _Sources(Group):
    """Programs by name; what is none of them is a path, and whose files lie there is found out."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a program by name, else take the word for a path."""
        if self.get_command(ctx, args[0]) is None and (args[0].startswith(tuple("-./~")) or Path(args[0]).exists()):
            return "", _guess, args
        return super().resolve_command(ctx, args)


@click.group(cls=_Sources, subcommand_metavar="[SOURCE] PATH", context_settings={"ignore_unknown_options": True})
def command() -> None:
    """Take in what other programs keep of the past; what is known stays as it is.

    Without SOURCE, whose files lie at PATH is found out, and said.
    """


def _offer(name: str, what: str, path: str) -> None:
    @command.command(name, cls=Command, help=f"Take in {what}.\n\nPATH is {path}")
    @click.argument("path", type=click.Path(exists=True, path_type=Path))
    @click.option("--dry-run", is_flag=True, help="Only say what would be taken in.")
    @pass_frame
    def run(frame: Frame, path: Path, dry_run: bool) -> None:
        _take_in(frame, name, path, is_dry=dry_run)


for _name, (_what, _path) in SOURCES.items():
    _offer(_name, _what, _path)


@click.command("import", cls=Command)
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only say what would be taken in.")
@pass_frame
def _guess(frame: Frame, path: Path, dry_run: bool) -> None:
    """Take in what lies at PATH."""
    _take_in(frame, None, path, is_dry=dry_run)


def _take_in(frame: Frame, source: str | None, path: Path, *, is_dry: bool) -> None:
    arguments = {"path": str(path.resolve()), "dry_run": is_dry} | ({"source": source} if source else {})
    result = run_job(frame, "import", arguments)
    if not frame.as_json and source is None and "source" in result:
        click.echo(clean(f"taken for {SOURCES[result['source']][0]} ({result['source']})"))
    is_empty = not any(result["turns"].values()) and bool(result["problems"] or result["skipped"])
    if not frame.as_json and not is_empty:
        for line in _describe(result, is_dry=is_dry):
            click.echo(clean(line))
    if is_empty:
        for problem in result["problems"]:
            click.echo(clean(f"could not read {problem}"), err=True)
        passed = _passed(result)
        raise Failure(f"nothing could be read in {path}" + (f" (passed over: {passed})" if passed else ""))


def _describe(result: dict[str, Any], *, is_dry: bool) -> list[str]:
    head = "dry run, nothing is written: " if is_dry else ""
    kinds = {kind: counts for kind, counts in result.get("kinds", {}).items() if any(counts.values())}
    counts = "; ".join(f"{kind}s: {_told(one)}" for kind, one in kinds.items()) or _told(result["turns"])
    lines = [f"{head}{counted(result['files'], 'file')} read: {counts or 'nothing to take in'}"]
    for kind, first in result.get("first", {}).items():
        lines += [f"  {kind} {title}" for title in first] if is_dry else []
    if passed := _passed(result):
        lines.append(f"passed over: {passed}")
    lines += [f"stands here with another text, and is left as it is: {one}" for one in result.get("differs", ())]
    lines += _proposals(result.get("folders", {}))
    return lines + [f"could not {'take in' if kinds else 'read'} {problem}" for problem in result["problems"]]


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {WORDS.get(name, name)}" for name, count in counts.items() if count)


def _passed(result: dict[str, Any]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in result["skipped"].items())


def _proposals(folders: dict[str, str]) -> list[str]:
    if not folders:
        return []
    head = "to read these folders where they are, add to config.toml (`memoryd settings` shows where it lies):"
    return [head, "  [vault.paths]", *(f"  {_quoted(name)} = {_quoted(path)}" for name, path in folders.items())]


def _quoted(text: str) -> str:
    """Return a text as TOML quotes it, which does as JSON does."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
