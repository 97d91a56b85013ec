"""``memoryd hook``: what an agent's hooks run, by the command line."""

from __future__ import annotations

import click

from clients.hook import main
from memoryd.cli.frame import PlainCommand


@click.command(cls=PlainCommand)
@click.argument("event")
def command(event: str) -> None:
    """Hand an event of an agent's session over: its payload on stdin, the answer on stdout.

    EVENT is the agent's own name of it, such as SessionStart. It answers within a deadline, with {} on any trouble,
    and its exit code is 0. Agents run `memoryd-hook`, which starts faster and reads the event from the payload.
    """
    main(event)
