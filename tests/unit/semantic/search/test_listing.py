from __future__ import annotations

from dataclasses import replace

import pytest

from semantic.errors import UnknownElement
from semantic.model import Element, Link
from semantic.projection.picture import Projection
from semantic.search.listing import listing_key, select


def element(number: int, name: str, *aliases: str) -> Element:
    return Element(f"el_{number:020x}", "tool", name, "", "user", None, aliases=aliases)


def named(*names: str) -> Projection:
    return Projection(elements={one.id: one for one in (element(*pair) for pair in enumerate(names))})


def near(picture: Projection, name: str) -> list[str]:
    return [one.name for one in select(picture, near=name)]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("Qdrant", ["Qdrant"]),
        ("qdrnat", ["Qdrant"]),
        ("quadrant", []),
        ("QDRANTS", ["Qdrant"]),
        ("Cafe Groesse", ["Café Größe"]),
        ("cafe große", ["Café Größe"]),
        ("rate-limiting", ["Rate limiting"]),
        ("ratelimitting", ["Rate limiting"]),
        ("Python 3.12", []),
        ("C", []),
        ("C++", ["C++"]),
        ("Go", ["Go"]),
        ("Gi", []),
        ("", []),
    ],
)
def test_a_name_finds_what_is_spelled_nearly_so(asked: str, found: list[str]) -> None:
    picture = named("Qdrant", "Café Größe", "Rate limiting", "Python 3.11", "C++", "Go")
    assert near(picture, asked) == found


def test_an_alias_is_a_name_too() -> None:
    one = element(1, "Milvus", "Vector engine")
    picture = Projection(elements={one.id: one})
    assert near(picture, "vectorengine") == near(picture, "vector engin") == ["Milvus"]


def test_an_unknown_element_is_near_nothing() -> None:
    with pytest.raises(UnknownElement):
        select(named("A"), near="el_" + "f" * 20)


def test_the_order_is_a_function_of_the_element_alone() -> None:
    picture = named("b", "A", "a", "ß", "Zed")
    listed = select(picture)
    keys = [listing_key(one) for one in listed]
    assert keys == sorted(keys)
    assert [one.name for one in listed] == ["A", "a", "b", "ß", "Zed"]
    # A page that begins behind a key goes on where it was, though what stood there is gone.
    without = Projection(elements={one.id: one for one in listed if one.name != "a"})
    assert [one.name for one in select(without) if listing_key(one) > keys[1]] == ["b", "ß", "Zed"]


def linked(*triples: tuple[str, str]) -> Projection:
    """Return elements named by letters, linked as (source, target); a target may be a note or a path."""
    ids = {name: f"el_{number:020x}" for number, name in enumerate("ABCD")}
    links = [Link(ids[source], "uses", ids.get(target, target), "de_1") for source, target in triples]
    elements = {
        id_: replace(element(number, name), links=tuple(one for one in links if id_ in {one.source, one.target}))
        for number, (name, id_) in enumerate(ids.items())
    }
    raw = {(one.source, one.relation, one.target): one.decision for one in links}
    return Projection(elements=elements, raw_links=raw)


def test_near_an_id_is_what_is_linked_with_it_both_ways() -> None:
    picture = linked(("A", "B"), ("C", "A"), ("C", "D"))
    assert near(picture, "el_" + "0" * 20) == ["B", "C"]


def test_what_is_linked_with_the_same_note_or_file_is_near_and_what_is_behind_an_element_is_not() -> None:
    note, path = "no_" + "1" * 20, "path:app-12345678:src/a.py"
    picture = linked(("A", note), ("B", note), ("C", path), ("A", path), ("B", "D"))
    assert near(picture, "el_" + "0" * 20) == ["B", "C"]
    assert near(picture, note) == ["A", "B"]
    assert near(picture, path) == ["A", "C"]
