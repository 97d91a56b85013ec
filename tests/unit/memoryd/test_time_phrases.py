"""Spans of time in questions as people ask them, by language. It is Wednesday, 15 July 2026, 10:00 in Berlin.

A window is written as its first and last day, one day alone where they are the same; ``..`` at an end leaves it open;
hours stand behind an ``@``: ``2026-07-14@17-24``.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memoryd.router.temporal import read_span

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 7, 15, 10, 0, tzinfo=BERLIN)
TODAY = "2026-07-15"

ENGLISH = {
    "what happened the day before yesterday?": "2026-07-13",
    "show me everything from yesterday morning": "2026-07-14@4-12",
    "what did I break last night": "2026-07-14@18-30",
    "what did we ship earlier today?": TODAY,
    "what did we ship earlier this week?": "2026-07-13 2026-07-19",
    "what did we decide a week ago": "2026-07-06 2026-07-12",
    "which bugs did I fix two weeks ago on Tuesday?": "2026-06-30",
    "Tuesday two weeks ago": "2026-06-30",
    "what was I doing three months ago": "2026-04-01 2026-04-30",
    "the past fortnight": "2026-07-01 2026-07-15",
    "what have I done in the last couple of days": "2026-07-13 2026-07-15",
    "over the past few weeks": "2026-05-27 2026-07-15",
    "what did we talk about the other day": "2026-07-08 2026-07-13",
    "what changed since last Monday": "2026-07-13 2026-07-15",
    "what changed since last week": "2026-07-06 2026-07-15",
    "what changed between last Monday and yesterday": "2026-07-13 2026-07-14",
    "what did we do the week of 22 June?": "2026-06-22 2026-06-28",
    "in the week of June 3rd, 2025": "2025-06-02 2025-06-08",
    "end of last month": "2026-06-21 2026-06-30",
    "at the beginning of last week": "2026-07-06 2026-07-07",
    "towards the end of 2024": "2024-09-01 2024-12-31",
    "early this year": "2026-01-01 2026-04-30",
    "mid-March": "2026-03-11 2026-03-20",
    "on the 3rd": "2026-07-03",
    "on the 20th": "2026-06-20",
    "since the 10th": "2026-07-10 2026-07-15",
    "in the first half of 2025": "2025-01-01 2025-06-30",
    "H2 2025": "2025-07-01 2025-12-31",
    "what did we do in Q1?": "2026-01-01 2026-03-31",
    "from Q2 to Q3 2025": "2025-04-01 2025-09-30",
    "between January and February": "2026-01-01 2026-02-28",
    "from 28 December to 3 January": "2025-12-28 2026-01-03",
    "until the end of May": ".. 2026-05-31",
    "before last weekend": ".. 2026-07-10",
    "after the weekend": "2026-07-13 2026-07-15",
    "on Christmas Eve": "2025-12-24",
    "since New Year's Day": "2026-01-01 2026-07-15",
    "over Christmas 2024": "2024-12-24 2024-12-26",
    "two summers ago": None,
    "the year before last": "2024-01-01 2024-12-31",
    "the month before last": "2026-05-01 2026-05-31",
    "half a year ago": "2026-01-01 2026-01-31",
    "an hour ago": "2026-07-15@8-10",
    "in the last half hour": None,
    "on Monday and Tuesday": "2026-07-13 2026-07-14",
    "July 2026": "2026-07-01 2026-07-31",
    "the 14th of July": "2026-07-14",
    "14/07/2026": "2026-07-14",
    "2026-W28": "2026-07-06 2026-07-12",
    "what did I do on Thursday, July 9?": "2026-07-09",
    "Sep 2025": "2025-09-01 2025-09-30",
    "from 2025-12-30 until 2026-01-02": "2025-12-30 2026-01-02",
    "the next release": None,
    "every other week": None,
    "what may have caused it": None,
}
GERMAN = {
    "was war vorgestern los?": "2026-07-13",
    "Was habe ich gestern Vormittag gemacht?": "2026-07-14@4-12",
    "heute früh": "2026-07-15@4-12",
    "letzte Nacht": "2026-07-14@18-30",
    "Was haben wir vor einer Woche beschlossen?": "2026-07-06 2026-07-12",
    "vor 14 Tagen": "2026-07-01",
    "vor einem halben Jahr": "2026-01-01 2026-01-31",
    "in den letzten Tagen": "2026-07-08 2026-07-15",
    "in den letzten paar Wochen": "2026-05-27 2026-07-15",
    "in den vergangenen zwei Monaten": "2026-05-15 2026-07-15",
    "neulich": "2026-07-08 2026-07-13",
    "seit letzter Woche": "2026-07-06 2026-07-15",
    "seit letztem Montag": "2026-07-13 2026-07-15",
    "seit gestern": "2026-07-14 2026-07-15",
    "am vorletzten Montag": "2026-07-06",
    "vorletzte Woche": "2026-06-29 2026-07-05",
    "vorletzten Monat": "2026-05-01 2026-05-31",
    "in der Woche vom 22. Juni": "2026-06-22 2026-06-28",
    "Ende letzten Monats": "2026-06-21 2026-06-30",
    "Anfang letzter Woche": "2026-07-06 2026-07-07",
    "Ende 2024": "2024-09-01 2024-12-31",
    "Mitte März": "2026-03-11 2026-03-20",
    "Anfang des Jahres": "2026-01-01 2026-04-30",
    "im ersten Halbjahr 2025": "2025-01-01 2025-06-30",
    "im zweiten Quartal": "2026-04-01 2026-06-30",
    "Q3 2025": "2025-07-01 2025-09-30",
    "zwischen Januar und Februar": "2026-01-01 2026-02-28",
    "vom 28. Dezember bis zum 3. Januar": "2025-12-28 2026-01-03",
    "von gestern bis heute": "2026-07-14 2026-07-15",
    "bis Ende Mai": ".. 2026-05-31",
    "vor dem Wochenende": ".. 2026-07-10",
    "nach dem Wochenende": "2026-07-13 2026-07-15",
    "an Heiligabend": "2025-12-24",
    "seit Neujahr": "2026-01-01 2026-07-15",
    "an Weihnachten 2024": "2024-12-24 2024-12-26",
    "an Silvester": "2025-12-31",
    "vorletztes Jahr": "2024-01-01 2024-12-31",
    "Donnerstag, den 9. Juli": "2026-07-09",
    "am 9.7.2026": "2026-07-09",
    "im Juli 2026": "2026-07-01 2026-07-31",
    "diesen Montag": "2026-07-13",
    "Dienstagabend": "2026-07-14@17-24",
    "übers Wochenende": "2026-07-11 2026-07-12",
    "KW 28": "2026-07-06 2026-07-12",
    "nächste Woche": None,
    "jeden zweiten Freitag": None,
    "die 3. Version": None,
}
FRENCH = {
    "qu'est-ce que j'ai fait avant-hier ?": "2026-07-13",
    "hier soir": "2026-07-14@17-24",
    "ce matin": "2026-07-15@4-12",
    "la nuit dernière": "2026-07-14@18-30",
    "il y a une semaine": "2026-07-06 2026-07-12",
    "il y a quinze jours": "2026-06-30",
    "il y a quelques jours": "2026-07-08 2026-07-13",
    "l'autre jour": "2026-07-08 2026-07-13",
    "ces derniers jours": "2026-07-08 2026-07-15",
    "au cours des trois derniers mois": "2026-04-15 2026-07-15",
    "les deux dernières semaines": "2026-07-01 2026-07-15",
    "le mois dernier": "2026-06-01 2026-06-30",
    "le trimestre dernier": "2026-04-01 2026-06-30",
    "l'année dernière": "2025-01-01 2025-12-31",
    "l'an dernier": "2025-01-01 2025-12-31",
    "cette semaine": "2026-07-13 2026-07-19",
    "lundi dernier": "2026-07-13",
    "lundi de la semaine dernière": "2026-07-06",
    "vendredi après-midi": "2026-07-10@12-18",
    "depuis hier": "2026-07-14 2026-07-15",
    "depuis la semaine dernière": "2026-07-06 2026-07-15",
    "depuis le 1er juillet": "2026-07-01 2026-07-15",
    "entre lundi et mardi": "2026-07-13 2026-07-14",
    "de mars à mai 2024": "2024-03-01 2024-05-31",
    "du 3 au 5 mai 2023": "2023-05-03 2023-05-05",
    "du 28 décembre au 3 janvier": "2025-12-28 2026-01-03",
    "avant le 5 mai": ".. 2026-05-04",
    "jusqu'à vendredi": ".. 2026-07-10",
    "après le 1er juillet": "2026-07-02 2026-07-15",
    "début mars": "2026-03-01 2026-03-10",
    "à la mi-mars": "2026-03-11 2026-03-20",
    "fin 2024": "2024-09-01 2024-12-31",
    "à la fin du mois dernier": "2026-06-21 2026-06-30",
    "en début d'année": "2026-01-01 2026-04-30",
    "au premier semestre 2025": "2025-01-01 2025-06-30",
    "au deuxième trimestre": "2026-04-01 2026-06-30",
    "T3 2025": "2025-07-01 2025-09-30",
    "la semaine du 22 juin": "2026-06-22 2026-06-28",
    "la semaine 28": "2026-07-06 2026-07-12",
    "le week-end dernier": "2026-07-11 2026-07-12",
    "l'été dernier": "2025-06-01 2025-08-31",
    "à Noël": "2025-12-25",
    "depuis le jour de l'an": "2026-01-01 2026-07-15",
    "le 9 juillet": "2026-07-09",
    "jeudi 9 juillet": "2026-07-09",
    "en 2023": "2023-01-01 2023-12-31",
    "toute la journée d'hier": "2026-07-14",
    "chaque lundi": None,
    "la semaine prochaine": None,
    "lundi prochain": None,
}
SPANISH = {
    "¿qué hice anteayer?": "2026-07-13",
    "ayer por la tarde": "2026-07-14@12-18",
    "esta mañana": "2026-07-15@4-12",
    "anoche": "2026-07-14@18-30",
    "hace una semana": "2026-07-06 2026-07-12",
    "hace quince días": "2026-06-30",
    "hace unos días": "2026-07-08 2026-07-13",
    "el otro día": "2026-07-08 2026-07-13",
    "en los últimos días": "2026-07-08 2026-07-15",
    "en los últimos tres meses": "2026-04-15 2026-07-15",
    "las últimas dos semanas": "2026-07-01 2026-07-15",
    "el mes pasado": "2026-06-01 2026-06-30",
    "el trimestre pasado": "2026-04-01 2026-06-30",
    "el año pasado": "2025-01-01 2025-12-31",
    "esta semana": "2026-07-13 2026-07-19",
    "el lunes pasado": "2026-07-13",
    "el lunes de la semana pasada": "2026-07-06",
    "el viernes por la noche": "2026-07-10@18-30",
    "desde ayer": "2026-07-14 2026-07-15",
    "desde la semana pasada": "2026-07-06 2026-07-15",
    "desde el 1 de julio": "2026-07-01 2026-07-15",
    "entre el lunes y el martes": "2026-07-13 2026-07-14",
    "de marzo a mayo de 2024": "2024-03-01 2024-05-31",
    "del 3 al 5 de mayo de 2023": "2023-05-03 2023-05-05",
    "del 28 de diciembre al 3 de enero": "2025-12-28 2026-01-03",
    "antes del 5 de mayo": ".. 2026-05-04",
    "hasta el viernes": ".. 2026-07-10",
    "después del 1 de julio": "2026-07-02 2026-07-15",
    "a principios de marzo": "2026-03-01 2026-03-10",
    "a mediados de marzo": "2026-03-11 2026-03-20",
    "a finales de 2024": "2024-09-01 2024-12-31",
    "a finales del mes pasado": "2026-06-21 2026-06-30",
    "a principios de año": "2026-01-01 2026-04-30",
    "en el primer semestre de 2025": "2025-01-01 2025-06-30",
    "en el segundo trimestre": "2026-04-01 2026-06-30",
    "T3 2025": "2025-07-01 2025-09-30",
    "la semana del 22 de junio": "2026-06-22 2026-06-28",
    "la semana 28": "2026-07-06 2026-07-12",
    "el fin de semana pasado": "2026-07-11 2026-07-12",
    "el verano pasado": "2025-06-01 2025-08-31",
    "en Navidad": "2025-12-25",
    "en Nochevieja": "2025-12-31",
    "el 9 de julio": "2026-07-09",
    "jueves, 9 de julio": "2026-07-09",
    "en 2023": "2023-01-01 2023-12-31",
    "hace dos meses": "2026-05-01 2026-05-31",
    "todo el día de ayer": "2026-07-14",
    "cada lunes": None,
    "la próxima semana": None,
    "el lunes que viene": None,
}
CHINESE = {
    "前天做了什么": "2026-07-13",
    "昨天下午": "2026-07-14@12-18",
    "今天早上": "2026-07-15@4-12",
    "昨晚我们讨论了什么": "2026-07-14@18-30",
    "一周前": "2026-07-06 2026-07-12",
    "两个月前": "2026-05-01 2026-05-31",
    "十五天前": "2026-06-30",
    "几天前": "2026-07-08 2026-07-13",
    "最近几天": "2026-07-08 2026-07-15",
    "过去三个月": "2026-04-15 2026-07-15",
    "最近两周": "2026-07-01 2026-07-15",
    "上个月": "2026-06-01 2026-06-30",
    "上个季度": "2026-04-01 2026-06-30",
    "去年": "2025-01-01 2025-12-31",
    "前年": "2024-01-01 2024-12-31",
    "本周": "2026-07-13 2026-07-19",
    "上周一": "2026-07-06",
    "上上周": "2026-06-29 2026-07-05",
    "星期二晚上": "2026-07-14@17-24",
    "从昨天到今天": "2026-07-14 2026-07-15",
    "自上周以来": "2026-07-06 2026-07-15",
    "7月1日以来": "2026-07-01 2026-07-15",
    "从周一到周二": "2026-07-13 2026-07-14",
    "2024年3月到5月": "2024-03-01 2024-05-31",
    "2023年5月3日到5日": "2023-05-03 2023-05-05",
    "12月28日至1月3日": "2025-12-28 2026-01-03",
    "5月5日之前": ".. 2026-05-04",
    "7月1日之后": "2026-07-02 2026-07-15",
    "三月初": "2026-03-01 2026-03-10",
    "三月中旬": "2026-03-11 2026-03-20",
    "2024年底": "2024-09-01 2024-12-31",
    "上个月底": "2026-06-21 2026-06-30",
    "今年年初": "2026-01-01 2026-04-30",
    "2025年上半年": "2025-01-01 2025-06-30",
    "第二季度": "2026-04-01 2026-06-30",
    "2025年第三季度": "2025-07-01 2025-09-30",
    "第28周": "2026-07-06 2026-07-12",
    "上周末": "2026-07-11 2026-07-12",
    "去年夏天": "2025-06-01 2025-08-31",
    "圣诞节": "2025-12-25",
    "元旦以来": "2026-01-01 2026-07-15",
    "7月9号": "2026-07-09",
    "2026-07-09": "2026-07-09",
    "2023年": "2023-01-01 2023-12-31",
    "昨天一整天": "2026-07-14",
    "半年前": "2026-01-01 2026-01-31",
    "下周": None,
    "每天": None,
    "一点问题": None,
}
JAPANESE = {
    "一昨日何をしましたか": "2026-07-13",
    "昨日の午後": "2026-07-14@12-18",
    "今朝": "2026-07-15@4-12",
    "昨夜": "2026-07-14@18-30",
    "一週間前": "2026-07-06 2026-07-12",
    "2か月前": "2026-05-01 2026-05-31",
    "15日前": "2026-06-30",
    "数日前": "2026-07-08 2026-07-13",
    "先日": "2026-07-08 2026-07-13",
    "ここ数日": "2026-07-08 2026-07-15",
    "過去三か月": "2026-04-15 2026-07-15",
    "直近の2週間": "2026-07-01 2026-07-15",
    "先月": "2026-06-01 2026-06-30",
    "先々月": "2026-05-01 2026-05-31",
    "前四半期": "2026-04-01 2026-06-30",
    "去年": "2025-01-01 2025-12-31",
    "一昨年": "2024-01-01 2024-12-31",
    "今週": "2026-07-13 2026-07-19",
    "先週の月曜日": "2026-07-06",
    "先々週": "2026-06-29 2026-07-05",
    "火曜日の夜": "2026-07-14@17-24",
    "昨日から今日まで": "2026-07-14 2026-07-15",
    "先週以降": "2026-07-06 2026-07-15",
    "先週から": "2026-07-06 2026-07-15",
    "7月1日以降": "2026-07-01 2026-07-15",
    "月曜日から火曜日まで": "2026-07-13 2026-07-14",
    "2024年3月から5月まで": "2024-03-01 2024-05-31",
    "2023年5月3日から5日まで": "2023-05-03 2023-05-05",
    "12月28日から1月3日まで": "2025-12-28 2026-01-03",
    "5月5日より前": ".. 2026-05-04",
    "金曜日まで": ".. 2026-07-10",
    "3月上旬": "2026-03-01 2026-03-10",
    "3月中旬": "2026-03-11 2026-03-20",
    "2024年末": "2024-09-01 2024-12-31",
    "先月末": "2026-06-21 2026-06-30",
    "今年の初め": "2026-01-01 2026-04-30",
    "2025年上半期": "2025-01-01 2025-06-30",
    "第2四半期": "2026-04-01 2026-06-30",
    "2025年第3四半期": "2025-07-01 2025-09-30",
    "第28週": "2026-07-06 2026-07-12",
    "先週末": "2026-07-11 2026-07-12",
    "去年の夏": "2025-06-01 2025-08-31",
    "クリスマス": "2025-12-25",
    "大晦日": "2025-12-31",
    "元日から": "2026-01-01 2026-07-15",
    "7月9日": "2026-07-09",
    "2023年": "2023-01-01 2023-12-31",
    "昨日一日中": "2026-07-14",
    "半年前": "2026-01-01 2026-01-31",
    "来週": None,
    "毎日": None,
}
LANGUAGES = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH, "es": SPANISH, "zh": CHINESE, "ja": JAPANESE}
ROWS = [(code, question, days) for code, table in LANGUAGES.items() for question, days in table.items()]


def shown(question: str, language: str, now: datetime = NOW) -> str | None:
    span = read_span(question, now, language)
    if span is None:
        return None
    zone = now.tzinfo
    since = None if span.window.since is None else span.window.since.astimezone(zone)
    until = None if span.window.until is None else span.window.until.astimezone(zone)
    if until is None:
        return f"{since and since.date()} .."
    last = (until - timedelta(hours=12)).date() if until.hour == 0 else until.date()
    if since is None:
        return f".. {last}"
    if since.hour == until.hour == 0 and since.minute == until.minute == 0:
        return str(last) if last == since.date() else f"{since.date()} {last}"
    hours = until.hour + 24 * (until.date() - since.date()).days
    return f"{since.date()}@{since.hour}-{hours}"


@pytest.mark.parametrize(("language", "question", "days"), ROWS, ids=[f"{row[0]}: {row[1]}" for row in ROWS])
def test_phrases(language: str, question: str, days: str | None) -> None:
    assert shown(question, language) == days


@pytest.mark.parametrize(("language", "question"), [row[:2] for row in ROWS if row[2] is not None])
def test_nothing_of_a_span_is_left_behind(language: str, question: str) -> None:
    span = read_span(question, NOW, language)
    assert span is not None
    assert span.text in question
    assert read_span(span.remainder, NOW, language) is None


NEW_YEAR = datetime(2027, 1, 1, 0, 30, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("language", "question", "days"),
    [
        ("en", "yesterday", "2026-12-31"),
        ("en", "last week", "2026-12-21 2026-12-27"),
        ("en", "this week", "2026-12-28 2027-01-03"),
        ("en", "2026-W53", "2026-12-28 2027-01-03"),
        ("en", "calendar week 53", "2026-12-28 2027-01-03"),
        ("en", "in H2", None),
        ("en", "the second half of the year", "2026-07-01 2026-12-31"),
        ("en", "last quarter", "2026-10-01 2026-12-31"),
        ("en", "the end of the year", "2026-09-01 2026-12-31"),
        ("en", "on the 31st", "2026-12-31"),
        ("en", "on New Year's Eve", "2026-12-31"),
        ("en", "from Christmas to New Year's Day", "2026-12-24 2027-01-01"),
        ("en", "in December", "2026-12-01 2026-12-31"),
        ("de", "letztes Jahr", "2026-01-01 2026-12-31"),
        ("de", "seit vorgestern", "2026-12-30 2027-01-01"),
        ("fr", "hier soir", "2026-12-31@17-24"),
        ("es", "el mes pasado", "2026-12-01 2026-12-31"),
        ("zh", "去年", "2026-01-01 2026-12-31"),
        ("ja", "先週末", "2026-12-26 2026-12-27"),
    ],
)
def test_spans_at_the_turn_of_a_year(language: str, question: str, days: str | None) -> None:
    assert shown(question, language, NEW_YEAR) == days


def test_windows_are_local_days_whatever_clocks_do() -> None:
    for zone, day in (
        ("Europe/Berlin", datetime(2026, 3, 30, 9)),
        ("America/New_York", datetime(2026, 11, 2, 9)),
        ("Australia/Lord_Howe", datetime(2026, 4, 6, 9)),  # half an hour
        ("Asia/Kathmandu", datetime(2026, 4, 6, 9)),
        ("Africa/Cairo", datetime(2026, 4, 25, 9)),  # midnight is skipped
    ):
        now = day.replace(tzinfo=ZoneInfo(zone))
        for question in ("yesterday", "today", "last week", "the last 3 days"):
            span = read_span(question, now, "en")
            assert span is not None
            since, until = span.window.since, span.window.until
            assert since is not None
            assert until is not None
            for end in (since, until):
                just_before = (end.astimezone(UTC) - timedelta(microseconds=1)).astimezone(ZoneInfo(zone))
                assert just_before.date() == end.astimezone(ZoneInfo(zone)).date() - timedelta(days=1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_many_phrases(language: str) -> None:
    assert len(LANGUAGES[language]) >= 25
