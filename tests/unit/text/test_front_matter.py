from __future__ import annotations

import json
from typing import Any

import pytest

from memoryd.text.front_matter import MAX_ALIASES, MAX_CHARACTERS, split_front_matter


def data(block: str) -> dict[str, Any]:
    matter = split_front_matter(f"---\n{block}\n---\nbody\n")
    assert matter.problem is None
    assert matter.body == "body\n"
    return dict(matter.data)


def problem(block: str) -> str:
    matter = split_front_matter(f"---\n{block}\n---\nbody\n")
    assert dict(matter.data) == {}
    assert matter.body == "body\n"
    assert matter.body_line == block.count("\n") + 4
    assert matter.problem is not None
    return matter.problem


def test_splits_block_and_body() -> None:
    matter = split_front_matter("---\nsummary: x\n---\n\nbody\n")
    assert dict(matter.data) == {"summary": "x"}
    assert (matter.body, matter.body_line, matter.raw) == ("\nbody\n", 4, "summary: x\n")


def test_the_parts_are_the_text_again() -> None:
    text = "---  \r\na: 1\r\n--- \r\nbody\r\n"
    matter = split_front_matter(text)
    assert f"---  \r\n{matter.raw}--- \r\n{matter.body}" == text
    assert dict(matter.data) == {"a": 1}
    assert text.split("\n")[matter.body_line - 1] == "body\r"


def test_a_byte_order_mark_hides_nothing() -> None:
    text = "---\nsummary: BOM note\ntags:\n  - tool/milvus\n---\n\nbody\n"
    marked, plain = split_front_matter("\ufeff" + text), split_front_matter(text)
    assert marked == plain
    assert dict(marked.data) == {"summary": "BOM note", "tags": ["tool/milvus"]}
    assert split_front_matter("\ufeffbody").body == "body"


@pytest.mark.parametrize("end", ["...", "---", "--- \t"])
def test_either_mark_ends_the_block(end: str) -> None:
    assert dict(split_front_matter(f"---\na: 1\n{end}\nb").data) == {"a": 1}


def test_a_block_may_end_the_file() -> None:
    matter = split_front_matter("---\na: 1\n---")
    assert (dict(matter.data), matter.body) == ({"a": 1}, "")


@pytest.mark.parametrize("block", ["", "\n\n", "# only a comment"])
def test_an_empty_block_is_front_matter_without_data(block: str) -> None:
    assert data(block) == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "body",
        "---",
        "---\n",
        "---\na: 1\nnever closed\n",
        "\n---\na: 1\n---\n",
        "x\n---\na: 1\n---\n",
        " ---\na: 1\n---\n",
        "----\na: 1\n----\n",
        "--- a\nb: 1\n---\n",
        "```\n---\na: 1\n---\n```\n",
        "# T\n\n---\n\na: 1\n\n---\n",
        "---\n\nProse between two rules.\n\n---\nmore",
        "---\nProse between two rules.\n---\nmore",
    ],
)
def test_what_is_no_front_matter(text: str) -> None:
    matter = split_front_matter(text)
    assert (dict(matter.data), matter.body, matter.body_line, matter.raw, matter.problem) == ({}, text, 1, "", None)


