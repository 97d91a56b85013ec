from __future__ import annotations

import pytest

from semantic.search.mention import NameFinder, name_tokens


def finder() -> NameFinder:
    held = NameFinder()
    held.put("milvus", ["Milvus Lite", "向量数据库"])
    held.put("cafe", ["Café Größe"])
    held.put("notebook", ["Notebook"])
    held.put("v2", ["Release v2.1"])
    held.put("garden", ["🍀 花园导览"])
    held.put("snake", ["snake_case"])
    return held


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("What is Milvus Lite?", "milvus"),
        ("milvus-lite", "milvus"),
        ("Ｍｉｌｖｕｓ　Ｌｉｔｅ", "milvus"),
        ("mlivus lite", "milvus"),
        ("milvuss lite", "milvus"),
        ("向量数据库是什么", "milvus"),
        ("cafe grösse", "cafe"),
        ("note book", "notebook"),
        ("花园导览", "garden"),
        ("snakecase", "snake"),
        ("snake case", "snake"),
        ("release v2.1", "v2"),
    ],
)
def test_finds_the_name(text: str, owner: str) -> None:
    assert [found for found, _ in finder().find(text, lambda _: 1.0)] == [owner]


@pytest.mark.parametrize("text", ["", "?!", "release v3.1", "nothing of the kind", "向量", "milvus"])
def test_finds_no_other(text: str) -> None:
    assert finder().find(text, lambda _: 1.0) == []


def test_a_name_by_the_way_leads_nowhere() -> None:
    assert finder().find("how many people sat in the notebook yesterday and why", lambda _: 1.0) == []
    weights = {"notebook": 9.0}
    assert finder().find("how many people sat in the notebook", lambda token: weights.get(token, 0.5)) != []


def test_an_exact_name_beats_a_slip() -> None:
    held = NameFinder()
    held.put("a", ["Colour"])
    held.put("b", ["Colours"])
    held.put("c", ["Coloir"])
    [(first, exact)] = held.find("Colour", lambda _: 1.0)
    assert (first, exact) == ("a", 1.0)
    assert [owner for owner, _ in held.find("colouur", lambda _: 1.0)] == ["a"]


def test_a_number_or_two_letters_are_a_name_only_alone() -> None:
    held = NameFinder()
    held.put("two", ["2"])
    held.put("go", ["Go"])
    assert held.find("ENOENT 2", lambda _: 1.0) == []
    assert held.find("go there", lambda _: 1.0) == []
    assert held.find("Go?", lambda _: 1.0) == [("go", 1.0)]
    assert held.find("2", lambda _: 1.0) == [("two", 1.0)]


def test_names_go_with_their_owner() -> None:
    held = finder()
    held.put("milvus", ["Other"])
    assert held.find("milvus lite", lambda _: 1.0) == []
    held.drop("milvus")
    held.drop("milvus")
    assert held.find("other", lambda _: 1.0) == []


def test_a_huge_question_ends() -> None:
    held = finder()
    held.find("milvus " * 100_000, lambda _: 1.0)
    held.find("x" * 1_000_000, lambda _: 1.0)


def test_tokens_split_scripts_without_spaces() -> None:
    assert name_tokens("Milvus 向量 Größe") == ["milvus", "向", "量", "grosse"]
