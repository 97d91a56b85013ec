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

import numpy as np

from episodic.chunk import lexical_text
from episodic.manifest import Manifest
from memoryd.text.bm25 import document_weights
from memoryd.text.terms import term_id, terms

TOTAL = -1
"""Stands in the frequencies for the number of documents; no term has a negative id."""

_KEPT_WEIGHTS = 4_096


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


class Documents:
    """Reads and writes the documents of a manifest. All methods may be called from any thread."""

    def __init__(self, manifest: Manifest, *, languages: Sequence[str]) -> None:
        self._manifest = manifest
        self._languages = tuple(languages)
        self._lock = threading.Lock()
        self._weights: dict[str, tuple[str, dict[int, float]]] = {}

    def settle(self, connection: sqlite3.Connection, ids: Iterable[str], texts: Mapping[str, tuple[str, str]]) -> bool:
        """Bring documents in line with the places that the pieces of these ids now have.

        ``texts`` gives (text, hash) of new ids. Returns whether anything changed. Runs inside the caller's transaction.
        """
        change: Counter[int] = Counter()
        changed = False
        for id_ in ids:
            place = connection.execute(_FIRST_PLACE, (id_,)).fetchone()
            known = connection.execute(
                "SELECT text, text_hash, stamp, row_stamp, terms FROM documents WHERE id = ?", (id_,)
            ).fetchone()
            if place is None:
                if known is not None:
                    changed = True
                    self._remove(connection, id_, known[4], change)
                continue
            heading, at_us, project, session, pieces = place
            kind = "episode" if pieces == 1 else "section"
            row_stamp = _stamp(at_us // 1000, project, session, kind)
            stamp = _stamp(row_stamp, heading)
            if known is not None and known[2] == stamp:
                continue
            changed = True
            text, text_hash = (known[0], known[1]) if known is not None else texts[id_]
            blob = self._count(id_, stamp, heading, text, known[4] if known is not None else b"", change)
            if known is None:
                change[TOTAL] += 1
                connection.execute("DELETE FROM dropped WHERE id = ?", (id_,))
                connection.execute(
                    "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (id_, text, text_hash, at_us, project or "", session or "", kind, heading, row_stamp, stamp, blob,
                     None if blob else stamp),
                )  # fmt: skip
            else:
                connection.execute(
                    "UPDATE documents SET at_us = ?, project = ?, session = ?, kind = ?, heading = ?, row_stamp = ?, "
                    "stamp = ?, terms = ? WHERE id = ?",
                    (at_us, project or "", session or "", kind, heading, row_stamp, stamp, blob, id_),
                )
        connection.executemany(
            "INSERT INTO frequencies VALUES (?, ?) ON CONFLICT (term) DO UPDATE SET documents = documents + "
            "excluded.documents",
            [(term, by) for term, by in change.items() if by],
        )
        if any(by < 0 for by in change.values()):
            connection.execute("DELETE FROM frequencies WHERE documents <= 0")
        return changed

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
        if kept is not None and kept[0] == document.stamp:
            return kept[1]
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
        with self._manifest.reading() as connection:
            return connection.execute(
                "SELECT d.id, d.text FROM documents d LEFT JOIN vectors v ON v.fingerprint = ? AND v.id = d.id "
                "WHERE v.stamp IS NOT d.row_stamp ORDER BY d.at_us DESC, d.id LIMIT ?",
                (fingerprint, limit),
            ).fetchall()

    def vector_counts(self, fingerprint: str) -> tuple[int, int]:
        """Return how many documents lack a vector of a model, and how many have one."""
        with self._manifest.reading() as connection:
            total = connection.execute("SELECT COUNT(*) FROM documents").fetchone()[0]
            present = connection.execute(
                "SELECT COUNT(*) FROM vectors WHERE fingerprint = ?", (fingerprint,)
            ).fetchone()[0]
        return max(0, int(total) - int(present)), int(present)

    def without_vector(self, fingerprint: str, ids: Sequence[str]) -> set[str]:
        """Return those of the ids whose vector a model's collection lacks."""
        with self._manifest.reading() as connection:
            rows = connection.execute(_WITH_VECTOR, (fingerprint, json.dumps(list(ids)))).fetchall()
        return set(ids).difference(row[0] for row in rows)

    def totals(self) -> tuple[int, int, int, dict[str, int]]:
        """Return the numbers of entries, documents and rows not yet in the lexical collection, and vectors by model."""
        with self._manifest.reading() as connection:
            episodes = connection.execute("SELECT COUNT(DISTINCT id) FROM episodes").fetchone()[0]
            documents = connection.execute("SELECT COUNT(*) FROM documents").fetchone()[0]
            pending = connection.execute("SELECT COUNT(*) FROM documents WHERE in_lexical IS NOT stamp").fetchone()[0]
            dropped = connection.execute("SELECT COUNT(*) FROM dropped").fetchone()[0]
            vectors = connection.execute("SELECT fingerprint, COUNT(*) FROM vectors GROUP BY fingerprint").fetchall()
        return int(episodes), int(documents), int(pending) + int(dropped), dict(vectors)

    def _count(self, id_: str, stamp: str, heading: str, text: str, old: bytes, change: Counter[int]) -> bytes:
        weights = document_weights(terms(lexical_text(tuple(json.loads(heading)), text), self._languages))
        with self._lock:
            if len(self._weights) >= _KEPT_WEIGHTS:
                self._weights.clear()
            self._weights[id_] = (stamp, weights)
        new = np.fromiter(weights, dtype=np.uint32, count=len(weights))
        change.update(new.tolist())
        change.subtract(np.frombuffer(old, dtype=np.uint32).tolist())
        return new.tobytes()

    def _remove(self, connection: sqlite3.Connection, id_: str, blob: bytes, change: Counter[int]) -> None:
        change.subtract(np.frombuffer(blob, dtype=np.uint32).tolist())
        change[TOTAL] -= 1
        connection.execute("DELETE FROM documents WHERE id = ?", (id_,))
        connection.execute("DELETE FROM vectors WHERE id = ?", (id_,))
        connection.execute("INSERT OR IGNORE INTO dropped VALUES (?)", (id_,))


_FIRST_PLACE = """
SELECT c.heading, e.at_us, e.project, e.session, e.pieces FROM chunks c
JOIN episodes e ON e.path = c.path AND e.position = c.position
WHERE c.id = ? ORDER BY c.path, c.ordinal LIMIT 1
"""


_WITH_VECTOR = "SELECT id FROM vectors WHERE fingerprint = ? AND id IN (SELECT value FROM json_each(?))"


def _stamp(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _document(row: tuple[str, str, str, int, str, str, str, str, str]) -> Document:
    id_, text, heading, at_us, project, session, kind, row_stamp, stamp = row
    return Document(id_, text, tuple(json.loads(heading)), at_us, project, session, kind, row_stamp, stamp)
