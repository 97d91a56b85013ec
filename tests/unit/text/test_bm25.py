from __future__ import annotations

import math
from collections import Counter

import pytest

from memoryd.text.bm25 import AVGDL, K1, B, document_weights, query_weights
from memoryd.text.terms import term_id, terms


def score(query: str, document: str, corpus: list[str]) -> float:
    frequency = Counter(id_ for text in corpus for id_ in set(map(term_id, terms(text))))
    asked = query_weights(terms(query), frequency, len(corpus))
    stored = document_weights(terms(document))
    return sum(weight * stored.get(id_, 0.0) for id_, weight in asked.items())


def test_inner_product_is_the_textbook_formula() -> None:
    corpus = ["apple banana apple", "banana cherry", "cherry cherry plum fig"]
    length, tf, n, total = 3, 2, 1, 3
    idf = math.log(1 + (total - n + 0.5) / (n + 0.5))
    expected = idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / AVGDL))
    assert score("apple", corpus[0], corpus) == pytest.approx(expected)


def test_stored_weights_are_positive_and_bounded() -> None:
    weights = document_weights(["a"] * 1000 + ["b"])
    assert set(weights) == {term_id("a"), term_id("b")}
    assert all(0 < weight < K1 + 1 for weight in weights.values())


def test_a_document_without_terms_has_no_weights() -> None:
    assert document_weights([]) == {}


def test_stored_weights_never_depend_on_other_documents() -> None:
    # Constants of the format: a changed value would make every stored vector wrong.
    assert (K1, B, AVGDL) == (0.9, 0.75, 100.0)
    assert document_weights(["x"] * 100)[term_id("x")] == pytest.approx(100 * 1.9 / (100 + 0.9))


def test_rare_terms_weigh_more_and_common_ones_stay_positive() -> None:
    weights = query_weights(["rare", "common"], {term_id("rare"): 1, term_id("common"): 1000}, 1000)
    assert weights[term_id("rare")] > weights[term_id("common")] > 0


def test_unknown_terms_are_left_out() -> None:
    assert query_weights(["unknown"], {}, 10) == {}
    assert query_weights(["known"], {term_id("known"): 0}, 10) == {}
    assert query_weights([], {}, 0) == {}


def test_a_term_asked_twice_counts_once() -> None:
    frequency = {term_id("a"): 2}
    assert query_weights(["a", "a"], frequency, 9) == query_weights(["a"], frequency, 9)


def test_a_frequency_above_the_total_stays_finite() -> None:
    assert query_weights(["a"], {term_id("a"): 5}, 3)[term_id("a")] > 0


def test_finds_the_right_line_among_neighbours() -> None:
    corpus = [
        "The invoice for the unicorn was paid.",
        "We discussed invoices and payments for an hour.",
        "A unicorn was seen at the office.",
        "Nothing happened today.",
    ]
    ranked = sorted(corpus, key=lambda text: -score("unicorn invoice", text, corpus))
    assert ranked[0] == corpus[0]
    assert score("unicorn invoice", corpus[3], corpus) == 0


def test_fields_are_added_before_the_whole_saturates() -> None:
    body = ["apple"] * 50 + ["plum"] * 50
    apple, name = term_id("apple"), term_id("title")
    plain = document_weights(body, k1=1.2, b=0.6)
    with_fields = document_weights(body, {apple: 1.5, name: 1.5}, k1=1.2, b=0.6)
    length = 1 - 0.6 + 0.6 * 100 / AVGDL
    frequency = 50 / length + 1.5
    assert with_fields[apple] == pytest.approx(frequency * 2.2 / (frequency + 1.2))
    assert with_fields[name] == pytest.approx(1.5 * 2.2 / (1.5 + 1.2))
    assert with_fields[term_id("plum")] == plain[term_id("plum")]
    assert document_weights(body) == document_weights(body, {})


def test_a_field_weighs_the_same_beside_a_long_text_and_alone() -> None:
    name = term_id("title")
    alone = document_weights([], {name: 1.5})[name]
    assert document_weights(["word"] * 5000, {name: 1.5})[name] == pytest.approx(alone)
