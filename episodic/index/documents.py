"""The distinct pieces of all files, their words, and which of them each index collection holds.

A piece can stand in two files (a sync tool's conflict copy): it is one document, with the attributes of its first
place. Document frequencies are kept with it in the same transaction, so they always equal a count from nothing.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from episodic.engine.port import WEIGHTS_PREFIX
from episodic.index.chunk import lexical_text
from episodic.index.manifest import Manifest
from memoryd.text.bm25 import AVGDL, K1, B, document_weights
from memoryd.text.canonical import digest
from memoryd.text.terms import term_id, terms

TOTAL = -1
"""Stands in the frequencies for the number of documents; no term has a negative id."""

_KEPT_WEIGHTS = 4_096
_PROBE = "Running getUserName parse_config_file v1.2.3 src/app.py E4021 Häuser café naïve 数据库 データ don't ΑΒΓ"


@dataclass(frozen=True, slots=True)
class Document:
    """A piece as an engine needs to know it; ``project`` and ``session`` are empty where there is none."""

    id: str
    text: str
    heading: tuple[str, ...]
    at_us: int
    project: str
    session: str
    kind: str
    row_stamp: str
    stamp: str


_SELECT = "SELECT id, text, heading, at_us, project, session, kind, row_stamp, stamp FROM documents"
_BY_IDS = f"{_SELECT} WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 - no value stands in it


class _Known(NamedTuple):
    text: str
    text_hash: str
    stamp: str
    row_stamp: str
    terms: bytes


class Documents:
    """Reads and writes the documents of a manifest. All methods may be called from any thread."""

    def __init__(self, manifest: Manifest, *, languages: Sequence[str]) -> None:
        self._manifest = manifest
        self._languages = tuple(languages)
        self._lock = threading.Lock()
        self._weights: dict[str, tuple[tuple[str, ...], str, dict[int, float]]] = {}

    def stamp(self) -> str:
        """Name all that stored words depend on: the rules themselves, the languages, and the constants of BM25."""
        return digest(terms(_PROBE, self._languages), list(self._languages), str((K1, B, AVGDL)), length=16)

    def counted(self, id_: str, heading: str, text: str) -> bytes:
        """Return the terms of a piece as a document holds them; ``heading`` as it is stored. It takes long."""
        headings = tuple(json.loads(heading))
        weights = document_weights(terms(lexical_text(headings, text), self._languages))
        with self._lock:
            if len(self._weights) >= _KEPT_WEIGHTS:
                self._weights.clear()
            self._weights[id_] = (headings, text, weights)
        return np.fromiter(weights, dtype=np.uint32, count=len(weights)).tobytes()

    def settle(
        self,
        connection: sqlite3.Connection,
        ids: Iterable[str],
        texts: Mapping[str, tuple[str, str]],
        counted: Mapping[str, tuple[str, bytes]] = MappingProxyType({}),
    ) -> bool:
        """Bring documents in line with the places that the pieces of these ids now have.

        ``texts`` gives (text, hash) of new ids, ``counted`` what ``counted`` returned for a heading. Returns whether
        anything changed. Runs inside the caller's transaction.
        """
        change: Counter[int] = Counter()
        changed = False
        for id_ in ids:
            changed |= self._settle_one(connection, id_, texts.get(id_), counted.get(id_, ("", b"")), change)
        _apply(connection, change)
        return changed

    def _settle_one(
        self,
        connection: sqlite3.Connection,
        id_: str,
        new: tuple[str, str] | None,
        counted: tuple[str, bytes],
        change: Counter[int],
    ) -> bool:
        """Bring one document in line, note in ``change`` what that does to frequencies, and tell whether it changed."""
        found = connection.execute(_KNOWN, (id_,)).fetchone()
        known = None if found is None else _Known(*found)
        place = connection.execute(_FIRST_PLACE, (id_,)).fetchone()
        if place is None:
            if known is not None:
                _remove(connection, id_, known.terms, change)
            return known is not None
        heading, at_us, project, session, pieces = place
        kind = "episode" if pieces == 1 else "section"
        row_stamp = _stamp(at_us // 1000, project, session, kind)
        stamp = _stamp(row_stamp, heading)
        if known is not None:
            if known.stamp == stamp and new in {None, (known.text, known.text_hash)}:
                return False
            new = new or (known.text, known.text_hash)
        assert new is not None, "a document that is new comes with its text"
        text, text_hash = new
        words = counted[1] if counted[0] == heading else self.counted(id_, heading, text)
        change.update(_term_ids(words))
        values = (text, text_hash, at_us, project or "", session or "", kind, heading, row_stamp, stamp, words)
        if known is None:
            change[TOTAL] += 1
            connection.execute("DELETE FROM dropped WHERE id = ?", (id_,))
            connection.execute(_INSERT, (id_, *values, None if words else stamp))
            return True
        change.subtract(_term_ids(known.terms))
        connection.execute(_UPDATE, (*values, id_))
        if known.row_stamp != row_stamp:
            # Its vectors stand under filters that are not its own any more: they are wanted again.
            connection.execute("DELETE FROM vectors WHERE id = ?", (id_,))
        return True

    def frequencies(self, words: Sequence[str]) -> tuple[dict[int, int], int]:
        """Return in how many documents each of these terms stands, and how many documents there are."""
        wanted = json.dumps(sorted({term_id(word) for word in words}))
        with self._manifest.reading() as connection:
            found: dict[int, int] = dict(
                connection.execute(
                    "SELECT term, documents FROM frequencies WHERE term IN (SELECT value FROM json_each(?))", (wanted,)
                )
            )
            row = connection.execute("SELECT documents FROM frequencies WHERE term = ?", (TOTAL,)).fetchone()
        return found, 0 if row is None else int(row[0])

    def weights(self, document: Document) -> dict[int, float]:
        """Return the stored half of a document's BM25."""
        with self._lock:
            kept = self._weights.pop(document.id, None)
        if kept is not None and kept[:2] == (document.heading, document.text):
            return kept[2]
        return document_weights(terms(lexical_text(document.heading, document.text), self._languages))

    def pending_lexical(self, limit: int) -> list[Document]:
        """Return documents that the lexical collection lacks or has in an older form, newest first."""
        with self._manifest.reading() as connection:
            rows = connection.execute(
                f"{_SELECT} WHERE in_lexical IS NOT stamp ORDER BY at_us DESC, id LIMIT ?", (limit,)
            ).fetchall()
        return [_document(row) for row in rows]

    def dropped(self, limit: int) -> list[str]:
        """Return ids that engines may still hold though no file has them any more."""
        with self._manifest.reading() as connection:
            return [row[0] for row in connection.execute("SELECT id FROM dropped LIMIT ?", (limit,))]

    def by_ids(self, ids: Sequence[str]) -> dict[str, Document]:
        """Return the documents of these ids that exist."""
        with self._manifest.reading() as connection:
            rows = connection.execute(_BY_IDS, (json.dumps(list(ids)),)).fetchall()
        return {row[0]: _document(row) for row in rows}

    def wanting_vectors(self, fingerprint: str, limit: int) -> list[tuple[str, str]]:
        """Return (id, text to embed) of documents whose vector a model's collection lacks, newest first."""
        # Few are wanting, and they are the newest: the search for them ends when it has them.
        missing, _ = self.vector_counts(fingerprint)
        with self._manifest.reading() as connection:
            return connection.execute(
                "SELECT d.id, d.text FROM documents d LEFT JOIN vectors v ON v.fingerprint = ? AND v.id = d.id "
                "WHERE v.stamp IS NOT d.row_stamp ORDER BY d.at_us DESC, d.id LIMIT ?",
                (fingerprint, min(limit, missing)),
            ).fetchall()

    def count_wanting(self, space: str) -> int:
        """Return how many documents ``wanting_vectors`` would name."""
        return self.vector_counts(space)[0]

    def vector_counts(self, fingerprint: str) -> tuple[int, int]:
        """Return how many documents lack a vector of a model, and how many have one."""
        with self._manifest.reading() as connection:
            total, present = connection.execute(_VECTOR_COUNTS, (TOTAL, fingerprint)).fetchone()
        return max(0, (total or 0) - (present or 0)), present or 0

    def without_vector(self, fingerprint: str, ids: Sequence[str]) -> set[str]:
        """Return those of the ids whose vector a model's collection lacks."""
        with self._manifest.reading() as connection:
            rows = connection.execute(_WITH_VECTOR, (fingerprint, json.dumps(list(ids)))).fetchall()
        return set(ids).difference(row[0] for row in rows)

    def after(self, id_: str, limit: int) -> list[Document]:
        """Return the documents whose ids follow one, by id: all of them in parts, from the empty id on."""
        with self._manifest.reading() as connection:
            rows = connection.execute(f"{_SELECT} WHERE id > ? ORDER BY id LIMIT ?", (id_, limit)).fetchall()
        return [_document(row) for row in rows]

    def indexed(self) -> set[str]:
        """Return the ids that have a row in the lexical collection, in their present form."""
        with self._manifest.reading() as connection:
            rows = connection.execute("SELECT id FROM documents WHERE in_lexical = stamp AND length(terms) > 0")
            return {row[0] for row in rows}

    def embedded(self, fingerprint: str) -> set[str]:
        """Return the ids that have a vector of a model, in their present form."""
        with self._manifest.reading() as connection:
            rows = connection.execute(
                "SELECT v.id FROM vectors v JOIN documents d ON d.id = v.id "
                "WHERE v.fingerprint = ? AND v.stamp = d.row_stamp",
                (fingerprint,),
            )
            return {row[0] for row in rows}

    def spaces(self) -> list[str]:
        """Return the spaces in which any document is: fingerprints, and the names of weights collections."""
        with self._manifest.reading() as connection:
            rows = connection.execute("SELECT fingerprint FROM spaces WHERE vectors > 0 ORDER BY fingerprint")
            return [row[0] for row in rows]

    def miscounted(self) -> dict[int, tuple[int, int]]:
        """Return the terms whose kept frequency is wrong: what is kept, and what it should be."""
        with self._manifest.reading() as connection:
            right = _counted(connection)
            kept = dict(connection.execute("SELECT term, documents FROM frequencies"))
        return {
            term: (kept.get(term, 0), right.get(term, 0))
            for term in sorted({*kept, *right})
            if kept.get(term, 0) != right.get(term, 0)
        }

    def recount(self) -> None:
        """Count the frequencies from nothing."""
        with self._manifest.writing() as connection:
            right = _counted(connection)
            connection.execute("DELETE FROM frequencies")
            connection.executemany("INSERT INTO frequencies VALUES (?, ?)", right.items())

    def totals(self) -> tuple[int, int, int, dict[str, int]]:
        """Return the numbers of entries, documents and rows not yet in the lexical collection, and vectors by model."""
        with self._manifest.reading() as connection:
            episodes = connection.execute("SELECT COUNT(DISTINCT id) FROM entries").fetchone()[0]
            documents = connection.execute("SELECT COUNT(*) FROM documents").fetchone()[0]
            pending = connection.execute("SELECT COUNT(*) FROM documents WHERE in_lexical IS NOT stamp").fetchone()[0]
            dropped = connection.execute("SELECT COUNT(*) FROM dropped").fetchone()[0]
            uncut = connection.execute(_UNCUT).fetchone()[0]
            vectors = connection.execute(_VECTORS_BY_MODEL).fetchall()
        return int(episodes), int(documents), int(pending) + int(dropped) + int(uncut), dict(vectors)


