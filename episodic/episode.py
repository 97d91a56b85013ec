"""The dated entry: what a journal holds and what everything episodic is about."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class NewEpisode:
    """An entry to be written. ``at`` carries the writer's local offset; ``text`` is plain Markdown, unescaped.

    ``excerpt`` is what is kept of the turn beside the journal, in the file that ``transcript`` names.
    """

    text: str
    at: datetime
    title: str | None = None
    project: str | None = None
    session: str | None = None
    turn: str | None = None
    transcript: str | None = None
    key: str | None = None
    files: tuple[str, ...] = ()
    excerpt: str | None = None


@dataclass(frozen=True, slots=True)
class Episode:
    """An entry as read back from a file.

    Attributes:
        id: ``ep_`` + ULID where memoryd wrote it, ``ep_`` + 20 hex where a person did.
        text: As stored, unescaped, without heading and anchor.
        at: Aware; for a hand-written entry the day's local midnight, or ``HH:MM`` of its heading.
        path: Relative to ``memory/``, or ``<vault>:<path>``.
        lines: First and last line of the whole section (heading included), 1-based, of the file as stored.
        key: 16 hex of the Idempotency-Key's hash.
    """

    id: str
    title: str
    text: str
    at: datetime
    path: str
    lines: tuple[int, int]
    project: str | None = None
    session: str | None = None
    turn: str | None = None
    transcript: str | None = None
    key: str | None = None
    files: tuple[str, ...] = ()
