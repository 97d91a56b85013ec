"""The background queue that gives every piece its vector: the slow part of indexing, done when nobody waits for it.

Nothing is kept about the work itself: the stores say at any time what still wants a vector, so the queue survives
restarts and a change of model. A text that was embedded before comes from the cache. Queries run beside it in their
own threads and wait for no batch.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import structlog

from memoryd.embedding.cache import VectorCache, as_stored, weights_as_stored
from memoryd.embedding.errors import BadVector
from memoryd.jobs.priority import lower_priority
from memoryd.text.embedder import Embedder, Vectors, Weights, lexical_of
from memoryd.text.stop import stoppable

log = structlog.get_logger("memoryd.embed")

DEFAULT_BATCH = 8
LOOKED_UP = 256
"""So many pieces are looked up in the cache at once: after a restart nearly all of them are there."""


class VectorSource(Protocol):
    """A store with pieces that want vectors."""

    def wanting_vectors(self, fingerprint: str, limit: int) -> list[tuple[str, str]]:
        """Return up to ``limit`` pairs of an id and the exact string to embed, newest first."""
        ...

    def add_vectors(self, fingerprint: str, dimension: int, vectors: Mapping[str, npt.NDArray[np.float32]]) -> None:
        """Put unit vectors by id into the index; ids that are gone by now are passed over."""
        ...


@runtime_checkable
class WeightSource(VectorSource, Protocol):
    """A store that also takes the token weights of a model that gives them."""

    def wanting_weights(self, fingerprint: str, limit: int) -> list[tuple[str, str]]:
        """Return up to ``limit`` pairs of an id and the exact string to embed, newest first."""
        ...

    def add_weights(self, fingerprint: str, weights: Mapping[str, Weights]) -> None:
        """Put token weights by id into the index; ids that are gone by now are passed over."""
        ...


@runtime_checkable
class CountedSource(VectorSource, Protocol):
    """A store that says how much it wants without naming it."""

    def count_wanting(self, fingerprint: str) -> int:
        """Return how many pieces ``wanting_vectors`` would name."""
        ...


@runtime_checkable
class CountedWeightSource(WeightSource, Protocol):
    """The same, for token weights."""

    def count_wanting_weights(self, fingerprint: str) -> int:
        """Return how many pieces ``wanting_weights`` would name."""
        ...


class _StoppedError(Exception):
    """The queue was told to end; what the batch under way had is made again."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    source: VectorSource
    id: str
    text: str


