"""``memoryd graph``: the net of all that is known, written to a file."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from memoryd.cli.frame import FAILED, REFUSED, Failure, Frame, Group, clean, counted, given, pass_frame, write_raw

PATIENCE_S = 300.0
"""So long an answer is waited for: the first graph of a large memory takes a while."""
_LEAST_SHARE = 0.5
_POLL_S = 0.3
_WIDTH = 30


@click.group(cls=Group)
def command() -> None:
    """The net of elements, notes, tags and what their texts name."""


@command.command("export")
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "html", "md"]),
    default="json",
    show_default=True,
    help="Node-link JSON, a page of its own, or the report.",
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="A file; without it, stdout.")
@click.option("--scope", type=click.Choice(["user", "project", "all"]), help="Whose knowledge; without it, all.")
@click.option(
    "--plane",
    type=click.Choice(["curated", "note", "extracted", "code"]),
    multiple=True,
    help="Only this plane; may be repeated.",
)
@click.option("--as-of", help="An instant or a date (its end): what was known then.")
@click.option("--force", is_flag=True, help="Replace the file even by a graph of less than half its size.")
@pass_frame
def export(
    frame: Frame,
    form: str,
    out: Path | None,
    scope: str | None,
    plane: tuple[str, ...],
    as_of: str | None,
    force: bool,
) -> None:
    """Write the graph as JSON, as a page that needs nothing else, or as a report."""
    query = {"format": form, "scope": scope, "plane": list(plane) or None, "as_of": as_of}
    answer = frame.client.call("GET", "/v1/graph", query=query, timeout_s=PATIENCE_S)
    if out is None:
        write_raw(answer.raw)
        return
    if form == "json" and not force:
        _refuse_to_shrink(out, answer.body)
    from memoryd.paths import write_private

    write_private(out.absolute(), answer.raw)
    if frame.as_json:
        click.echo(json.dumps({"path": str(out.absolute()), "bytes": len(answer.raw)}, ensure_ascii=False))
    else:
        click.echo(clean(f"wrote {counted(len(answer.raw), 'byte')} to {out}"))


@command.command("extract")
@click.argument("model")
@click.option("--uri", help="Address of the Ollama server; without it, this machine's.")
@click.option("--seconds", type=click.IntRange(min=1), help="No section is begun after so long; 600 without it.")
@click.option("--tokens", type=click.IntRange(min=1), help="Nor after so many tokens; 200000 without it.")
@click.pass_context
@pass_frame
def extract(frame: Frame, ctx: click.Context, /, model: str, **options: Any) -> None:
    """Have a local model read names and relations out of the notes.

    MODEL is the name of one that the Ollama server has. Sections that it read before are not asked for again; ends with
    1 while some are missing.
    """
    frame.client.call("POST", "/v1/jobs/extract/run", body={"args": {"model": model, **given(options)}})
    shows = sys.stderr.isatty() and not frame.as_json
    while (answer := frame.client.call("GET", "/v1/jobs/extract")).body["state"] == "running":
        progress = answer.body.get("progress")
        if shows and progress and progress["total"]:
            click.echo(f"\r\033[K{_bar(progress['done'], progress['total'])}", nl=False, err=True)
        time.sleep(_POLL_S)
    if shows:
        click.echo("\r\033[K", nl=False, err=True)
    if answer.body.get("last_error"):
        raise Failure(str(answer.body["last_error"]))
    frame.show(answer, _describe(answer.body["result"]))
    ctx.exit(FAILED if answer.body["result"]["missing"] else 0)


def _bar(done: int, total: int) -> str:
    filled = _WIDTH * done // total
    return f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {done:,} of {counted(total, 'section')}"


def _describe(result: dict[str, Any]) -> Iterator[str]:
    yield f"{result['read']:,} read, {result['known']:,} known before, of {counted(result['sections'], 'section')}"
    yield f"{result['dropped']:,} names and relations were not in the text, and dropped"
    for reason, count in sorted(result["failed"].items()):
        yield f"{counted(count, 'section')} without an answer: {reason}"
    if result["missing"]:
        why = f": {result['ended']}" if result["ended"] else ""
        yield f"{counted(result['missing'], 'section')} missing{why}; the same command goes on with them"


def _refuse_to_shrink(out: Path, body: Any) -> None:
    """Keep a graph from being replaced by one that lost most of it: a folder may be away.

    Raises:
        Failure: The new graph has less than half the nodes of the one in the file.
    """
    try:
        held = json.loads(out.read_bytes())
        before = len(held["nodes"])
    except (OSError, ValueError, KeyError, TypeError):
        return  # no graph lies there
    now = len(body["nodes"])
    if now < _LEAST_SHARE * before:
        raise Failure(
            f"{out} holds {counted(before, 'node')} and would get {now:,}; --force replaces it all the same", REFUSED
        )
