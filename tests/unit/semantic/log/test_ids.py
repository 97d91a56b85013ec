from __future__ import annotations

import pytest

from semantic.log.ids import is_element, is_episode, is_forgettable, is_mentionable, is_note, is_path_end, note_id

EL, NO, DE, EP = "el_" + "0" * 20, "no_" + "a" * 20, "de_" + "1" * 24, "ep_01JEXAMPLE0000000000000000"


def test_each_form_is_told_from_the_others() -> None:
    forms = {is_element: {EL}, is_note: {NO}, is_episode: {EP}, is_path_end: {"path:p:a b.py"}}
    for tells, mine in forms.items():
        for text in (EL, NO, DE, EP, "path:p:a b.py", "path::x", "", None, 3):
            assert tells(text) == (text in mine or (tells is is_path_end and text == "path::x")), (tells, text)


@pytest.mark.parametrize("text", [EL, NO, DE, EP, "path:p:a.py", "path::with\na line end"])
def test_any_id_may_be_mentioned(text: str) -> None:
    assert is_mentionable(text)
    assert is_forgettable(text) == (text in {EL, DE, EP})


@pytest.mark.parametrize("text", ["el_1", "xx_" + "0" * 20, "path:p q:a", "path:p:", " " + EL, EL + "\n", 7, None])
def test_what_is_no_id_is_refused(text: object) -> None:
    assert not is_mentionable(text)
    assert not is_forgettable(text)


def test_a_notes_id_knows_one_form_of_its_path_only() -> None:
    assert note_id("v", "Café.md") == note_id("v", "Cafe\u0301.md")
    assert is_note(note_id("v", "a.md"))
    assert note_id("v", "a.md") != note_id("w", "a.md")
