"""The background queue: what is wanted gets its vector, once, newest first, whatever fails on the way."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from memoryd.embedding.cache import VectorCache, as_stored
from memoryd.embedding.errors import BadVector, ModelUnavailable
from memoryd.jobs.embed import EmbedQueue
from memoryd.text.embedder import Vectors
from memoryd.text.stop import stop_point

SOON_S = 10.0


def vector_of(text: str) -> npt.NDArray[np.float32]:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
    vector = np.random.default_rng(seed).normal(size=8).astype(np.float32)
    unit: npt.NDArray[np.float32] = vector / np.linalg.norm(vector)
    return unit


class Model:
    dimension = 8

    def __init__(self) -> None:
        self.fingerprint = "f" * 16
        self.calls: list[list[str]] = []
        self.error: Exception | None = None
        self.entered = threading.Event()
        self.gate = threading.Event()
        self.gate.set()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.entered.set()
        self.gate.wait(SOON_S)
        self.calls.append(list(texts))
        if self.error is not None:
            raise self.error
        if any("poison" in text for text in texts):
            raise BadVector("not finite", [0])
        return np.stack([vector_of(text) for text in texts])

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        return vector_of(text)

    @property
    def embedded(self) -> list[str]:
        return [text for call in self.calls for text in call]


class Source:
    """Pieces, oldest first; newest are asked for first."""

    def __init__(self, *texts: str) -> None:
        self.pieces = {f"id-{number}": text for number, text in enumerate(texts)}
        self.found: dict[str, dict[str, npt.NDArray[np.float32]]] = {}
        self.error: Exception | None = None
        self.lock = threading.Lock()

    def add(self, id_: str, text: str) -> None:
        with self.lock:
            self.pieces[id_] = text

    def wanting_vectors(self, fingerprint: str, limit: int) -> list[tuple[str, str]]:
        if self.error is not None:
            raise self.error
        with self.lock:
            done = self.found.get(fingerprint, {})
            return [(id_, text) for id_, text in reversed(self.pieces.items()) if id_ not in done][:limit]

    def add_vectors(self, fingerprint: str, dimension: int, vectors: Mapping[str, npt.NDArray[np.float32]]) -> None:
        assert dimension == 8
        assert all(vector.shape == (8,) for vector in vectors.values())
        with self.lock:
            self.found.setdefault(fingerprint, {}).update(vectors)


@pytest.fixture
def model() -> Iterator[Model]:
    model = Model()
    yield model
    model.gate.set()


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[VectorCache]:
    cache = VectorCache(tmp_path / "v.sqlite")
    yield cache
    cache.close()


Make = Callable[..., EmbedQueue]


@pytest.fixture
def make(model: Model, cache: VectorCache) -> Iterator[Make]:
    made: list[EmbedQueue] = []

    def queue(*sources: Source, start: bool = True, **how: float) -> EmbedQueue:
        made.append(EmbedQueue(sources, model, cache, 3, retry_s=how.get("retry_s", 0.01)))
        if start:
            made[-1].start()
        return made[-1]

    yield queue
    model.gate.set()
    assert all(it.stop() for it in made)


def test_everything_wanted_gets_its_vector(make: Make) -> None:
    first, second = Source(*"abcdefg"), Source(*"xyz")
    queue = make(first, second)
    assert queue.drain(SOON_S)
    assert queue.pending() == 0
    assert queue.problem is None
    for source in (first, second):
        for id_, text in source.pieces.items():
            np.testing.assert_array_equal(source.found["f" * 16][id_], as_stored(vector_of(text)[None])[0])


def test_newest_first_and_batch_by_batch(make: Make, model: Model) -> None:
    assert make(Source(*"abcdefg")).drain(SOON_S)
    assert model.calls == [["g", "f", "e"], ["d", "c", "b"], ["a"]]


def test_one_long_source_does_not_keep_the_other_waiting(make: Make, model: Model) -> None:
    assert make(Source(*"abcdefg"), Source("other")).drain(SOON_S)
    assert "other" in model.calls[1]


def test_what_comes_later_goes_before_what_waits(make: Make, model: Model) -> None:
    source = Source(*"abcdef")
    model.gate.clear()
    queue = make(source)
    assert model.entered.wait(SOON_S)
    source.add("late", "late")
    queue.wake()
    model.gate.set()
    assert queue.drain(SOON_S)
    assert model.embedded[:4] == ["f", "e", "d", "late"]


def test_waking_finds_new_work(make: Make) -> None:
    source = Source("a")
    queue = make(source)
    assert queue.drain(SOON_S)
    source.add("more", "b")
    assert queue.pending() == 1
    queue.wake()
    assert queue.drain(SOON_S)
    assert queue.pending() == 0


def test_a_known_text_is_not_embedded_again(make: Make, model: Model) -> None:
    assert make(Source("a", "b")).drain(SOON_S)
    moved = Source("b", "a")
    assert make(moved).drain(SOON_S)
    assert sorted(model.embedded) == ["a", "b"]
    assert len(moved.found["f" * 16]) == 2


def test_cached_and_fresh_vectors_are_the_same(make: Make) -> None:
    fresh, cached = Source("a"), Source("a")
    assert make(fresh).drain(SOON_S)
    assert make(cached).drain(SOON_S)
    np.testing.assert_array_equal(fresh.found["f" * 16]["id-0"], cached.found["f" * 16]["id-0"])


def test_equal_texts_are_embedded_once(make: Make, model: Model) -> None:
    source = Source("same", "same", "same")
    assert make(source).drain(SOON_S)
    assert model.calls == [["same"]]
    assert len(source.found["f" * 16]) == 3


def test_with_nothing_wanted_the_model_is_left_alone(make: Make, model: Model) -> None:
    assert make(Source()).drain(SOON_S)
    assert model.calls == []


def test_another_model_embeds_anew(make: Make, model: Model) -> None:
    source = Source("a")
    queue = make(source)
    assert queue.drain(SOON_S)
    model.fingerprint = "0" * 16
    assert queue.pending() == 1
    assert queue.drain(SOON_S)
    assert set(source.found) == {"f" * 16, "0" * 16}


def test_a_failing_model_is_told_and_tried_again(make: Make, model: Model) -> None:
    model.error = ModelUnavailable("the weights are gone")
    source = Source("a")
    queue = make(source)
    assert not queue.drain(0.1)
    assert queue.problem is not None
    assert "the weights are gone" in queue.problem
    assert queue.pending() == 1
    model.error = None
    assert queue.drain(SOON_S)
    assert queue.problem is None
    assert source.found


def test_the_pause_between_tries_grows(make: Make, model: Model) -> None:
    model.error = ModelUnavailable("no")
    queue = make(Source("a"), retry_s=1000)
    assert model.entered.wait(SOON_S)
    queue.wake()
    queue.wake()
    assert not queue.drain(0.05)
    assert len(model.calls) == 1  # neither waking nor draining hurries it
    assert queue.stop()  # and stopping does not wait for it


def test_a_failing_source_stops_no_other(make: Make) -> None:
    broken, whole = Source("a"), Source("b")
    broken.error = OSError("disk")
    queue = make(broken, whole, start=False)
    queue.start()
    assert not queue.drain(0.1)
    assert whole.found["f" * 16]
    assert queue.problem is not None
    assert "disk" in queue.problem
    broken.error = None
    assert queue.drain(SOON_S)
    assert broken.found["f" * 16]


def test_a_text_without_a_vector_spoils_no_other(make: Make, model: Model) -> None:
    source = Source("a", "poison", "b", "c", "d")
    queue = make(source)
    assert queue.drain(SOON_S)
    assert sorted(source.found["f" * 16]) == ["id-0", "id-2", "id-3", "id-4"]
    assert queue.pending() == 0
    assert queue.problem == "the model gives no usable vector for 1 pieces"
    asked = len(model.calls)
    assert queue.drain(SOON_S)
    assert len(model.calls) == asked


def test_pause_and_resume(make: Make, model: Model) -> None:
    source = Source("a")
    queue = make(source, start=False)
    queue.pause()
    queue.start()
    assert not queue.drain(0.05)
    assert model.calls == []
    queue.resume()
    assert queue.drain(SOON_S)
    assert source.found


def test_stop_waits_for_the_batch_only(make: Make, model: Model) -> None:
    source = Source(*"abcdefg")
    model.gate.clear()
    queue = make(source)
    assert model.entered.wait(SOON_S)
    assert not queue.stop(timeout_s=0)
    model.gate.set()
    assert queue.stop(timeout_s=SOON_S)
    assert len(source.found["f" * 16]) == 3


def test_a_new_queue_goes_on_where_the_last_one_stopped(make: Make, model: Model) -> None:
    source = Source(*"abcdefg")
    model.gate.clear()
    first = make(source)
    assert model.entered.wait(SOON_S)
    first.stop(timeout_s=0)
    model.gate.set()
    assert first.stop()
    assert make(source).drain(SOON_S)
    assert sorted(model.embedded) == list("abcdefg")


def test_stopping_what_never_started(make: Make) -> None:
    assert make(Source(), start=False).stop()


def test_a_full_cache_disk_stops_nothing(tmp_path: Path, model: Model) -> None:
    (tmp_path / "state").write_text("a file where a folder should be")
    source = Source("a")
    queue = EmbedQueue([source], model, VectorCache(tmp_path / "state" / "v.sqlite"))
    queue.start()
    try:
        assert queue.drain(SOON_S)
        np.testing.assert_array_equal(source.found["f" * 16]["id-0"], as_stored(vector_of("a")[None])[0])
    finally:
        assert queue.stop()


def test_stop_ends_a_batch_of_a_model_that_lets_go_in_between(make: Make, model: Model) -> None:
    source = Source(*"abcdefg")
    ended = threading.Event()

    def slow(texts: Sequence[str]) -> Vectors:
        model.entered.set()
        try:
            while not ended.wait(0.01):
                stop_point()
        finally:
            ended.set()
        return np.stack([vector_of(text) for text in texts])

    model.embed_passages = slow  # type: ignore[method-assign]
    queue = make(source)
    assert model.entered.wait(SOON_S)
    assert queue.stop(timeout_s=SOON_S)
    assert queue.problem is None
    assert not source.found
