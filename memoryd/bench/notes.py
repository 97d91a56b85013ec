"""A folder of dated notes as a benchmark: can a note be found by its title, once the title is taken out of it?

Where a file of questions is given, those are asked instead.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from memoryd.bench.corpus import Corpus, Dialogue, Question, Turn
from memoryd.bench.errors import BenchDataError
from memoryd.text.front_matter import split_front_matter

FORMAT = "notes"
LEAST_WORDS = 3
"""A shorter title is a name, not a question."""
_NAMED_DAY = re.compile(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?!\d)")
_TITLE = re.compile(r"#{1,2}[ \t]+(.+?)[ \t]*#*[ \t]*")
_WORD = re.compile(r"[^\W\d_]{2,}")


def read_notes(folder: Path, gold: Path | None = None, dates: Path | None = None) -> Corpus:
    """Return the Markdown files of a folder, and a question for each that has a title of three words or more.

    A note's day is taken from its path, else from ``date`` or ``created`` of its front matter, else from the table.

    Args:
        folder: The notes; ``README.md`` and hidden folders are passed over.
        gold: A JSON-lines file ``{question, evidence[]}``, evidence being paths relative to the folder.
        dates: A file whose lines are a path, a tab and a date that starts ``YYYY-MM-DD``.

    Raises:
        BenchDataError: No note has a day, or there is nothing to ask.
    """
    known = _table(dates) if dates is not None else {}
    left_out: Counter[str] = Counter()
    found: list[tuple[date, str, str]] = []
    questions = []
    for file in sorted(folder.rglob("*.md")):
        path = file.relative_to(folder).as_posix()
        if file.name.lower() == "readme.md" or path.startswith(".") or "/." in path:
            continue
        matter = split_front_matter(file.read_text("utf-8", "replace"))
        day = _day(path, matter.data, known)
        if day is None:
            left_out["notes without a day"] += 1
            continue
        title, body = _without_title(matter.body) if gold is None else ("", matter.body)
        title = str(matter.data.get("title") or title) if gold is None else ""
        if not body.strip():
            left_out["notes without a text"] += 1
            continue
        found.append((day, path, body))
        if gold is None and len(_WORD.findall(title)) >= LEAST_WORDS:
            questions.append(Question(FORMAT, title, "title", (path,)))
    if gold is not None:
        questions = _asked(gold)
    if not found or not questions:
        reason = ", ".join(f"{count} {what}" for what, count in left_out.items()) or "there are no notes"
        raise BenchDataError(f"{folder}: nothing can be asked of it ({reason}; questions need --gold or longer titles)")
    found.sort()
    turns = tuple(Turn(path, body, _instant(day, number)) for number, (day, path, body) in enumerate(found))
    return Corpus(FORMAT, (Dialogue(FORMAT, turns),), tuple(questions), left_out)


def _instant(day: date, number: int) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(seconds=number)


def _asked(gold: Path) -> list[Question]:
    try:
        rows = [json.loads(line) for line in gold.read_text("utf-8").splitlines() if line.strip()]
        return [Question(FORMAT, row["question"], "given", tuple(row["evidence"])) for row in rows]
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise BenchDataError(f"{gold}: the questions cannot be read: {error!r}") from error


def _without_title(body: str) -> tuple[str, str]:
    """Return the first heading's words, and the text without that line."""
    lines = body.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if match := _TITLE.fullmatch(line.rstrip("\r\n")):
            return match[1], "".join([*lines[:number], *lines[number + 1 :]])
    return "", body


def _day(path: str, data: Any, known: dict[str, date]) -> date | None:
    for text in (*reversed(path.split("/")), str(data.get("date", "")), str(data.get("created", ""))):
        day = _read_day(text)
        if day is not None:
            return day
    return known.get(path)


def _read_day(text: str) -> date | None:
    match = _NAMED_DAY.search(text)
    try:
        return date.fromisoformat(match[1]) if match is not None else None
    except ValueError:
        return None


def _table(file: Path) -> dict[str, date]:
    try:
        rows = [line.split("\t") for line in file.read_text("utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise BenchDataError(f"{file} cannot be read: {error}") from error
    days = {row[0]: _read_day(row[1][:10]) for row in rows if len(row) > 1}
    return {path: day for path, day in days.items() if day is not None}
