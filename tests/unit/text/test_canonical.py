from __future__ import annotations

import hashlib
from types import MappingProxyType
from typing import Any

import pytest

from memoryd.text.canonical import MAX_INTEGER, CanonicalError, canonical_json, digest, fold_name, sha256_hex

GOLDEN: list[tuple[Any, bytes]] = [
    (None, b"null"),
    (True, b"true"),
    ([], b"[]"),
    ({}, b"{}"),
    (0, b"0"),
    (-1, b"-1"),
    (MAX_INTEGER, b"9007199254740991"),
    ({"b": 1, "a": [True, None, "x"]}, b'{"a":[true,null,"x"],"b":1}'),
    ({"a.b": 1, "a-b": 2, "a_b": 3, "a0": 4}, b'{"a-b":2,"a.b":1,"a0":4,"a_b":3}'),
    ('"\\/\b\f\n\r\t', b'"\\"\\\\/\\b\\f\\n\\r\\t"'),
    ("\x00\x1f\x7f", b'"\\u0000\\u001f\x7f"'),
    ("\u2028 \u20ac \U0001f989", '"\u2028 \u20ac \U0001f989"'.encode()),
    (("a", "b"), b'["a","b"]'),
    (MappingProxyType({"k": "v"}), b'{"k":"v"}'),
]


@pytest.mark.parametrize(("value", "expected"), GOLDEN)
def test_bytes_of_golden_values(value: Any, expected: bytes) -> None:
    assert canonical_json(value) == expected


def test_two_spellings_of_one_text_have_one_form() -> None:
    assert canonical_json("gro\u0308sse") == canonical_json("gr\u00f6sse") == '"gr\u00f6sse"'.encode()
    assert canonical_json("\u212b") == '"\u00c5"'.encode()


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (1.0, r"\$: floats"),
        ({"a": [0, 0.5]}, r"\$\.a\[1\]: floats"),
        (float("nan"), "floats"),
        (MAX_INTEGER + 1, "2\\^53"),
        (-MAX_INTEGER - 1, "2\\^53"),
        ("a\ud800", "surrogate"),
        ({"a": "\udfff"}, r"\$\.a: .*surrogate"),
        ({"A": 1}, "key"),
        ({"": 1}, "key"),
        ({"a b": 1}, "key"),
        ({"é": 1}, "key"),
        ({1: 1}, "key"),
        (b"x", "bytes"),
        ({"a": {1, 2}}, "set"),
        (object(), "object"),
    ],
)
def test_refuses_what_has_no_canonical_form_and_names_the_place(value: Any, place: str) -> None:
    with pytest.raises(CanonicalError, match=place):
        canonical_json(value)


def test_refuses_nesting_that_would_exhaust_the_stack() -> None:
    value: list[Any] = []
    for _ in range(50_000):
        value = [value]
    with pytest.raises(CanonicalError, match="nested"):
        canonical_json(value)


def test_digest_is_sha256_of_the_canonical_array() -> None:
    expected = hashlib.sha256(b'["user",null,3,["x"]]').hexdigest()
    assert digest("user", None, 3, ["x"]) == expected
    assert digest("user", None, 3, ["x"], length=20) == expected[:20]
    assert digest() == sha256_hex(b"[]")


def test_digest_settles_separators() -> None:
    assert digest("a", "b") != digest("ab", "")
    assert digest("a", "b") != digest("a,b")
    assert digest(None) != digest("null")
    assert digest(["a", "b"]) != digest("a", "b")


def test_golden_digest() -> None:
    # Fixed for ever: ids in people's files are made of it.
    assert digest("user", None, "convention", "use uv", length=20) == "99adf221c40192a9c143"


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("  Use   UV\t\n", "use uv"),
        ("\uff21\uff30\uff29", "api"),
        ("Straße", "strasse"),
        ("Café", "café"),
        ("Cafe\u0301", "café"),
        ("a\u3000b\u00a0c", "a b c"),
        ("", ""),
    ],
)
def test_fold_name(name: str, folded: str) -> None:
    assert fold_name(name) == folded


def test_fold_name_keeps_accents_apart() -> None:
    assert fold_name("resume") != fold_name("résumé")
