"""Loading on first use, dropping when idle, and failures that are told and tried again."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from memoryd.embedding.errors import BadVector, EmbeddingError, ModelUnavailable
from memoryd.embedding.lazy import LazyEmbedder
from memoryd.text.embedder import Vectors

SOON_S = 10.0


class Model:
    fingerprint = "f" * 16
    dimension = 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.array([[1, 0]] * len(texts), np.float32)

    def embed_query(self, text: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        self.asked.append(text)
        return np.array([0, 1], np.float32)


class Loader:
    """Makes models, waits at a gate, fails when told to, and counts."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.error: Exception | None = None
        self.loads = 0
        self.at_once = 0
        self.most_at_once = 0
        self.last: weakref.ref[Model] | None = None

    def __call__(self) -> Model:
        self.loads += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.gate.wait(SOON_S)
        self.at_once -= 1
        if self.error is not None:
            raise self.error
        model = Model()
        self.last = weakref.ref(model)
        return model


@pytest.fixture
def loader() -> Loader:
    return Loader()


Make = Callable[..., LazyEmbedder]


@pytest.fixture
def make(loader: Loader) -> Iterator[Make]:
    made: list[LazyEmbedder] = []

    def embedder(*, idle_s: float = 600, retry_s: float = 600) -> LazyEmbedder:
        lazy = LazyEmbedder(loader, fingerprint="f" * 16, dimension=2, idle_s=idle_s, retry_s=retry_s)
        made.append(lazy)
        return lazy

    yield embedder
    loader.gate.set()
    for lazy in made:
        lazy.close()


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SOON_S
    while not is_so():
        assert time.monotonic() < deadline, "did not happen"
        time.sleep(0.005)


def test_nothing_is_loaded_before_the_first_use(make: Make, loader: Loader) -> None:
    lazy = make()
    assert (lazy.fingerprint, lazy.dimension) == ("f" * 16, 2)
    assert not lazy.ready
    assert loader.loads == 0


def test_a_use_waits_for_the_model(make: Make, loader: Loader) -> None:
    lazy = make()
    assert lazy.embed_passages(["a", "b"]).shape == (2, 2)
    assert lazy.embed_query("q").tolist() == [0, 1]
    assert lazy.ready
    assert loader.loads == 1


def test_warm_does_not_wait(make: Make, loader: Loader) -> None:
    loader.gate.clear()
    lazy = make()
    lazy.warm()
    assert not lazy.ready
    assert not lazy.wait(0.01)
    loader.gate.set()
    assert lazy.wait(SOON_S)


def test_warming_starts_the_load_and_waits_for_nothing(make: Make, loader: Loader) -> None:
    loader.gate.clear()
    lazy = make()
    lazy.warm()
    until(lambda: loader.loads == 1)
    assert not lazy.ready
    loader.gate.set()
    assert lazy.embed_query("q").tolist() == [0, 1]
    assert loader.loads == 1


def test_many_threads_load_once(make: Make, loader: Loader) -> None:
    loader.gate.clear()
    lazy = make()
    threads = [threading.Thread(target=lazy.embed_passages, args=(["x"],)) for _ in range(8)]
    for thread in threads:
        thread.start()
    until(lambda: loader.loads == 1)
    loader.gate.set()
    for thread in threads:
        thread.join(SOON_S)
    assert (loader.loads, loader.most_at_once) == (1, 1)


def test_an_idle_model_is_dropped_and_comes_back(make: Make, loader: Loader) -> None:
    lazy = make(idle_s=0.02)
    lazy.embed_passages(["x"])
    until(lambda: not lazy.ready)
    last = loader.last
    assert last is not None
    until(lambda: last() is None)
    lazy.embed_passages(["x"])
    assert loader.loads == 2


def rests_beside_a_model(lazy: LazyEmbedder, monkeypatch: pytest.MonkeyPatch) -> list[float | None]:
    """Return a growing list of the rests, in seconds or without end, that the keeper begins while a model is there."""
    rests: list[float | None] = []
    wait = lazy._changed.wait

    def noted(timeout: float | None = None) -> bool:
        if threading.current_thread() is lazy._keeper and lazy._model is not None:
            rests.append(timeout)
        return wait(timeout)

    monkeypatch.setattr(lazy._changed, "wait", noted)
    return rests


