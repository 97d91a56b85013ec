"""``memoryd bench``: numbers that anyone can check, on data that the user names."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from memoryd.cli.frame import Command, Failure, Frame, Group, pass_frame


@click.group(cls=Group)
def command() -> None:
    """Measure the product on a temporary memory, beside its baselines."""


@command.command(cls=Command)
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--gold", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Corrected evidence (JSONL)."
)
@click.option("--limit", type=click.IntRange(min=1), help="Ask only so many questions of each dialogue.")
@click.option("--pooled", is_flag=True, help="Search among the turns of all dialogues, not of the question's own.")
@pass_frame
def recall(frame: Frame, path: Path, gold: Path | None, limit: int | None, pooled: bool) -> None:
    """Measure turn recall on dialogues in the LoCoMo format, with BM25 alone and dense alone beside it."""
    from memoryd.bench.locomo import BenchDataError
    from memoryd.bench.recall import run_recall

    shows_progress = sys.stderr.isatty()

    def tell(text: str) -> None:
        if shows_progress:
            click.echo(f"\r\033[K{text}", nl=False, err=True)

    try:
        table = run_recall(path, gold, limit=limit, pooled=pooled, progress=tell)
    except BenchDataError as error:
        raise Failure(str(error)) from error
    tell("")
    click.echo(table.as_json() if frame.as_json else table.as_markdown())
