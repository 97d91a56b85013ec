"""Cutting entries that are in the manifest already: long ones that were put off, and those that get another id."""

from __future__ import annotations

import sqlite3

from episodic.episode import Episode
from episodic.index.chunk import cut_episode
from episodic.index.documents import Documents
from episodic.index.draft import (
    EPISODE_FIELDS,
    INSERT_CHUNK,
    LONG_CHARS,
    Draft,
    EpisodeRow,
    chunk_rows,
    pieces,
    texts_of,
)
from episodic.index.manifest import Manifest, grow_sequence
from episodic.index.timeline import instant
from episodic.journal.namesake import settled_ids
from episodic.journal.text import Entry


class Cutter:
    """Cuts, and counts what it did: whoever worked out rows beside the manifest has to know whether they still hold.

    Attributes:
        cuts: Grows whenever pieces of known entries change here.
        rewritten: Grows whenever entries change places or ids; whoever changes the manifest counts it too.
    """

    def __init__(self, manifest: Manifest, documents: Documents) -> None:
        self._manifest = manifest
        self._documents = documents
        self.cuts = 0
        self.rewritten = 0

    def cut_some(self) -> bool:
        """Cut one of the long entries that were put off; return whether there was one. No lock is held for long."""
        with self._manifest.writing() as connection:
            row = connection.execute(_NEXT_UNCUT).fetchone()
            rewritten = self.rewritten
        if row is None:
            return False
        path, position, root = row[0], row[1], row[-1]
        chunks = cut_episode(_entry_of(row))
        for first in range(0, len(chunks), _CUT_AT_ONCE):
            some = chunks[first : first + _CUT_AT_ONCE]
            rows, texts = chunk_rows(path, position, some, first=first), texts_of(some)
            counted = {one[3]: (one[4], self._documents.counted(one[3], one[4], texts[one[3]][0])) for one in rows}
            with self._manifest.writing() as connection:
                if self.rewritten != rewritten:
                    return True  # the file has changed; whatever is uncut now is asked for again
                stale = set(texts)
                if first == 0:
                    query = "SELECT id FROM chunks WHERE path = ? AND position = ?"
                    stale |= {old[0] for old in connection.execute(query, (path, position))}
                    connection.execute("DELETE FROM chunks WHERE path = ? AND position = ?", (path, position))
                connection.executemany(INSERT_CHUNK, rows)
                if first + _CUT_AT_ONCE >= len(chunks):
                    connection.execute("DELETE FROM uncut WHERE path = ? AND position = ?", (path, position))
                    connection.execute(
                        "UPDATE episodes SET pieces = ? WHERE path = ? AND position = ?",
                        (pieces(root, len(chunks)), path, position),
                    )
                self._documents.settle(connection, sorted(stale), texts, counted)
                self.cuts += 1
                grow_sequence(connection)
        return True

    def part_namesakes(self, connection: sqlite3.Connection, anchors: set[str]) -> None:
        """Give each text under an id that stands in several places the id it should have, and cut it under that."""
        for (path, position), (id_, should_be) in settled_ids(connection, anchors).items():
            if id_ == should_be:
                continue
            where = (path, position)
            connection.execute("UPDATE episodes SET id = ? WHERE path = ? AND position = ?", (should_be, *where))
            stale = {one[0] for one in connection.execute(f"SELECT id FROM chunks {_WHERE}", where)}  # noqa: S608 - fixed
            connection.execute(f"DELETE FROM chunks {_WHERE}", where)  # noqa: S608 - fixed
            row = connection.execute(f"SELECT {', '.join(EPISODE_FIELDS)} FROM episodes {_WHERE}", where).fetchone()  # noqa: S608 - fixed
            chunks = [] if len(row[-1]) > LONG_CHARS else cut_episode(_entry_of(row))
            if not chunks:
                connection.execute("INSERT OR IGNORE INTO uncut VALUES (?, ?)", where)
            connection.executemany(INSERT_CHUNK, chunk_rows(path, position, chunks))
            self._documents.settle(connection, sorted(stale | set(texts_of(chunks))), texts_of(chunks))
            self.cuts += 1
            self.rewritten += 1

    def counted(self, draft: Draft) -> dict[str, tuple[str, bytes]]:
        """Return the terms of a draft's new pieces; that takes long, and needs no lock."""
        headings = {chunk[3]: chunk[4] for chunk in draft.chunks if chunk[3] in draft.texts}
        return {
            id_: (heading, self._documents.counted(id_, heading, draft.texts[id_][0]))
            for id_, heading in headings.items()
        }


_WHERE = "WHERE path = ? AND position = ?"
_CUT_AT_ONCE = 16
_NEXT_UNCUT = f"""
SELECT {", ".join(f"e.{name}" for name in EPISODE_FIELDS)}, f.root FROM uncut u
JOIN episodes e ON e.path = u.path AND e.position = u.position JOIN files f ON f.path = e.path
ORDER BY e.at_us DESC LIMIT 1
"""  # noqa: S608 - fixed names


def _entry_of(row: EpisodeRow) -> Entry:
    """Return the entry of a row, as far as it matters for cutting it."""
    path, _, id_, _, title, at_us, offset_min, first, last = row[:9]
    text = row[EPISODE_FIELDS.index("text")]
    episode = Episode(id_, title, text, instant(at_us, offset_min), path, (first, last))
    # An entry ends with its text.
    return Entry(episode, last - text.count("\n"), written=True)
