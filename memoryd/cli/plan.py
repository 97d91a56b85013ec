"""``memoryd plan``: proposals to tidy what is known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import click

from memoryd.cli.frame import Frame, Group, counted, pass_frame


@click.group(cls=Group)
def command() -> None:
    """Proposals to tidy what is known: read them, apply or refuse them, take them back."""


@command.command("list")
@pass_frame
def list_plans(frame: Frame) -> None:
    """List what was applied or undone, and what is proposed or was refused."""
    frame.ask("GET", "/v1/plans", _describe_list, query={"limit": 500})


@command.command("show")
@click.argument("id_", metavar="ID")
@pass_frame
def show(frame: Frame, id_: str) -> None:
    """Show a plan with all that it would record."""
    frame.ask("GET", f"/v1/plans/{quote(id_, safe='')}", describe)


@command.command("apply")
@click.argument("id_", metavar="ID")
@pass_frame
def apply(frame: Frame, id_: str) -> None:
    """Record what a plan proposes."""
    frame.ask("POST", f"/v1/plans/{quote(id_, safe='')}/apply", describe)


@command.command("undo")
@click.argument("id_", metavar="ID")
@pass_frame
def undo(frame: Frame, id_: str) -> None:
    """Take an applied plan back; what was recorded since stays."""
    frame.ask("POST", f"/v1/plans/{quote(id_, safe='')}/undo", describe)


@command.command("refuse")
@click.argument("id_", metavar="ID")
@pass_frame
def refuse(frame: Frame, id_: str) -> None:
    """Say that a proposal is not wanted; it is not proposed again."""
    frame.ask("POST", f"/v1/plans/{quote(id_, safe='')}/refuse", describe)


def _describe_list(body: dict[str, Any]) -> Iterator[str]:
    if not body["items"]:
        yield "nothing is proposed"
    for plan in body["items"]:
        yield _headline(plan)


def describe(plan: dict[str, Any]) -> Iterator[str]:
    """Return the lines of a plan: its state, and all that it would record."""
    yield _headline(plan)
    for step in plan["steps"]:
        yield f"  {step['title']} ({step['project'] or step['scope']})"
        yield f"    why: {step['why']}"
        for mutation in step["mutations"]:
            yield f"    {json.dumps(mutation, ensure_ascii=False)}"
        if step["evidence"]:
            yield f"    evidence: {', '.join(step['evidence'])}"
        if "decision" in step:
            yield f"    added to what {step['decision']} cites"


def _headline(plan: dict[str, Any]) -> str:
    return f"{plan['id']} {plan['state']}: {plan['title']} ({plan['kind']}, {counted(len(plan['steps']), 'step')})"
