"""Dialogues in the LoCoMo format: dated turns, and questions with the turns that answer them.

The format is that of Maharana et al. 2024, "Evaluating Very Long-Term Conversational Memory of LLM Agents". The data
has a non-commercial licence, so it is read from a path that the user gives and never shipped.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memoryd.bench.corpus import Corpus, Dialogue, Question, Turn, sessions_of
from memoryd.bench.errors import BenchDataError

FORMAT = "locomo"
ADVERSARIAL = 5
"""The category whose questions have no answer; recall is not defined for it."""
KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", ADVERSARIAL: "adversarial"}
_SESSION = re.compile(r"session_(\d+)")


def read_locomo(path: Path, gold: Path | None = None) -> Corpus:
    """Return the dialogues of a LoCoMo file and its questions of categories 1 to 4 that have evidence.

    A turn is dated by its session's time, plus a second for each turn before it, in UTC.

    Args:
        path: The LoCoMo file.
        gold: A JSON-lines file ``{conv, category, question, evidence[]}`` with corrected evidence; else the file's own.

    Raises:
        BenchDataError: A file is missing, is not JSON, or lacks the fields that the format names.
    """
    entries = _load(path)
    dialogues = {entry["sample_id"]: _dialogue(entry, path) for entry in entries}
    left_out: Counter[str] = Counter()
    questions = []
    try:
        for row in _rows(entries, gold):
            if row["category"] == ADVERSARIAL:
                left_out["adversarial"] += 1
            elif not row.get("evidence"):
                left_out["without evidence"] += 1
            else:
                turns = tuple(row["evidence"])
                sessions = sessions_of(dialogues[row["conv"]], turns)
                kind = KINDS.get(row["category"], str(row["category"]))
                questions.append(Question(row["conv"], row["question"], kind, turns, sessions))
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise BenchDataError(f"{gold or path}: a question lacks {error}") from error
    return Corpus(FORMAT, tuple(dialogues.values()), tuple(questions), left_out)


def _rows(entries: list[dict[str, Any]], gold: Path | None) -> Iterator[dict[str, Any]]:
    if gold is None:
        yield from (dict(row, conv=entry["sample_id"]) for entry in entries for row in entry["qa"])
    else:
        yield from (json.loads(line) for line in gold.read_text("utf-8").splitlines() if line.strip())


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
            text = f"{utterance['speaker']}: {utterance['text']}"
            if caption := utterance.get("blip_caption"):
                text = f"{text} [shared image: {caption}]"
            yield Turn(utterance["dia_id"], text, start + timedelta(seconds=index), name)
