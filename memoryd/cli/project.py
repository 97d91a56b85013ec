"""``memoryd project``: the projects that are known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from memoryd.cli.frame import Frame, Group, pass_frame


@click.group(cls=Group)
def command() -> None:
    """The projects that are known."""


@command.command("list")
@pass_frame
def list_projects(frame: Frame) -> None:
    """List projects with their remotes and folders."""
    frame.ask("GET", "/v1/projects", _describe)


def _describe(body: dict[str, Any]) -> Iterator[str]:
    if not body["items"]:
        yield "no project is known yet"
    for item in body["items"]:
        yield f"{item['id']}  {item['name']}"
        for remote in item.get("remotes", ()):
            yield f"    {remote}"
        for place in item.get("roots", ()):
            yield f"    {place.get('path', place) if isinstance(place, dict) else place}"