class EmbedQueue:
    """One thread that embeds what the sources want, ``batch`` texts at a time, the newest of each source first.

    Call ``wake`` when something was stored; every ``look_s`` seconds it looks by itself. A failure is named by
    ``problem`` and tried again after a pause that doubles from ``retry_s`` to ``longest_retry_s`` seconds.
    """

    def __init__(
        self,
        sources: Sequence[VectorSource],
        embedder: Embedder,
        cache: VectorCache,
        batch: int = DEFAULT_BATCH,
        *,
        look_s: float = 300,
        retry_s: float = 1,
        longest_retry_s: float = 300,
    ) -> None:
        self._sources = tuple(sources)
        self._embedder = embedder
        self._cache = cache
        self._batch = batch
        self._look_s = look_s
        self._retry_s = retry_s
        self._longest_retry_s = longest_retry_s
        self._changed = threading.Condition()
        self._asked = 1
        self._answered = 0
        self._failures = 0
        self._problem: str | None = None
        self._refused: set[tuple[VectorSource, str]] = set()
        self._paused = False
        self._stopped = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to work."""
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="embed", daemon=True)
        self._thread.start()

    def stop(self, timeout_s: float = 10) -> bool:
        """End in the batch under way, where the model lets go in between; tell whether that came within the time."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        if self._thread is None:
            return True
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def pause(self) -> None:
        """Do nothing after the batch under way until ``resume``."""
        with self._changed:
            self._paused = True
            self._changed.notify_all()

    def resume(self) -> None:
        """Go on after ``pause``."""
        with self._changed:
            self._paused = False
            self._changed.notify_all()

    def wake(self) -> None:
        """Say that something new may want a vector."""
        with self._changed:
            self._asked += 1
            self._changed.notify_all()

    def pending(self, limit: int = 10_000) -> int:
        """Return how many pieces want a vector now; of a source that cannot count, ``limit`` at the most."""
        return sum(max(self._count(source, limit), self._count_weights(source, limit)) for source in self._sources)

    def is_done(self) -> bool:
        """Tell whether nothing wants a vector now, but for what the model cannot take."""
        return not any(self._ask(source, 1) or self._ask_weights(source, 1) for source in self._sources)

    @property
    def problem(self) -> str | None:
        """What keeps pieces without a vector, in words; None if nothing does."""
        with self._changed:
            if self._problem is None and self._refused:
                return f"the model gives no usable vector for {len(self._refused)} pieces"
            return self._problem

    def drain(self, timeout_s: float) -> bool:
        """Wait until nothing that is stored by now wants a vector; tell whether that came within the time."""
        with self._changed:
            self._asked += 1
            mine = self._asked
            self._changed.notify_all()
            return self._changed.wait_for(lambda: self._answered >= mine, timeout_s)

    def _run(self) -> None:
        lower_priority()
        while self._may_go_on():
            with self._changed:
                asked = self._asked
            try:
                with stoppable(self._check):
                    done = self._embed_some()
            except _StoppedError:
                return
            except Exception as error:  # noqa: BLE001 - any store may fail; the thread lives on and tells
                self._rest_after(error)
                continue
            with self._changed:
                self._failures, self._problem = 0, None
                if not done:
                    self._answered = asked
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: self._stopped or self._asked > self._answered, self._look_s)

    def _check(self) -> None:
        if self._stopped:
            raise _StoppedError

    def _may_go_on(self) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or not self._paused)
            return not self._stopped

    def _rest_after(self, error: Exception) -> None:
        with self._changed:
            self._problem = f"{type(error).__name__}: {error}"
            pause_s = min(self._retry_s * 2**self._failures, self._longest_retry_s)
            self._failures = min(self._failures + 1, 20)
        log.warning("embedding failed", reason=type(error).__name__, retry_s=pause_s, exc_info=error)
        with self._changed:
            self._changed.wait_for(lambda: self._stopped, pause_s)

    def _embed_some(self) -> bool:
        """Give vectors to the next few of each source; tell whether any was wanting. One failing source stops none."""
        failure: Exception | None = None
        done = False
        for source in self._sources:
            try:
                wanted = self._ask(source, max(LOOKED_UP, self._batch))
                self._serve(wanted)
                weightless = self._ask_weights(source, max(LOOKED_UP, self._batch))
                self._serve_weights(weightless)
                done = done or bool(wanted) or bool(weightless)
            except _StoppedError:
                raise
            except Exception as error:  # noqa: BLE001 - raised below, once the other sources had their turn
                failure = failure or error
        if failure is not None:
            raise failure
        return done

    def _ask(self, source: VectorSource, limit: int) -> list[_Wanted]:
        return self._willing(source, source.wanting_vectors, limit)

    def _ask_weights(self, source: VectorSource, limit: int) -> list[_Wanted]:
        if lexical_of(self._embedder) is None or not isinstance(source, WeightSource):
            return []
        return self._willing(source, source.wanting_weights, limit)

    def _count(self, source: VectorSource, limit: int) -> int:
        if not isinstance(source, CountedSource):
            return len(self._ask(source, limit))
        return max(0, source.count_wanting(self._embedder.fingerprint) - self._refusals(source))

    def _count_weights(self, source: VectorSource, limit: int) -> int:
        if lexical_of(self._embedder) is None or not isinstance(source, CountedWeightSource):
            return len(self._ask_weights(source, limit))
        return max(0, source.count_wanting_weights(self._embedder.fingerprint) - self._refusals(source))

    def _refusals(self, source: VectorSource) -> int:
        return sum(owner is source for owner, _ in self._refused)

    def _willing(
        self, source: VectorSource, ask: Callable[[str, int], list[tuple[str, str]]], limit: int
    ) -> list[_Wanted]:
        refused = {id_ for owner, id_ in self._refused if owner is source}
        wanting = ask(self._embedder.fingerprint, limit + len(refused))
        return [_Wanted(source, id_, text) for id_, text in wanting if id_ not in refused][:limit]

    def _serve(self, wanted: Sequence[_Wanted]) -> None:
        if not wanted:
            return
        fingerprint = self._embedder.fingerprint
        known = self._cache.get_many(fingerprint, [it.text for it in wanted])
        tried = list(dict.fromkeys(it.text for it in wanted if it.text not in known))[: self._batch]
        vectors = known | self._embed(tried)[0]
        self._refuse(wanted, tried, vectors)
        found = {it.id: vectors[it.text] for it in wanted if it.text in vectors}
        if found:
            wanted[0].source.add_vectors(fingerprint, self._embedder.dimension, found)

    def _serve_weights(self, wanted: Sequence[_Wanted]) -> None:
        """Give token weights; most come from the cache, where the pass that made the vectors has put them."""
        if not wanted:
            return
        source, fingerprint = wanted[0].source, self._embedder.fingerprint
        assert isinstance(source, WeightSource)
        known = self._cache.get_weights(fingerprint, [it.text for it in wanted])
        tried = list(dict.fromkeys(it.text for it in wanted if it.text not in known))[: self._batch]
        weights = known | self._embed(tried)[1]
        self._refuse(wanted, tried, weights)
        found = {it.id: weights[it.text] for it in wanted if it.text in weights}
        if found:
            source.add_weights(fingerprint, found)

    def _refuse(self, wanted: Sequence[_Wanted], tried: Collection[str], given: Container[str]) -> None:
        for it in wanted:
            if it.text in tried and it.text not in given:
                self._refused.add((it.source, it.id))
                log.warning("a piece gets no vector", id=it.id)

    def _embed(self, texts: Sequence[str]) -> tuple[dict[str, npt.NDArray[np.float32]], dict[str, dict[int, float]]]:
        """Return and keep vectors and, where the model gives them, token weights of texts.

        A text that the model cannot take is left out and spoils no other.
        """
        if not texts:
            return {}, {}
        weighing = lexical_of(self._embedder)
        vectors: Vectors
        weights: Sequence[Weights]
        try:
            if weighing is None:
                vectors, weights = self._embedder.embed_passages(texts), ()
            else:
                vectors, weights = weighing.embed_both(texts)
        except BadVector:
            parts = [self._embed([text]) for text in texts] if len(texts) > 1 else []
            return (
                {text: vector for one, _ in parts for text, vector in one.items()},
                {text: weight for _, one in parts for text, weight in one.items()},
            )
        found = dict(zip(texts, as_stored(vectors), strict=True))
        weighed = dict(zip(texts, map(weights_as_stored, weights), strict=weighing is not None))
        self._cache.put_many(self._embedder.fingerprint, found)
        if weighed:
            self._cache.put_weights(self._embedder.fingerprint, weighed)
        return found, weighed