def test_a_model_in_use_is_not_dropped(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    lazy = make(idle_s=0.01)
    rests = rests_beside_a_model(lazy, monkeypatch)
    with lazy._borrow():
        until(lambda: len(rests) > 3)  # so often it looked whether it may drop it
        assert lazy.ready
    until(lambda: not lazy.ready)


def test_zero_keeps_the_model_for_good(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    lazy = make(idle_s=0)
    rests = rests_beside_a_model(lazy, monkeypatch)
    assert lazy.wait(SOON_S)
    until(lambda: bool(rests))
    assert rests == [None]
    assert lazy.ready


def test_a_known_question_needs_no_model(make: Make, loader: Loader) -> None:
    lazy = make(idle_s=0.02)
    lazy.embed_query("q")
    until(lambda: not lazy.ready)
    assert lazy.embed_query("q").tolist() == [0, 1]
    assert not lazy.ready
    assert loader.loads == 1


def test_remembered_questions_are_bounded(make: Make) -> None:
    lazy = make()
    for number in range(200):
        lazy.embed_query(str(number))
    assert len(lazy._queries) == 64
    assert "199" in lazy._queries


def test_a_failed_load_is_told_and_not_repeated_at_once(make: Make, loader: Loader) -> None:
    loader.error = ModelUnavailable("the package is not installed")
    lazy = make()
    assert not lazy.wait(SOON_S)
    assert lazy.problem == "the package is not installed"
    with pytest.raises(ModelUnavailable, match="not installed"):
        lazy.embed_passages(["x"])
    assert loader.loads == 1


def test_a_failed_load_is_tried_again_later(make: Make, loader: Loader) -> None:
    loader.error = EmbeddingError("no memory")
    lazy = make(retry_s=0)
    assert not lazy.wait(SOON_S)
    loader.error = None
    assert lazy.wait(SOON_S)
    assert lazy.problem is None


def test_a_foreign_error_is_told_too(make: Make, loader: Loader) -> None:
    loader.error = ZeroDivisionError("odd")
    lazy = make()
    assert not lazy.wait(SOON_S)
    assert lazy.problem is not None
    assert "ZeroDivisionError: odd" in lazy.problem
    assert loader.at_once == 0


def test_another_model_than_announced_is_refused(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Model, "fingerprint", "0" * 16)
    lazy = make()
    assert not lazy.wait(SOON_S)
    assert lazy.problem is not None
    assert "restart" in lazy.problem


def test_a_question_without_a_usable_vector_is_an_error_and_the_model_stays(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_self: Model, _text: str) -> None:
        raise BadVector("not finite", [0])

    monkeypatch.setattr(Model, "embed_query", fail)
    lazy = make()
    with pytest.raises(BadVector):
        lazy.embed_query("q")
    assert lazy.ready


def test_close_frees_who_waits(make: Make, loader: Loader) -> None:
    loader.gate.clear()
    lazy = make()
    errors: list[Exception] = []

    def use() -> None:
        try:
            lazy.embed_passages(["x"])
        except ModelUnavailable as error:
            errors.append(error)

    thread = threading.Thread(target=use)
    thread.start()
    until(lambda: loader.loads == 1)
    closing = threading.Thread(target=lazy.close)
    closing.start()
    thread.join(SOON_S)
    assert len(errors) == 1
    loader.gate.set()
    closing.join(SOON_S)
    assert not lazy.ready
    assert not lazy.wait(0)


class Weighing(Model):
    has_lexical = True

    def embed_both(self, texts: Sequence[str]) -> tuple[Vectors, list[dict[int, float]]]:
        return self.embed_passages(texts), [{1: 1.0} for _ in texts]

    def query_both(self, text: str) -> tuple[np.ndarray[tuple[int], np.dtype[np.float32]], dict[int, float]]:
        return self.embed_query(text), {2: 0.5}


def test_a_model_that_weighs_tokens_is_asked_once_for_both() -> None:
    model = Weighing()
    lazy = LazyEmbedder(lambda: model, fingerprint="f" * 16, dimension=2, has_lexical=True)
    try:
        assert lazy.query_both("why")[1] == {2: 0.5}
        assert lazy.embed_query("why").tolist() == [0, 1]
        assert model.asked == ["why"]
        assert lazy.embed_both(["a", "b"])[1] == [{1: 1.0}, {1: 1.0}]
    finally:
        lazy.close()


def test_a_model_that_should_weigh_tokens_and_does_not_is_not_used() -> None:
    lazy = LazyEmbedder(Model, fingerprint="f" * 16, dimension=2, has_lexical=True)
    try:
        assert not lazy.wait(SOON_S)
        assert "no token weights" in (lazy.problem or "")
    finally:
        lazy.close()


def test_weights_that_are_not_wanted_are_not_asked_for() -> None:
    model = Weighing()
    lazy = LazyEmbedder(lambda: model, fingerprint="f" * 16, dimension=2)
    try:
        assert not lazy.has_lexical
        assert lazy.query_both("why")[1] == {}
    finally:
        lazy.close()
