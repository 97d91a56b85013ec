"""``memoryd bench``: numbers that anyone can check, on data that the user names."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from memoryd.cli.frame import Command, Failure, Frame, Group, pass_frame

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(cls=Group)
def command() -> None:
    """Measure the product on a temporary memory, beside its baselines."""


@command.command(cls=Command)
@click.argument("path", type=_FILE)
@click.option("--gold", type=_FILE, help="Corrected evidence (JSONL).")
@click.option("--limit", type=click.IntRange(min=1), help="Ask only so many questions of each dialogue.")
@click.option("--pooled", is_flag=True, help="Search among the turns of all dialogues, not of the question's own.")
@pass_frame
def recall(frame: Frame, path: Path, gold: Path | None, limit: int | None, pooled: bool) -> None:
    """Measure how often the right turn of a dialogue is found.

    The dialogues are in the LoCoMo format; BM25 alone and dense alone stand beside the product.
    """
    from memoryd.bench.corpus import BenchDataError
    from memoryd.bench.recall import run_recall

    tell = _teller()
    try:
        table = run_recall(path, gold, limit=limit, pooled=pooled, progress=tell)
    except BenchDataError as error:
        raise Failure(str(error)) from error
    tell("")
    click.echo(table.as_json() if frame.as_json else table.as_markdown())


@command.command(cls=Command)
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["locomo", "beam", "longmemeval", "notes"]),
    help="What PATH is; without it, what it looks like.",
)
@click.option("--gold", type=_FILE, help="Questions with their evidence (JSONL), instead of the data set's own.")
@click.option("--dates", type=_FILE, help="For notes: the days of files that name none (path, tab, date).")
@click.option("--questions", type=click.IntRange(min=1), help="Ask only so many questions, drawn with a fixed seed.")
@click.option("--pooled", is_flag=True, help="Search among the turns of all dialogues, not of the question's own.")
@click.option("--over-rest", is_flag=True, help="Write each turn with a call (slow) instead of laying day files.")
@click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    help="An empty folder to use and to keep; else a temporary one.",
)
@pass_frame
def episodic(
    frame: Frame,
    path: Path,
    form: str | None,
    gold: Path | None,
    dates: Path | None,
    questions: int | None,
    pooled: bool,
    over_rest: bool,
    home: Path | None,
) -> None:
    """Measure what is found in LoCoMo, BEAM or LongMemEval data or in dated notes, beside the baselines."""
    from memoryd.bench.corpus import SEED, BenchDataError, sampled
    from memoryd.bench.episodic import run_episodic
    from memoryd.bench.formats import read_corpus

    if home is not None and home.exists() and any(home.iterdir()):
        raise Failure(f"{home} is not empty; name a folder that is, or that does not exist yet")
    tell = _teller()
    try:
        corpus = sampled(read_corpus(path, form=form, gold=gold, dates=dates), questions, seed=SEED)
        report = run_episodic(corpus, pooled=pooled, over_rest=over_rest, home=home, progress=tell)
    except BenchDataError as error:
        raise Failure(str(error)) from error
    tell("")
    click.echo(report.as_json() if frame.as_json else report.as_markdown())


def _teller() -> Callable[[str], None]:
    """Return what shows progress on a terminal, and nothing elsewhere."""
    if not sys.stderr.isatty():
        return lambda _: None
    return lambda text: click.echo(f"\r\033[K{text}", nl=False, err=True)


@command.command(cls=Command)
@click.option("--chunks", type=click.IntRange(min=100), default=10_000, show_default=True, help="Entries made up.")
@click.option("--dimension", type=click.IntRange(2, 4096), default=384, show_default=True, help="Length of a vector.")
@click.option("--questions", type=click.IntRange(min=10), default=200, show_default=True, help="Different questions.")
@click.option("--fresh", type=click.IntRange(min=0), default=200, show_default=True, help="Entries written over REST.")
@click.option("--seed", type=int, default=20261130, show_default=True, help="Of texts, vectors and questions.")
@click.option("--model", metavar="NAME", help="Ask once more with this model embedding the questions.")
@pass_frame
def speed(frame: Frame, /, model: str | None, **sizes: int) -> None:
    """Measure answers, appends, memory and disk at a size, on made-up entries and vectors."""
    from memoryd.bench.speed import run_speed

    tell = _teller()
    table = run_speed(**sizes, model=model, progress=tell)
    tell("")
    click.echo(table.as_json() if frame.as_json else table.as_markdown())
