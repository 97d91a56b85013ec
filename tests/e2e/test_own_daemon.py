"""The daemon that benchmarks and tests start for themselves: it leaves nothing behind that nobody ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryd.bench.daemon import OwnDaemon
from memoryd.errors import StartFailed
from memoryd.service.lock import find_holder
from tests.e2e.conftest import WITHOUT_MODEL


def test_a_daemon_whose_stores_failed_is_ended(tmp_path: Path) -> None:
    (tmp_path / "home" / "memory").mkdir(parents=True)
    (tmp_path / "home" / "memory" / "journal").write_text("in the way", "ascii")
    with pytest.raises(StartFailed, match="journal"):
        OwnDaemon(tmp_path / "home", WITHOUT_MODEL).start()
    assert find_holder(tmp_path / "home" / "state" / "lock", tmp_path / "home" / "memory") is None
