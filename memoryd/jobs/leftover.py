"""What models gave that serve no more: dropped when nobody can be asking for it, again and again until it is gone."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

import structlog

from memoryd.embedding.lazy import LazyEmbedder
from memoryd.jobs.embed import VectorSource

log = structlog.get_logger("memoryd.models")

RETRY_S = 30.0


class Embedded(VectorSource, Protocol):
    """A store with vectors of several models."""

    def fingerprints(self) -> set[str]:
        """Return the models of which it holds anything."""
        ...

    def drop_vectors(self, fingerprint: str) -> None:
        """Remove all that a model gave."""
        ...


@dataclass(frozen=True, slots=True)
class _Left:
    fingerprint: str
    until: float
    embedder: LazyEmbedder | None


class Leftovers:
    """Vectors and token weights of models that left. For one thread alone, but for ``close`` at the end."""

    def __init__(self, sources: Sequence[Embedded]) -> None:
        self._sources = tuple(sources)
        self._left: list[_Left] = []

    def __len__(self) -> int:
        return len(self._left)

    def add(self, fingerprint: str, *, linger_s: float = 0.0, embedder: LazyEmbedder | None = None) -> None:
        """Drop what a model gave, and close it, after so many seconds."""
        self._left.append(_Left(fingerprint, time.monotonic() + linger_s, embedder))

    def let_go(self, in_use: Collection[str]) -> None:
        """Drop what is due; a model that is in use again keeps what it has."""
        now = time.monotonic()
        due = [one for one in self._left if one.until <= now]
        self._left = [one for one in self._left if one.until > now]
        for one in due:
            if one.embedder is not None:
                one.embedder.close()
            if one.fingerprint in in_use:
                continue
            try:
                self._drop(one.fingerprint)
            except Exception as error:
                # The engine may be away; nobody is asked for this meanwhile.
                log.warning("vectors_not_dropped", reason=type(error).__name__, exc_info=error)
                self.add(one.fingerprint, linger_s=RETRY_S)

    def tidy(self, in_use: Collection[str]) -> None:
        """Drop all that no model in use gave: of models that left while the daemon was down, or whose files changed.

        What an engine raises is let through.
        """
        kept = {*in_use, *(one.fingerprint for one in self._left)}
        for source in self._sources:
            for fingerprint in source.fingerprints() - kept:
                log.info("vectors_dropped", fingerprint=fingerprint)
                source.drop_vectors(fingerprint)

    def close(self) -> None:
        """Close the models that linger; what they gave goes with the next start."""
        for one in self._left:
            if one.embedder is not None:
                one.embedder.close()

    def _drop(self, fingerprint: str) -> None:
        for source in self._sources:
            source.drop_vectors(fingerprint)
        log.info("vectors_dropped", fingerprint=fingerprint)
