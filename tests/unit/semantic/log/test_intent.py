from __future__ import annotations

from memoryd.text.canonical import digest
from semantic.log.intent import decision_id, intent_of


def test_an_intent_ignores_case_and_spacing_of_title_and_why() -> None:
    assert intent_of(None, "Use  Qdrant", "It IS fast", []) == intent_of(None, "use qdrant ", "it is fast", [])
    assert intent_of(None, "a", "b", []) == digest("user", None, "a", "b", [])
    assert intent_of("p-00000000", "a", "b", []) == digest("project", "p-00000000", "a", "b", [])


def test_mutations_count_as_they_are_and_in_order() -> None:
    one, other = {"op": "split", "id": "el_1"}, {"op": "split", "id": "el_2"}
    assert intent_of(None, "a", "b", [one, other]) != intent_of(None, "a", "b", [other, one])


def test_a_decision_id_is_made_of_intent_and_sorted_supersedes() -> None:
    assert decision_id("i", ["b", "a"]) == "de_" + digest("i", ["a", "b"], length=24) == decision_id("i", ["a", "b"])
