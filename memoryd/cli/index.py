"""``memoryd index``: the search index, compared with the files and filled anew."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

import click

from clients.http import Answer
from memoryd.cli.frame import (
    FAILED,
    Command,
    Failure,
    Frame,
    Group,
    clean,
    counted,
    local_time,
    pass_frame,
    trouble_with,
    write_raw,
)

_POLL_S = 0.3
_SHOWN = 50


@click.group(cls=Group)
def command() -> None:
    """The search index: made of the files, and made again from them at any time."""


@command.command("status", cls=Command)
@pass_frame
def status(frame: Frame) -> None:
    """Show what the index holds and what is pending."""
    frame.ask("GET", "/v1/index", _describe)


@command.command("verify", cls=Command)
@click.pass_context
@pass_frame
def verify(frame: Frame, ctx: click.Context) -> None:
    """Compare files, bookkeeping and index.

    Each difference is named; ends with 1 if there is one.
    """
    result = _run(frame, {"action": "verify"})
    if not frame.as_json:
        _show_items(result)
        count = result["differences"]
        said = f"{counted(count, 'difference')}; `memoryd index rebuild` puts right what differs"
        click.echo(said if count else "no difference")
    ctx.exit(FAILED if result["differences"] else 0)


@command.command("rebuild", cls=Command)
@click.option("--accept-loss", is_flag=True, help="Files that are missing are gone for good, even where most are.")
@pass_frame
def rebuild(frame: Frame, accept_loss: bool) -> None:
    """Read every file again and fill the index anew. Searches by words go on; vectors follow in the background."""
    result = _run(frame, {"action": "rebuild", "accept_loss": accept_loss})
    if not frame.as_json:
        _show_items(result)
        click.echo(
            f"{counted(result['files'], 'file')} read, {result['removed']} removed; vectors follow in the background"
        )


def _run(frame: Frame, arguments: dict[str, Any]) -> Any:
    """Run the job and wait for its end; return what it came to."""
    frame.client.call("POST", "/v1/jobs/index/run", body={"args": arguments})
    shows = sys.stderr.isatty() and not frame.as_json
    while (answer := _ask(frame)).body["state"] == "running":
        progress = answer.body.get("progress")
        if shows and progress:
            total = f" {progress['done']:,} of {progress['total']:,}" if progress["total"] else ""
            click.echo(f"\r\033[K{clean(progress['text'])}{total}", nl=False, err=True)
        time.sleep(_POLL_S)
    if shows:
        click.echo("\r\033[K", nl=False, err=True)
    if frame.as_json:
        write_raw(answer.raw)
    if answer.body.get("last_error"):
        raise Failure(str(answer.body["last_error"]))
    return answer.body["result"]


def _ask(frame: Frame) -> Answer:
    return frame.client.call("GET", "/v1/jobs/index")


def _show_items(result: Any) -> None:
    for item in result["items"][:_SHOWN]:
        click.echo(clean(trouble_with(item)))
    if (more := len(result["items"]) - _SHOWN) > 0:
        click.echo(f"… and {more} more; --json lists them")


def _describe(body: Any) -> Iterator[str]:
    yield f"engine {body['engine']}, model {body['model']}"
    held = [counted(body[name], noun) for name, noun in (("files", "file"), ("notes", "note"))]
    yield f"{held[0]}, {counted(body['episodes'], 'episode')} in {counted(body['chunks'], 'piece')}, {held[1]}"
    for one in body["collections"]:
        yield f"{one['name']}: {counted(one['rows'], 'row')}"
    for one in body["vectors"]:
        yield f"vectors of {one['fingerprint']}: {one['vectors']:,}"
    scanned = local_time(body["last_scan"]) if body.get("last_scan") else "none yet"
    yield f"pending: {counted(body['pending'], 'piece')}, last scan: {scanned}"
    for one in body["problems"]:
        yield f"problem: {trouble_with(one)}"
    for reason in body["degraded"]:
        yield f"degraded: {reason}"
