"""Terms never raise, and every spelling of a text has the terms of its canonical spelling."""

from __future__ import annotations

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.text.bm25 import K1, document_weights, query_weights
from memoryd.text.fence import strip, wrap
from memoryd.text.rrf import fuse
from memoryd.text.terms import MAX_TERM, TERM_IDS, term_id, terms

ANY = st.text(st.characters(), max_size=80)  # lone surrogates too
LANGUAGES = st.lists(st.sampled_from(["en", "de", "fr", "es", "ru", "tr", "xx", ""]), max_size=3)
WORDS = st.text(st.characters(categories=["Ll", "Lo"]), min_size=1, max_size=12)


@settings(deadline=None)
@given(ANY, LANGUAGES)
def test_any_text_in_any_languages_has_terms_of_bounded_size(text: str, languages: list[str]) -> None:
    found = terms(text, languages)
    assert all(found)
    assert all(len(term) <= 3 * MAX_TERM for term in found)
    assert all(0 <= term_id(term) < TERM_IDS for term in found)
    assert terms(text, tuple(languages)) == found


@settings(deadline=None)
@given(ANY)
def test_composition_does_not_matter(text: str) -> None:
    assert terms(unicodedata.normalize("NFD", text)) == terms(unicodedata.normalize("NFC", text))


@settings(deadline=None)
@given(WORDS, ANY)
def test_a_word_is_found_in_a_text_that_holds_it(word: str, around: str) -> None:
    assert set(terms(f" {word} ")) <= set(terms(f"{around} {word} {around}"))


@given(st.lists(st.sampled_from(["a", "b", "c", "dd"]), max_size=200))
def test_weights_stay_between_zero_and_the_bound(words: list[str]) -> None:
    weights = document_weights(words)
    assert set(weights) == {term_id(word) for word in words}
    assert all(0 < weight < K1 + 1 for weight in weights.values())
    asked = query_weights(words, {term_id("a"): 3}, 5)
    assert set(asked) <= {term_id("a")}
    assert all(weight > 0 for weight in asked.values())


@given(st.dictionaries(st.sampled_from("xyz"), st.lists(st.sampled_from("abcdef"), max_size=6), max_size=3))
def test_fusion_is_bounded_complete_and_in_order(rankings: dict[str, list[str]]) -> None:
    fused = fuse(rankings)
    assert {hit.id for hit in fused} == {id_ for ids in rankings.values() for id_ in ids}
    assert all(0 < hit.score <= 1 for hit in fused)
    assert [hit.score for hit in fused] == sorted((hit.score for hit in fused), reverse=True)
    assert fuse(dict(reversed(rankings.items()))) == fused


@given(ANY, ANY, ANY, ANY)
def test_what_is_wrapped_is_taken_out_again(before: str, text: str, attribution: str, after: str) -> None:
    assert strip(f"{before}{wrap(text, attribution)}{after}") == before + after


@given(st.text(alphabet="aBc1Z0_ .-/\\:@'+#,\n\t!()\"*~<=&%", max_size=20))
def test_plain_text_has_the_terms_that_it_has_beside_other_text(text: str) -> None:
    """Texts of ASCII alone are read by a faster pattern, which finds the same."""
    assert terms(f"{text} ä") == [*terms(text), *terms("ä")]
