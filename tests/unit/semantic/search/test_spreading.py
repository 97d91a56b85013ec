"""What links lead to from what was found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from semantic.fields import Anchor, Document, element_document
from semantic.model import Element, Link
from semantic.search.plane import Plane
from semantic.search.postings import Segment
from semantic.search.spreading import MAX_LINKS, Spreading, linked_from
from semantic.search.web import Web
from semantic.weighing import weigh


def note(id_: str, *targets: str, line: int = 1) -> Document:
    return Document(id_, "note", (id_,), "", (), "user", anchors=(Anchor("", targets, line),) if targets else ())


def plane(*documents: Document) -> Plane:
    made = Plane()
    weighed = [weigh(one, ("en",)) for one in documents]
    made.put(documents, weighed, Segment.of(weighed))
    return made


def walk(*documents: Document, found: dict[str, float]) -> dict[str, float]:
    return dict(Spreading([plane(*documents)], {}).walk(found))


def test_links_lead_both_ways_and_to_what_is_linked_beside() -> None:
    met = walk(note("hub", "a", "b"), note("a"), note("b"), note("far", "b"), note("alone"), found={"a": 2.0})
    assert met["hub"] > met["b"] > 0  # one step, and two
    assert "far" not in met
    assert "alone" not in met


def test_of_two_ways_to_go_the_less_linked_gets_more() -> None:
    met = walk(note("s", "plain", "often"), note("plain"), note("often"), *(note(f"x{n}", "often") for n in range(8)),
               found={"s": 1.0})  # fmt: skip
    assert met["plain"] == pytest.approx(3 * met["often"], rel=0.2)


def test_the_best_seed_counts_far_more_than_one_half_as_good() -> None:
    met = walk(note("one", "a"), note("two", "b"), note("a"), note("b"), found={"one": 2.0, "two": 1.0})
    assert met["a"] == pytest.approx(8 * met["b"])


def test_a_note_of_very_many_links_hands_nothing_on() -> None:
    many = [f"n{number}" for number in range(MAX_LINKS + 1)]
    assert walk(note("hub", *many), *map(note, many), found={"hub": 1.0}) == {}
    assert walk(note("hub", *many), found={}) == {}


def test_a_note_and_the_element_it_is_joined_to_are_one_node() -> None:
    one, other = "el_" + "1" * 20, "el_" + "2" * 20
    element = Element(one, "tool", "One", "", "user", None)
    element = replace(element, links=(Link(one, "uses", other, "de_1"),))
    log = plane(element_document(element), element_document(Element(other, "tool", "Other", "", "user", None)))
    notes = plane(note("no_a", "no_b"), note("no_b"))
    met = dict(Spreading([notes, log], {"no_a": one}).walk({"no_b": 1.0}))
    assert set(met) == {one, other, "no_b"}


def test_passages_say_what_they_have_in_common_and_lists_say_little() -> None:
    source = Document("s", "note", ("s",), "", (), "user", anchors=(
        Anchor("", ("a",), 3), Anchor("", ("a", "b"), 8), Anchor("", tuple("cdefghij"), 20),
    ))  # fmt: skip
    near = [(source, (1, 4), 0.9), (source, (5, 9), 0.8), (source, (15, 25), 0.9), (source, (30, 31), 0.1)]
    found = dict(linked_from(near))
    assert found["a"] > found["b"] > found["c"] > 0
    assert linked_from([]) == []


def test_the_web_follows_what_comes_and_goes() -> None:
    web = Web()
    web.put("a", ["b", "b", "a", "c"])
    web.put("d", ["b"])
    assert list(web.neighbors("b")) == ["a", "d"]
    assert web.degree("a") == 2
    web.put("a", ["c"])
    assert list(web.neighbors("b")) == ["d"]
    web.drop("d")
    web.drop("d")
    assert (list(web.neighbors("b")), web.degree("b")) == ([], 0)
