"""``memoryd note``: the notes of all vaults."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

import click

from clients.http import Answer, DaemonUnreachable, ProblemError
from memoryd.cli.frame import REFUSED, Failure, Frame, Group, clean, counted, given, pass_frame, shorten, write_raw

DEFAULT_VAULT = "~"
"""In an address, the vault that new notes go to."""


@click.group(cls=Group)
def command() -> None:
    """The notes of all vaults."""


@command.command("list")
@click.option("--tag", help="Only notes with this tag; tool means every tool/….")
@click.option("-q", "q", metavar="WORDS", help="Only notes whose title, summary or path has these words.")
@click.option("--broken", is_flag=True, default=None, help="Only notes with links to nothing; they are named.")
@click.option("--violations", "lists_violations", is_flag=True, help="Say what each note breaks of the contract.")
@click.option("--limit", type=int, help="At most so many, 1 to 500; 50 if not given.")
@click.option("--cursor", help="Go on where the last part ended.")
@pass_frame
def list_notes(frame: Frame, /, *, lists_violations: bool, **query: Any) -> None:
    """List notes, one in a line, with the number of its dead links and of what it breaks of the contract."""
    asked = given(query)
    names_broken = bool(asked.get("broken"))

    def lines(body: dict[str, Any]) -> Iterator[str]:
        if not body["items"]:
            is_narrowed = bool(asked.keys() - {"limit"})
            yield (
                "no note fits" if is_narrowed else "no notes yet; Markdown files of the vaults are taken in as they are"
            )
        yield from _describe_list(body, names_broken=names_broken, lists_violations=lists_violations)

    frame.ask("GET", "/v1/notes", lines, query=asked)


@command.command("show")
@click.argument("place", metavar="VAULT:PATH")
@pass_frame
def show(frame: Frame, place: str) -> None:
    """Print a note as it is stored; its ETag, which `note put --if-match` takes, goes to stderr.

    What would steer a terminal is shown there as �.
    """
    answer = frame.client.call("GET", _address(place))
    if frame.as_json:
        write_raw(answer.raw)
    else:
        text = answer.body["text"]
        if etag := answer.body.get("etag"):
            # Beside the text, which may be sent into a file.
            click.echo(f"ETag {etag}", err=True)
        # Not by click, which takes escape sequences out of what goes into a file.
        write_raw((clean(text) if sys.stdout.isatty() else text).encode())


@command.command("put")
@click.argument("place", metavar="VAULT:PATH")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@click.option("--if-match", metavar="ETAG", help="Change the note that had this ETag when it was read.")
@pass_frame
def put(frame: Frame, place: str, file: Path, if_match: str | None) -> None:
    """Write a note from a file.

    Without --if-match the note must not be there. A path without a vault goes to the vault for new notes. FILE may be
    - for the standard input.
    """
    headers = {"If-None-Match": "*"} if if_match is None else {"If-Match": if_match}
    frame.ask("PUT", _address(place), _describe_note, body={"text": _read(file)}, headers=headers)


@command.command("edit")
@click.argument("place", metavar="VAULT:PATH")
@pass_frame
def edit(frame: Frame, place: str) -> None:
    """Change a note in the editor that $VISUAL or $EDITOR names.

    Nothing is written if the text stays, or if the note changed meanwhile: then your text is kept in a file.
    """
    note = frame.client.call("GET", _address(place)).body
    folder = Path(tempfile.mkdtemp(prefix="memoryd-note-"))
    file = folder / PurePosixPath(note["path"]).name
    file.write_bytes(note["text"].encode("utf-8"))
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        done = subprocess.run([*shlex.split(editor), str(file)], check=False)  # noqa: S603 - the user's own choice
    except OSError as error:
        shutil.rmtree(folder)
        raise Failure(f"the editor {editor} cannot be run ({error.strerror}); set EDITOR") from error
    if done.returncode != 0:
        raise Failure(f"the editor ended with {done.returncode}; nothing is written, and its text is in {file}")
    text = _read(file)
    if text == note["text"]:
        shutil.rmtree(folder)
        frame.show(Answer(200, {}, json.dumps(note).encode(), note), ["nothing changed"])
        return
    headers = {"If-Match": note["etag"]}
    try:
        frame.ask("PUT", _address(place), _describe_note, body={"text": text}, headers=headers)
    except (ProblemError, DaemonUnreachable):
        click.echo(f"your text is in {file}", err=True)
        raise
    shutil.rmtree(folder)


@command.command("move")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--dry", is_flag=True, help="Only show what would change.")
@pass_frame
def move(frame: Frame, source: str, target: str, dry: bool) -> None:
    """Move a note within its vault.

    Links to it are written anew. One that could have meant several notes is left and named.
    """
    frame.ask("POST", "/v1/notes/move", _describe_move, body={"from": source, "to": target, "dry": dry})


@command.command("delete")
@click.argument("place", metavar="VAULT:PATH")
@click.option("--if-match", metavar="ETAG", help="Only if it still has this ETag; without it, as it is now.")
@pass_frame
def delete(frame: Frame, place: str, if_match: str | None) -> None:
    """Remove a note. Links to it wait from then on."""
    etag = if_match or frame.client.call("GET", _address(place)).body["etag"]
    frame.ask("DELETE", _address(place), lambda _: ["removed"], headers={"If-Match": etag})


@command.command("check")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@click.option("--as", "place", metavar="VAULT:PATH", help="Where the note is to go; without it, its own name.")
@pass_frame
def check(frame: Frame, file: Path, place: str | None) -> None:
    """Check a file against the note contract.

    Nothing is stored. Ends with 5 if an agent could not write it.
    """
    name = "note.md" if str(file) == "-" else file.name
    vault, _, path = (place or name).rpartition(":")
    body = {"text": _read(file), "vault": vault or DEFAULT_VAULT, "path": path}
    answer = frame.ask("POST", "/v1/notes/check", _describe_check, body=body)
    if answer.body.get("violations"):
        count = len(answer.body["violations"])
        raise Failure(f"{counted(count, 'thing')} {'is' if count == 1 else 'are'} against the contract", REFUSED)


def _address(place: str) -> str:
    """Return the address of a note; a path without a vault is in the one for new notes."""
    vault, colon, path = place.partition(":")
    vault, path = (vault, path) if colon else (DEFAULT_VAULT, place)
    return f"/v1/notes/{quote(vault, safe='~')}/{quote(path)}"


def _read(file: Path) -> str:
    data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Failure(f"{file} is not UTF-8 (byte {error.start}); save it as UTF-8 first") from error


def _describe_note(body: dict[str, Any]) -> Iterator[str]:
    yield f"{body['vault']}:{body['path']} is stored (ETag {body['etag']})"
    for written in body.get("broken", ()):
        yield f"    link to nothing: {written}"
    for violation in body.get("violations", ()):
        yield f"    {violation}"


def _describe_move(body: dict[str, Any]) -> Iterator[str]:
    yield f"{body['from']} {'would become' if body['dry'] else 'is now'} {body['to']}"
    for change in body["changes"]:
        yield from change["diff"].split("\n")
    for left in body["left"]:
        yield f"{left['path']}, line {left['line']}: the link {left['written']} is left as it is: {left['reason']}"


def _describe_list(body: dict[str, Any], *, names_broken: bool, lists_violations: bool) -> Iterator[str]:
    for note in body["items"]:
        tags = f" [{' '.join(note['tags'])}]" if note["tags"] else ""
        broken, violations = note.get("broken", ()), note.get("violations", ())
        told = [
            *([counted(len(broken), "dead link")] if broken and not names_broken else ()),
            *([counted(len(violations), "violation")] if violations and not lists_violations else ()),
        ]
        counts = f" ({', '.join(told)})" if told else ""
        yield f"{note['vault']}:{note['path']} “{shorten(note['title'], 80)}”{tags}{counts}"
        for written in broken if names_broken else ():
            yield f"    link to nothing: {written}"
        for violation in violations if lists_violations else ():
            yield f"    {violation}"
    if body.get("next_cursor"):
        yield f"there is more: --cursor {body['next_cursor']}"


def _describe_check(body: dict[str, Any]) -> Iterator[str]:
    violations = body.get("violations", [])
    if not violations:
        yield "the note keeps the contract"
    yield from (str(violation) for violation in violations)
