"""``memoryd mcp``: the pipe between an agent on stdin and stdout, and the daemon."""

from __future__ import annotations

import click

from memoryd.cli.frame import PlainCommand


@click.command(cls=PlainCommand)
def command() -> None:
    """Speak MCP over stdin and stdout, for agents that start their servers as programs.

    The same as the program `memoryd-mcp`, which begins faster. The daemon is started if it does not run, unless
    `memoryd down` stopped it.
    """
    from clients.mcp_pipe import main

    main()
