"""``memoryd sync``: bring this memory together with a copy of it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from memoryd.cli.frame import Failure, Frame, Group, clean, counted, pass_frame, write_raw

_POLL_S = 0.2
_SHOWN = 20


@click.group(cls=Group)
def command() -> None:
    """Bring this memory together with a copy of it: a folder, or a git repository."""


@command.command("setup")
@click.argument("remote", metavar="FOLDER|ADDRESS")
@pass_frame
def setup(frame: Frame, remote: str) -> None:
    """Choose the copy, and bring both together for the first time.

    A folder may be one that Syncthing or a network drive keeps; an address is one that git knows. Nothing is taken
    as removed this time: the union of both stays.
    """
    is_address = "://" in remote or ("@" in remote and ":" in remote and not Path(remote).exists())
    _run(frame, {"remote": remote if is_address else str(Path(remote).expanduser().absolute())})


@command.command("now")
@pass_frame
def now(frame: Frame) -> None:
    """Bring both together now."""
    _run(frame, {})


def _run(frame: Frame, arguments: dict[str, Any]) -> None:
    frame.client.call("POST", "/v1/jobs/sync/run", body={"args": arguments})
    while (answer := frame.client.call("GET", "/v1/jobs/sync")).body["state"] == "running":
        time.sleep(_POLL_S)
    if frame.as_json:
        write_raw(answer.raw)
    if answer.body.get("last_error"):
        raise Failure(f"it failed: {answer.body['last_error']}")
    if frame.as_json:
        return
    result = answer.body["result"]
    for one in result["conflicts"][:_SHOWN]:
        click.echo(clean(f"{one['path']}: {one['reason']}"))
    click.echo(f"{counted(len(result['taken']), 'file')} taken, {counted(len(result['given']), 'file')} given")
