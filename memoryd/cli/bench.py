"""``memoryd bench``: numbers that anyone can check, on data that the user names."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from memoryd.cli.frame import Command, Failure, Frame, Group, pass_frame

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.group(cls=Group)
def command() -> None:
    """Measure the product on a temporary memory, beside its baselines."""
    import structlog

    if not structlog.is_configured():
        # stdout is the table's, which a program may read.
        structlog.configure(logger_factory=lambda *_: structlog.PrintLogger(sys.stderr))


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
    from memoryd.bench.errors import BenchDataError
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
    from memoryd.bench.corpus import SEED, sampled
    from memoryd.bench.episodic import run_episodic
    from memoryd.bench.errors import BenchDataError
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
@click.option("--gold", type=_FILE, help="Questions of `memoryd bench wikilinks`, asked too.")
@click.option("--vault", "vaults", multiple=True, type=_FOLDER, help="A vault that they are about; may be repeated.")
@click.option("--model", metavar="NAME", help="The model that gives vectors for them.")
@click.option("--cache", type=click.Path(dir_okay=False, path_type=Path), help="A file that keeps vectors for later.")
@pass_frame
def semantic(
    frame: Frame,
    /,
    events: tuple[int, ...],
    gold: Path | None,
    vaults: tuple[Path, ...],
    **options: Any,
) -> None:
    """Measure how long reading, recording and showing take as the decision log grows.

    With --gold and --vault, also how often the note that an author linked is found.
    """
    from memoryd.bench.errors import BenchDataError
    from memoryd.bench.semantic import run_semantic

    if (gold is None) is not (not vaults):
        raise click.UsageError("--gold and --vault go together")
    tell = _teller()
    try:
        report = run_semantic(events, gold, vaults, progress=tell, **options)
    except BenchDataError as error:
        raise Failure(str(error)) from error
    tell("")
    click.echo(report.as_json() if frame.as_json else report.as_markdown())


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

    Each question is asked twice: with only the links of its note to the wanted one cut out, and without that note.

    GOLD has a JSON line a question: {vault, source, query_link_removed, target}. Each of VAULTS is a folder whose name
    is that of the vault.
    """
    from memoryd.bench.errors import BenchDataError
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
@click.option(
    "--sessions",
    type=click.Path(exists=True, path_type=Path),
    help="A recorded session file or a folder of them, told again; without it some that are made up.",
)
@click.option("--captured", is_flag=True, help="Count what is captured, and measure no times.")
@pass_frame
def hooks(
    frame: Frame, chunks: int, rounds: int, seed: int, model: str | None, sessions: Path | None, *, captured: bool
) -> None:
    """Measure how long a hook keeps an agent waiting, and what is captured with the gate at a stop and without it."""
    from memoryd.bench.gate import run_gate
    from memoryd.bench.hooks import run_hooks
    from memoryd.bench.table import Report

    tell = _teller()
    tables = [run_gate(sessions, seed=seed, progress=tell)]
    if not captured:
        tables.append(run_hooks(chunks=chunks, rounds=rounds, seed=seed, model=model, progress=tell))
    tell("")
    report = Report("Hooks", tables)
    click.echo(report.as_json() if frame.as_json else report.as_markdown())


@command.command(cls=Command)
@click.argument("path", type=_FILE)
@click.option("--model", metavar="NAME", help="Let this model's vectors help where the words of a question say little.")
@pass_frame
def router(frame: Frame, path: Path, model: str | None) -> None:
    """Measure whether labelled questions (JSONL: query, label, hard) reach the memory that holds their answer."""
    from memoryd.bench.errors import BenchDataError
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


