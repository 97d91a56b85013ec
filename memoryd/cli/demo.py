"""``memoryd demo``: a daemon on a temporary memory takes in sample days and notes, and answers six questions."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import click

from memoryd.bench.daemon import OwnDaemon
from memoryd.cli.frame import Command, Frame, clean, counted, pass_frame
from memoryd.cli.recall import describe

SAMPLES = Path(__file__).parent / "samples"
INDEX_S = 300.0

QUESTIONS = (
    "What did we do yesterday?",
    "How do we deploy harbor?",
    "Why did we switch the job queue from SQLite to Postgres?",
    "Was haben wir am Import der Lieferantenlisten geändert?",
    "Was ist beim Export für Nordwind zu beachten?",
    "What is the rate limit, and when did we last measure it?",
)


@dataclass(frozen=True, slots=True)
class _Step:
    title: str
    why: str
    mutations: Sequence[dict[str, Any]]


_QUEUE = {"kind": "component", "name": "job queue"}
_HARBOR = {"kind": "service", "name": "harbor"}

DECISIONS = (
    _Step(
        "The job queue is a SQLite file",
        "One file and no service; a hundred jobs an hour do not need more.",
        (
            {"op": "put_element", **_HARBOR, "gist": "Takes in supplier lists and hands them to shop systems."},
            {"op": "put_element", **_QUEUE, "gist": "Jobs of harbor wait in a SQLite file."},
            {"op": "add_link", "from": _QUEUE, "rel": "part_of", "to": _HARBOR},
        ),
    ),
    _Step(
        "The job queue moves to Postgres",
        "Two workers fought for SQLite's write lock and jobs waited up to nine seconds. Row locks end that.",
        ({"op": "put_element", **_QUEUE, "gist": "Jobs of harbor wait in a Postgres table, taken with SKIP LOCKED."},),
    ),
    _Step(
        "Error codes never change their meaning",
        "Customers show the codes to their staff and look them up in printed lists.",
        (
            {
                "op": "put_element",
                "kind": "convention",
                "name": "error codes",
                "gist": "Every error has a stable code HBR-nnnn; texts are translated at the edge.",
            },
        ),
    ),
)


@click.command(cls=Command)
@pass_frame
def command(frame: Frame) -> None:
    """Show what memoryd does, on a temporary memory; nothing of yours is read or changed."""
    with tempfile.TemporaryDirectory(prefix="memoryd-demo-") as folder:
        home = Path(folder)
        _lay_out(home, date.today())  # noqa: DTZ011 - the person's own day is what is meant
        with _telling("starting a daemon on a temporary memory"):
            daemon = OwnDaemon(home).start()
        with daemon:
            with _telling("taking in six sample days, seven notes and three decisions"):
                for step in DECISIONS:
                    body = {
                        "title": step.title,
                        "why": step.why,
                        "mutations": list(step.mutations),
                        "project": "harbor",
                    }
                    daemon.post("/v1/decisions", body)
                daemon.wait_until_indexed(INDEX_S)
            if not frame.as_json:
                _show_status(daemon.get("/v1/status"))
            for question in QUESTIONS:
                answer = daemon.post("/v1/recall", {"query": question, "limit": 3})
                if frame.as_json:
                    frame_line(answer)
                else:
                    _show(answer)
        if not frame.as_json:
            click.echo("\nThe daemon was stopped and its memory deleted. To keep one: memoryd up")


def frame_line(answer: dict[str, Any]) -> None:
    """Print one answer as one line of JSON."""
    import json

    click.echo(json.dumps(answer, ensure_ascii=False))


def _lay_out(home: Path, today: date) -> None:
    """Copy the samples; the days count back from today, so that "yesterday" has a meaning."""
    journal = home / "memory" / "journal"
    journal.mkdir(parents=True)
    for sample in sorted((SAMPLES / "journal").glob("days-ago-*.md")):
        day = today - timedelta(days=int(sample.stem.rpartition("-")[2]))
        (journal / f"{day}.md").write_text(f"# {day}\n\n{sample.read_text('utf-8')}", "utf-8")
    shutil.copytree(SAMPLES / "vault", home / "memory" / "vault")


@contextmanager
def _telling(what: str) -> Iterator[None]:
    click.echo(f"==> {what} … ", nl=False, err=True)
    sys.stderr.flush()
    started = time.monotonic()
    yield
    click.echo(f"{time.monotonic() - started:.1f} s", err=True)


def _show_status(status: dict[str, Any]) -> None:
    episodic, semantic = status["episodic"], status["semantic"]
    click.echo(
        f"    {counted(episodic['chunks'], 'piece')} of what happened ({episodic['engine']}, {episodic['model']}); "
        f"{counted(semantic['elements'], 'element')}, {counted(semantic['decisions'], 'decision')}, "
        f"{counted(semantic['notes'], 'note')}"
    )
    for reason in status["degraded"]:
        click.echo(f"    degraded: {reason}")


def _show(answer: dict[str, Any]) -> None:
    click.secho(f"\n? {answer['query']}", bold=True)
    for line in describe(answer):
        click.echo(clean(f"  {line}".rstrip()))
