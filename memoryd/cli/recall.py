"""``memoryd recall``: ask both memories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from memoryd.cli.account import describe_account
from memoryd.cli.folder import working_folder
from memoryd.cli.frame import Command, Frame, given, pass_frame
from memoryd.cli.hits import describe_hits, one_line
from memoryd.cli.route import describe_route

NOTHING = "nothing that is stored seems to answer this: the hits are only the nearest"
"""The reason by which the daemon says that nothing is relevant; a test compares it with the router's."""
NEAREST = 3
"""So many hits are named of an answer that is none; their texts would look like one."""


@click.command(cls=Command)
@click.argument("query", nargs=-1, metavar="QUESTION...")
@click.option("--limit", type=int, help="At most so many hits, 1 to 500; 10 if not given.")
@click.option("--store", type=click.Choice(["auto", "episodic", "semantic", "both"]), help="Which memory answers.")
@click.option("--since", help="Nothing from before: an instant, a date, or a span back from now such as 2w.")
@click.option("--until", help="Nothing from then on; a date means the end of that day.")
@click.option("--as-of", help="What was known then.")
@click.option("--project", help="Only this project (id or name). Without it, the one of this folder ranks higher.")
@click.option("--scope", type=click.Choice(["user", "project", "all"]), help="Whose knowledge.")
@click.option("--tag", "tags", multiple=True, help="Only notes with this tag; may be repeated.")
@click.option("--kind", "kinds", multiple=True, help="Only hits of this kind; may be repeated.")
@click.option("--max-chars", type=int, help="The most characters of titles and texts together.")
@click.option("--explain", is_flag=True, help="Say how each hit was found, and what became of the others.")
@pass_frame
def command(frame: Frame, /, query: tuple[str, ...], **options: Any) -> None:
    """Ask both memories; the answer says which of them answered, and why."""
    body = given(options) | {"query": " ".join(query)}
    if folder := working_folder():
        body["cwd"] = folder
    frame.ask("POST", "/v1/recall", describe, body=body)


def describe(body: dict[str, Any]) -> Iterator[str]:
    """Return the lines of an answer: whether it is one, route, hits, and what was missing."""
    reasons = body["route"]["reasons"]
    is_off = NOTHING in reasons
    if is_off or not body["hits"]:
        yield "nothing relevant is remembered"
    rest = [reason for reason in reasons if reason != NOTHING]
    yield from describe_route({**body["route"], "reasons": rest}, on_one_line=True)
    if is_off:
        yield from _describe_nearest(body["hits"])
    else:
        yield from describe_hits(body)
    if "explain" in body:
        yield from describe_account(body["explain"], body["hits"])
    if body["degraded"]:
        yield ""
    for reason in body["degraded"]:
        yield f"degraded: {reason}"


def _describe_nearest(hits: list[dict[str, Any]]) -> Iterator[str]:
    """Return a line each for what is nearest where nothing answers."""
    if hits:
        yield ""
        yield "the nearest, which hardly answer it:"
    yield from (f"  {one_line(hit)}" for hit in hits[:NEAREST])
    if len(hits) > NEAREST:
        yield f"  and {len(hits) - NEAREST} farther off; --json has them"