@command.command(cls=Command)
@click.argument("vaults", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--sample", type=click.IntRange(min=0), default=0, help="Show so many edges of each confidence.")
@click.option("--seed", type=int, default=7, show_default=True, help="Of the sample.")
@click.option(
    "--gold",
    type=_FILE,
    help="Sentences whose link was cut out (JSONL): ask them with and without what was read out of the texts.",
)
@click.option("--most", type=click.IntRange(min=1), default=50, show_default=True, help="So many of them a vault.")
@pass_frame
def graph(frame: Frame, vaults: tuple[Path, ...], sample: int, seed: int, gold: Path | None, most: int) -> None:
    """Measure what the graph of each of VAULTS holds and costs, and show edges with their lines to be judged."""
    from memoryd.bench.errors import BenchDataError
    from memoryd.bench.graph import run_graph

    tell = _teller()
    try:
        report = run_graph(vaults, sample=sample, seed=seed, gold=gold, most=most, tell=tell)
    except BenchDataError as error:
        raise Failure(str(error)) from error
    tell("")
    click.echo(report.as_json() if frame.as_json else report.as_markdown())


@command.command(cls=Command)
@click.option("--seed", type=int, default=20261130, show_default=True, help="Of the year.")
@click.option("--model", metavar="NAME", help="The model that gives vectors; the default one if not given.")
@pass_frame
def mixed(frame: Frame, seed: int, model: str | None) -> None:
    """Measure the join of both memories on a made-up year.

    What the choice of a memory costs, what is given as current, answers as of a day, budgets, and questions that
    nothing answers.
    """
    from memoryd.bench.mixed import run_mixed

    tell = _teller()
    report = run_mixed(seed=seed, model=model, progress=tell)
    tell("")
    click.echo(report.as_json() if frame.as_json else report.as_markdown())


@command.command(cls=Command)
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--gold", type=_FILE, help="Corrected evidence (JSONL).")
@click.option("--dialogues", type=click.IntRange(min=1), default=1, show_default=True, help="So many, drawn by seed.")
@click.option("--questions", type=click.IntRange(min=1), help="Ask only so many of theirs, drawn with the same seed.")
@click.option(
    "--weights",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder with all-MiniLM-L6-v2 as model.onnx and its tokenizer files, which the peers would download.",
)
@click.option(
    "--environments",
    type=click.Path(file_okay=False, path_type=Path),
    help="A folder with an environment a peer, to use and to keep; else all are installed for this run.",
)
@click.option("--only", metavar="NAME", multiple=True, help="Ask this peer alone; may be repeated.")
@click.option("--page", type=click.Path(dir_okay=False, path_type=Path), help="A page to put the tables on, too.")
@pass_frame
def peers(
    frame: Frame,
    /,
    path: Path,
    gold: Path | None,
    dialogues: int,
    questions: int | None,
    weights: Path | None,
    environments: Path | None,
    only: tuple[str, ...],
    page: Path | None,
) -> None:
    """Ask other memories the same questions on the same texts, in the same run.

    Each is installed with pip, in its pinned version, into an environment of its own, and runs without a network.
    """
    from memoryd.bench.errors import BenchDataError
    from memoryd.bench.formats import read_corpus
    from memoryd.bench.page import write_blocks
    from memoryd.bench.peers.run import drawn, run_peers

    tell = _teller()
    try:
        corpus = drawn(read_corpus(path, gold=gold), dialogues, questions)
        report = run_peers(corpus, weights=weights, environments=environments, only=only, progress=tell)
        if page is not None:
            write_blocks(page, {"peers": report.as_markdown()})
    except BenchDataError as error:
        raise Failure(str(error)) from error
    tell("")
    click.echo(report.as_json() if frame.as_json else report.as_markdown())


@command.command("all", cls=Command)
@click.option("--data", type=_FOLDER, help="A folder with data sets: bench.toml in it says which, else their names do.")
@click.option(
    "--page",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("docs/benchmarks.md"),
    show_default=True,
    help="The page to write; only what stands between its marks is replaced.",
)
@click.option(
    "--only", metavar="NAME", multiple=True, help="Measure this data set or benchmark alone; may be repeated."
)
@click.option(
    "--model", metavar="NAME", default="e5-small", show_default=True, help="Gives vectors; none: words alone."
)
@click.option("--quick", is_flag=True, help="Make up little for speed, hooks and semantic: a rehearsal.")
@pass_frame
def everything(frame: Frame, data: Path | None, page: Path, only: tuple[str, ...], model: str, quick: bool) -> None:
    """Measure all that the data allows, and write the page of what may be published.

    A table never holds a text of a data set. A set whose entry in bench.toml says publish = "nothing" is shown here
    and not written. What is measured is written at once, so a run that is stopped keeps it. What fails is named, the
    rest is written, and the exit code is 1.
    """
    from memoryd.bench.errors import BenchDataError
    from memoryd.bench.everything import FULL, QUICK, run_all, tasks_of
    from memoryd.bench.manifest import data_sets
    from memoryd.bench.page import write_blocks

    if not page.parent.is_dir():
        raise Failure(f"there is no folder {page.parent}: name another page with --page")
    tell = _teller()
    try:
        sets = data_sets(data) if data is not None else []
        given = None if model == "none" else model
        tasks = tasks_of(sets, sizes=QUICK if quick else FULL, model=given, progress=tell)
        outcome = run_all(tasks, only=only, progress=tell, after=lambda so_far: write_blocks(page, so_far.published()))
    except BenchDataError as error:
        raise Failure(str(error)) from error
    tell("")
    click.echo(outcome.as_json() if frame.as_json else outcome.as_markdown())
    if outcome.failed:
        raise Failure(f"not measured: {', '.join(outcome.failed)}")
