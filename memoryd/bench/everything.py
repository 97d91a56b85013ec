"""``bench all``: whatever can be measured with the data that is there, and a page of what may be published."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memoryd.bench.corpus import SEED, sampled
from memoryd.bench.episodic import run_episodic
from memoryd.bench.errors import BenchDataError
from memoryd.bench.fill import Progress
from memoryd.bench.formats import read_corpus
from memoryd.bench.hooks import run_hooks
from memoryd.bench.machine import machine_facts
from memoryd.bench.manifest import DataSet
from memoryd.bench.mixed import run_mixed
from memoryd.bench.recall import run_recall
from memoryd.bench.router import run_router
from memoryd.bench.semantic import run_semantic
from memoryd.bench.speed import run_speed
from memoryd.bench.table import Report, Table
from memoryd.embedding import catalog
from memoryd.errors import MemorydError


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is made up for what needs no data."""

    events: tuple[int, ...]
    speed_chunks: int
    hook_chunks: int
    questions: int
    fresh: int
    rounds: int


FULL = Sizes((1_000, 10_000, 100_000), 10_000, 20_000, 200, 200, 40)
QUICK = Sizes((200,), 500, 500, 20, 10, 5)


@dataclass(frozen=True, slots=True)
class Task:
    """One measurement: its name is that of its block on the page."""

    name: str
    bench: str
    measure: Callable[[], Report | Table]
    licence: str = ""
    is_published: bool = True


@dataclass(slots=True)
class Outcome:
    """What was measured, and what could not be and why."""

    made: dict[str, Report | Table] = field(default_factory=dict)
    tasks: dict[str, Task] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)

    def published(self) -> dict[str, str]:
        """Return, by name, the Markdown of what may stand on the page."""
        return {
            name: _on_page(_block(self.tasks[name], one, self.facts))
            for name, one in self.made.items()
            if self.tasks[name].is_published
        }

    def as_markdown(self) -> str:
        """Return all that was measured, also what is not to be published."""
        parts = [_block(self.tasks[name], one, self.facts) for name, one in self.made.items()]
        parts += [f"not measured: {name}: {why}" for name, why in self.failed.items()]
        return "\n".join(parts)

    def as_json(self) -> str:
        """Return all of it as one JSON object."""
        sections = [
            {
                "name": name,
                "bench": self.tasks[name].bench,
                "licence": self.tasks[name].licence or None,
                "published": self.tasks[name].is_published,
                "result": json.loads(one.as_json()),
            }
            for name, one in self.made.items()
        ]
        return json.dumps(
            {"facts": dict(self.facts), "sections": sections, "failed": self.failed}, indent=2, ensure_ascii=False
        )


def tasks_of(sets: Sequence[DataSet], *, sizes: Sizes, model: str | None, progress: Progress) -> list[Task]:
    """Return what there is to measure: each data set, then what needs none."""
    tasks = [_of_data(one, sizes, model, progress) for one in sets]
    if not any(task.bench == "semantic" for task in tasks):
        tasks.append(Task("semantic", "semantic", lambda: run_semantic(sizes.events, progress=progress)))
    tasks.append(Task("mixed", "mixed", lambda: run_mixed(model=model or catalog.NONE, progress=progress)))
    tasks.append(
        Task(
            "speed",
            "speed",
            lambda: run_speed(
                chunks=sizes.speed_chunks,
                dimension=384,
                questions=sizes.questions,
                fresh=sizes.fresh,
                seed=SEED,
                model=model,
                progress=progress,
            ),
        )
    )
    tasks.append(
        Task(
            "hooks",
            "hooks",
            lambda: run_hooks(chunks=sizes.hook_chunks, rounds=sizes.rounds, seed=SEED, model=model, progress=progress),
        )
    )
    return tasks


def run_all(
    tasks: Sequence[Task],
    *,
    only: Sequence[str] = (),
    progress: Progress,
    after: Callable[[Outcome], object] = lambda _: None,
) -> Outcome:
    """Measure one after the other. What fails is named, and does not keep the rest from being measured.

    Args:
        tasks: What there is.
        only: Names of tasks or of benchmarks; all where it is empty.
        progress: Told in words how far it is.
        after: Called with what there is so far whenever something was measured: all of it may take hours.

    Raises:
        BenchDataError: ``only`` names what there is not.
    """
    known = {name for task in tasks for name in (task.name, task.bench)}
    if unknown := [name for name in only if name not in known]:
        raise BenchDataError(f"there is no {', '.join(unknown)} to measure; there is {', '.join(sorted(known))}")
    outcome = Outcome(facts=machine_facts())
    for task in tasks:
        if only and not {task.name, task.bench} & set(only):
            continue
        progress(f"{task.name}: starting")
        outcome.tasks[task.name] = task
        try:
            outcome.made[task.name] = task.measure()
            after(outcome)
        except (MemorydError, BenchDataError, OSError) as error:
            outcome.failed[task.name] = " ".join(str(error).split())
    return outcome


def _of_data(one: DataSet, sizes: Sizes, model: str | None, progress: Progress) -> Task:
    def measure() -> Report | Table:
        match one.bench:
            case "episodic":
                corpus = read_corpus(one.path, form=one.form, gold=one.gold, dates=one.dates)
                settings = {"MEMORYD_EMBEDDING__MODEL": model or catalog.NONE}
                drawn = sampled(corpus, one.questions, seed=SEED)
                return run_episodic(drawn, pooled=one.pooled, settings=settings, progress=progress)
            case "recall":
                return run_recall(one.path, one.gold, limit=one.questions, pooled=one.pooled, progress=progress)
            case "semantic":
                return run_semantic(sizes.events, one.path, one.vaults, model=model, progress=progress)
            case "router":
                with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as folder:
                    embedder = None if model is None else catalog.load(model, Path(folder))
                    return run_router(one.path, embedder=embedder, model=model or catalog.NONE)

    return Task(one.name, one.bench, measure, one.licence, one.publish == "numbers")


def _on_page(block: str) -> str:
    """Return a block without its title, and its headings one level lower: the page has headings of its own."""
    lines = block.splitlines()
    rest = lines[1:] if lines[0].startswith("## ") else lines
    return "\n".join(f"#{line}" if line.startswith("### ") else line for line in rest) + "\n"


def _block(task: Task, made: Report | Table, facts: Mapping[str, Any]) -> str:
    licence = f"data: licence {task.licence}; " if task.licence else ""
    return f"{made.as_markdown().strip()}\n\n{licence}{'; '.join(f'{name} {value}' for name, value in facts.items())}\n"
