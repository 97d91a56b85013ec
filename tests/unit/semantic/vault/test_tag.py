from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from memoryd.text.front_matter import split_front_matter
from semantic.tag import fold_tag, front_matter_tags, has_tags, tag_matches, text_tags


@pytest.mark.parametrize(
    ("value", "tags"),
    [
        (None, []),
        ("", []),
        ([], []),
        ("one", ["one"]),
        ("#one", ["one"]),
        ("a, b", ["a", "b"]),
        ("a b", ["a", "b"]),
        (["#Type/Hub", "tool/x"], ["type/hub", "tool/x"]),
        (["a, b", None, ""], ["a", "b"]),
        (2024, ["2024"]),
        ([2024, "2024"], ["2024"]),
        (1.5, ["1.5"]),
        (True, ["true"]),
        (date(2026, 1, 1), ["2026-01-01"]),
        (["two words"], ["two-words"]),
        ([["nested"], "x"], ["nested", "x"]),
        ({"{date}": None}, []),
        ("Größe", ["grösse"]),
    ],
)
def test_front_matter_shapes_have_one_form(value: Any, tags: list[str]) -> None:
    assert front_matter_tags({"tags": value}) == tags


@pytest.mark.parametrize(
    "block",
    [
        "tags: [tool/milvus]",
        "tags:\n  - tool/milvus",
        "tags:\n- '#tool/milvus'",
        "tags: tool/milvus",
        'tags: "#Tool/Milvus"',
        "tag: tool/milvus",
        "tags: tool/milvus,",
    ],
)
def test_yaml_spellings_are_alike(block: str) -> None:
    assert front_matter_tags(split_front_matter(f"---\n{block}\n---\nbody\n").data) == ["tool/milvus"]


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ('```json\n{"bg": "#1E1E2E"}\n```\n`#inlinecode` real #tool/kitty\n', ["tool/kitty"]),
        ("Phase #1 fixed #123, see PR #934. #1a #2024-plan\n", ["1a", "2024-plan"]),
        ("# Heading\n## Two\n", []),
        ("a#b", []),
        ("https://example.org/#part and [t](#anchor) and [[#Heading]] [[N#H]]", []),
        ("(#inside) *#starred*", ["inside", "starred"]),
        ("#标签 和 #🌲emoji", ["标签", "🌲emoji"]),
        ("#Same #same #SAME", ["same"]),
        ("<!-- #hidden --> %%#hidden%% $#x$", []),
        ("#a/b/ end", ["a/b"]),
        ("&#39; \\#no <b style='color:#fff'>", []),
        ("#- #_ #/", []),
    ],
)
def test_text_tags_follow_obsidian(text: str, tags: list[str]) -> None:
    assert text_tags(text) == tags


def test_a_facet_takes_what_lies_below_it() -> None:
    assert tag_matches("tool", "tool/x")
    assert tag_matches("#Tool", "tool")
    assert tag_matches("tool/*", "tool/x")
    assert not tag_matches("tool", "toolbox/x")
    assert not tag_matches("tool/x", "tool")


def test_each_wanted_tag_has_to_be_there() -> None:
    assert has_tags(["tool", "type/hub"], ["tool/x", "type/hub"])
    assert not has_tags(["tool", "type/hub"], ["tool/x"])
    assert has_tags([], [])


def test_unicode_forms_of_a_tag_are_one() -> None:
    assert fold_tag("#Cafe\u0301") == fold_tag("café") == "café"
