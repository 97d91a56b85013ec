"""``memoryd forget``: take something out for good."""

from __future__ import annotations

import sys
from typing import Any

import click

from memoryd.cli.frame import Command, Frame, pass_frame


@click.command(cls=Command)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--yes", is_flag=True, help="Do not ask.")
@pass_frame
def command(frame: Frame, ids: tuple[str, ...], yes: bool) -> None:
    """Forget episodes, elements or decisions for good; what was forgotten is never taken in again."""
    if not yes and sys.stdin.isatty():
        click.confirm(f"Forget {len(ids)} for good?", abort=True, err=True)
    frame.ask("POST", "/v1/forget", lambda body: _describe(body, len(ids)), body={"ids": list(ids)})


def _describe(body: Any, count: int) -> list[str]:
    lines = [f"forgot {count}"]
    if isinstance(body, dict):
        lines += [f"  {name.replace('_', ' ')}: {value}" for name, value in body.items() if value]
    return lines
