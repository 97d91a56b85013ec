"""``memoryd open``: the page, in the browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Mapping

import click

from memoryd.cli.frame import Command, Frame, pass_frame


@click.command(cls=Command)
@click.option("--print", "only_print", is_flag=True, help="Print the address instead of opening it.")
@pass_frame
def command(frame: Frame, only_print: bool) -> None:
    """Open the page of the running daemon in the browser.

    The address holds a code that lets one browser in, once, within 60 seconds. Where there is no browser the address
    is printed. On a machine whose other users can see your processes, --print keeps it out of their sight.
    """
    answer = frame.client.call("POST", "/v1/codes")
    if frame.as_json:
        frame.show(answer, ())
        return
    address = f"{frame.client.endpoint.url}/#code={answer.body['code']}"
    if only_print:
        click.echo(address)
    elif has_browser(os.environ, sys.platform) and webbrowser.open(address):
        click.echo(f"opened {frame.client.endpoint.url} in the browser")
    else:
        click.echo(
            "there is no browser here; open this address within 60 seconds, once (whoever does gets in):", err=True
        )
        click.echo(address)


def has_browser(environ: Mapping[str, str], platform: str) -> bool:
    """Tell whether a browser with windows can be had: one that takes over the terminal is not what was asked for."""
    if platform == "darwin" or environ.get("BROWSER"):
        return True
    return bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))
