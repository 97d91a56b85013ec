"""The queue with a model that weighs tokens too: one pass gives both, and the cache keeps both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from memoryd.embedding.cache import VectorCache, weights_as_stored
from memoryd.embedding.errors import BadVector
from memoryd.jobs.embed import EmbedQueue
from memoryd.text.embedder import Vectors, Weights

SOON_S = 10.0


class Model:
    fingerprint, dimension, has_lexical = "f" * 16, 4, True

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def embed_both(self, texts: Sequence[str]) -> tuple[Vectors, Sequence[Weights]]:
        self.calls.append(list(texts))
        if any("poison" in text for text in texts):
            raise BadVector("not finite", [0])
        return self.embed_passages(texts), [{len(text): 0.1, 7: 1e-12} for text in texts]

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.tile(np.array([1, 0, 0, 0], np.float32), (len(texts), 1))

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        raise AssertionError

    def query_both(self, text: str) -> tuple[npt.NDArray[np.float32], Weights]:
        raise AssertionError


class PlainSource:
    def __init__(self, *texts: str) -> None:
        self.pieces = {f"id-{number}": text for number, text in enumerate(texts)}
        self.vectors: set[str] = set()

    def wanting_vectors(self, fingerprint: str, limit: int) -> list[tuple[str, str]]:
        return [one for one in self.pieces.items() if one[0] not in self.vectors][:limit]

    def add_vectors(self, fingerprint: str, dimension: int, vectors: Mapping[str, npt.NDArray[np.float32]]) -> None:
        self.vectors.update(vectors)


class Source(PlainSource):
    def __init__(self, *texts: str) -> None:
        super().__init__(*texts)
        self.weights: dict[str, Weights] = {}

    def wanting_weights(self, fingerprint: str, limit: int) -> list[tuple[str, str]]:
        return [one for one in self.pieces.items() if one[0] not in self.weights][:limit]

    def add_weights(self, fingerprint: str, weights: Mapping[str, Weights]) -> None:
        self.weights.update(weights)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[VectorCache]:
    cache = VectorCache(tmp_path / "v.sqlite")
    yield cache
    cache.close()


def drained(model: Model, cache: VectorCache, *sources: PlainSource) -> EmbedQueue:
    queue = EmbedQueue(sources, model, cache, 3, retry_s=0.01)
    queue.start()
    assert queue.drain(SOON_S)
    assert queue.stop()
    return queue


def test_one_pass_gives_vectors_and_weights(cache: VectorCache) -> None:
    model, source, plain = Model(), Source(*"abcdefg"), PlainSource("xx", "yy")

    queue = drained(model, cache, source, plain)

    assert sorted(text for call in model.calls for text in call) == [*"abcdefg", "xx", "yy"]
    assert source.weights == {id_: weights_as_stored({1: 0.1}) for id_ in source.pieces}
    assert plain.vectors == set(plain.pieces)
    assert queue.is_done()
    assert queue.pending() == 0


def test_what_is_known_is_not_embedded_again(cache: VectorCache) -> None:
    drained(Model(), cache, Source(*"abcdefg"))
    model, again = Model(), Source(*"gfedcba")

    drained(model, cache, again)

    assert model.calls == []
    assert again.weights == {id_: weights_as_stored({1: 0.1}) for id_ in again.pieces}


def test_vectors_of_before_there_were_weights_are_passed_once_more(cache: VectorCache) -> None:
    plain = PlainSource(*"abc")
    drained(Model(), cache, plain)
    model, source = Model(), Source(*"abc")
    cache.put_weights(model.fingerprint, {})

    drained(model, cache, source)
    assert set(source.weights) == set(source.pieces)


def test_a_text_that_the_model_cannot_take_spoils_no_other(cache: VectorCache) -> None:
    source = Source("a", "poison", "b")

    queue = drained(Model(), cache, source)

    assert set(source.weights) == source.vectors == {"id-0", "id-2"}
    assert queue.is_done()
    assert queue.problem == "the model gives no usable vector for 1 pieces"


def test_pending_counts_a_piece_once(cache: VectorCache) -> None:
    source = Source(*"abc")
    source.vectors.add("id-0")
    queue = EmbedQueue([source], Model(), cache)

    assert queue.pending() == 3
    source.weights["id-0"] = {}
    assert queue.pending() == 2
    assert not queue.is_done()


def test_a_source_that_counts_is_not_asked_for_texts(cache: VectorCache) -> None:
    class Counting(Source):
        def count_wanting(self, fingerprint: str) -> int:
            return 4_000_000

        def count_wanting_weights(self, fingerprint: str) -> int:
            return 5_000_000

        def wanting_vectors(self, fingerprint: str, limit: int) -> list[tuple[str, str]]:
            raise AssertionError

    assert EmbedQueue([Counting()], Model(), cache).pending() == 5_000_000
