"""Token weights of a model: a third arm beside words and vectors, only where the model gives them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from episodic.engine.port import weights_collection
from episodic.search.arms import EpisodicQuery
from episodic.store import EpisodicStore
from episodic.testing import WordEmbedder, embed_all, make_store, new
from memoryd.text.embedder import Vectors, Weights


class Weighing(WordEmbedder):
    """Weighs each word by its length; a text of no words has no weights."""

    has_lexical = True

    def embed_both(self, texts: Sequence[str]) -> tuple[Vectors, Sequence[Weights]]:
        return self.embed_passages(texts), [weigh(text) for text in texts]

    def query_both(self, text: str) -> tuple[npt.NDArray[np.float32], Weights]:
        return self.embed_query(text), weigh(text)


def weigh(text: str) -> dict[int, float]:
    return {sum(map(ord, word)): float(len(word)) for word in text.split() if word.isalpha()}


def weigh_all(store: EpisodicStore, embedder: Weighing) -> int:
    """Embed everything, and weigh what has no weights yet; return how many were weighed."""
    embed_all(store, embedder)
    done = 0
    while wanted := store.wanting_weights(embedder.fingerprint, 64):
        store.add_weights(embedder.fingerprint, {id_: weigh(text) for id_, text in wanted})
        done += len(wanted)
    return done


def test_three_arms_find_and_say_so(store: EpisodicStore) -> None:
    for text in ("the falcon key is nine", "the heron key is ten", "nothing of the kind"):
        store.append(new(text))
    embedder = Weighing()
    assert store.count_wanting_weights(embedder.fingerprint) == store.count_wanting(embedder.fingerprint) == 3
    assert weigh_all(store, embedder) == 3
    assert weigh_all(store, embedder) == 0
    assert store.count_wanting_weights(embedder.fingerprint) == store.count_wanting(embedder.fingerprint) == 0

    answer = store.search(EpisodicQuery("falcon key", priors=False), embedder)

    assert set(answer.arms) == {"lexical", "dense", "learned"}
    first = answer.hits[0]
    assert (first.text, first.score) == ("the falcon key is nine", 1.0)
    assert {arm: score.rank for arm, score in first.arms.items()} == {"lexical": 1, "dense": 1, "learned": 1}
    assert first.arms["learned"].score == pytest.approx(36 + 9)
    assert answer.degraded == ()


def test_a_model_without_weights_has_two_arms(store: EpisodicStore) -> None:
    store.append(new("the falcon key is nine"))
    embed_all(store, WordEmbedder())

    assert set(store.search(EpisodicQuery("falcon", priors=False), WordEmbedder()).arms) == {"lexical", "dense"}


def test_filters_hold_in_the_third_arm(store: EpisodicStore) -> None:
    store.append(new("the falcon key", project="a-00000000"))
    store.append(new("the falcon key again", project="b-00000000"))
    embedder = Weighing()
    weigh_all(store, embedder)

    answer = store.search(EpisodicQuery("falcon", project="b-00000000", lexical=False), embedder)
    assert [hit.text for hit in answer.hits] == ["the falcon key again"]
    assert len(answer.arms["learned"]) == 1


def test_what_was_just_written_is_not_ranked_below_all_that_is_weighed(store: EpisodicStore) -> None:
    embedder = Weighing()
    store.append(new("a falcon sat on the mast while we rowed home"))
    weigh_all(store, embedder)
    store.append(new("falcon, the falcon"))

    assert store.search(EpisodicQuery("falcon", priors=False), embedder).hits[0].text == "falcon, the falcon"


def test_a_piece_without_any_weight_is_weighed_once_also_over_a_restart(tmp_path: Path) -> None:
    embedder = Weighing()
    store = make_store(tmp_path)
    store.open()
    store.append(new("42 43"))
    store.append(new("a word"))
    assert weigh_all(store, embedder) == 2
    store.close()

    store = make_store(tmp_path)
    store.open()
    store.reconcile()
    assert store.wanting_vectors(embedder.fingerprint, 9) == []
    assert store.wanting_weights(embedder.fingerprint, 9) == []
    assert store.verify() == []
    store.close()


def test_rows_that_the_engine_lost_are_wanted_again(tmp_path: Path) -> None:
    embedder = Weighing()
    store = make_store(tmp_path)
    store.open()
    store.append(new("a word"))
    weigh_all(store, embedder)
    store.close()
    for path in (tmp_path / "state").glob("exact.db*"):
        path.unlink()

    store = make_store(tmp_path)
    store.open()
    assert len(store.wanting_weights(embedder.fingerprint, 9)) == 1
    assert len(store.wanting_vectors(embedder.fingerprint, 9)) == 1
    store.close()


def test_a_forgotten_entry_has_no_weights_left(store: EpisodicStore) -> None:
    embedder = Weighing()
    gone = store.append(new("the falcon key")).episode.id
    store.append(new("the falcon nest"))
    weigh_all(store, embedder)

    store.forget([gone])

    assert store.index_state().rows[weights_collection(embedder.fingerprint)] == 1
    assert store.verify() == []


def test_a_models_vectors_and_weights_are_dropped_together(store: EpisodicStore) -> None:
    store.append(new("the falcon key"))
    weighing, plain = Weighing(fingerprint="aaaa"), WordEmbedder(fingerprint="bbbb")
    weigh_all(store, weighing)
    embed_all(store, plain)
    assert store.fingerprints() == {"aaaa", "bbbb"}
    assert store.counts().vectors == {"aaaa": 1, "bbbb": 1}

    store.drop_vectors("aaaa")
    store.drop_vectors("never_there")

    assert store.fingerprints() == {"bbbb"}
    assert store.counts().vectors == {"bbbb": 1}
    assert not [name for name in store.index_state().rows if "aaaa" in name]
    assert store.verify() == []
    assert len(store.wanting_weights("aaaa", 9)) == len(store.wanting_vectors("aaaa", 9)) == 1
    answer = store.search(EpisodicQuery("falcon"), weighing)
    assert answer.degraded == ("1 chunk is not embedded yet",)
    assert answer.hits


def test_a_rebuild_wants_weights_again(store: EpisodicStore) -> None:
    embedder = Weighing()
    store.append(new("the falcon key"))
    weigh_all(store, embedder)

    store.rebuild()

    assert weigh_all(store, embedder) == 1
    assert store.verify() == []
