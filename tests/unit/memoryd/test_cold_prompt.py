"""A prompt's hook never waits for a model (invariant 6): while one is being loaded, words alone are searched."""

from __future__ import annotations

import threading

from memoryd.app import _warm
from memoryd.bench.synthetic import MadeUpEmbedder
from memoryd.embedding.lazy import LazyEmbedder


def test_a_model_that_is_being_loaded_is_not_waited_for_and_is_there_the_next_time() -> None:
    loading, release = threading.Event(), threading.Event()

    def load() -> MadeUpEmbedder:
        loading.set()
        assert release.wait(30)
        return MadeUpEmbedder(8)

    embedder = LazyEmbedder(load, fingerprint=MadeUpEmbedder(8).fingerprint, dimension=8)
    answers: list[object] = []
    asking = threading.Thread(target=lambda: answers.append(_warm(embedder)), daemon=True)
    try:
        asking.start()
        assert loading.wait(30)  # the question set it to load
        asking.join(30)
        assert answers == [None]  # and went on without it, though it is loading still
        release.set()
        assert embedder.wait(30)
        assert _warm(embedder) is embedder
    finally:
        release.set()
        embedder.close()


def test_without_a_model_there_is_nothing_to_wait_for() -> None:
    assert _warm(None) is None
