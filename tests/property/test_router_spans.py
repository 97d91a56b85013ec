"""Whatever is asked, reading its span never fails and keeps its promises."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.router.anchor import read_anchor
from memoryd.router.decide import decide
from memoryd.router.temporal import read_span
from memoryd.router.timewords import TIME_WORDS

ZONES = ["UTC", "Europe/Berlin", "America/Santiago", "Asia/Kathmandu", "Australia/Lord_Howe", "America/Havana"]
CONNECTORS = """since before after until between and from to last this next ago seit vor bis zwischen und
von am im Q3 KW

desde hasta entre depuis avant 以来 之前 到 から まで 前 2024-02-30 31.4.2024 2024 0 12 9999 week 53 in on the of"""
WORDS = [
    word
    for words in TIME_WORDS.values()
    for table in (words.vocabulary(), words.thirds, words.halves, words.named_days, words.ordinals, words.other)
    for word in table
]
VOCABULARY = sorted({*WORDS, *CONNECTORS.split()})
questions = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(VOCABULARY), max_size=7).map(" ".join),
    st.lists(st.sampled_from(VOCABULARY), max_size=7).map("".join),
)
presents = st.builds(
    lambda at, zone: at.replace(tzinfo=UTC).astimezone(ZoneInfo(zone)),
    st.datetimes(datetime(1999, 1, 1), datetime(2100, 1, 1)),
    st.sampled_from(ZONES),
)


@settings(max_examples=300, deadline=None)
@given(questions, presents, st.sampled_from([None, *TIME_WORDS]))
def test_a_span_is_in_order_and_in_the_question(question: str, now: datetime, language: str | None) -> None:
    span = read_span(question, now, language)
    if span is None:
        return
    since, until = span.window.since, span.window.until
    assert since is not None or until is not None
    assert since is None or until is None or since < until
    assert span.text
    assert span.text in question
    before, _, after = question.partition(span.text)
    assert len(span.remainder) <= len(before) + len(after) + 1 or question.count(span.text) > 1


@settings(max_examples=200, deadline=None)
@given(questions, presents, st.sampled_from(list(TIME_WORDS)))
def test_reading_what_is_left_comes_to_an_end(question: str, now: datetime, language: str) -> None:
    span = read_span(question, now, language)
    assert span == read_span(question, now, language)
    while span is not None:
        assert len(span.remainder) < len(question)
        question = span.remainder
        span = read_span(question, now, language)


@settings(max_examples=200, deadline=None)
@given(questions, st.sampled_from(list(TIME_WORDS)))
def test_an_anchor_stands_in_the_question(question: str, language: str) -> None:
    anchor = read_anchor(question, language)
    if anchor is not None:
        assert anchor.phrase
        assert anchor.phrase in question[anchor.start : anchor.end]


@settings(max_examples=300, deadline=None)
@given(questions, presents)
def test_a_route_is_always_given_with_reasons(question: str, now: datetime) -> None:
    route = decide(question, now=now)
    assert route.store in {"episodic", "semantic", "both"}
    assert 0 <= route.confidence <= 1
    assert route.reasons
    assert all(route.reasons)
    assert route == decide(question, now=now)
