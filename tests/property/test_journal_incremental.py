"""Whatever is done to the files, the index is the one that a rebuild would give."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from episodic.search.arms import EpisodicQuery
from episodic.store import EpisodicStore
from episodic.testing import AT, WordEmbedder, embed_all, make_store, new

NAMES = ["2026-11-30.md", "2026-11-29.md", "2026-11-30.copy.md", "sub/2026-11-28.md"]
WORDS = ["falcon", "heron", "walrus", "owl"]
names = st.sampled_from(NAMES)
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
times = st.sampled_from(["", " 09:00", " 17:30"])


def state_of(store: EpisodicStore, embedder: WordEmbedder) -> object:
    """Return what a reader can see of a store."""
    embed_all(store, embedder)
    counts = store.counts()
    answers = [
        [(h.id, h.text, h.path, h.lines, h.at, h.sources, round(h.score, 9)) for h in found.hits]
        for word in WORDS
        for found in [store.search(EpisodicQuery(word, limit=50, priors=False), embedder)]
    ]
    entries = [(e.id, e.text, e.at, e.path, e.lines) for e in store.list(limit=500)]
    return counts.episodes, counts.chunks, dict(counts.vectors), counts.pending, answers, entries


class Edits(RuleBasedStateMachine):
    """Edits by programs and people, some of them seen by a watcher and some only by a scan."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.home = Path(self.folder.name)
        self.embedder = WordEmbedder()
        self.store = make_store(self.home)
        self.store.open()
        self.journal = self.home / "memory" / "journal"
        (self.journal / "sub").mkdir()
        self.turn = 0
        self.steps = 0

    def teardown(self) -> None:
        try:
            self._compare()
        finally:
            self.store.close()
            self.folder.cleanup()

    @rule(text=words, hours=st.integers(-24, 0))
    def append(self, text: str, hours: int) -> None:
        self.turn += 1
        self.store.append(new(text, at=AT + timedelta(hours=hours), session="s", turn=str(self.turn)))

    @rule(name=names, heading=times, text=words, is_seen=st.booleans())
    def write(self, name: str, heading: str, text: str, *, is_seen: bool) -> None:
        self._changed(name, (self._text(name) or "") + f"\n## Own{heading}\n{text}\n", is_seen=is_seen)

    @rule(name=names, text=words, is_seen=st.booleans())
    def put_above(self, name: str, text: str, *, is_seen: bool) -> None:
        self._changed(name, f"{text}\n\n{self._text(name) or ''}", is_seen=is_seen)

    @rule(name=names, old=st.sampled_from(WORDS), word=st.sampled_from(WORDS), is_seen=st.booleans())
    def replace(self, name: str, old: str, word: str, *, is_seen: bool) -> None:
        if (text := self._text(name)) is not None:
            self._changed(name, text.replace(old, word, 1), is_seen=is_seen)

    @rule(source=names, to=names)
    def copy(self, source: str, to: str) -> None:
        if (text := self._text(source)) is not None:
            self._changed(to, text, is_seen=True)

    @rule(source=names, to=names)
    def rename(self, source: str, to: str) -> None:
        if source != to and (self.journal / source).exists():
            (self.journal / source).replace(self.journal / to)
            self.store.refresh([self.journal / source, self.journal / to])

    @rule(name=names)
    def delete(self, name: str) -> None:
        (self.journal / name).unlink(missing_ok=True)
        self.store.refresh([self.journal / name])

    @rule()
    def restart(self) -> None:
        self.store.close()
        self.store = make_store(self.home)
        self.store.open()

    @invariant()
    def equals_a_rebuild(self) -> None:
        # Not after each step: edits that no scan came between are to be among what is looked at.
        self.steps += 1
        if self.steps % 4 == 0:
            self._compare()

    def _compare(self) -> None:
        for _ in range(2):  # the second pass sees what the first one restored
            self.store.reconcile()
        with tempfile.TemporaryDirectory() as other:
            (Path(other) / "memory").symlink_to(self.home / "memory")
            rebuilt = make_store(Path(other))
            rebuilt.open()
            rebuilt.reconcile()
            wanted = state_of(rebuilt, self.embedder)
            rebuilt.close()
        assert state_of(self.store, self.embedder) == wanted

    def _text(self, name: str) -> str | None:
        path = self.journal / name
        return path.read_text("utf-8") if path.exists() else None

    def _changed(self, name: str, text: str, *, is_seen: bool) -> None:
        (self.journal / name).write_text(text, "utf-8")
        if is_seen:
            self.store.refresh([self.journal / name])


Edits.TestCase.settings = settings(
    max_examples=15, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
)
TestEdits = Edits.TestCase
