"""Many writers, an editor, and a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

from episodic.journal.text import read_day_text
from episodic.search.arms import EpisodicQuery
from episodic.store import EpisodicStore
from episodic.testing import AT, make_store, new

WRITERS, EACH = 8, 25


def text_of(writer: int, number: int) -> str:
    return f"writer {writer} entry {number}\n# heading\n" + "x" * 300


def test_eight_writers_and_an_editor_lose_nothing(store: EpisodicStore, journal: Path) -> None:
    day = journal / "2026-11-30.md"
    store.append(new("first"))
    failures: list[Exception] = []
    half = threading.Event()

    def write(writer: int) -> None:
        try:
            for n in range(EACH):
                store.append(
                    new(f"writer {writer} entry {n}\n# heading\n" + "x" * 300, session=str(writer), turn=str(n))
                )
                if n == EACH // 2:
                    half.set()
        except Exception as error:  # noqa: BLE001 - whatever happens in a thread is shown below
            failures.append(error)

    def edit() -> None:
        half.wait(60)
        text = day.read_text("utf-8")
        copy = day.with_name(".editor")
        copy.write_text(text.replace("\nfirst\n", "\nfirst, edited by hand\n"), "utf-8")
        copy.replace(day)

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(WRITERS)]
    threads.append(threading.Thread(target=edit))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.refresh([day])

    assert failures == []
    entries = read_day_text(day.read_text("utf-8"), file="x", day=AT.date(), zone=AT.tzinfo).entries  # type: ignore[arg-type] # AT has one
    texts = sorted(entry.episode.text for entry in entries)
    wanted = [text_of(writer, n) for writer in range(WRITERS) for n in range(EACH)]
    assert texts == sorted([*wanted, "first, edited by hand"])
    assert len({entry.episode.id for entry in entries}) == len(entries)
    assert store.counts().episodes == WRITERS * EACH + 1
    assert len(store.search(EpisodicQuery("writer", limit=500), None).hits) == WRITERS * EACH


def test_readers_never_see_half_a_change(store: EpisodicStore, journal: Path) -> None:
    day = journal / "2026-01-01.md"
    day.write_text("\n".join(f"## {n}\nfalcon {n}\n" for n in range(20)), "utf-8")
    store.reconcile()
    failures: list[object] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            hits = store.search(EpisodicQuery("falcon", limit=100), None).hits
            if len(hits) not in (0, 20) and len(store.list(limit=100)) != 20:
                failures.append(len(hits))

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for turn in range(20):
        day.write_text("\n".join(f"## {n}\nfalcon {n} {turn}\n" for n in range(20)), "utf-8")
        store.refresh([day])
    done.set()
    for thread in threads:
        thread.join()
    assert failures == []


WRITER = """
import sys
from datetime import timedelta
from pathlib import Path
from episodic.testing import AT, make_store, new

store = make_store(Path(sys.argv[1]))
store.open()
for n in range(100_000):
    episode = store.append(new(f"acknowledged {n} " + "x" * 2000, session=sys.argv[2], turn=str(n))).episode
    print(episode.id, n, flush=True)
"""


def test_a_kill_in_a_stream_of_writes_loses_nothing_acknowledged(tmp_path: Path) -> None:
    acknowledged: dict[str, str] = {}
    for round_ in range(4):
        writer = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(WRITER), str(tmp_path), f"s{round_}"],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[3],
        )
        assert writer.stdout is not None
        for line in writer.stdout:
            id_, n = line.split()
            acknowledged[id_] = n
            if int(n) >= 5 + 7 * round_:
                os.kill(writer.pid, signal.SIGKILL)
                break
        for line in writer.stdout:
            if len(parts := line.split()) == 2 and line.endswith("\n"):
                acknowledged[parts[0]] = parts[1]
        writer.stdout.close()
        writer.wait()

    store = make_store(tmp_path)
    store.open()
    store.reconcile()
    for id_, n in acknowledged.items():
        assert store.get(id_).text == f"acknowledged {n} " + "x" * 2000
    assert all(len(episode.text) > 2000 for episode in store.list(limit=1000))
    assert store.counts().pending == 0
    store.close()
