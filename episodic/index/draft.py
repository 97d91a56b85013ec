"""The rows that a file should have, worked out beside the manifest: what did not change is not cut again.

An entry whose place in the file is all that changed keeps its pieces. A long one that is new is not cut here: its
row says that it is uncut, and the pieces follow in the background, so that nobody waits for them.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from episodic.index.chunk import Chunk, cut_episode
from episodic.index.manifest import FileRow
from episodic.index.timeline import micros
from episodic.journal.excerpt import EXCERPTS
from episodic.journal.text import Entry

LONG_CHARS = 64 * 1024
"""A longer text is cut in the background."""
MOST_PIECES = 1_000_000
"""No entry has so many: a piece's ordinal is its entry's position times this, and its place in the entry."""
IS_EXCERPT = 2
"""Stands in ``written`` for an excerpt; 1 is an entry of ours, 0 one that a person wrote."""

EPISODE_FIELDS = (
    "path", "position", "id", "day", "title", "at_us", "offset_min", "first", "last", "project", "session", "turn",
    "transcript", "key", "files", "written", "pieces", "anchor", "text",
)  # fmt: skip
"""The text comes last: what stands behind megabytes of it would be slow to read."""
CHUNK_FIELDS = ("path", "ordinal", "position", "id", "heading", "first", "last")
SELECT_EPISODES = f"SELECT {', '.join(EPISODE_FIELDS)} FROM episodes WHERE path = ? ORDER BY position"  # noqa: S608 - fixed
SELECT_CHUNKS = f"SELECT {', '.join(CHUNK_FIELDS)} FROM chunks WHERE path = ? ORDER BY ordinal"  # noqa: S608 - fixed
INSERT_EPISODE = f"INSERT OR REPLACE INTO episodes VALUES ({','.join('?' * len(EPISODE_FIELDS))})"  # noqa: S608 - fixed
INSERT_CHUNK = "INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)"
_AT = {name: place for place, name in enumerate(EPISODE_FIELDS)}
_MATTERS = tuple(_AT[name] for name in ("at_us", "project", "session", "pieces", "title"))
"""What a document takes from its entry's row."""

EpisodeRow = tuple[Any, ...]
ChunkRow = tuple[Any, ...]


@dataclass(slots=True)
class Draft:
    """The rows of a file; ``stale`` are the pieces whose documents may have changed, ``texts`` those of new ones."""

    episodes: list[EpisodeRow] = field(default_factory=list)
    chunks: list[ChunkRow] = field(default_factory=list)
    texts: dict[str, tuple[str, str]] = field(default_factory=dict)
    uncut: list[int] = field(default_factory=list)
    stale: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Held:
    """What the manifest has of a file."""

    episodes: list[EpisodeRow] = field(default_factory=list)
    chunks: list[ChunkRow] = field(default_factory=list)
    uncut: set[int] = field(default_factory=set)


def held(connection: sqlite3.Connection, path: str) -> Held:
    """Read what the manifest has of a file."""
    return Held(
        connection.execute(SELECT_EPISODES, (path,)).fetchall(),
        connection.execute(SELECT_CHUNKS, (path,)).fetchall(),
        {row[0] for row in connection.execute("SELECT position FROM uncut WHERE path = ?", (path,))},
    )


def drafted(row: FileRow, entries: Iterable[Entry], old: Held, *, first_position: int = 0) -> Draft:
    """Return the rows of entries. What ``old`` has of the same entries is taken over."""
    draft = Draft()
    pieces_of: dict[int, list[ChunkRow]] = defaultdict(list)
    for chunk in old.chunks:
        pieces_of[chunk[2]].append(chunk)
    known: dict[tuple[str, str, str, int], list[EpisodeRow]] = defaultdict(list)
    for episode in old.episodes:
        if episode[_AT["position"]] not in old.uncut:
            known[_likeness(episode)].append(episode)
    for position, entry in enumerate(entries, first_position):
        new = episode_row(row, position, entry, 0)
        alike = known.get(_likeness(new))
        if alike:
            _take_over(draft, new, alike.pop(0), pieces_of)
        elif len(entry.episode.text) > LONG_CHARS:
            draft.episodes.append(_with(new, "pieces", 2))
            draft.uncut.append(position)
        else:
            chunks = cut_episode(entry)
            draft.episodes.append(_with(new, "pieces", pieces(row.root, len(chunks))))
            draft.chunks += chunk_rows(row.path, position, chunks)
            draft.texts.update(texts_of(chunks))
    gone = [episode for alike in known.values() for episode in alike]
    gone += [episode for episode in old.episodes if episode[_AT["position"]] in old.uncut]
    draft.stale |= {piece[3] for episode in gone for piece in pieces_of[episode[_AT["position"]]]}
    # The order of two entries with one id decides which of them a document is of.
    count = Counter(episode[_AT["anchor"]] for episode in draft.episodes)
    twice = {episode[1] for episode in draft.episodes if count[episode[_AT["anchor"]]] > 1}
    draft.stale |= {chunk[3] for chunk in draft.chunks if chunk[2] in twice}
    draft.stale |= set(draft.texts)
    return draft


