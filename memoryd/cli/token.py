"""``memoryd token``: the secret that clients use."""

from __future__ import annotations

import json

import click

from memoryd.cli.frame import Frame, Group, pass_frame


@click.group(cls=Group)
def command() -> None:
    """The secret that clients use."""


@command.command("rotate")
@pass_frame
def rotate(frame: Frame) -> None:
    """Put a new token in place of the old one.

    A running daemon asks for the new one at once. The token itself is not shown.
    """
    from memoryd.paths import find_paths, make_private
    from memoryd.service.token import rotate_token

    paths = find_paths()
    make_private(paths.config)
    rotate_token(paths.token_file)
    if frame.as_json:
        click.echo(json.dumps({"path": str(paths.token_file)}, ensure_ascii=False))
    else:
        click.echo(f"the token in {paths.token_file} is new; programs that keep a copy need to read it again")
