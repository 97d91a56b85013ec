from __future__ import annotations

import pytest
import regex

from memoryd.text.sentences import cut_graphemes, estimate_tokens, split_sentences


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("abcd", 1.48), ("漢字", 1.5), ("한국", 1.5), ("カナ", 1.5), ("ａ。", 1.5), ("a漢", 1.12), ("é🦉", 0.74)],
)
def test_estimate(text: str, tokens: float) -> None:
    assert estimate_tokens(text) == pytest.approx(tokens)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four", ["One. ", "Two! ", "Three? ", "Four"]),
        ('He said "no." Then left.', ['He said "no." ', "Then left."]),
        ("昨日はした。今日は？明日！", ["昨日はした。", "今日は？", "明日！"]),
        ("他说：「好。」然后走了。", ["他说：「好。」", "然后走了。"]),
        ("यह है। वह था।", ["यह है। ", "वह था।"]),
        ("ما هذا؟ هذا كتاب.", ["ما هذا؟ ", "هذا كتاب."]),
        ("See e.g. Smith. Dr. No came.", ["See e.g. Smith. ", "Dr. No came."]),
        ("Am 3. Mai kam z.B. Anna. Gut.", ["Am 3. Mai kam z.B. Anna. ", "Gut."]),
        ("See No. 5 now. Yes", ["See No. 5 now. ", "Yes"]),
        ("In 2020. Then", ["In 2020. ", "Then"]),
        ("v1.2.3 is out. Yes", ["v1.2.3 is out. ", "Yes"]),
        ("J. Smith wrote. He", ["J. Smith wrote. ", "He"]),
        ("no stop\n\nnew one", ["no stop\n\n", "new one"]),
        ("one\ntwo", ["one\ntwo"]),
        ("a ... b", ["a ... b"]),
        ("", []),
        (". x", [". x"]),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences
    assert "".join(split_sentences(text)) == text


def test_no_sentence_begins_with_a_combining_mark() -> None:
    assert split_sentences("One. \u0301B. Can") == ["One. \u0301B. ", "Can"]
    assert split_sentences("。\ufe0fx。y") == ["。\ufe0fx。", "y"]


def test_cut_prefers_white_space() -> None:
    parts = cut_graphemes("word " * 100, 37)
    assert "".join(parts) == "word " * 100
    assert all(part.endswith(" ") for part in parts)
    assert all(estimate_tokens(part) <= 37 for part in parts)


def test_cut_prefers_a_line_end_to_a_space() -> None:
    parts = cut_graphemes("aaaa bbbb cccc\ndddd eeee ffff", 9)
    assert parts == ["aaaa bbbb cccc\n", "dddd eeee ffff"]


@pytest.mark.parametrize(
    "grapheme", ["e\u0301", "👨\u200d👩\u200d👧", "🇩🇪", "각", "\u1100\u1161\u11a8", "ก็", "नि", "漢", "\r\n"]
)
def test_cut_never_splits_a_grapheme(grapheme: str) -> None:
    text = grapheme * 200
    parts = cut_graphemes(text, 7.5)
    assert "".join(parts) == text
    assert len(parts) > 1
    assert [g for part in parts for g in regex.findall(r"\X", part)] == [grapheme] * 200
    assert all(estimate_tokens(part) <= 7.5 for part in parts)


def test_a_flood_of_marks_is_cut_inside_at_last() -> None:
    text = "ok a" + "\u0301" * 5000 + " fine"
    parts = cut_graphemes(text, 45)
    assert "".join(parts) == text
    assert all(estimate_tokens(part) <= 45 + 1e-9 for part in parts)


def test_cut_of_what_fits() -> None:
    assert cut_graphemes("abc", 10) == ["abc"]
    assert cut_graphemes("", 10) == []


def test_refuses_a_limit_below_one_character() -> None:
    with pytest.raises(ValueError, match="below one character"):
        cut_graphemes("abc", 0.5)
