"""``memoryd serve``: the daemon in the foreground."""

from __future__ import annotations

import gc

import click

from memoryd.cli.frame import PlainCommand


@click.command(cls=PlainCommand)
@click.option("--port", type=click.IntRange(0, 65535), help="TCP port; 0 takes any free one.")
@click.option("--log-level", type=click.Choice(["debug", "info", "warning", "error"]), help="What the log holds.")
@click.pass_context
def command(ctx: click.Context, port: int | None, log_level: str | None) -> None:
    """Run the daemon in the foreground until SIGTERM or Ctrl-C."""
    from memoryd.paths import find_paths
    from memoryd.settings import load_settings
    from memoryd.shadow import check_shadows

    check_shadows()
    flags = {key: value for key, value in (("port", port), ("log_level", log_level)) if value is not None}
    paths = find_paths()
    settings = load_settings(paths.config_file, flags={"service": flags} if flags else None)
    paths.make()

    from memoryd.server import serve

    code = serve(paths, settings)
    # Everything is closed. The interpreter would still look through all that is left for cycles, which takes seconds.
    gc.freeze()
    ctx.exit(code)
