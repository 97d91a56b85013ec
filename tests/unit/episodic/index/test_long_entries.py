"""What an append costs: the new section and nothing else, however long the day is; long texts are cut later."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodic.episode import NewEpisode
from episodic.errors import EngineError
from episodic.index import cutting, draft, intake
from episodic.index.draft import LONG_CHARS
from episodic.journal.text import read_day_text, read_own_section, render_section, stored_text
from episodic.store import EpisodicStore
from episodic.testing import AT, found, make_store, new

SOON_S = 30.0
LONG = "".join(f"Sentence {number} says that the heron eats {number} fish.\n\n" for number in range(2_000))


def soon(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + SOON_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


class Counted:
    """Counts the calls of a function of a module, and lets them through."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, module: object, name: str) -> None:
        self.calls: list[object] = []
        inner = getattr(module, name)

        def call(*arguments: object, **named: object) -> object:
            self.calls.append(arguments)
            return inner(*arguments, **named)

        monkeypatch.setattr(module, name, call)


def write_day(journal: Path, entries: int = 50) -> Path:
    day = journal / "2026-11-30.md"
    day.write_text("# 2026-11-30\n" + "".join(f"\n## 09:{n:02} part {n}\nThe walrus {n}.\n" for n in range(entries)))
    return day


def test_the_watcher_reads_nothing_after_our_own_append(
    store: EpisodicStore, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = write_day(journal)
    store.reconcile()
    reads = Counted(monkeypatch, intake, "_read")
    cuts = Counted(monkeypatch, draft, "cut_episode")
    for number in range(3):
        store.append(new(f"otter {number}"))
        store.refresh([day])
    assert len(reads.calls) == 0
    assert len(cuts.calls) == 3
    store.reconcile()  # the regular scan looks at the bytes, finds them as they were known, and cuts nothing
    assert len(cuts.calls) == 3
    assert store.verify() == []


def test_the_first_append_after_a_start_reads_the_day_once_and_cuts_nothing(
    store: EpisodicStore, tmp_path: Path, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_day(journal)
    store.reconcile()
    store.close()
    store = make_store(tmp_path, zone=ZoneInfo("Europe/Berlin"))
    store.open()
    store.reconcile()
    cuts = Counted(monkeypatch, draft, "cut_episode")
    store.append(new("otter"))
    store.reconcile()
    assert len(cuts.calls) == 1
    assert store.verify() == []
    store.close()


def test_a_change_by_a_person_cuts_what_changed(
    store: EpisodicStore, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = write_day(journal)
    store.append(new("otter"))
    store.reconcile()
    cuts = Counted(monkeypatch, draft, "cut_episode")
    text = day.read_text("utf-8").replace("The walrus 20.", "The badger 20.\n\nIt has a den.")
    day.write_text(text.replace("## 09:30 part 30\nThe walrus 30.\n", ""), "utf-8")
    store.refresh([day])
    assert len(cuts.calls) == 1
    assert found(store, "badger den")
    assert found(store, "30") == []
    assert store.verify() == []


def test_what_another_program_appends_is_taken_in(store: EpisodicStore, journal: Path) -> None:
    day = write_day(journal)
    store.append(new("otter"))
    with day.open("a") as file:
        file.write("\n## 23:00 by hand\nA lynx.\n")
    store.refresh([day])
    assert found(store, "lynx") == ["A lynx."]
    store.append(new("heron"))
    assert store.verify() == []


def test_a_long_entry_is_answered_before_it_is_cut(store: EpisodicStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.reconcile()
    may_cut = threading.Event()
    cut = cutting.cut_episode  # type: ignore[attr-defined] # it is patched where it is used

    def held_up(entry: object) -> object:
        may_cut.wait(SOON_S)
        return cut(entry)  # type: ignore[arg-type] # as it came

    monkeypatch.setattr(cutting, "cut_episode", held_up)
    assert len(LONG) > LONG_CHARS
    long = store.append(new(LONG, session="s", turn="long")).episode
    assert store.get(long.id).text == stored_text(LONG)
    assert store.counts().pending > 50
    assert store.append(new("an otter wakes")).created  # nobody waits for it
    assert found(store, "otter") == ["an otter wakes"]
    may_cut.set()
    assert soon(lambda: not store.counts().pending)
    assert found(store, "1999 fish")
    assert store.verify() == []


def test_a_long_entry_is_finished_after_a_restart(
    store: EpisodicStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.reconcile()
    with monkeypatch.context() as patched:
        patched.setattr(store._backlog, "begin", lambda: None)
        store.append(new(LONG))
        store.append(new("an otter wakes"))
        store.close()
    store = make_store(tmp_path, zone=ZoneInfo("Europe/Berlin"))
    store.open()
    assert store.counts().pending > 50
    store.reconcile()
    assert store.counts().pending == 0
    assert store.verify() == []
    assert found(store, "1999 fish")
    store.close()


def test_a_long_entry_that_moves_or_goes_while_it_waits(
    store: EpisodicStore, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = write_day(journal, 3)
    store.reconcile()
    monkeypatch.setattr(store._backlog, "begin", lambda: None)
    long = store.append(new(LONG)).episode
    monkeypatch.setattr(cutting, "_CUT_AT_ONCE", 10_000)
    day.write_text(day.read_text("utf-8").replace("## 09:00", "## 08:00 new\nA lynx.\n\n## 09:00", 1), "utf-8")
    store.refresh([day])
    store.reconcile()
    assert store.verify() == []
    assert store.counts().pending == 0
    store.append(new(LONG + "more", session="s", turn="t"))
    store.forget([long.id])
    store.reconcile()
    assert store.verify() == []
    assert store.counts().pending == 0


def test_a_file_that_changes_while_a_long_entry_is_cut(
    store: EpisodicStore, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.reconcile()
    monkeypatch.setattr(store._backlog, "begin", lambda: None)
    store.append(new(LONG))
    day = journal / "2026-11-30.md"
    cut = cutting.cut_episode  # type: ignore[attr-defined] # it is patched where it is used
    is_changed = False

    def changes_meanwhile(entry: object) -> object:
        nonlocal is_changed
        if not is_changed:
            is_changed = True
            day.write_text(day.read_text("utf-8").replace("# 2026-11-30\n", "# 2026-11-30\n\n## 01:00 n\nA lynx.\n"))
            store.refresh([day])
        return cut(entry)  # type: ignore[arg-type] # as it came

    monkeypatch.setattr(cutting, "cut_episode", changes_meanwhile)
    store._backlog.finish()
    store.reconcile()
    assert is_changed
    assert store.verify() == []
    assert found(store, "lynx") == ["A lynx."]


def test_a_long_day_that_an_editor_saved_is_read_in_the_background(
    store: EpisodicStore, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = journal / "2026-11-30.md"
    day.write_text("# 2026-11-30\n\n## 09:00 by hand\n" + LONG * 4, "utf-8")
    begun: list[bool] = []
    monkeypatch.setattr(store._backlog, "begin", lambda: begun.append(True))
    reads = Counted(monkeypatch, intake, "_read")
    turn = {"session": "s", "turn": "t"}
    entry = store.append(new("an otter wakes", **turn)).episode
    assert (len(reads.calls), begun) == (0, [True])
    lines = day.read_text("utf-8").split("\n")
    assert lines[entry.lines[0] - 1] == "## 14:05"
    again = store.append(new("an otter wakes", **turn))
    assert (again.created, again.episode.id) == (False, entry.id)
    monkeypatch.undo()
    store._backlog.begin()
    assert soon(lambda: found(store, "otter") == ["an otter wakes"])
    assert soon(lambda: not store._backlog._cutter.cut_some())
    store.reconcile()
    assert store.verify() == []
    assert store.get(entry.id).lines == entry.lines


@settings(deadline=None)
@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    st.text(st.sampled_from("#\\ \t\r\n<!-memoryd:a`~"), min_size=1),
)
def test_our_own_section_is_read_as_any_section(any_text: str, sign_text: str) -> None:
    for text in (any_text, sign_text):
        if not stored_text(text).strip():
            continue
        section = render_section("ep_1", NewEpisode(text, AT, title="a title"), key=None)
        whole = read_day_text(section, file="f", day=date(2026, 11, 30), zone=UTC)
        own = read_own_section(section, file="f", day=date(2026, 11, 30), zone=UTC)
        assert whole.entries == (own,)


def test_an_engine_that_is_away_does_not_end_it(store: EpisodicStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.reconcile()

    def refuse(**_: object) -> int:
        raise EngineError("gone fishing")

    monkeypatch.setattr(store._backlog._index, "sync", refuse)
    store.append(new(LONG, at=datetime(2026, 11, 30, 12, tzinfo=UTC)))
    assert soon(lambda: not store._backlog._cutter.cut_some())
