"""A watcher on real folders: which bursts it hands on, and when it says that it may have missed something."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from watchfiles._rust_notify import RustNotify

from memoryd.jobs import watch
from memoryd.jobs.watch import Watcher

PATIENCE_S = 20.0
GAP = "gap"


class Followed:
    """What a watcher said, in order."""

    def __init__(self, *, fails: bool = False) -> None:
        self.said: queue.Queue[object] = queue.Queue()
        self._fails = fails

    def change(self, paths: set[Path]) -> None:
        self.said.put(paths)
        if self._fails:
            raise OSError("cannot be read")

    def gap(self) -> None:
        self.said.put(GAP)

    def next(self) -> object:
        return self.said.get(timeout=PATIENCE_S)

    def wait_for(self, path: Path) -> set[Path]:
        """Return all paths up to a burst that names this one."""
        seen: set[Path] = set()
        while path not in seen:
            said = self.next()
            if isinstance(said, set):
                seen |= said
        return seen


@contextmanager
def watching(*folders: Path, followed: Followed, debounce_ms: int = 200) -> Iterator[Watcher]:
    watcher = Watcher(
        lambda: folders, followed.change, on_gap=followed.gap, debounce_ms=debounce_ms, settle_ms=40, look_again_ms=100
    )
    watcher.start()
    try:
        yield watcher
    finally:
        watcher.stop()


def test_a_beginning_is_a_gap_and_then_bursts_follow(tmp_path: Path) -> None:
    followed = Followed()
    with watching(tmp_path, followed=followed) as watcher:
        assert watcher.wait_until_watching(PATIENCE_S)
        assert followed.next() == GAP
        (tmp_path / "a.md").write_text("a")
        assert tmp_path / "a.md" in followed.wait_for(tmp_path / "a.md")
        assert watcher.problem is None


def test_quick_events_of_one_path_are_one_burst_and_those_of_others_are_not_lost(tmp_path: Path) -> None:
    followed = Followed()
    with watching(tmp_path, followed=followed, debounce_ms=2_000):
        assert followed.next() == GAP
        for number in range(50):
            (tmp_path / "a.md").write_text(f"{number}")
        (tmp_path / "b.md").write_text("b")
        seen = followed.wait_for(tmp_path / "b.md")
        assert {tmp_path / "a.md", tmp_path / "b.md"} <= seen
        assert followed.said.qsize() <= 3


def test_a_failing_follower_ends_nothing(tmp_path: Path) -> None:
    followed = Followed(fails=True)
    with watching(tmp_path, followed=followed):
        assert followed.next() == GAP
        (tmp_path / "a.md").write_text("a")
        followed.wait_for(tmp_path / "a.md")
        (tmp_path / "b.md").write_text("b")
        followed.wait_for(tmp_path / "b.md")


def test_a_folder_that_comes_or_is_replaced_is_watched_and_said_to_be_a_gap(tmp_path: Path) -> None:
    root, followed = tmp_path / "later", Followed()
    with watching(root, followed=followed) as watcher:
        root.mkdir()
        assert followed.next() == GAP
        assert watcher.wait_until_watching(PATIENCE_S)
        root.rename(tmp_path / "away")
        root.mkdir()
        while followed.next() != GAP:
            pass
        (root / "a.md").write_text("a")
        followed.wait_for(root / "a.md")


def test_a_folder_below_another_is_watched_once(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    followed = Followed()
    with watching(tmp_path, tmp_path / "in", followed=followed) as watcher:
        assert followed.next() == GAP
        assert [folder for folder, _, _ in watcher._present()] == [tmp_path]
        (tmp_path / "in" / "a.md").write_text("a")
        followed.wait_for(tmp_path / "in" / "a.md")


def test_a_folder_that_cannot_be_read_does_not_end_the_watching_of_the_rest(tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0)
    followed = Followed()
    try:
        with watching(tmp_path, followed=followed):
            assert followed.next() == GAP
            (tmp_path / "a.md").write_text("a")
            followed.wait_for(tmp_path / "a.md")
    finally:
        (tmp_path / "shut").chmod(0o700)


def test_a_system_that_refuses_to_watch_is_named_and_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, refused = RustNotify, threading.Event()

    def refusing(*arguments: Any) -> object:
        if not refused.is_set():
            refused.set()
            raise OSError(28, "OS file watch limit reached")
        return real(*arguments)

    monkeypatch.setattr(watch, "RustNotify", refusing)
    monkeypatch.setattr(watch, "_RETRY_S", 0.2)
    followed = Followed()
    with watching(tmp_path, followed=followed) as watcher:
        assert followed.next() == GAP
        assert refused.is_set()
        assert watcher.problem is None


def test_the_reason_is_there_while_the_system_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = threading.Event()

    def refusing(*_: object) -> object:
        refused.set()
        raise OSError(28, "OS file watch limit reached")

    monkeypatch.setattr(watch, "RustNotify", refusing)
    with watching(tmp_path, followed=Followed()) as watcher:
        assert refused.wait(PATIENCE_S)
        watcher.stop()
        assert "watch limit" in (watcher.problem or "")
