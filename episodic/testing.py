"""Doubles for tests of this package and of those that use it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from episodic.engine.exact import ExactEngine
from episodic.engine.port import Engine
from episodic.episode import NewEpisode
from episodic.index.recovery import RESTS_S
from episodic.index.roots import DailyNotes, Sources
from episodic.search.arms import EpisodicQuery
from episodic.store import EpisodicStore
from memoryd.text.embedder import Embedder, Vectors
from memoryd.text.terms import terms

AT = datetime(2026, 11, 30, 14, 5, 12, tzinfo=timezone(timedelta(hours=1)))
"""An instant of the day before the default clock's evening."""


class SettableClock:
    """A clock that stands still until it is told to move."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """Return the time that was set."""
        return self.now

    def advance(self, by: timedelta) -> None:
        """Move the clock."""
        self.now += by


class CountingEntropy:
    """Random bytes that are the same in every run."""

    def __init__(self) -> None:
        self._count = 0

    def __call__(self, size: int) -> bytes:
        """Return so many bytes."""
        self._count += 1
        return hashlib.sha256(str(self._count).encode()).digest()[:size]


class WordEmbedder:
    """Vectors from hashed words: texts that share words are near. Counts what it embeds."""

    def __init__(self, *, fingerprint: str = "wordembedder", dimension: int = 64) -> None:
        self._fingerprint = fingerprint
        self._dimension = dimension
        self.embedded: list[str] = []

    @property
    def fingerprint(self) -> str:
        """The name of the space."""
        return self._fingerprint

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self._dimension

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text."""
        self.embedded.extend(texts)
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Return the unit vector of a text."""
        vector = np.full(self._dimension, 1e-3, np.float32)
        for word in terms(text):
            vector[int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big") % self._dimension] += 1
        return vector / np.float32(np.linalg.norm(vector))


def make_store(
    home: Path,
    *,
    clock: Callable[[], datetime] | None = None,
    zone: tzinfo = UTC,
    install: str = "aaaaaaaaaaaa",
    engine_factory: Callable[[], Engine] | None = None,
    sources: Sequence[DailyNotes] | Sources = (),
    languages: Sequence[str] = ("en", "de"),
    rests_s: Sequence[float] = RESTS_S,
    lends_context: bool = True,
) -> EpisodicStore:
    """Return a store under ``home`` that is not open yet; its engine is exact where none is given."""
    state = home / "state"
    return EpisodicStore(
        memory=home / "memory",
        state=state,
        install=install,
        engine_factory=engine_factory or (lambda: ExactEngine(state / "exact.db")),
        clock=clock or SettableClock(datetime(2026, 11, 30, 18, 0, tzinfo=UTC)),
        zone=zone,
        entropy=CountingEntropy(),
        languages=languages,
        sources=sources,
        rests_s=rests_s,
        lends_context=lends_context,
    )


def new(text: str = "the walrus sleeps", **fields: Any) -> NewEpisode:
    """Return an entry at ``AT``."""
    return replace(NewEpisode(text=text, at=AT), **fields)


def found(store: EpisodicStore, text: str, **fields: Any) -> list[str]:
    """Return the texts that a search without a model finds."""
    return [hit.text for hit in store.search(replace(EpisodicQuery(text), **fields), None).hits]


def embed_all(store: EpisodicStore, embedder: Embedder) -> int:
    """Embed everything that wants a vector, as the background queue does; return how many there were."""
    done = 0
    while wanted := store.wanting_vectors(embedder.fingerprint, 64):
        vectors = embedder.embed_passages([text for _, text in wanted])
        store.add_vectors(
            embedder.fingerprint,
            embedder.dimension,
            {id_: vector for (id_, _), vector in zip(wanted, vectors, strict=True)},
        )
        done += len(wanted)
    return done