def test_a_second_block_belongs_to_the_body() -> None:
    matter = split_front_matter("---\na: 1\n---\n---\nb: 2\n---\n")
    assert (dict(matter.data), matter.body) == ({"a": 1}, "---\nb: 2\n---\n")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("", None),
        ("null", None),
        ("work", "work"),
        ("a, b", "a, b"),
        ("[a, b]", ["a", "b"]),
        ("\n  - a\n  - '#b'", ["a", "#b"]),
        ("7", 7),
        ("2026-01-01", "2026-01-01"),
        ("2026-1-5", "2026-1-5"),
        ("2026-13-45", "2026-13-45"),
        ("2026-01-01T10:00:00+02:00", "2026-01-01T10:00:00+02:00"),
        ("2026-01-01 10:00:00", "2026-01-01T10:00:00"),
        ("yes", "yes"),
        ("no", "no"),
        ("true", True),
        ("1.5", 1.5),
        (".nan", "nan"),
        (".inf", "inf"),
        ("12:30", "12:30"),
        ("0o17", 15),
        ("'quoted: x'", "quoted: x"),
        ("🦉 owl", "🦉 owl"),
        ('"[[Note]]"', "[[Note]]"),
        ("|\n  two\n  lines", "two\nlines\n"),
        ("{a: {b: 2026-01-01}}", {"a": {"b": "2026-01-01"}}),
        ("!!set {a, b}", ["a", "b"]),
        ("!!binary aGk=", "hi"),
    ],
)
def test_values_are_json(written: str, value: object) -> None:
    found = data(f"tags: {written}")
    assert found == {"tags": value}
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("block", ['a: "{}"', '"{}": a', 'a: {{b: ["{}"]}}', '{{"a": "{}"}}', '"{0}": 1\n"{0}": 2'])
def test_half_a_character_is_no_text_and_two_halves_are_one(block: str) -> None:
    for halves, whole in (("\\ud83d", "\ufffd"), ("\\ud83d\\ude00", "\U0001f600")):
        read = split_front_matter(f"---\n{block.format(halves)}\n---\n")
        assert whole in f"{read.data}{read.problem}"
        f"{read.data}{read.problem}".encode()


def test_keys_are_text() -> None:
    assert data("7: a\ntrue: b\nnull: c\n2026-01-01: d\n1.5: e") == {
        "7": "a",
        "true": "b",
        "null": "c",
        "2026-01-01": "d",
        "1.5": "e",
    }


def test_json_blocks() -> None:
    assert data('{"title": "a: b", "tags": ["x"]}') == {"title": "a: b", "tags": ["x"]}
    assert data('{\n\t"title": "x"\n}') == {"title": "x"}


def test_unquoted_colon_is_a_problem_with_its_line_and_the_body_stays() -> None:
    text = "---\ntitle: Governance: Rootkeeper Manifest\ntags: [type/reference]\n---\nbody owl\n"
    matter = split_front_matter(text)
    assert matter.body == "body owl\n"
    assert matter.problem is not None
    assert matter.problem.startswith("line 2: ")


@pytest.mark.parametrize(
    ("block", "line", "words"),
    [
        ("title: a: b: c\ntags: [x", 2, "mapping values"),
        ("a: 1\ntags: [x", 4, "expected"),
        ("a: 1\nb: 2\na: 3", 4, "duplicate"),
        ("ok: 1\ncreated: {{date}}", 3, "template"),
        ("a: 1\n\tb: 2", 3, "cannot start any token|mapping"),
        ("a: !unknown x", 2, "tag"),
        ("- a\n- b", 2, "list of keys"),
        ("[a, b]", 2, "list of keys"),
        ("a: *nowhere", 2, "alias"),
        ("a: \x07bell", 2, ""),
        ("a: 1\n--- !x\nb: 2", 3, "another document"),
    ],
)
def test_problems_name_the_line(block: str, line: int, words: str) -> None:
    found = problem(block)
    assert found.startswith(f"line {line}: ")
    if words:
        assert any(word in found for word in words.split("|")), found


def test_a_few_aliases_are_read() -> None:
    assert data("a: &x [1, 2]\nb: *x") == {"a": [1, 2], "b": [1, 2]}


def test_alias_bombs_are_refused() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    assert "aliases" in problem("\n".join(levels))
    assert MAX_ALIASES < 81


def test_merge_bombs_and_cycles_are_bounded() -> None:
    assert problem("a: &a [*a]")
    assert "aliases" in problem("a: &a {x: 1}\n" + "\n".join(f"b{n}: {{<<: [*a, *a]}}" for n in range(20)))


def test_deep_nesting_is_refused() -> None:
    assert "deep" in problem("a: " + "[" * 3000 + "]" * 3000)


def test_huge_blocks_are_not_parsed() -> None:
    assert "limit" in problem("a: " + "x" * MAX_CHARACTERS)


def test_results_do_not_share_state() -> None:
    first = split_front_matter("---\na: [1]\n---\n")
    first.data["a"].append(2)
    assert split_front_matter("---\na: [1]\n---\n").data["a"] == [1]
