"""``memoryd project``: the projects that are known."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
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
    frame.ask("GET", "/v1/projects", _describe_list)


@command.command("merge")
@click.argument("from_", metavar="FROM")
@click.argument("into", metavar="INTO")
@pass_frame
def merge(frame: Frame, from_: str, into: str) -> None:
    """Make one project of two, each an id or a name.

    What belongs to FROM belongs to INTO from then on; the id and name of FROM still find it.
    """

    def lines(body: dict[str, Any]) -> Iterator[str]:
        yield f"{from_} is now part of:"
        yield from describe(body)

    frame.ask("POST", "/v1/projects/merge", lines, body={"from": from_, "into": into})


def known_projects(frame: Frame) -> dict[str, str]:
    """Return the names of the projects that are known, by their ids."""
    return {one["id"]: one["name"] for one in frame.client.call("GET", "/v1/projects").body.get("items", ())}


def describe_new(name: str, before: Mapping[str, str]) -> str:
    """Return that a project is new, and a project known before whose name it may have been meant for."""
    near = difflib.get_close_matches(name.casefold(), [one.casefold() for one in before.values()], n=1)
    meant = next((one for one in before.values() if near and one.casefold() == near[0]), None)
    return "a new project" if meant is None else f"a new project; there is {meant}, too"


def _describe_list(body: dict[str, Any]) -> Iterator[str]:
    if not body["items"]:
        yield "no project is known yet; the first `memoryd remember` in a project's folder makes it known"
    for item in body["items"]:
        yield from describe(item)


def describe(item: dict[str, Any]) -> Iterator[str]:
    """Return the lines of a project: its name and id, its remotes and its folders."""
    yield f"{item['name']} ({item['id']})"
    for remote in item.get("remotes", ()):
        yield f"    {remote}"
    for place in item.get("roots", ()):
        yield f"    {place.get('path', place) if isinstance(place, dict) else place}"
