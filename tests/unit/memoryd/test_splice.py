"""What differs in a JSON text is written anew; every other byte stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.service.splice import splice

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


def spliced(text: str, wanted: Any, indent: str = "  ", line_end: str = "\n") -> str:
    return splice(text, wanted, indent=indent, line_end=line_end)


@given(VALUES, VALUES, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_the_text_holds_what_is_wanted(before: Any, after: Any, indent: Any, is_ascii: bool) -> None:
    text = json.dumps(before, indent=indent, ensure_ascii=is_ascii)
    assert json.loads(spliced(text, after, "\t")) == after
    assert spliced(text, before) == text


@given(VALUES, st.sampled_from([None, 2, "\t"]), st.sampled_from(["\n", "\r\n"]))
def test_a_member_that_comes_and_goes_leaves_no_trace(value: Any, indent: Any, line_end: str) -> None:
    text = json.dumps({"a": value, "b": [value]}, indent=indent).replace("\n", line_end) + line_end
    held = json.loads(text)
    more = {**held, "new": {"list": [1, {}]}}
    there = spliced(text, more, "\t", line_end)
    assert json.loads(there) == more
    assert spliced(there, held, "\t", line_end) == text


@pytest.mark.parametrize(
    ("text", "wanted", "said"),
    [
        ('{"n": 1.50, "e": 1E5, "u": "\\u00e9", "a": [1,2,  3]}',
         {"a": [1, 2, 3], "u": "é", "n": 1.5, "e": 1e5, "x": 1},
         '{"n": 1.50, "e": 1E5, "u": "\\u00e9", "a": [1,2,  3], "x": 1}'),
        ('{"a":1,"b":2}', {"a": 1, "b": 2, "c": [3]}, '{"a":1,"b":2,"c": [3]}'),
        ('{"a": 1}', {}, "{}"),
        ("{}", {"a": {"b": 1}}, '{\n  "a": {\n    "b": 1\n  }\n}'),
        ('\ufeff {\r\n\t"a" : 1\r\n}\r\n', {"a": 2}, '\ufeff {\r\n\t"a" : 2\r\n}\r\n'),
        ('["x", {"k": 1, "l":2}, "y"]', ["x", {"k": 1, "l": 3}, "y"], '["x", {"k": 1, "l":3}, "y"]'),
        ("[1, 2, 3]", [1, 3], "[1, 3]"),
        ('{\n   "a": 1, "b": 2,\n   "c": 3}', {"b": 2, "c": 3, "d": 4}, '{\n   "b": 2,\n   "c": 3,\n   "d": 4}'),
    ],
)  # fmt: skip
def test_only_what_differs_is_touched(text: str, wanted: Any, said: str) -> None:
    line_end = "\r\n" if "\r" in text else "\n"
    assert spliced(text, wanted, "\t" if "\t" in text else "  ", line_end) == said
