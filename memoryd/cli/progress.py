"""Running a job of the daemon and waiting for what it comes to."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any

import click

from memoryd.cli.frame import Failure, Frame, clean, shorten, write_raw

_POLL_S = 0.1
_WIDTH = 78


def run_job(frame: Frame, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Begin a run, show how far it is where somebody looks, and return its result; with ``--json`` the job is shown.

    Raises:
        Failure: The run failed; the message says why.
    """
    frame.client.call("POST", f"/v1/jobs/{name}/run", body={"args": dict(arguments)})
    shows = sys.stderr.isatty() and not frame.as_json
    while (answer := frame.client.call("GET", f"/v1/jobs/{name}")).body["state"] == "running":
        progress = answer.body.get("progress")
        if shows and progress:
            click.echo(f"\r\033[K{shorten(clean(progress['text']), _WIDTH)}", nl=False, err=True)
        time.sleep(_POLL_S)
    if shows:
        click.echo("\r\033[K", nl=False, err=True)
    if frame.as_json:
        write_raw(answer.raw)
    if answer.body.get("last_error"):
        raise Failure(str(answer.body["last_error"]))
    return dict(answer.body.get("result") or {})
