"""Both memories and the import into them, for tests: a home in a folder, a clock that stands, files of others."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from episodic.episode import Episode
from episodic.testing import SettableClock, make_store
from memoryd.capture.record import Recorder
from memoryd.jobs.importing.job import Importing
from memoryd.jobs.registry import Run
from semantic.model import Decision, Element, Note
from semantic.store import SemanticStore
from semantic.testing import counting_entropy
from semantic.vault.contract import Contract

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Home:
    """A memory, and what other programs keep beside it in ``peers``."""

    def __init__(self, folder: Path) -> None:
        self.peers = folder / "peers"
        self.peers.mkdir()
        self.memory = folder / "home" / "memory"
        self.vault = self.memory / "vault"
        self.vault.mkdir(parents=True)
        self.clock = SettableClock(NOW)
        self.episodic = make_store(folder / "home", clock=self.clock)
        self.episodic.open()
        self.episodic.reconcile()
        self.semantic = SemanticStore(
            memory=self.memory,
            install="a" * 12,
            clock=self.clock,
            entropy=counting_entropy(),
            zone=UTC,
            vaults={"vault": self.vault},
            contract=Contract(),
        )
        self.semantic.open()
        self.semantic.reconcile()
        recorder = Recorder(self.episodic, memory=self.memory, zone=UTC, project_of=lambda _: None, vaults={})
        self.importing = Importing(
            recorder,
            self.episodic,
            self.semantic,
            vaults={"vault": self.vault},
            clock=self.clock,
            zone=UTC,
            project_of=lambda cwd: f"{Path(cwd).name}-00000000" if cwd else None,
            stored=lambda: None,
        )

    def take(
        self, path: Path, source: str | None = None, *, is_dry: bool = False, handle: Run | None = None
    ) -> dict[str, Any]:
        """Take in what lies at a path."""
        return self.importing.run(path, source=source, is_dry=is_dry, handle=handle)

    def forget(self, *ids: str) -> None:
        """Forget, as the API does."""
        self.semantic.forget(ids)
        self.episodic.forget([id_ for id_ in ids if id_.startswith("ep_")])

    @property
    def entries(self) -> list[Episode]:
        """The journal, in order."""
        return self.episodic.list(limit=500, newest_first=False)

    @property
    def notes(self) -> dict[str, Note]:
        """The notes by path."""
        return {note.path: note for note in self.semantic.notes()}

    @property
    def elements(self) -> dict[str, Element]:
        """The elements by name."""
        return {one.name: one for one in self.semantic.projection()}

    @property
    def decisions(self) -> list[Decision]:
        """The decisions in replay order."""
        return sorted(self.semantic.projection().decisions.values(), key=lambda one: one.order)

    def truth(self) -> dict[str, bytes]:
        """Every file of the truth."""
        return {str(path): path.read_bytes() for path in sorted(self.memory.rglob("*")) if path.is_file()}

    def close(self) -> None:
        """Close both memories."""
        self.episodic.close()
        self.semantic.close()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A memory of the test's own."""
    made = Home(tmp_path)
    yield made
    made.close()


def write(path: Path, text: str) -> Path:
    """Write a file of another program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def make_database(path: Path, schema: str, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> Path:
    """Make a SQLite file of another program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as opened:
        opened.executescript(schema)
        for table, values in rows.items():
            for row in values:
                marks = ", ".join("?" * len(row))
                opened.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))
        opened.commit()
    return path
