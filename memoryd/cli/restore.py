"""``memoryd restore``: take in what a backup holds."""

from __future__ import annotations

from pathlib import Path

import click

from memoryd.cli.frame import Command, Frame, clean, counted, pass_frame
from memoryd.cli.progress import run_job


@click.command(cls=Command)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--keep-both", is_flag=True, help="Put the backup's version of a changed file beside it.")
@pass_frame
def command(frame: Frame, file: Path, keep_both: bool) -> None:
    """Take in what FILE holds and is not here.

    Nothing here is removed or replaced: entries and decisions are united, and of a note that was changed since, the one
    here stays. What was forgotten, here or before the backup was made, does not come back.
    """
    result = run_job(frame, "restore", {"file": str(file.absolute()), "keep_both": keep_both})
    if frame.as_json:
        return
    same = result["files"] - result["taken_count"] - result["kept_count"]
    click.echo(
        f"the backup holds {counted(result['files'], 'file')}: {result['taken_count']:,} came back or were completed, "
        f"{result['kept_count']:,} were changed since and stay as they are here, {max(0, same):,} needed nothing"
    )
    for path in result["kept"]:
        click.echo(clean(f"stays as it is here: {path}"))
    for conflict in result["conflicts"]:
        click.echo(clean(f"{conflict['path']}: {conflict['reason']}"))
