"""``memoryd timeline``: what happened, in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from memoryd.cli.frame import Command, Frame, given, pass_frame, place_of
from memoryd.cli.hits import excerpt, title_at


@click.command(cls=Command)
@click.option("--since", help="Nothing from before: an instant, a date, or a span back from now such as 2w.")
@click.option("--until", help="Nothing from then on; a date means the end of that day.")
@click.option("--project", help="Only this project.")
@click.option("--session", help="Only this session.")
@click.option("--limit", type=int, help="At most so many, 1 to 500; 50 if not given.")
@click.option("--cursor", help="Go on where the last part ended.")
@pass_frame
def command(frame: Frame, /, **query: Any) -> None:
    """Show episodes, newest first."""
    frame.ask("GET", "/v1/episodes", _describe, query=given(query))


def _describe(body: dict[str, Any]) -> Iterator[str]:
    day = ""
    for item in body["items"]:
        if item["at"][:10] != day:
            day = item["at"][:10]
            yield day
        yield f"  {item['at'][11:16]} {title_at(item)}".rstrip()
        yield f"        {excerpt(item['text'], '')}"
        if item.get("superseded_by"):
            yield f"        superseded by {item['superseded_by']}"
        yield f"        {place_of(item)}"
    if not body["items"]:
        yield "nothing happened in this time, as far as is remembered"
    if body.get("next_cursor"):
        yield f"there is more: --cursor {body['next_cursor']}"
