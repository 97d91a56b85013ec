"""Spans of time in the words of questions. The present is Wednesday, 15 July 2026, 10:00 in Berlin."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memoryd.router.temporal import read_span

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 7, 15, 10, 0, tzinfo=BERLIN)


def read(question: str, language: str | None = None) -> str | None:
    """Return the first and last day of a span, one where they are the same, and hours where it is a part of a day."""
    span = read_span(question, NOW, language)
    if span is None:
        return None
    since = span.window.since.astimezone(BERLIN) if span.window.since is not None else None
    until = span.window.until.astimezone(BERLIN) if span.window.until is not None else None
    if since is not None and until is not None and since.hour == until.hour == 0:
        last = (until - timedelta(days=1)).date()
        return f"{since.date()}" if last == since.date() else f"{since.date()} {last}"
    return (
        f"{since:%Y-%m-%d %H} {until:%Y-%m-%d %H}"
        if since and until
        else f"{since and since.date()} {until and until.date()}"
    )


ENGLISH = {
    "what did I do today": "2026-07-15",
    "what did we do yesterday?": "2026-07-14",
    "the day before yesterday": "2026-07-13",
    "three days ago": "2026-07-12",
    "a couple of weeks ago": "2026-06-29 2026-07-05",
    "2 months ago": "2026-05-01 2026-05-31",
    "a year ago": "2025-01-01 2025-12-31",
    "this week": "2026-07-13 2026-07-19",
    "last week": "2026-07-06 2026-07-12",
    "last month": "2026-06-01 2026-06-30",
    "last quarter": "2026-04-01 2026-06-30",
    "this quarter": "2026-07-01 2026-09-30",
    "last year": "2025-01-01 2025-12-31",
    "the last 7 days": "2026-07-08 2026-07-15",
    "in the last three months": "2026-04-15 2026-07-15",
    "past 2 hours": "2026-07-15 08 2026-07-15 10",
    "on Friday": "2026-07-10",
    "last Friday": "2026-07-10",
    "on Wednesday": "2026-07-08",
    "this Monday": "2026-07-13",
    "Monday last week": "2026-07-06",
    "since Monday": "2026-07-13 2026-07-15",
    "from Monday onwards": "2026-07-13 2026-07-15",
    "in March": "2026-03-01 2026-03-31",
    "in December": "2025-12-01 2025-12-31",
    "in March 2024": "2024-03-01 2024-03-31",
    "early March 2025": "2025-03-01 2025-03-10",
    "at the beginning of November 2022": "2022-11-01 2022-11-10",
    "late February 2024": "2024-02-21 2024-02-29",
    "Q3 2025": "2025-07-01 2025-09-30",
    "in the third quarter of 2025": "2025-07-01 2025-09-30",
    "Q4": "2025-10-01 2025-12-31",
    "between March and May 2024": "2024-03-01 2024-05-31",
    "from March 2024 to May": "2024-03-01 2024-05-31",
    "from November 2024 to February": "2024-11-01 2025-02-28",
    "between Monday and Wednesday": "2026-07-06 2026-07-08",
    "from 3 to 5 May 2023": "2023-05-03 2023-05-05",
    "between 2024-03-05 and 2024-03-09": "2024-03-05 2024-03-09",
    "between 2019 and 2021": "2019-01-01 2021-12-31",
    "yesterday and today": "2026-07-14 2026-07-15",
    "on 2024-03-05": "2024-03-05",
    "at 2024-03-05T14:00:00Z": "2024-03-05",
    "5 May 2023": "2023-05-05",
    "on the 5th of May, 2023": "2023-05-05",
    "May 5, 2023": "2023-05-05",
    "Friday, 5 May 2023": "2023-05-05",
    "May 5": "2026-05-05",
    "on 31 July, 2023": "2023-07-31",
    "December 24": "2025-12-24",
    "29 February": "2024-02-29",
    "3/15/2024": "2024-03-15",
    "15/3/2024": "2024-03-15",
    "in 2023": "2023-01-01 2023-12-31",
    "since May": "2026-05-01 2026-07-15",
    "before March": "None 2026-03-01",
    "until Friday": "None 2026-07-11",
    "after 2026-07-01": "2026-07-02 2026-07-15",
    "this morning": "2026-07-15 04 2026-07-15 12",
    "yesterday evening": "2026-07-14 17 2026-07-15 00",
    "last night": "2026-07-14 18 2026-07-15 06",
    "Monday afternoon": "2026-07-13 12 2026-07-13 18",
    "yesterday, morning to night": "2026-07-14",
    "last weekend": "2026-07-11 2026-07-12",
    "on the weekend": "2026-07-11 2026-07-12",
    "last summer": "2025-06-01 2025-08-31",
    "in the summer of 2023": "2023-06-01 2023-08-31",
    "calendar week 12": "2026-03-16 2026-03-22",
    "2025-W12": "2025-03-17 2025-03-23",
    "a few days ago": "2026-07-08 2026-07-13",
}
GERMAN = {
    "was habe ich heute gemacht": "2026-07-15",
    "gestern": "2026-07-14",
    "vorgestern": "2026-07-13",
    "vor drei Tagen": "2026-07-12",
    "vor zwei Wochen": "2026-06-29 2026-07-05",
    "vor einem Monat": "2026-06-01 2026-06-30",
    "seit drei Tagen": "2026-07-12 2026-07-15",
    "letzte Woche": "2026-07-06 2026-07-12",
    "diese Woche": "2026-07-13 2026-07-19",
    "im letzten Monat": "2026-06-01 2026-06-30",
    "letztes Quartal": "2026-04-01 2026-06-30",
    "letztes Jahr": "2025-01-01 2025-12-31",
    "in den letzten zwei Wochen": "2026-07-01 2026-07-15",
    "am Freitag": "2026-07-10",
    "letzten Freitag": "2026-07-10",
    "seit Montag": "2026-07-13 2026-07-15",
    "von Montag bis Mittwoch": "2026-07-06 2026-07-08",
    "im März": "2026-03-01 2026-03-31",
    "im März 2024": "2024-03-01 2024-03-31",
    "Anfang März": "2026-03-01 2026-03-10",
    "zwischen März und Mai 2024": "2024-03-01 2024-05-31",
    "am 5. Mai 2023": "2023-05-05",
    "am 5.5.2023": "2023-05-05",
    "am 5.3.": "2026-03-05",
    "vom 3. bis 5. Mai 2023": "2023-05-03 2023-05-05",
    "vor dem 5. Mai": "None 2026-05-05",
    "nach dem 1. Juli": "2026-07-02 2026-07-15",
    "bis Freitag": "None 2026-07-11",
    "KW 12": "2026-03-16 2026-03-22",
    "in KW 12/2025": "2025-03-17 2025-03-23",
    "im 3. Quartal 2025": "2025-07-01 2025-09-30",
    "im Jahr 2023": "2023-01-01 2023-12-31",
    "heute morgen": "2026-07-15 04 2026-07-15 12",
    "gestern Abend": "2026-07-14 17 2026-07-15 00",
    "Montagabend": "2026-07-13 17 2026-07-14 00",
    "gestern von morgens bis abends": "2026-07-14",
    "letzten Sommer": "2025-06-01 2025-08-31",
    "am Wochenende": "2026-07-11 2026-07-12",
}
OTHERS = {
    "hier": "2026-07-14",
    "la semaine dernière": "2026-07-06 2026-07-12",
    "il y a trois jours": "2026-07-12",
    "depuis lundi": "2026-07-13 2026-07-15",
    "en mars 2024": "2024-03-01 2024-03-31",
    "le 5 mai 2023": "2023-05-05",
    "ayer": "2026-07-14",
    "la semana pasada": "2026-07-06 2026-07-12",
    "hace tres días": "2026-07-12",
    "el 5 de mayo de 2023": "2023-05-05",
    "anoche": "2026-07-14 18 2026-07-15 06",
    "昨天我们做了什么": "2026-07-14",
    "上周": "2026-07-06 2026-07-12",
    "上周五": "2026-07-10",
    "三天前": "2026-07-12",
    "2024年3月5日": "2024-03-05",
    "三月到五月": "2026-03-01 2026-05-31",
    "去年": "2025-01-01 2025-12-31",
    "周一以来": "2026-07-13 2026-07-15",
    "昨日": "2026-07-14",
    "先週": "2026-07-06 2026-07-12",
    "先週の金曜日": "2026-07-10",
    "3日前": "2026-07-12",
    "先月": "2026-06-01 2026-06-30",
    "3月から5月まで": "2026-03-01 2026-05-31",
    "今朝": "2026-07-15 04 2026-07-15 12",
}


@pytest.mark.parametrize(("question", "days"), [*ENGLISH.items(), *GERMAN.items(), *OTHERS.items()])
def test_spans(question: str, days: str) -> None:
    assert read(question) == days


@pytest.mark.parametrize(
    "question",
    [
        "can we do it",
        "what may we change",
        "we march on",
        "give me a second",
        "the sun sat on mars",
        "a marble summary of the sunday-school",
        "every Monday",
        "on Mondays",
        "next Friday",
        "this Friday",
        "tomorrow",
        "31 June 2024",
        "in 2023 files",
        "version 2023",
        "port 2024",
        "v2.5.1 and 10.0.0.1",
        "3/5/2024",
        "bean in Spring",
        "jeden Montag",
        "wir so und die da",
        "chaque lundi",
        "cada lunes",
        "每周一",
        "毎週月曜日",
        "",
    ],
)
def test_what_is_no_span(question: str) -> None:
    assert read(question) is None


@pytest.mark.parametrize(
    ("question", "text", "remainder", "has_content"),
    [
        ("what did I do yesterday?", "yesterday", "what did I do ?", False),
        ("what happened yesterday, morning to night?", "yesterday, morning to night", "what happened ?", False),
        ("What did we decide about caching last week?", "last week", "What did we decide about caching ?", True),
        ("Summarize what I did on Friday", "on Friday", "Summarize what I did", False),
        ("Was haben wir gestern gemacht?", "gestern", "Was haben wir gemacht?", False),
        ("Was haben wir gestern am Parser gemacht?", "gestern", "Was haben wir am Parser gemacht?", True),
        ("昨天我们做了什么？", "昨天", "我们做了什么？", False),
        ("昨天我们讨论了缓存吗？", "昨天", "我们讨论了缓存吗？", True),
        ("先週何をしましたか？", "先週", "何をしましたか？", False),
        ("Que s'est-il passé hier ?", "hier", "Que s'est-il passé ?", False),
        ("¿Qué hicimos ayer?", "ayer", "¿Qué hicimos ?", False),
        ("2024-03", "2024-03", "", False),
    ],
)
def test_words_and_remainder(question: str, text: str, remainder: str, has_content: bool) -> None:
    span = read_span(question, NOW)
    assert span is not None
    assert (span.text, span.remainder, span.has_content) == (text, remainder, has_content)


def test_a_day_on_which_clocks_change_is_as_long_as_it_is() -> None:
    spring = read_span("yesterday", datetime(2026, 3, 30, 9, tzinfo=BERLIN))
    autumn = read_span("yesterday", datetime(2026, 10, 26, 9, tzinfo=BERLIN))
    assert spring is not None
    assert autumn is not None
    lengths = []
    for window in (spring.window, autumn.window):
        assert window.since is not None
        assert window.until is not None
        lengths.append(window.until - window.since)
    assert lengths == [timedelta(hours=23), timedelta(hours=25)]


def test_a_midnight_that_a_clock_change_skips_is_the_change() -> None:
    santiago = ZoneInfo("America/Santiago")
    span = read_span("today", datetime(2024, 9, 8, 12, tzinfo=santiago))
    assert span is not None
    assert span.window.since is not None
    assert span.window.since.astimezone(UTC) == datetime(2024, 9, 8, 4, tzinfo=UTC)


def test_the_zone_of_the_present_is_the_calendars() -> None:
    at = datetime(2026, 7, 15, 23, 30, tzinfo=UTC)
    berlin, tokyo = (read_span("today", at.astimezone(ZoneInfo(zone))) for zone in ("Europe/Berlin", "Asia/Tokyo"))
    assert berlin is not None
    assert tokyo is not None
    assert berlin.window.since == datetime(2026, 7, 15, 22, tzinfo=UTC)
    assert tokyo.window.since == datetime(2026, 7, 15, 15, tzinfo=UTC)


def test_spans_over_the_end_of_a_year() -> None:
    new_year = datetime(2026, 1, 1, 8, tzinfo=BERLIN)
    for question, since in (
        ("yesterday", "2025-12-31"),
        ("last month", "2025-12-01"),
        ("last quarter", "2025-10-01"),
        ("this week", "2025-12-29"),
        ("3 days ago", "2025-12-29"),
        ("calendar week 1", "2025-12-29"),
    ):
        span = read_span(question, new_year)
        assert span is not None
        assert span.window.since is not None
        assert span.window.since.date().isoformat() == since


def test_the_present_needs_a_zone() -> None:
    with pytest.raises(ValueError, match="zone"):
        read_span("yesterday", datetime(2026, 7, 15))


@pytest.mark.parametrize(
    "question",
    [
        "decisions in July",
        "decisions since November",
        "which decisions did we make last month?",
        "Entscheidungen im Juli",
        "décisions en juillet",
        "decisiones de julio",
        "7月の決定",
        "七月的决定",
    ],
)
def test_a_word_for_decisions_beside_a_span_is_nothing_to_search_for(question: str) -> None:
    """Decisions are dated events: who asks for those of a time wants that time read in order."""
    span = read_span(question, NOW)
    assert span is not None
    assert not span.has_content
