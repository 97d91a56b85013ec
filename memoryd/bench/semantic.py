"""``bench semantic``, the log: how long do reading, writing and showing take as the log grows?

Beside it, on data that the user names, what is found of the links that authors made (``memoryd.bench.wikilinks``).

A log of made-up decisions is laid down as another install would have written it. Then it is read and verified whole,
decisions are recorded in it, and a daemon on it is asked for its context, as it is and after each of some decisions. A
recorded decision waits for the disk; the same bytes are appended to a bare file in turn with it, and what lies beyond
that is the product's own part. Beside the time on the clock stands the time of the processor, which a busy machine
changes less.
"""

from __future__ import annotations

import gc
import math
import os
import random
import secrets
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from io import FileIO
from pathlib import Path
from typing import Any

from memoryd.bench.daemon import OwnDaemon
from memoryd.bench.table import Report, Table
from memoryd.bench.wikilinks import run_wikilinks
from semantic.identity import element_id
from semantic.log.event import Head, seal
from semantic.log.instant import write_instant
from semantic.log.intent import decision_id, intent_of
from semantic.store import SemanticStore
from semantic.vault.contract import Contract
from semantic.writing.recording import NewDecision

SIZES = (1_000, 10_000, 100_000)
WRITER, READER = "aaaaaaaaaaaa", "bbbbbbbbbbbb"
ACTOR = "agent:bench"
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
APPENDS = 60
CONTEXTS = 30
ELEMENT_EVERY = 3
"""One decision in so many is about an element that is new; the others supersede what stands."""

_POLL_S = 0.1
_WITHOUT_MODEL = {"MEMORYD_EMBEDDING__MODEL": "none", "MEMORYD_ENGINE__KIND": "exact"}

Progress = Callable[[str], None]


def run_log(sizes: Sequence[int] = SIZES, *, seed: int = 20261130, progress: Progress = lambda _: None) -> Table:
    """Measure each size and return a row for it."""
    rows = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as folder:
            rows.append(_measured(Path(folder), size, seed, progress))
    columns = (
        "events",
        "replay s",
        "replay CPU s",
        "append ms",
        "bare append ms",
        "beyond ms",
        "append CPU ms",
        "ready s",
        "context ms",
        "context CPU ms",
        "context after a decision ms",
        "log MB",
    )
    facts = {"seed": seed, "appends": APPENDS, "contexts": CONTEXTS, "of each": "the median; replay and ready once"}
    return Table("The log as it grows", columns, rows, facts)


def run_semantic(
    sizes: Sequence[int],
    gold: Path | None = None,
    vaults: Sequence[Path] = (),
    *,
    seed: int = 20261130,
    model: str | None = None,
    cache: Path | None = None,
    progress: Progress = lambda _: None,
) -> Report:
    """Measure the log at each size and, where there are questions, what is found of links that authors made.

    Raises:
        BenchDataError: The questions cannot be asked, as in ``memoryd.bench.wikilinks``.
    """
    tables = []
    if gold is not None:
        tables.append(run_wikilinks(vaults, gold, model=model, cache=cache, tell=progress))
    tables.append(run_log(sizes, seed=seed, progress=progress))
    return Report("Semantic memory", tables, {"seed": seed})


def _measured(home: Path, size: int, seed: int, progress: Progress) -> list[Any]:
    progress(f"writes {size} events")
    shard = home / "memory" / "log" / "user" / f"{WRITER}.ndjson"
    shard.parent.mkdir(parents=True)
    with shard.open("wb") as file:
        file.writelines(made_up_lines(size, seed))
    weight = shard.stat().st_size / 1e6
    progress(f"reads {size} events")
    gc.collect()
    store = _store(home / "memory")
    begun, spent = time.perf_counter(), time.thread_time()
    store.open()
    replay_s, replay_cpu_s = time.perf_counter() - begun, time.thread_time() - spent
    assert store.log_seq() == size, "the made-up log was not read whole"
    while store.pending():  # the search takes the log in beside; what is measured is a daemon that is at rest
        time.sleep(_POLL_S)
    progress(f"records beside {size} events")
    whole, cpu, bare = _appends(store, home)
    store.close()
    progress(f"starts a daemon on {size} events")
    begun = time.perf_counter()
    with OwnDaemon(home, _WITHOUT_MODEL).start() as daemon:
        ready_s = time.perf_counter() - begun
        daemon.wait_until_indexed(600.0)
        daemon.get("/v1/context")  # the first brings the active set within its budget
        spent_s = _cpu_s(daemon.pid)
        context_ms = [_timed_ms(lambda: daemon.get("/v1/context")) for _ in range(CONTEXTS)]
        context_cpu_ms = (_cpu_s(daemon.pid) - spent_s) * 1000 / CONTEXTS
        after_ms = []
        for number in range(CONTEXTS):
            put = {"op": "put_element", "kind": "fact", "name": f"later thing {number}", "gist": "as it was recorded"}
            daemon.post(
                "/v1/decisions", {"title": f"later {number}", "why": "measured", "mutations": [put], "new": True}
            )
            after_ms.append(_timed_ms(lambda: daemon.get("/v1/context")))
    return [
        size,
        replay_s,
        replay_cpu_s,
        statistics.median(whole),
        statistics.median(bare),
        statistics.median(whole) - statistics.median(bare),
        statistics.median(cpu),
        ready_s,
        statistics.median(context_ms),
        context_cpu_ms,
        statistics.median(after_ms),
        weight,
    ]


