"""Fitting hits and parts into a limit."""

from __future__ import annotations

import pytest

from memoryd.render.budget import ELLIPSIS, Part, cut_text, fit, trim_hits
from memoryd.render.meter import cut_to_units, utf16_units
from memoryd.text.hit import Hit


def hit(name: str, title: str, text: str) -> Hit:
    return Hit(name, "episodic", "episode", title, text, 0.5)


def test_units_are_those_of_utf16() -> None:
    for text in ("", "abc", "Grüße", "日本語", "a😀b", "👨‍👩‍👧"):
        assert utf16_units(text) == len(text.encode("utf-16-le")) // 2


def test_a_cut_keeps_whole_characters() -> None:
    assert cut_to_units("a😀b", 2) == "a"
    assert cut_to_units("a😀b", 3) == "a😀"
    assert cut_to_units("abc", 9) == "abc"


def test_a_text_is_cut_at_a_sentence() -> None:
    text = "One short sentence. Another one follows here. And a third."
    assert cut_text(text, 50) == "One short sentence. Another one follows here." + ELLIPSIS
    assert cut_text(text, 21) == "One short sentence." + ELLIPSIS
    assert cut_text(text, 500) == text


def test_a_text_without_sentences_is_cut_between_words_or_graphemes() -> None:
    assert cut_text("alpha beta gamma delta", 12) == "alpha beta" + ELLIPSIS
    family = "👨‍👩‍👧"
    assert cut_text(family * 3, utf16_units(family) + 3) == family + ELLIPSIS
    assert cut_text("日本語の文。次の文です。", 8) == "日本語の文。" + ELLIPSIS


@pytest.mark.parametrize("units", range(30))
def test_a_cut_text_never_exceeds_its_limit(units: int) -> None:
    for text in ("Eins. Zwei. Drei vier fünf sechs sieben acht.", "😀" * 40, "x" * 60, "長い文が続く。" * 9):
        assert utf16_units(cut_text(text, units)) <= units


def test_hits_are_trimmed_from_the_end() -> None:
    hits = [hit("a", "A", "x" * 40), hit("b", "B", "First sentence of it. Second sentence of it."), hit("c", "C", "y")]
    trimmed = trim_hits(hits, 70)
    assert [one.id for one in trimmed.hits] == ["a", "b"]
    assert trimmed.hits[1].text == "First sentence of it." + ELLIPSIS
    assert (trimmed.cut, trimmed.dropped) == ("b", ("c",))
    assert sum(utf16_units(one.title) + utf16_units(one.text) for one in trimmed.hits) <= 70


def test_a_hit_without_room_for_its_text_is_dropped() -> None:
    trimmed = trim_hits([hit("a", "A", "x" * 40), hit("b", "A long title of something", "text " * 30)], 60)
    assert [one.id for one in trimmed.hits] == ["a"]
    assert (trimmed.cut, trimmed.dropped) == (None, ("b",))
    assert trim_hits([], 10).hits == ()
    assert trim_hits([hit("a", "A", "x" * 40)], 0).dropped == ("a",)


def test_parts_are_filled_in_order_and_say_what_they_lost() -> None:
    parts = [Part("one", "## One", ("- a", "- " + "b" * 80, "- c")), Part("two", "## Two", ("- d",))]
    fitted = fit(parts, 40)
    assert [part.lines for part in fitted.parts] == [("- a", "- c"), ("- d",)]
    assert fitted.left_out == {"one": 1}
    assert fit(parts, 5).parts == ()
