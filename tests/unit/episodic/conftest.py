"""A store over the exact engine, in a home of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from episodic.store import EpisodicStore
from episodic.testing import make_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EpisodicStore]:
    """An open store in Berlin."""
    made = make_store(tmp_path, zone=ZoneInfo("Europe/Berlin"))
    made.open()
    yield made
    made.close()


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Its journal's folder."""
    return tmp_path / "memory" / "journal"
