"""What was embedded once is never embedded again: a second run, a rename of every file, a manifest made anew."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from episodic.store import EpisodicStore
from episodic.testing import WordEmbedder, make_store, new
from memoryd.embedding.cache import VectorCache
from memoryd.jobs.embed import EmbedQueue


class Home:
    """A store with its embedding queue; each ``run`` is a start, a scan, and all vectors."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.journal = home / "memory" / "journal"

    def run(self) -> tuple[int, int]:
        """Return how many texts were embedded, and how many pieces have a vector."""
        embedder = WordEmbedder()
        store = make_store(self.home)
        cache = VectorCache(self.home / "state" / "vectors.sqlite")
        store.open()
        queue = EmbedQueue((store,), embedder, cache)
        try:
            store.reconcile()
            queue.start()
            assert queue.drain(60)
            return len(embedder.embedded), self.vectors(store, embedder)
        finally:
            queue.stop()
            cache.close()
            store.close()

    def vectors(self, store: EpisodicStore, embedder: WordEmbedder) -> int:
        assert store.count_wanting(embedder.fingerprint) == 0
        assert store.verify() == []
        return store.counts().vectors[embedder.fingerprint]


@pytest.fixture
def filled(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    store = make_store(tmp_path)
    store.open()
    for number in range(5):
        store.append(new(f"the walrus {number} sleeps"))
    store.close()
    for day in range(1, 10):
        parts = [f"\n## {hour:02}:00 part\nA heron of day {day} at {hour}.\n" for hour in range(6)]
        (home.journal / f"2025-01-0{day}.md").write_text("# a day\n" + "".join(parts), "utf-8")
    embedded, vectors = home.run()
    assert (embedded, vectors) == (59, 59)
    return home


def test_a_second_run(filled: Home) -> None:
    assert filled.run() == (0, 59)


def test_a_rename_of_every_file(filled: Home) -> None:
    for path in list(filled.journal.glob("2025-*.md")):
        path.rename(path.with_name(f"{path.stem} renamed.md"))
    assert filled.run() == (0, 59)


def test_a_move_into_a_folder(filled: Home) -> None:
    folder = filled.journal / "2025"
    folder.mkdir()
    for path in list(filled.journal.glob("2025-*.md")):
        path.rename(folder / path.name)
    assert filled.run() == (0, 59)


@pytest.mark.parametrize("lost", ["manifest.sqlite", "exact.db"])
def test_a_database_that_is_lost(filled: Home, lost: str) -> None:
    for path in (filled.home / "state").glob(f"{lost}*"):
        path.unlink()
    assert filled.run() == (0, 59)


def test_lines_above_and_a_changed_heading_of_the_day(filled: Home) -> None:
    for path in list(filled.journal.glob("2025-*.md")):
        path.write_text("---\nmood: ok\n---\n\n" + path.read_text("utf-8"), "utf-8")
    assert filled.run() == (0, 59)


def test_a_copied_home(filled: Home, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other") / "home"
    shutil.copytree(filled.home, other)
    assert Home(other).run() == (0, 59)
