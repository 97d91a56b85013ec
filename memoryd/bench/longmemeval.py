"""Histories in the LongMemEval format: one question, and the sessions among which its answer hides.

The format is that of Wu et al. 2025, "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory".
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memoryd.bench.corpus import Corpus, Dialogue, Question, Turn
from memoryd.bench.errors import BenchDataError

FORMAT = "longmemeval"
_ABSTENTION = "_abs"


def read_longmemeval(path: Path) -> Corpus:
    """Return one dialogue a question, with the turns of both sides.

    Questions that have no answer (``_abs``) are left out, as in the paper. A question whose turns are not marked counts
    for sessions only.

    Raises:
        BenchDataError: The file is missing, is not JSON, or lacks the fields that the format names.
    """
    left_out: Counter[str] = Counter()
    dialogues, questions = [], []
    try:
        for entry in json.loads(path.read_text("utf-8")):
            if str(entry["question_id"]).endswith(_ABSTENTION):
                left_out["abstention"] += 1
                continue
            dialogue, marked = _history(entry)
            dialogues.append(dialogue)
            questions.append(
                Question(
                    dialogue.id,
                    entry["question"],
                    entry["question_type"],
                    tuple(marked),
                    tuple(entry["answer_session_ids"]),
                )
            )
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise BenchDataError(f"{path} is not a LongMemEval file: {error!r}") from error
    return Corpus(FORMAT, tuple(dialogues), tuple(questions), left_out)


def _history(entry: dict[str, Any]) -> tuple[Dialogue, list[str]]:
    sessions = zip(entry["haystack_session_ids"], entry["haystack_dates"], entry["haystack_sessions"], strict=True)
    turns: list[Turn] = []
    marked: list[str] = []
    for place, (session, date, messages) in enumerate(sessions):
        start = _instant(date)
        for number, message in enumerate(messages):
            id_ = f"{place}:{number}"
            if message.get("has_answer"):
                marked.append(id_)
            text = f"{message['role']}: {message['content']}"
            if message["content"].strip():
                turns.append(Turn(id_, text, start + timedelta(seconds=number), session))
    turns.sort(key=lambda turn: turn.at)
    return Dialogue(str(entry["question_id"]), tuple(turns)), marked


def _instant(date: str) -> datetime:
    """Read ``2023/05/20 (Sat) 02:21``; the weekday's name depends on no locale here."""
    day, *rest = date.split()
    return datetime.strptime(f"{day} {rest[-1] if rest else '00:00'}", "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
