"""Chats in the BEAM format: folders with a ``chat.json`` each, and probing questions with the messages they rest on.

The format is that of Tavakoli et al. 2025, "Beyond a Million Tokens: Benchmarking and Enhancing Long-Term Memory in
LLMs". The data states no licence, so it is read from a path that the user gives and never shipped.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memoryd.bench.corpus import Corpus, Dialogue, Question, Turn, sessions_of
from memoryd.bench.errors import BenchDataError

FORMAT = "beam"
GOLD = "retrieval_gold.jsonl"
_PROBES = Path("probing_questions", "probing_questions.json")
_UNDATED = datetime(2024, 1, 1, tzinfo=UTC)


def read_beam(path: Path, gold: Path | None = None) -> Corpus:
    """Return the chats of a folder and their questions.

    A batch of a chat is a session. A message is dated by the last time anchor before it, plus a second for each
    message before it.

    Args:
        path: A folder of folders with a ``chat.json`` each.
        gold: A JSON-lines file ``{chat, type, question, evidence[]}``; else ``retrieval_gold.jsonl`` in the folder;
            else each chat's own ``probing_questions/probing_questions.json``.

    Raises:
        BenchDataError: There is no chat, or a file lacks the fields that the format names.
    """
    files = sorted(path.glob("*/chat.json"), key=lambda file: (len(file.parent.name), file.parent.name))
    if not files:
        raise BenchDataError(f"{path} has no folders with a chat.json")
    dialogues = {file.parent.name: _chat(file) for file in files}
    if gold is None and (path / GOLD).exists():
        gold = path / GOLD
    left_out: Counter[str] = Counter()
    questions = []
    source = gold or path
    try:
        rows = _gold_rows(gold) if gold is not None else _probe_rows(files)
        for chat, kind, text, evidence in rows:
            if chat not in dialogues:
                left_out["of other chats"] += 1
            elif not evidence:
                left_out["without evidence"] += 1
            else:
                turns = tuple(dict.fromkeys(evidence))
                questions.append(Question(chat, text, kind, turns, sessions_of(dialogues[chat], turns)))
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise BenchDataError(f"{source}: the questions cannot be read: {error!r}") from error
    return Corpus(FORMAT, tuple(dialogues.values()), tuple(questions), left_out)


def _gold_rows(gold: Path) -> Iterator[tuple[str, str, str, list[str]]]:
    for line in gold.read_text("utf-8").splitlines():
        if line.strip():
            row = json.loads(line)
            yield str(row["chat"]), row["type"], row["question"], [str(id_) for id_ in row["evidence"]]


def _probe_rows(files: Iterable[Path]) -> Iterator[tuple[str, str, str, list[str]]]:
    for file in files:
        probes = json.loads((file.parent / _PROBES).read_text("utf-8"))
        for kind, rows in probes.items():
            for row in rows:
                yield file.parent.name, kind, row["question"], list(_ids(row.get("source_chat_ids", ())))


def _ids(value: Any) -> Iterator[str]:
    """Yield the message ids of a list, or of a table of lists."""
    if isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _ids(one)
    else:
        yield str(value)


def _chat(file: Path) -> Dialogue:
    turns = []
    at = _UNDATED
    try:
        for number, batch in enumerate(json.loads(file.read_text("utf-8"))):
            for message in (message for turn in batch["turns"] for message in turn):
                at += timedelta(seconds=1)
                if anchor := message.get("time_anchor"):
                    at = max(at, datetime.strptime(anchor, "%B-%d-%Y").replace(tzinfo=UTC))
                text = f"{message['role']}: {message['content']}"
                turns.append(Turn(str(message["id"]), text, at, str(batch.get("batch_number", number))))
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise BenchDataError(f"{file} is not a BEAM chat: {error!r}") from error
    return Dialogue(file.parent.name, tuple(turns))
