"""``memoryd backup``: the memory as one file."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from memoryd.cli.frame import REFUSED, Command, Failure, Frame, clean, counted, pass_frame
from memoryd.cli.progress import run_job


@click.command(cls=Command)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option("--force", is_flag=True, help="Replace a file of that name.")
@pass_frame
def command(frame: Frame, file: Path | None, force: bool) -> None:
    """Write the memory into FILE while the daemon goes on; without FILE, into one with today's date, here.

    A backup holds everything that cannot be made again: days, notes, the log of decisions. It holds
    neither settings nor token, nor vaults that lie elsewhere. `memoryd restore` takes it in.
    """
    place = file or Path(f"memoryd-{datetime.now().astimezone():%Y%m%d-%H%M%S}.tar.gz")
    if not place.absolute().parent.is_dir():
        raise Failure(f"there is no folder {place.absolute().parent}; make it, or name a file in another")
    if place.exists() and not force:
        raise Failure(f"{place} is there already; name another file, or repeat with --force to replace it", REFUSED)
    result = run_job(frame, "backup", {"file": str(place.absolute()), "replace": force})
    if not frame.as_json:
        size = f"{result['file_bytes'] / 2**20:.1f} MiB"
        click.echo(clean(f"wrote {result['file']}: {counted(result['files'], 'file')}, {size}"))
        for passed in result["passed"]:
            click.echo(clean(f"passed over: {passed}"))
