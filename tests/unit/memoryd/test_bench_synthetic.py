"""Made-up texts and vectors: the same from the same seed, and shaped as real ones are."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import numpy as np
import pytest

from memoryd.bench.speed import Timing
from memoryd.bench.synthetic import ENTRIES_A_DAY, WORDS, MadeUpEmbedder, MadeUpTexts
from memoryd.text.pieces import cut_pieces

FIRST = datetime(2020, 1, 1, 8, tzinfo=UTC)


@pytest.fixture(scope="module")
def texts() -> MadeUpTexts:
    return MadeUpTexts(7)


def test_a_seed_gives_the_same_texts_and_another_seed_others(texts: MadeUpTexts) -> None:
    assert MadeUpTexts(7).entries(20, first=FIRST) == texts.entries(20, first=FIRST)
    assert MadeUpTexts(7).questions(5) == texts.questions(5)
    assert MadeUpTexts(8).questions(5) != texts.questions(5)


def test_entries_are_one_piece_each_and_stand_on_days_in_order(texts: MadeUpTexts) -> None:
    entries = texts.entries(ENTRIES_A_DAY * 2 + 1, first=FIRST)
    assert all(len(cut_pieces(entry.text)) == 1 for entry in entries)
    assert all(WORDS[0] <= len(entry.text.split()) < WORDS[1] for entry in entries)
    assert [entry.at for entry in entries] == sorted({entry.at for entry in entries})
    assert Counter(entry.at.date().day for entry in entries) == {1: ENTRIES_A_DAY, 2: ENTRIES_A_DAY, 3: 1}


def test_words_follow_zipf(texts: MadeUpTexts) -> None:
    counts = Counter(word for entry in texts.entries(500, first=FIRST) for word in entry.text.split())
    (_, first), (_, second), *_ = counts.most_common(2)
    assert 1.5 < first / second < 2.7
    commonest = {word for word, _ in counts.most_common(20)}
    assert not commonest & {word for question in texts.questions(100) for word in question.split()}


def test_vectors_are_unit_and_depend_on_the_text_alone() -> None:
    embedder = MadeUpEmbedder(32)
    vectors = embedder.embed_passages(["a", "b"])
    assert vectors.shape == (2, 32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.array_equal(vectors[0], MadeUpEmbedder(32).embed_query("a"))
    assert MadeUpEmbedder(64).fingerprint != embedder.fingerprint


def test_a_timing_has_its_median_and_its_95th_percentile() -> None:
    timing = Timing([float(n) for n in range(1, 101)])
    assert timing.row("x") == ["x", 50.5, 95.05, "ms"]
    assert timing.run(lambda: 7) == 7
    assert len(timing.took_ms) == 101
