"""``memoryd bench``: numbers that anyone can check, on data that the user names."""

from __future__ import annotations

import sys
import tempfile
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


@command.command(cls=Command)
@click.option(
    "--events",
    type=click.IntRange(min=10),
    multiple=True,
    default=(1_000, 10_000, 100_000),
    show_default=True,
    help="Decisions made up; may be repeated.",
)
@click.option("--seed", type=int, default=20261130, show_default=True, help="Of the decisions.")
@pass_frame
def semantic(frame: Frame, events: tuple[int, ...], seed: int) -> None:
    """Measure how long reading, recording and showing take as the decision log grows."""
    from memoryd.bench.semantic import run_log

    tell = _teller()
    table = run_log(events, seed=seed, progress=tell)
    tell("")
    click.echo(table.as_json() if frame.as_json else table.as_markdown())


@command.command(cls=Command)
@click.argument("gold", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("vaults", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--model", metavar="NAME", help="The model that gives vectors; without it only words are searched.")
@click.option("--cache", type=click.Path(dir_okay=False, path_type=Path), help="A file that keeps vectors for later.")
@click.option("--seed", type=int, default=7, show_default=True, help="Of the intervals.")
@pass_frame
def wikilinks(
    frame: Frame, gold: Path, vaults: tuple[Path, ...], model: str | None, cache: Path | None, seed: int
) -> None:
    """Measure how often the note that an author linked is found by the sentence without the link.

    GOLD has a JSON line a question: {vault, source, query_link_removed, target}. Each of VAULTS is a folder whose name
    is that of the vault.
    """
    from memoryd.bench.corpus import BenchDataError
    from memoryd.bench.wikilinks import run_wikilinks

    tell = _teller()
    try:
        table = run_wikilinks(vaults, gold, model=model, cache=cache, seed=seed, tell=tell)
    except BenchDataError as error:
        raise Failure(str(error)) from error
    tell("")
    click.echo(table.as_json() if frame.as_json else table.as_markdown())


@command.command(cls=Command)
@click.option("--chunks", type=click.IntRange(min=100), default=20_000, show_default=True, help="Entries made up.")
@click.option("--rounds", type=click.IntRange(min=3), default=40, show_default=True, help="Sessions on a warm daemon.")
@click.option("--seed", type=int, default=20261130, show_default=True, help="Of texts, vectors and prompts.")
@click.option("--model", metavar="NAME", help="The model that embeds prompts; without it only words are searched.")
@pass_frame
def hooks(frame: Frame, chunks: int, rounds: int, seed: int, model: str | None) -> None:
    """Measure how long a hook keeps an agent waiting, as a process of its own."""
    from memoryd.bench.hooks import run_hooks

    tell = _teller()
    table = run_hooks(chunks=chunks, rounds=rounds, seed=seed, model=model, progress=tell)
    tell("")
    click.echo(table.as_json() if frame.as_json else table.as_markdown())


@command.command(cls=Command)
@click.argument("path", type=_FILE)
@click.option("--model", metavar="NAME", help="Let this model's vectors help where the words of a question say little.")
@pass_frame
def router(frame: Frame, path: Path, model: str | None) -> None:
    """Measure whether labelled questions (JSONL: query, label, hard) reach the memory that holds their answer."""
    from memoryd.bench.corpus import BenchDataError
    from memoryd.bench.router import run_router
    from memoryd.embedding import catalog
    from memoryd.embedding.errors import EmbeddingError

    with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as folder:
        try:
            embedder = catalog.load(model, Path(folder)) if model is not None else None
            table = run_router(path, embedder=embedder, model=model or "none")
        except (BenchDataError, EmbeddingError) as error:
            raise Failure(str(error)) from error
    click.echo(table.as_json() if frame.as_json else table.as_markdown())