def write(connection: sqlite3.Connection, path: str, draft: Draft, old: Held) -> None:
    """Bring a file's rows in line with a draft, inside a transaction; what is equal is not written."""
    _write_changed(connection, "episodes", "position", INSERT_EPISODE, path, draft.episodes, old.episodes)
    _write_changed(connection, "chunks", "ordinal", INSERT_CHUNK, path, draft.chunks, old.chunks)
    connection.execute("DELETE FROM uncut WHERE path = ?", (path,))
    connection.executemany("INSERT INTO uncut VALUES (?, ?)", [(path, position) for position in draft.uncut])


def episode_row(row: FileRow, position: int, entry: Entry, count: int, *, anchor: str | None = None) -> EpisodeRow:
    """Return the row of an entry that has so many pieces; ``anchor`` is its id in the file where that is another."""
    episode = entry.episode
    offset = episode.at.utcoffset() or timedelta(0)
    return (
        row.path,
        position,
        episode.id,
        row.day,
        episode.title,
        micros(episode.at),
        round(offset / timedelta(minutes=1)),
        episode.lines[0],
        episode.lines[1],
        episode.project,
        episode.session,
        episode.turn,
        episode.transcript,
        episode.key,
        json.dumps(episode.files, ensure_ascii=False),
        IS_EXCERPT if row.root == EXCERPTS else int(entry.written),
        pieces(row.root, count),
        anchor or episode.id,
        episode.text,
    )


def pieces(root: str, count: int) -> int:
    """Return how many pieces an entry counts; even a short excerpt is only a part of what its entry says."""
    return max(2, count) if root == EXCERPTS else count


def chunk_rows(path: str, position: int, chunks: Sequence[Chunk], *, first: int = 0) -> list[ChunkRow]:
    """Return the rows of an entry's pieces, from the so-manieth on."""
    return [
        (
            path,
            position * MOST_PIECES + number,
            position,
            chunk.id,
            json.dumps(chunk.heading, ensure_ascii=False),
            chunk.lines[0],
            chunk.lines[1],
        )
        for number, chunk in enumerate(chunks, first)
    ]


def texts_of(chunks: Iterable[Chunk]) -> dict[str, tuple[str, str]]:
    """Return (text, hash) by id."""
    return {chunk.id: (chunk.text, chunk.text_hash) for chunk in chunks}


def _with(row: EpisodeRow, name: str, value: object) -> EpisodeRow:
    place = _AT[name]
    return (*row[:place], value, *row[place + 1 :])


def _likeness(row: EpisodeRow) -> tuple[str, str, str, int]:
    """Return what two rows of one entry share: with as many lines, its text starts as far below its heading."""
    return row[_AT["anchor"]], row[_AT["title"]], row[_AT["text"]], row[_AT["last"]] - row[_AT["first"]]


def _take_over(draft: Draft, new: EpisodeRow, old: EpisodeRow, pieces_of: dict[int, list[ChunkRow]]) -> None:
    chunks = pieces_of[old[_AT["position"]]]
    by = new[_AT["first"]] - old[_AT["first"]]
    position = new[_AT["position"]]
    taken = _with(_with(new, "id", old[_AT["id"]]), "pieces", old[_AT["pieces"]])
    draft.episodes.append(taken)
    draft.chunks += [
        (path, position * MOST_PIECES + ordinal % MOST_PIECES, position, id_, heading, first + by, last + by)
        for path, ordinal, _, id_, heading, first, last in chunks
    ]
    if any(taken[place] != old[place] for place in _MATTERS):
        draft.stale |= {chunk[3] for chunk in chunks}


def _write_changed(
    connection: sqlite3.Connection,
    table: str,
    key: str,
    insert: str,
    path: str,
    new: Sequence[tuple[Any, ...]],
    old: Sequence[tuple[Any, ...]],
) -> None:
    """Write the rows that differ; the second field is the key."""
    there = {row[1]: row for row in old}
    gone = there.keys() - {row[1] for row in new}
    connection.executemany(
        f"DELETE FROM {table} WHERE path = ? AND {key} = ?",  # noqa: S608 - fixed names
        [(path, value) for value in gone],
    )
    connection.executemany(insert, [row for row in new if there.get(row[1]) != row])
