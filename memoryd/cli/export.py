"""``memoryd export``: the canonical export."""

from __future__ import annotations

import json
from pathlib import Path

import click

from memoryd.cli.frame import Command, Frame, clean, counted, pass_frame, write_raw


@click.command(cls=Command)
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="A file; without it, stdout.")
@pass_frame
def command(frame: Frame, output: Path | None) -> None:
    """Write what is known in its canonical form: equal memories give equal bytes."""
    answer = frame.client.call("GET", "/v1/export", query={"format": "canonical"})
    if output is None:
        write_raw(answer.raw)
        return
    from memoryd.paths import write_private

    write_private(output.absolute(), answer.raw)
    if frame.as_json:
        click.echo(json.dumps({"path": str(output.absolute()), "bytes": len(answer.raw)}, ensure_ascii=False))
    else:
        click.echo(clean(f"wrote {counted(len(answer.raw), 'byte')} to {output}"))
