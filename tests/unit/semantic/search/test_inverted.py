from __future__ import annotations

from array import array
from collections.abc import Sequence

from memoryd.text.bm25 import query_weights
from memoryd.text.terms import term_id, terms
from semantic.fields import Document, Unit
from semantic.search.inverted import InvertedIndex
from semantic.search.postings import Segment
from semantic.weighing import Weighed, weigh


def document(id_: str, name: str, *bodies: str, gist: str = "") -> Document:
    units = tuple(Unit(f"{id_}.{number}", "", body, "") for number, body in enumerate(bodies))
    return Document(id_, "note", (name,), gist, units, "user")


def filled(documents: Sequence[Document]) -> InvertedIndex:
    index = InvertedIndex()
    for one in documents:
        put(index, one)
    return index


def put(index: InvertedIndex, *documents: Document) -> None:
    weighed = [weigh(one, ("en",)) for one in documents]
    index.put(weighed, Segment.of(weighed))
    while crowd := index.crowd():
        index.replace(crowd, Segment.merged(crowd))


def ask(index: InvertedIndex, text: str) -> list[tuple[str, str, float]]:
    asked = terms(text, ("en",))
    frequency = {term: index.frequency(term) for term in map(term_id, asked)}
    return list(index.ranking(query_weights(asked, frequency, len(index))))


def test_finds_the_best_unit_of_each_document() -> None:
    index = filled([document("a", "Alpha", "cats sleep", "dogs bark"), document("b", "Beta", "a dog, a dog")])
    assert [unit for _, unit, _ in ask(index, "bark")] == ["a.1"]
    assert {unit for _, unit, _ in ask(index, "dogs")} == {"a.1", "b.0"}
    assert ask(index, "nothing") == []


def test_a_term_of_half_the_documents_still_counts() -> None:
    index = filled([document("a", "One", "owl"), document("b", "Two", "fox")])
    assert [found for found, _, _ in ask(index, "owl")] == ["a"]


def test_a_name_counts_more_than_a_word_in_the_text() -> None:
    index = filled([document("a", "Something", "milvus " + "word " * 150), document("b", "Milvus", "other text")])
    assert [found for found, _, _ in ask(index, "milvus")] == ["b", "a"]


def test_equal_scores_come_in_the_order_of_ids() -> None:
    one, two = document("a", "N", "same text"), document("b", "N", "same text")
    assert ask(filled([one, two]), "same") == ask(filled([two, one]), "same")


def test_an_index_that_grew_answers_like_one_built_anew() -> None:
    documents = [
        document(f"d{number}", f"Name {number}", f"text {number % 7} owl", "more fox") for number in range(400)
    ]
    index = filled(documents)
    for turn in range(12):
        for one in documents[:90]:
            put(index, document(one.id, f"Turn {turn}", "gone"))
    for one in documents[:20]:
        index.drop(one.id)
        index.drop(one.id)
    for one in documents[20:90]:
        put(index, one)
    fresh = filled(documents[20:])
    assert len(index) == len(fresh) == 380
    for word in ("owl", "text", "turn", "gone", "25"):
        assert index.frequency(term_id(word)) == fresh.frequency(term_id(word))
    for text in ("owl", "text 3", "name 25", "fox owl", "gone"):
        assert ask(index, text) == ask(fresh, text)


def test_many_at_once_and_one_by_one_are_the_same() -> None:
    documents = [document(f"d{number}", f"Name {number}", f"text {number % 7} owl", "more fox") for number in range(90)]
    at_once = InvertedIndex()
    put(at_once, *documents)
    for text in ("owl", "text 3", "name 25", "fox owl"):
        assert ask(at_once, text) == ask(filled(documents), text)


def test_segments_stay_few_and_hold_no_more_than_twice_what_lives() -> None:
    index = InvertedIndex()
    for number in range(2_000):
        put(index, document(f"d{number % 300}", f"Name {number}", "owl"))
    assert len(index) == 300
    assert len(ask(index, "owl")) == 300
    assert len(index._segments) <= 12
    assert sum(len(one.units) for one in index._segments) <= 900


def test_the_largest_term_id_is_found() -> None:
    weighed = Weighed("a", (("a.0", array("I", [2**32 - 1, 0]), array("f", [1.0, 2.0])),))
    index = InvertedIndex()
    index.put([weighed], Segment.of([weighed]))
    assert (index.frequency(2**32 - 1), index.frequency(0), index.frequency(1)) == (1, 1, 0)
    assert list(index.ranking({2**32 - 1: 1.0})) == [("a", "a.0", 1.0)]
