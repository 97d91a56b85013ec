from __future__ import annotations

import pytest

from memoryd.text.canonical import digest
from semantic.identity import NameIndex, element_id, loose_name, one_letter_apart, why_near


def test_an_element_id_is_the_hash_of_scope_project_kind_and_name() -> None:
    assert element_id(None, "Tool", " Qdrant  DB ") == "el_" + digest("user", None, "tool", "qdrant db", length=20)
    assert element_id("p-00000000", "tool", "x") == "el_" + digest("project", "p-00000000", "tool", "x", length=20)


def test_case_width_and_spaces_do_not_count_and_accents_do() -> None:
    assert element_id(None, "tool", "Ｑｄｒａｎｔ") == element_id(None, "TOOL", "qdrant")
    assert element_id(None, "dish", "Ceník") != element_id(None, "dish", "Cenik")


def test_a_taken_id_gives_the_smallest_free_number() -> None:
    plain = element_id(None, "tool", "x")
    second = element_id(None, "tool", "x", {plain})
    third = element_id(None, "tool", "x", {plain, second})
    assert second == "el_" + digest("user", None, "tool", "x\u001f1", length=20)
    assert third == "el_" + digest("user", None, "tool", "x\u001f2", length=20)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café", "Cafe"),
        ("memory-daemon", "memory daemon"),
        ("memory_daemon", "MemoryDaemon"),
        ("ｍｅｍｏｒｙ", "memory"),
        ("Straße", "STRASSE"),
        ("Ёлка", "Елка"),
        ("postgres", "postgras"),
        ("postgres", "postgre"),
        ("postgresq", "postgres"),
        ("日 記", "日記"),
        ("kubernetes", "kubernets"),
    ],
)
def test_near_names(one: str, other: str) -> None:
    assert why_near(one, other) is not None
    assert why_near(other, one) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("kafka", "kafke"),
        ("seven77", "seven78"),
        ("sevenab", "sevenac"),
        ("Python 3.11", "Python 3.12"),
        ("release v1", "release v2"),
        ("postgres", "postrges"),  # two letters changed places: two edits
        ("postgres", "postgrafik"),
        ("かき", "がき"),  # voicing is a letter's own, not an accent
        ("???", "!!!"),
        ("日記", "日誌"),
    ],
)
def test_plainly_different_names(one: str, other: str) -> None:
    assert why_near(one, other) is None


def test_one_letter_apart() -> None:
    assert one_letter_apart("abc", "abd")
    assert one_letter_apart("abc", "ab")
    assert one_letter_apart("abc", "xabc")
    assert not one_letter_apart("abc", "abc")
    assert not one_letter_apart("abc", "abcde")
    assert not one_letter_apart("abc", "bca")


def test_loose_name_keeps_symbols_that_are_no_punctuation() -> None:
    assert loose_name("C++") != loose_name("C")
    assert loose_name("  ...  ") == ""


def test_the_index_finds_names_aliases_and_near_names_of_one_scope_and_kind() -> None:
    index = NameIndex()
    index.put("el_1", None, "tool", "Qdrant Cloud", ("QC",))
    index.put("el_2", "p-00000000", "tool", "Qdrant Cloud", ())
    assert [one.id for one in index.exact(None, "TOOL", "qdrant  cloud")] == ["el_1"]
    assert [one.alias for one in index.exact(None, "tool", "qc")] == [True]
    assert [one.id for one, _ in index.near(None, "tool", "Qdrant-Clowd")] == ["el_1"]
    assert index.near(None, "person", "Qdrant-Clowd") == []
    assert [one.id for one in index.of_other_kind(None, "person", "Qdrant Cloud")] == ["el_1"]


def test_the_index_forgets_former_names() -> None:
    index = NameIndex()
    index.put("el_1", None, "tool", "Qdrant", ())
    index.put("el_1", None, "tool", "Milvus", ())
    assert index.exact(None, "tool", "qdrant") == []
    index.drop("el_1")
    assert index.exact(None, "tool", "milvus") == []
    assert index.near(None, "tool", "milvus!") == []


def test_every_near_name_is_found_through_the_index() -> None:
    index = NameIndex()
    index.put("el_1", None, "tool", "abcdefgh", ())
    for place in range(8):
        for near in ("abcdefgh"[:place] + "abcdefgh"[place + 1 :], "abcdefgh"[:place] + "x" + "abcdefgh"[place:]):
            assert [one.id for one, _ in index.near(None, "tool", near)] == ["el_1"], near
