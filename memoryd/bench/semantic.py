"""``bench semantic``, the log: how long do reading, writing and showing take as the log grows?

A log of made-up decisions is laid down as another install would have written it. Then it is read and verified whole,
decisions are recorded in it, and a daemon on it is asked for its context. A recorded decision waits for the disk; the
same bytes are appended to a bare file in turn with it, and what lies beyond that is the product's own part.
"""

from __future__ import annotations

import gc
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
from memoryd.bench.table import Table
from semantic.event import Head, seal
from semantic.identity import element_id
from semantic.instant import write_instant
from semantic.intent import decision_id, intent_of
from semantic.recording import NewDecision
from semantic.store import SemanticStore
from semantic.vault.contract import Contract

SIZES = (1_000, 10_000, 100_000)
WRITER, READER = "aaaaaaaaaaaa", "bbbbbbbbbbbb"
ACTOR = "agent:bench"
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
APPENDS = 60
CONTEXTS = 15
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
    columns = ("events", "replay s", "append ms", "bare append ms", "beyond ms", "ready s", "context ms", "log MB")
    facts = {"seed": seed, "appends": APPENDS, "contexts": CONTEXTS, "of each": "the median; replay and ready once"}
    return Table("The log as it grows", columns, rows, facts)


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
    begun = time.perf_counter()
    store.open()
    replay_s = time.perf_counter() - begun
    assert store.log_seq() == size, "the made-up log was not read whole"
    while store.pending():  # the search takes the log in beside; what is measured is a daemon that is at rest
        time.sleep(_POLL_S)
    progress(f"records beside {size} events")
    whole, bare = _appends(store, home)
    store.close()
    progress(f"starts a daemon on {size} events")
    begun = time.perf_counter()
    with OwnDaemon(home, _WITHOUT_MODEL).start() as daemon:
        ready_s = time.perf_counter() - begun
        daemon.wait_until_indexed(600.0)
        context_ms = [_timed_ms(lambda: daemon.get("/v1/context")) for _ in range(CONTEXTS)]
    return [
        size,
        replay_s,
        statistics.median(whole),
        statistics.median(bare),
        statistics.median(whole) - statistics.median(bare),
        ready_s,
        statistics.median(context_ms),
        weight,
    ]


def _appends(store: SemanticStore, home: Path) -> tuple[list[float], list[float]]:
    whole, bare = [], []
    own = home / "memory" / "log" / "user" / f"{READER}.ndjson"
    with (home / "bare").open("ab", buffering=0) as file:
        for number in range(APPENDS):
            put = {"op": "put_element", "kind": "fact", "name": f"fresh thing {number}", "gist": "as it was recorded"}
            new = NewDecision(f"fresh {number}", "measured", [put], actor=ACTOR, new=True)
            whole.append(_timed_ms(lambda new=new: store.decide(new)))  # type: ignore[misc]
            line = own.read_bytes().splitlines(keepends=True)[-1]
            bare.append(_timed_ms(lambda line=line: _write(file, line)))  # type: ignore[misc]
    return whole, bare


def _write(file: FileIO, line: bytes) -> None:
    file.write(line)
    os.fsync(file.fileno())


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