_FIRST_PLACE = """
SELECT c.heading, e.at_us, e.project, e.session, e.pieces FROM chunks c
JOIN episodes e ON e.path = c.path AND e.position = c.position
WHERE c.id = ? ORDER BY c.path, c.ordinal LIMIT 1
"""


# Token weights have a space of their own, under the name of their collection; here models are counted.
_VECTORS_BY_MODEL = f"""
SELECT fingerprint, vectors FROM spaces WHERE vectors > 0 AND substr(fingerprint, 1, 4) <> '{WEIGHTS_PREFIX}'
"""  # noqa: S608 - a fixed name

# How many pieces a long entry gives is known only when it is cut.
_UNCUT = """
SELECT COALESCE(SUM(1 + length(e.text) / 1000), 0) FROM uncut u
JOIN episodes e ON e.path = u.path AND e.position = u.position
"""

_VECTOR_COUNTS = """
SELECT (SELECT documents FROM frequencies WHERE term = ?), (SELECT vectors FROM spaces WHERE fingerprint = ?)
"""

_WITH_VECTOR = "SELECT id FROM vectors WHERE fingerprint = ? AND id IN (SELECT value FROM json_each(?))"


_KNOWN = "SELECT text, text_hash, stamp, row_stamp, terms FROM documents WHERE id = ?"

