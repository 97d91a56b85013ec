"""``bench hooks``: how long does a hook keep an agent waiting, as a process of its own, at a size that is named?

A temporary home is filled with made-up entries and vectors. Then hooks are run as an agent runs them, each a process
with its payload on stdin, and timed from its start to its end: on a daemon that has just come up, whose model is not
loaded yet, and on one that is warm. The bare interpreter stands beside them: what no hook in Python can do without.
Beside the time on the clock stands that of the processors, which other work of the machine changes less: of the hook's
process, and of the daemon's (the engine's apart).
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import clients.hook
from memoryd.bench.daemon import OwnDaemon
from memoryd.bench.footprint import cpu_ms
from memoryd.bench.speed import Filled, Timing, fill_home
from memoryd.bench.synthetic import MadeUpEmbedder
from memoryd.bench.table import Table
from memoryd.paths import find_paths

EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop")
COLD_ROUNDS = 3
WARM_UP = 3
INTERPRETER = (sys.executable, "-I", "-S")
_PATIENCE_S = 30.0

Progress = Callable[[str], None]


def run_hooks(*, chunks: int, rounds: int, seed: int, model: str | None, progress: Progress) -> Table:
    """Fill a temporary home, run hooks, return the table.

    Args:
        chunks: How many entries, of one piece each.
        rounds: How many sessions of each event once are timed on the warm daemon.
        seed: Of texts, vectors and prompts.
        model: The model that embeds prompts; None searches by words alone.
        progress: Told in words how far it is.

    Raises:
        StartFailed: The daemon does not come up.
    """
    with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as folder:
        home = Path(folder) / "home"
        project = Path(folder) / "shop"
        (project / ".git").mkdir(parents=True)
        paths = find_paths({**os.environ, "MEMORYD_HOME": str(home)})
        paths.make()
        embedder = MadeUpEmbedder(384)
        filled = fill_home(paths, embedder, chunks, max(rounds, 10), seed, progress)
        program = ("memoryd.bench.made_up", "384", *([model] if model is not None else []))
        bench = _Hooks(home, project, filled)
        for number in range(COLD_ROUNDS):
            progress(f"cold start {number + 1} of {COLD_ROUNDS}")
            with OwnDaemon(home, {"MEMORYD_EMBEDDING__MODEL": "none"}, program=program) as daemon:
                bench.round(daemon.pid, f"cold-{number}", number, bench.cold)
        with OwnDaemon(home, {"MEMORYD_EMBEDDING__MODEL": "none"}, program=program) as daemon:
            daemon.wait_until_indexed(600)
            _teach(daemon, project)
            # A question waits until the model is there; a hook would go without it.
            daemon.post("/v1/recall", {"query": filled.questions[0].text})
            for number in range(WARM_UP):
                bench.round(daemon.pid, f"warming-{number}", number, {event: Cost() for event in EVENTS})
            bench.empty = 0
            for number in range(rounds):
                progress(f"round {number + 1} of {rounds}")
                bench.round(daemon.pid, f"warm-{number}", number, bench.warm)
            late = _late(home)
        bare = Cost()
        for _ in range(rounds):
            bare.run(os.getpid(), lambda: subprocess.run([*INTERPRETER, "-c", "pass"], check=True))  # noqa: S603 - our own interpreter
        bare.daemon_ms.clear()
    rows = [bench.warm[event].row(f"{event}, warm") for event in EVENTS]
    rows += [bench.cold[event].row(f"{event}, daemon just started") for event in EVENTS]
    rows += [
        bare.row("the bare interpreter"),
        ["prompts that were given something, warm", rounds - bench.empty, "", f"of {rounds}", "", ""],
        ["answers given up on, of all rounds", late, "", "hooks", "", ""],
    ]
    facts = {"chunks": chunks, "rounds": rounds, "cold rounds": COLD_ROUNDS, "model": model or "none", "seed": seed}
    columns = ("what", "median", "p95", "unit", "CPU of the hook, ms", "CPU of the daemon, ms")
    return Table("Hooks", columns, rows, facts)


@dataclass(slots=True)
class Cost:
    """What hooks of one event cost: time on the clock, and of the processors."""

    clock: Timing = field(default_factory=Timing)
    hook_ms: list[float] = field(default_factory=list)
    daemon_ms: list[float] = field(default_factory=list)

    def run(self, daemon: int, action: Callable[[], Any]) -> Any:
        """Run a process, and take its times and that of the daemon meanwhile."""
        before, before_ms = resource.getrusage(resource.RUSAGE_CHILDREN), cpu_ms(daemon)
        result = self.clock.run(action)
        after, after_ms = resource.getrusage(resource.RUSAGE_CHILDREN), cpu_ms(daemon)
        taken_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.hook_ms.append(taken_s * 1000)
        if before_ms is not None and after_ms is not None:
            self.daemon_ms.append(after_ms - before_ms)
        return result

    def row(self, what: str) -> list[Any]:
        """Return the table's row. Processor time is counted in ticks too coarse for a median, so its mean is given."""
        cpu = [round(statistics.fmean(one), 1) if one else "" for one in (self.hook_ms, self.daemon_ms)]
        return [*self.clock.row(what), *cpu]


class _Hooks:
    """Runs hooks as processes. ``cold`` and ``warm`` hold their times by event."""

    def __init__(self, home: Path, project: Path, filled: Filled) -> None:
        self._environ = {"MEMORYD_HOME": str(home), "PATH": os.environ.get("PATH", "")}
        self._project = project
        self._questions = filled.questions
        self.cold = {event: Cost() for event in EVENTS}
        self.warm = {event: Cost() for event in EVENTS}
        self.empty = 0

    def round(self, daemon: int, session: str, number: int, costs: dict[str, Cost]) -> None:
        """Run a session: its start, a prompt, a tool, its stop."""
        prompt = self._questions[number % len(self._questions)].text
        touched = {"tool_name": "Edit", "tool_use_id": "t", "tool_input": {"file_path": f"{self._project}/src/cart.py"}}
        fields: dict[str, dict[str, Any]] = {
            "SessionStart": {"source": "startup"},
            "UserPromptSubmit": {"prompt": prompt},
            "PostToolUse": touched,
            "Stop": {"last_assistant_message": f"It is done: {prompt}"},
        }
        for event in EVENTS:
            payload = {"session_id": session, "transcript_path": "/nowhere.jsonl", "cwd": str(self._project)}
            data = json.dumps(payload | {"hook_event_name": event} | fields[event]).encode()
            said = costs[event].run(daemon, partial(self._run, data))
            self.empty += event == "UserPromptSubmit" and said == b"{}\n"

    def _run(self, data: bytes) -> bytes:
        done = subprocess.run(  # noqa: S603 - our own interpreter and file
            [*INTERPRETER, clients.hook.__file__],
            input=data,
            env=self._environ,
            capture_output=True,
            timeout=_PATIENCE_S,
            check=True,
        )
        return done.stdout


def _teach(daemon: OwnDaemon, project: Path) -> None:
    """Record a few decisions, so that there is something to be told of."""
    for number in range(30):
        name = {"kind": "component", "name": f"part number {number}"}
        put = [{"op": "put_element", **name, "gist": "Does its part.", "touches": ["src/"]}]
        body = {"title": f"Part {number} does its part", "why": "It was made for it.", "mutations": put}
        daemon.post("/v1/decisions", body | {"cwd": str(project), "new": True})


def _late(home: Path) -> int:
    log = home / "state" / "log" / "hook.log"
    return log.read_text("utf-8").count("\n") if log.exists() else 0
