from __future__ import annotations

from typing import Any

import pytest

from semantic.errors import InvalidMutation
from semantic.log.mutation import OPS, check_logged, check_sent

EL, NO = "el_" + "0" * 20, "no_" + "1" * 20
THING = {"kind": "tool", "name": "Qdrant"}

LOGGED: list[dict[str, Any]] = [
    {"op": "put_element", "id": EL, "kind": "tool", "name": "Qdrant"},
    {
        "op": "put_element",
        "id": EL,
        "kind": "tool",
        "name": "x",
        "gist": "",
        "props": {"a.b": 1, "c": None},
        "notes": [],
    },
    {"op": "set_prop", "id": EL, "key": "port", "value": 6333},
    {"op": "add_link", "from": EL, "rel": "uses", "to": NO},
    {"op": "add_link", "from": NO, "rel": "uses", "to": "path:memoryd-9c1e22ab:src/a b.py"},
    {"op": "retire_link", "from": EL, "rel": "uses", "to": EL},
    {"op": "drop", "id": EL, "field": "notes", "value": "x"},
    {"op": "rename", "id": EL, "name": "Milvus"},
    {"op": "rename", "id": NO, "name": "vault:a.md"},
    {"op": "merge", "ids": [EL, EL]},
    {"op": "split", "id": EL},
]


@pytest.mark.parametrize("mutation", LOGGED)
def test_every_logged_form_passes_both_checks(mutation: dict[str, Any]) -> None:
    check_logged(mutation, "m")
    check_sent(mutation, "m")


def test_every_operation_has_an_example() -> None:
    assert {mutation["op"] for mutation in LOGGED} == set(OPS)


@pytest.mark.parametrize(
    "mutation",
    [
        {"op": "put_element", **THING, "gist": "g"},
        {"op": "put_element", "id": EL, "gist": "g"},
        {"op": "set_prop", "id": THING, "key": "port", "value": True},
        {"op": "add_link", "from": THING, "rel": "uses", "to": {"path": "src/a.py"}},
        {"op": "merge", "ids": [THING, EL]},
        {"op": "split", "id": THING},
    ],
)
def test_sent_forms_may_name_elements(mutation: dict[str, Any]) -> None:
    check_sent(mutation, "m")
    with pytest.raises(InvalidMutation):
        check_logged(mutation, "m")


@pytest.mark.parametrize(
    ("mutation", "place", "words"),
    [
        ("put", "mutations[2]", "must be an object"),
        ({}, "mutations[2].op", "must be one of put_element"),
        ({"op": "explode"}, "mutations[2].op", "must be one of"),
        ({"op": ["put_element"]}, "mutations[2].op", "must be one of"),
        ({"op": "put_element", "kind": "tool"}, "mutations[2].name", "is missing"),
        ({"op": "put_element", **THING, "colour": "blue"}, "mutations[2]", "no other fields than id?, kind?"),
        ({"op": "put_element", **THING, "gist": 3}, "mutations[2].gist", "must be a text"),
        ({"op": "put_element", "kind": "", "name": "x"}, "mutations[2].kind", "not blank"),
        ({"op": "put_element", "kind": "k" * 65, "name": "x"}, "mutations[2].kind", "at most 64"),
        ({"op": "put_element", "kind": "k", "name": "x" * 301}, "mutations[2].name", "at most 300"),
        ({"op": "put_element", **THING, "notes": "one"}, "mutations[2].notes", "list of texts"),
        ({"op": "put_element", **THING, "touches": ["a", 3]}, "mutations[2].touches", "item 1"),
        ({"op": "put_element", **THING, "props": {"Größe": 1}}, "mutations[2].props", "must match"),
        ({"op": "put_element", **THING, "props": {"a": 0.5}}, "mutations[2].props", "floats"),
        ({"op": "set_prop", "id": EL, "key": "a", "value": [1, 0.5]}, "mutations[2].value", "floats"),
        ({"op": "set_prop", "id": EL, "key": "a"}, "mutations[2].value", "is missing: set_prop needs id, key, value"),
        ({"op": "add_link", "from": EL, "rel": "r", "to": "somewhere"}, "mutations[2].to", "path:<project>:<path>"),
        ({"op": "add_link", "from": {"name": "x"}, "rel": "r", "to": EL}, "mutations[2].from", "kind and name"),
        ({"op": "drop", "id": EL, "field": "gist", "value": "x"}, "mutations[2].field", "notes, touches, aliases"),
        ({"op": "merge", "ids": [EL]}, "mutations[2].ids", "two elements"),
        ({"op": "rename", "id": "de_1", "name": "x"}, "mutations[2].id", "element id"),
    ],
)
def test_errors_name_the_place_and_what_is_allowed(mutation: Any, place: str, words: str) -> None:
    with pytest.raises(InvalidMutation, match="mutations") as caught:
        check_sent(mutation, "mutations[2]")
    assert caught.value.place == place
    assert words in caught.value.reason
