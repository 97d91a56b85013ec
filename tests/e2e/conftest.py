"""Real daemons on homes of their own, for tests that go through sockets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryd.bench.daemon import OwnDaemon

WITHOUT_MODEL = {"MEMORYD_EMBEDDING__MODEL": "none"}


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., OwnDaemon]]:
    """Return a function that starts a daemon on a folder below the test's own; all are ended with the test."""
    started: list[OwnDaemon] = []

    def run(name: str = "home", settings: dict[str, str] | None = None) -> OwnDaemon:
        daemon = OwnDaemon(tmp_path / name, WITHOUT_MODEL if settings is None else settings)
        started.append(daemon)
        return daemon.start()

    yield run
    for daemon in started:
        daemon.kill()
