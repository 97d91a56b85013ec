"""Dialogues in the LoCoMo format: dated turns, and questions with the turns that answer them.

The format is that of Maharana et al. 2024, "Evaluating Very Long-Term Conversational Memory of LLM Agents". The data
has a non-commercial licence, so it is read from a path that the user gives and never shipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

_SESSION = re.compile(r"session_(\d+)")
ADVERSARIAL = 5
"""The category whose questions have no answer; recall is not defined for it."""


class BenchDataError(ValueError):
    """The file is not in the format that the benchmark reads."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance. ``at`` is the session's time plus a second for each turn before it, in UTC."""

    id: str
    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the dialogue it belongs to, and the ids of the turns that hold its answer."""

    dialogue: str
    text: str
    category: int
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One long conversation over many sessions."""

    id: str
    turns: tuple[Turn, ...]


def read_dialogues(path: Path) -> list[Dialogue]:
    """Return the dialogues of a LoCoMo file.

    Raises:
        BenchDataError: The file is missing, is not JSON, or lacks the fields that the format names.
    """
    return [_dialogue(entry, path) for entry in _load(path)]


def read_questions(path: Path, gold: Path | None = None) -> list[Question]:
    """Return the questions of categories 1 to 4 that have evidence.

    Args:
        path: The LoCoMo file.
        gold: A JSON-lines file ``{conv, category, question, evidence[]}`` with corrected evidence; else the file's own.

    Raises:
        BenchDataError: As for the dialogues.
    """
    if gold is None:
        rows = (dict(row, conv=entry["sample_id"]) for entry in _load(path) for row in entry["qa"])
    else:
        rows = (json.loads(line) for line in gold.read_text("utf-8").splitlines() if line.strip())
    return [
        Question(row["conv"], row["question"], row["category"], tuple(row["evidence"]))
        for row in rows
        if row["category"] != ADVERSARIAL and row.get("evidence")
    ]


def _load(path: Path) -> list[dict[str, Any]]:
    try:
        entries = json.loads(path.read_text("utf-8"))
        if not all({"conversation", "qa", "sample_id"} <= entry.keys() for entry in entries):
            raise BenchDataError(f"{path}: an entry lacks conversation, qa or sample_id")
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise BenchDataError(f"{path} is not a LoCoMo file: {error}") from error
    return list(entries)


def _dialogue(entry: dict[str, Any], path: Path) -> Dialogue:
    try:
        return Dialogue(entry["sample_id"], tuple(_turns(entry["conversation"])))
    except (KeyError, ValueError) as error:
        raise BenchDataError(f"{path}: dialogue {entry['sample_id']}: {error}") from error


def _turns(conversation: dict[str, Any]) -> Iterator[Turn]:
    for name, utterances in conversation.items():
        if _SESSION.fullmatch(name) is None:
            continue
        start = datetime.strptime(conversation[f"{name}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for index, utterance in enumerate(utterances):
            text = utterance["text"]
            if caption := utterance.get("blip_caption"):
                text = f"{text} [shared image: {caption}]"
            yield Turn(utterance["dia_id"], utterance["speaker"], text, start + timedelta(seconds=index))
