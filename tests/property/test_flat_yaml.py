"""What is read without a parser is what the parser reads, to the letter, or it is not read."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.text.flat_yaml import read_flat
from memoryd.text.front_matter import _parse, find_front_matter

# Pieces of YAML, with every sign that could mean something, put together in any way.
SIGNS = [
    "a", "key", "date created", "tags", "ß", "数", "é", "true", "null", "yes", "True", "0", "7", "007", "1.5", "1.50",
    "1e3", "0x1f", "2026-01-01", "2026-13-45", "2026-01-01 10:00:00", "12:30", "~", ".inf", ".nan", "-", "- ", "--- ",
    "...", ":", ": ", " :", "#", " #", " # ", "\n", "\n", "\n", "\n- ", "\n  - ", "\n    - ", "\n  ", "  ", " ", "\t",
    "\r\n", "\r", "\x85", "\u2028", "\u00a0", "\ufeff", "\x07", "'", '"', "''", "\\", "\\n", "[", "]", "[]", "{", "}",
    ",", ", ", "&x", "*x", "!!str", "!", "|", ">", "|-", "%", "@", "`", "?", "? ", "<<", "=", "key: ", "key:", "b: ",
    "tags:\n- ", "tags: [", "a, b", "[[Note]]", '"[[Note]]"', "https://x.y/z", "C++", "a/b", "💡", "_", "a_b", "+1",
]  # fmt: skip
blocks = st.lists(st.sampled_from(SIGNS), max_size=14).map("".join)
ODD_VALUES = [
    "", "work", "a: b", "x #y", "x#y", "a:b", "a :b", "a  b", "it's", "128分钟", "3 x", "1a", "9z", "∑ x",
    "» x: y", "『x』 #y", "(x)", "$x", "/", "/a", "\u3000x", "<<", "<x", "=", "~x", "+1", "77655f77-5bcc",
    "2024-03-23 15:14", "{}", '"q"', "'q'", "[a, b]", "[a,,b]", "[ a , 'b, c' ]", "[a, b,]",
    "[a b, 3, 2026-01-01, null]", "[]", "[ ]", "[#a]", "[a: b]", "[a#b]", "7", "-7", "1_000", "TRUE", "tRue",
    "NULL", "n", "2026-01-01", "é: x", "a,b", "a]", "a}", "a|b", "[a", "a, [b]", "[[a]]", "[a]]", "[a] b",
    '"a" b', '"a\\n"', "'a''b'", '"a', "x\u00a0", "x  ", "2022-08-16T00:00:00.000Z", "2023-01-24 00:44:16",
    "2023-01-24 25:00:00", "2023-01-24T00:44:16", "2023-01-24 00:44:16 Z",
]  # fmt: skip
values = st.one_of(
    st.sampled_from(ODD_VALUES),
    st.text(st.sampled_from("ab1 :#-,'\"[]{}&*!|>%@`?.~\u00a0é"), max_size=8),
)  # fmt: skip
lines = st.one_of(
    st.builds("{}: {}".format, st.sampled_from(["a", "b", "c d", "é", "a-b", "true", "7", "-a", "a ", "x.y"]), values),
    st.builds("{}:{}".format, st.sampled_from(["a", "b", "tags"]), st.sampled_from(["", " ", "  ", "x"])),
    st.builds("{}- {}".format, st.sampled_from(["", "  ", "    ", " "]), values),
    st.sampled_from(["", "  ", "# note", "  # note", "a", "-", "  more", "? a", "{{date}}", "a: |", "a: >"]),
)
written = st.lists(lines, max_size=7).flatmap(
    lambda found: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join(found))
)


@settings(max_examples=1500, deadline=None)
@given(st.one_of(blocks, written))
def test_both_readers_give_the_same_mapping(raw: str) -> None:
    flat = read_flat(raw)
    if flat is not None:
        data, problem = _parse(raw)
        assert problem is None
        assert json.dumps(flat, ensure_ascii=False) == data


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(
    st.text(st.sampled_from("abé数 -_1"), min_size=1, max_size=8).filter(lambda key: key.strip() == key),
    st.one_of(st.sampled_from(["", "work", "two words", "2026-01-01", "7", "1.5", "true", "'x: y'", '"#a"', "[a, b]"]),
              st.lists(st.sampled_from(["a", "tool/x", "two words", '"[[Note]]"']), min_size=1, max_size=3)),
    min_size=1,
))  # fmt: skip
def test_plain_blocks_need_no_parser(block: dict[str, str | list[str]]) -> None:
    keys = [key for key in block if key[0].isalpha() and key[-1] not in " -"]
    parts = {key: block[key] for key in keys}
    raw = "\n".join(
        f"{key}: {value}" if isinstance(value, str) else "\n".join([f"{key}:", *(f"  - {one}" for one in value)])
        for key, value in parts.items()
    )
    assert (read_flat(raw) is not None) == bool(keys)


@pytest.mark.skipif("MEMORYD_TEST_DATA" not in os.environ, reason="MEMORYD_TEST_DATA names no folder of vaults")
def test_the_blocks_of_real_vaults_are_mostly_plain_and_read_alike() -> None:
    flat = others = 0
    for file in sorted(Path(os.environ["MEMORYD_TEST_DATA"], "vaults").rglob("*.md"))[::8]:
        text = file.read_bytes().decode("utf-8", "replace")
        span = find_front_matter(text)
        if span is None:
            continue
        raw = text[span[0] : span[1]]
        found = read_flat(raw)
        if found is None:
            others += 1
            continue
        flat += 1
        assert (json.dumps(found, ensure_ascii=False), None) == _parse(raw), file.name
    assert flat > others