def _appends(store: SemanticStore, home: Path) -> tuple[list[float], list[float], list[float]]:
    whole, cpu, bare = [], [], []
    own = home / "memory" / "log" / "user" / f"{READER}.ndjson"
    with (home / "bare").open("ab", buffering=0) as file:
        for number in range(APPENDS):
            put = {"op": "put_element", "kind": "fact", "name": f"fresh thing {number}", "gist": "as it was recorded"}
            new = NewDecision(f"fresh {number}", "measured", [put], actor=ACTOR, new=True)
            spent = time.thread_time()
            whole.append(_timed_ms(lambda new=new: store.decide(new)))  # type: ignore[misc]
            cpu.append((time.thread_time() - spent) * 1000)
            line = own.read_bytes().splitlines(keepends=True)[-1]
            bare.append(_timed_ms(lambda line=line: _write(file, line)))  # type: ignore[misc]
    return whole, cpu, bare


def _write(file: FileIO, line: bytes) -> None:
    file.write(line)
    os.fsync(file.fileno())


def _cpu_s(pid: int) -> float:
    """Return the processor time that a process has used; not a number where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(") ")[2].split()
    except OSError:
        return math.nan
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _timed_ms(action: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    action()
    return (time.perf_counter() - begun) * 1000


def made_up_lines(count: int, seed: int) -> Iterator[bytes]:
    """Yield the lines of a shard of user scope: new elements, links between them, and decisions that supersede."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, and no secret
    heads: dict[str, str] = {}
    names: list[tuple[str, str]] = []
    prev = None
    for seq in range(1, count + 1):
        if seq % ELEMENT_EVERY == 1 or not names:
            name = f"thing {len(names)}"
            id_ = element_id(None, "fact", name)
            names.append((id_, name))
            mutations: list[dict[str, Any]] = [
                {"op": "put_element", "id": id_, "kind": "fact", "name": name, "gist": f"what holds of {name}"}
            ]
        else:
            id_, name = names[chance.randrange(max(0, len(names) - 200), len(names))]
            other = chance.choice(names)[0]
            mutations = [{"op": "set_prop", "id": id_, "key": "state", "value": f"s{seq}"}]
            mutations += [{"op": "add_link", "from": id_, "rel": "uses", "to": other}] if other != id_ else []
        title, why = f"decision {seq}", f"because of what was seen at {seq}"
        supersedes = [heads[id_]] if id_ in heads else []
        decision = decision_id(intent_of(None, title, why, mutations), supersedes)
        heads[id_] = decision
        at = write_instant(FIRST + timedelta(minutes=seq))
        body = {
            "nonce": f"{seq:032x}",
            "title": title,
            "why": why,
            "mutations": mutations,
            "evidence": [f"ep_01{seq:024d}"],
            "supersedes": supersedes,
            "about": [],
        }
        head = Head(1, seq, seq, at, WRITER, ACTOR, None, "user", None, "decision", decision, "", prev)
        event, line = seal(head, body)
        prev = event.hash
        yield line


def _store(memory: Path) -> SemanticStore:
    return SemanticStore(
        memory=memory,
        install=READER,
        clock=lambda: datetime.now(UTC),
        entropy=secrets.token_bytes,
        zone=UTC,
        vaults={},
        contract=Contract(),
    )
