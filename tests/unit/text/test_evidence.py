"""Which words of a question are looked for, and what a match of them is worth."""

from __future__ import annotations

from collections import Counter

import pytest

from memoryd.text.background import COMMON, background
from memoryd.text.bm25 import query_weights
from memoryd.text.evidence import AskedWords, exact_terms, weigh_words
from memoryd.text.terms import term_id, terms

LANGUAGES = ("en", "de")


def asked(question: str, *texts: str, padding: int = 0) -> AskedWords:
    frequency = Counter(id_ for text in texts for id_ in set(map(term_id, terms(text, LANGUAGES))))
    return weigh_words(question, terms(question, LANGUAGES), frequency, len(texts) + padding, LANGUAGES)


def ids(text: str) -> set[int]:
    return set(map(term_id, terms(text, LANGUAGES)))


@pytest.mark.parametrize(
    "words",
    [
        "which do we",
        "wann haben wir das",
        "quand est-ce que nous",
        "cuándo lo que",
        "когда мы это",
        "我们什么时候",
        "いつ ですか",
    ],
)
def test_small_words_of_each_language_are_common(words: str) -> None:
    found = terms(words, LANGUAGES)
    shares = background(found, LANGUAGES)
    assert [word for word in found if shares.get(term_id(word), 0.0) < COMMON] == []


@pytest.mark.parametrize(
    "words", ["database", "Rechnung", "facture", "factura", "сервер", "数据库", "しりとり", "データ", "E4021"]
)
def test_words_with_a_matter_are_not(words: str) -> None:
    assert background(terms(words, LANGUAGES), LANGUAGES) == {}


def test_common_words_are_not_looked_for_beside_others() -> None:
    found = asked("which database do we use", "we don't use agents for billing", "the database is slow")
    assert set(found.weights) == ids("database use")
    (database,) = terms("database", LANGUAGES)
    (use,) = terms("use", LANGUAGES)
    assert found.weights[term_id(database)] > 1.5 * found.weights[term_id(use)]


def test_a_question_of_common_words_alone_is_looked_for_as_it_stands() -> None:
    assert set(asked("what did we do", "what we did", "do it").weights) == ids("what did we do")


def test_words_that_stand_nowhere_lower_the_evidence() -> None:
    texts = ("the practice moved", "a long break", "soup")
    assert asked("break", *texts).evidence == 1.0
    half = asked("dental break", *texts)
    assert half.missing == 1
    assert 0.05 < half.evidence < 0.25
    assert asked("dental treatment", *texts) == AskedWords({}, 0.0, 2)


@pytest.mark.parametrize(
    ("question", "text"), [("备份任务怎么样了", "备份任务失败"), ("しりとりはどうだった", "昨日は成語しりとりをした。")]
)
def test_four_characters_in_a_row_are_as_good_as_a_name(question: str, text: str) -> None:
    assert asked(question, text, padding=20).is_exact
    assert not asked(question, "备份失败，任务，昨日は語とりをした", padding=20).is_exact


def test_a_rare_word_is_evidence_among_many_texts_and_none_among_few() -> None:
    few = asked("dental treatment of the walrus", "a walrus", padding=20)
    many = asked("dental treatment of the walrus", "a walrus", padding=3_000)
    assert few.evidence < 0.1
    assert many.evidence == 1.0


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("what did we do about ERR-4021 in the nightly build?", "ERR-4021"),
        ("why does src/app/main.py fail", "src/app/main.py"),
        ("who wrote getUserName", "getUserName"),
        ("where is max_tokens set", "max_tokens"),
        ("what changed in v1.2.3", "v1.2.3"),
        ("is DNSSEC on", "DNSSEC"),
        ("who said “purple walrus”", "purple walrus"),
        ("what does Zbigniew like", "Zbigniew"),
        ("что мы решили про Зенит", "Зенит"),
        ("备份 E4021 为什么失败", "E4021"),
    ],
)
def test_a_name_as_it_is_written_is_exact(question: str, name: str) -> None:
    found = asked(question, f"note on {name}", "other", "third", padding=30)
    assert found.is_exact
    assert found.evidence == 1.0
    assert not asked(question, "other", padding=30).is_exact


def test_a_name_that_every_second_text_holds_is_none() -> None:
    assert not asked("what does Zbigniew like", *["Zbigniew"] * 20, padding=20).is_exact


@pytest.mark.parametrize(
    "question",
    [
        "Was verträgt meine Tochter nicht?",
        "Welche Stelle habe ich angenommen?",
        "What did I buy?",
        "What happened in 2023?",
    ],
)
def test_capitals_that_are_no_names(question: str) -> None:
    assert exact_terms(question, LANGUAGES) == []


def test_weights_are_those_of_bm25_where_no_word_is_common() -> None:
    frequency = {term_id("walrus"): 3, term_id("pump"): 40}
    found = weigh_words("walrus pump", ["walrus", "pump"], frequency, 9_000, LANGUAGES)
    plain = query_weights(["walrus", "pump"], frequency, 9_000)
    assert found.weights == pytest.approx(plain, rel=0.05)
