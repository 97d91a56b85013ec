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
@click.option("--create", is_flag=True, help="Make the folder if it is not there.")
@click.option("--force", is_flag=True, help="Replace the copy that was chosen before.")
@pass_frame
def setup(frame: Frame, remote: str, create: bool, force: bool) -> None:
    """Choose the copy, and bring both together for the first time.

    A folder may be one that Syncthing or a network drive keeps; an address is one that git knows. Nothing is taken
    as removed this time: the union of both stays.
    """
    is_address = "://" in remote or ("@" in remote and ":" in remote and not Path(remote).exists())
    address = remote if is_address else str(Path(remote).expanduser().absolute())
    _run(frame, {"remote": address, "create": create, "force": force})


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
        raise Failure(str(answer.body["last_error"]))
    if frame.as_json:
        return
    result = answer.body["result"]
    for one in result["conflicts"][:_SHOWN]:
        click.echo(clean(f"{one['path']}: {one['reason']}"))
    if (more := len(result["conflicts"]) - _SHOWN) > 0:
        click.echo(f"… and {more} more; --json lists them")
    click.echo(f"{counted(result['taken_count'], 'file')} taken, {counted(result['given_count'], 'file')} given")
