"""Canonical JSON: one value, one form, and nothing that two readers could see differently."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.text.canonical import MAX_INTEGER, CanonicalError, canonical_json, digest, fold_name

KEYS = st.text(alphabet="abcz019_.-", min_size=1, max_size=8)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-MAX_INTEGER, MAX_INTEGER), TEXTS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(KEYS, inner, max_size=5)),
    max_leaves=20,
)
REFUSED = st.one_of(
    st.floats(),
    st.integers(min_value=MAX_INTEGER + 1),
    st.integers(max_value=-MAX_INTEGER - 1),
    st.characters(categories=["Cs"]),
    st.binary(max_size=3),
    st.dictionaries(
        st.text(min_size=1).filter(lambda key: not set(key) <= set("abcdefghijklmnopqrstuvwxyz0123456789_.-")),
        st.none(),
        min_size=1,
        max_size=2,
    ),
)


def shuffled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: shuffled(value[key]) for key in reversed(list(value))}
    return [shuffled(item) for item in value] if isinstance(value, list) else value


def composed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: composed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [composed(item) for item in value]
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value


@given(VALUES)
def test_order_of_keys_does_not_matter(value: Any) -> None:
    assert canonical_json(value) == canonical_json(shuffled(value))


@given(VALUES)
def test_any_reader_gets_the_value_back_in_nfc(value: Any) -> None:
    written = canonical_json(value)
    assert json.loads(written) == composed(value)
    assert canonical_json(json.loads(written)) == written


@given(VALUES)
def test_the_form_is_compact_sorted_json(value: Any) -> None:
    text = json.dumps(composed(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert canonical_json(value).decode() == text


@given(TEXTS)
def test_decompositions_have_one_form(text: str) -> None:
    assert canonical_json(unicodedata.normalize("NFD", text)) == canonical_json(text)


@given(REFUSED, st.booleans())
def test_refuses_what_has_no_form_at_any_depth(value: Any, deep: bool) -> None:
    with pytest.raises(CanonicalError):
        canonical_json({"a": [value]} if deep else value)


@given(st.lists(SCALARS, max_size=4), st.lists(SCALARS, max_size=4))
def test_digests_differ_where_forms_do(one: list[Any], other: list[Any]) -> None:
    assert (digest(*one) == digest(*other)) == (canonical_json(one) == canonical_json(other))


@given(TEXTS)
def test_folding_names_twice_changes_nothing_of_the_words(text: str) -> None:
    folded = fold_name(text)
    assert folded == " ".join(folded.split())
    assert fold_name(f"  {text}\t") == folded
