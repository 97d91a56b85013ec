"""``memoryd note``: the notes of all vaults."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from memoryd.cli.frame import REFUSED, Failure, Frame, Group, counted, given, pass_frame, shorten, write_raw


@click.group(cls=Group)
def command() -> None:
    """The notes of all vaults."""


@command.command("list")
@click.option("--tag", help="Only notes with this tag; tool means every tool/….")
@click.option("-q", "q", metavar="WORDS", help="Only notes whose title, summary or path has these words.")
@click.option("--broken", is_flag=True, default=None, help="Only notes with links to nothing or against the contract.")
@click.option("--limit", type=int, help="At most so many, 1 to 500; 50 if not given.")
@click.option("--cursor", help="Go on where the last part ended.")
@pass_frame
def list_notes(frame: Frame, /, **query: Any) -> None:
    """List notes."""
    asked = given(query)

    def lines(body: dict[str, Any]) -> Iterator[str]:
        if not body["items"]:
            is_narrowed = bool(asked.keys() - {"limit"})
            yield (
                "no note fits" if is_narrowed else "no notes yet; Markdown files of the vaults are taken in as they are"
            )
        yield from _describe_list(body)

    frame.ask("GET", "/v1/notes", lines, query=asked)


@command.command("show")
@click.argument("place", metavar="VAULT:PATH")
@pass_frame
def show(frame: Frame, place: str) -> None:
    """Print a note as it is stored."""
    vault, _, path = place.partition(":") if ":" in place else ("vault", ":", place)
    answer = frame.client.call("GET", f"/v1/notes/{quote(vault, safe='')}/{quote(path)}")
    if frame.as_json:
        write_raw(answer.raw)
    else:
        click.echo(answer.body["text"], nl=False)


@command.command("check")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@click.option("--as", "place", metavar="VAULT:PATH", help="Where the note is to go; without it, its own name.")
@pass_frame
def check(frame: Frame, file: Path, place: str | None) -> None:
    """Check a file against the note contract.

    Nothing is stored. Ends with 5 if an agent could not write it.
    """
    data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    name = "note.md" if str(file) == "-" else file.name
    vault, _, path = (place or name).rpartition(":")
    body = {"text": data.decode("utf-8", "replace"), "vault": vault or "vault", "path": path}
    answer = frame.ask("POST", "/v1/notes/check", _describe_check, body=body)
    if answer.body.get("violations"):
        count = len(answer.body["violations"])
        raise Failure(f"{counted(count, 'thing')} {'is' if count == 1 else 'are'} against the contract", REFUSED)


def _describe_list(body: dict[str, Any]) -> Iterator[str]:
    for note in body["items"]:
        tags = f" [{' '.join(note['tags'])}]" if note["tags"] else ""
        yield f"{note['vault']}:{note['path']} “{shorten(note['title'], 80)}”{tags}"
        for broken in note.get("broken", ()):
            yield f"    link to nothing: {broken if isinstance(broken, str) else broken.get('written', broken)}"
        for violation in note.get("violations", ()):
            yield f"    {violation}"
    if body.get("next_cursor"):
        yield f"there is more: --cursor {body['next_cursor']}"


def _describe_check(body: dict[str, Any]) -> Iterator[str]:
    violations = body.get("violations", [])
    if not violations:
        yield "the note keeps the contract"
    yield from (str(violation) for violation in violations)
