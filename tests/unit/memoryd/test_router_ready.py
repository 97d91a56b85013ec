"""The words of questions are at hand before the first question comes."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from memoryd.router.anchor import anchored
from memoryd.router.decide import decide
from memoryd.router.ready import load_words

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_no_pattern_is_made_for_a_question_once_they_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    load_words(NOW, ("en", "de"))
    made: list[object] = []
    whole = re.compile

    def compile_(pattern: str, flags: int = 0) -> re.Pattern[str]:
        made.append(pattern)
        return whole(pattern, flags)

    monkeypatch.setattr(re, "compile", compile_)
    for question in (
        "cart rounding",
        "What did we do last week?",
        "Was haben wir seit dem Umzug getan?",
        "上周做了什么",
    ):
        anchored(decide(question, now=NOW), question, NOW, lambda _: ())
    assert made == []
