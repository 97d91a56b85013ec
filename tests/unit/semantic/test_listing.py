from __future__ import annotations

import pytest

from semantic.errors import UnknownElement
from semantic.listing import listing_key, select
from semantic.model import Element
from semantic.projection import Projection


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
