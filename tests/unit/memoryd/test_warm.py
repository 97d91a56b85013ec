"""What takes long to load is loaded before anybody waits for it, where it was wanted before."""

from __future__ import annotations

import threading
from pathlib import Path

from memoryd.jobs.warm import Warmth

DEADLINE_S = 20


def test_it_is_loaded_after_a_start_only_where_it_was_wanted(tmp_path: Path) -> None:
    loaded = threading.Event()
    memo = tmp_path / "agents"
    first = Warmth(memo, loaded.set, delay_s=0)
    first.start()
    first.note()
    first.note()
    assert not loaded.is_set()
    second = Warmth(memo, loaded.set, delay_s=0)
    second.start()
    assert loaded.wait(DEADLINE_S)


def test_a_daemon_that_ends_at_once_loads_nothing(tmp_path: Path) -> None:
    loaded = threading.Event()
    memo = tmp_path / "agents"
    memo.touch()
    warmth = Warmth(memo, loaded.set, delay_s=60)
    warmth.start()
    warmth.stop()
    assert not loaded.is_set()


def test_a_folder_that_is_gone_is_no_error(tmp_path: Path) -> None:
    warmth = Warmth(tmp_path / "gone" / "agents", lambda: None, delay_s=0)
    warmth.note()
    warmth.start()
