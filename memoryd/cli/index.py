"""``memoryd index``: the search index."""

from __future__ import annotations

import click

from memoryd.cli.frame import Frame, Group, pass_frame
from memoryd.cli.status import describe


@click.group(cls=Group)
def command() -> None:
    """The search index."""


@command.command("status")
@pass_frame
def status(frame: Frame) -> None:
    """Show what is indexed and what is pending."""
    frame.ask("GET", "/v1/status", describe)
