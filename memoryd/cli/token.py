"""``memoryd token``: the secret that clients use."""

from __future__ import annotations

import click

from memoryd.cli.frame import Group


@click.group(cls=Group)
def command() -> None:
    """The secret that clients use."""


@command.command("rotate")
def rotate() -> None:
    """Put a new token in place of the old one; a running daemon asks for the new one at once."""
    from memoryd.paths import find_paths, make_private
    from memoryd.service.token import rotate_token

    paths = find_paths()
    make_private(paths.config)
    rotate_token(paths.token_file)
    click.echo(f"the token in {paths.token_file} is new; programs that keep a copy need to read it again")