_INSERT = "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

_UPDATE = """
UPDATE documents SET text = ?, text_hash = ?, at_us = ?, project = ?, session = ?, kind = ?, heading = ?,
row_stamp = ?, stamp = ?, terms = ? WHERE id = ?
"""

_ADD = """
INSERT INTO frequencies VALUES (?, ?) ON CONFLICT (term) DO UPDATE SET documents = documents + excluded.documents
"""


def _remove(connection: sqlite3.Connection, id_: str, words: bytes, change: Counter[int]) -> None:
    change.subtract(_term_ids(words))
    change[TOTAL] -= 1
    connection.execute("DELETE FROM documents WHERE id = ?", (id_,))
    connection.execute("DELETE FROM vectors WHERE id = ?", (id_,))
    connection.execute("INSERT OR IGNORE INTO dropped VALUES (?)", (id_,))


def _apply(connection: sqlite3.Connection, change: Counter[int]) -> None:
    """Add to each term's frequency what changed."""
    connection.executemany(_ADD, [(term, by) for term, by in change.items() if by])
    if any(by < 0 for by in change.values()):
        connection.execute("DELETE FROM frequencies WHERE documents <= 0")


def _term_ids(words: bytes) -> list[int]:
    ids: list[int] = np.frombuffer(words, dtype=np.uint32).tolist()
    return ids


def _counted(connection: sqlite3.Connection) -> dict[int, int]:
    counts: Counter[int] = Counter()
    for (blob,) in connection.execute("SELECT terms FROM documents"):
        counts.update(_term_ids(blob))
        counts[TOTAL] += 1
    return dict(counts)


def _stamp(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _document(row: tuple[str, str, str, int, str, str, str, str, str]) -> Document:
    id_, text, heading, at_us, project, session, kind, row_stamp, stamp = row
    return Document(id_, text, tuple(json.loads(heading)), at_us, project, session, kind, row_stamp, stamp)
