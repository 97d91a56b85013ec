"""claude-mem: a database of prompts, of what a model observed at each tool's use, and of summaries.

What belongs to one prompt is one turn here: what was asked, what was observed, how it ended. A turn that may still grow
is left for the next import.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memoryd.errors import ImportFailed
from memoryd.jobs.importing.files import text_of
from memoryd.jobs.importing.item import Entry, Item, Page
from memoryd.jobs.importing.report import Report
from memoryd.jobs.importing.sqlite import open_copy, rows_of, tables_of

_DATABASE = "claude-mem.db"
_TABLES = frozenset({"sdk_sessions", "observations", "session_summaries"})
_QUIET = timedelta(hours=1)
_SECONDS_END = 100_000_000_000
"""A larger number of an instant counts milliseconds."""
_TITLE = 100

_SESSION = ("content_session_id", "memory_session_id", "project")
_PROMPT = ("content_session_id", "prompt_number", "prompt_text", "created_at_epoch")
_COMMON = ("id", "memory_session_id", "project", "merged_into_project", "prompt_number", "created_at_epoch")
_OBSERVATION = (
    *_COMMON, "content_hash", "type", "title", "subtitle", "narrative", "text", "facts", "files_modified",
)  # fmt: skip
_PARTS = {
    "request": "Request",
    "investigated": "Investigated",
    "learned": "Learned",
    "completed": "Completed",
    "next_steps": "Next",
    "notes": "Notes",
}
_SUMMARY = (*_COMMON, *_PARTS, "files_edited")


@dataclass(slots=True)
class _Turn:
    """What was kept of one prompt, in the order in which it was kept."""

    session: str | None
    number: int | None
    instants: list[datetime] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    observations: list[str] = field(default_factory=list)
    summaries: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    project: str = ""


class ClaudeMem:
    """Takes the database, or the folder that holds it.

    Args:
        clock: Returns the present, aware: what was written in the last hour may go on.
    """

    name = "claude-mem"

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock

    def recognises(self, path: Path) -> bool:
        """Tell whether the database lies there."""
        return tables_of(_file(path)) >= _TABLES

    def read(self, path: Path, report: Report) -> Iterator[Item]:
        """Yield turns by time, then the standing rules as a page."""
        file = _file(path)
        if not file.is_file():
            raise ImportFailed(f"there is no {file}; name the database, which is {_DATABASE} in ~/.claude-mem")
        with open_copy(file) as opened:
            report.files += 1
            turns = _turns(opened, report)
            rules = _rules(opened)
        told = [(min(turn.instants), id_, turn) for id_, turn in turns.items() if turn.instants]
        for _, id_, turn in sorted(told, key=lambda one: one[:2]):
            if max(turn.instants) > self._clock() - _QUIET:
                report.skipped["turns that may not be over yet"] += 1
            else:
                yield _entry(id_, turn)
        if rules:
            yield Page(id="directives", path=("Directives",), text="# Directives\n\n" + "\n".join(rules))


def _turns(opened: sqlite3.Connection, report: Report) -> dict[str, _Turn]:
    """Return what was kept of each prompt, by the id that an import knows it by."""
    turns: dict[str, _Turn] = {}
    sessions = [*rows_of(opened, "sdk_sessions", _SESSION, "id")]
    names = {row["memory_session_id"]: row["content_session_id"] for row in sessions}
    projects = {row["content_session_id"]: text_of(row["project"]) for row in sessions}

    def turn_of(row: dict[str, Any], session: Any, alone: str = "") -> _Turn:
        name, number = text_of(session) or None, row["prompt_number"]
        place = number if isinstance(number, int) else None
        id_ = f"{name} {alone}" if place is None else f"{name} prompt {place}"
        turn = turns.setdefault(id_, _Turn(name, place, project=projects.get(session, "")))
        turn.project = text_of(row.get("merged_into_project")) or text_of(row.get("project")) or turn.project
        return turn

    for row in rows_of(opened, "user_prompts", _PROMPT, "created_at_epoch id"):
        turn = turn_of(row, row["content_session_id"])
        _add(turn, row, report, turn.prompts, text_of(row["prompt_text"]))
    for row in rows_of(opened, "observations", _OBSERVATION, "created_at_epoch id"):
        session = names.get(row["memory_session_id"], row["memory_session_id"])
        turn = turn_of(row, session, f"observation {row['content_hash'] or row['id']}")
        _add(turn, row, report, turn.observations, _observed(row))
        turn.titles.append(text_of(row["title"]))
        turn.files += _list(row["files_modified"])
    for row in rows_of(opened, "session_summaries", _SUMMARY, "created_at_epoch id"):
        session = names.get(row["memory_session_id"], row["memory_session_id"])
        turn = turn_of(row, session, f"summary {row['id']}")
        _add(turn, row, report, turn.summaries, _summed_up(row))
        turn.titles.insert(0, text_of(row["request"]))
        turn.files += _list(row["files_edited"])
    return turns


def _rules(opened: sqlite3.Connection) -> list[str]:
    """Return the rules that stand, as list items."""
    rows = rows_of(opened, "directives", ("content", "project", "scope", "status"), "id")
    standing = ((" ".join(text_of(row["content"]).split()), row) for row in rows if row["status"] == "active")
    return [f"- {content} ({text_of(row['project']) or row['scope']})" for content, row in standing if content]


def _file(path: Path) -> Path:
    return path / _DATABASE if path.is_dir() else path


def _add(turn: _Turn, row: dict[str, Any], report: Report, said: list[str], text: str) -> None:
    at = _instant(row["created_at_epoch"])
    if at is None:
        report.skipped["rows without a time"] += 1
    elif text.strip():
        turn.instants.append(at)
        said.append(text.strip())


def _entry(id_: str, turn: _Turn) -> Entry:
    parts = [*(f"Asked: {one}" for one in turn.prompts), *turn.observations, *turn.summaries]
    title = next((one for one in (*turn.titles, *turn.prompts, "") if one.strip()), "")
    is_turn = turn.session is not None and turn.number is not None
    return Entry(
        id=id_,
        text="\n\n".join(parts),
        at=min(turn.instants),
        origin=f"session {id_}",
        title=" ".join(title.split())[:_TITLE],
        session=turn.session,
        turn=f"claude-mem-{turn.number}" if is_turn else None,
        project=turn.project or None,
        files=tuple(dict.fromkeys(turn.files)),
    )


def _observed(row: dict[str, Any]) -> str:
    head = ": ".join(filter(None, (text_of(row["type"]), text_of(row["title"]))))
    head = " - ".join(filter(None, (head, text_of(row["subtitle"]))))
    said = text_of(row["narrative"]) or text_of(row["text"])
    facts = "\n".join(f"- {fact}" for fact in _list(row["facts"]))
    return "\n".join(filter(None, (head, said, facts)))


def _summed_up(row: dict[str, Any]) -> str:
    return "\n".join(f"{label}: {said}" for name, label in _PARTS.items() if (said := text_of(row[name]).strip()))


def _list(value: Any) -> list[str]:
    """Return a list that is kept as JSON; a text that is none is one of one."""
    if not isinstance(value, str) or not value.strip():
        return []
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return [value]
    return [text_of(one) for one in found if isinstance(one, str) and one.strip()] if isinstance(found, list) else []


def _instant(value: Any) -> datetime | None:
    if not isinstance(value, int | float) or value <= 0:
        return None
    try:
        return datetime.fromtimestamp(value / 1000 if value > _SECONDS_END else value, UTC)
    except (OverflowError, OSError, ValueError):
        return None
