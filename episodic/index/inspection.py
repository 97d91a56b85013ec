"""Comparing what should be with what is: files with the manifest, the manifest with the engine's rows.

Nothing is changed. Each difference is named by its place; what is only waiting to be indexed is none.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from episodic.engine.expression import capped
from episodic.engine.port import Row, collection_of
from episodic.errors import EngineError, UnreadableFile
from episodic.index.documents import Document, Documents
from episodic.index.draft import CHUNK_FIELDS, EPISODE_FIELDS, SELECT_CHUNKS, SELECT_EPISODES
from episodic.index.intake import Expected, Intake, Place
from episodic.index.manifest import Manifest
from episodic.index.mending import Mending
from episodic.index.roots import Root
from episodic.index.schema import MANIFEST
from episodic.index.upkeep import Index
from episodic.journal.enclosure import way_out
from memoryd.text.report import Problem

_PAGE = 500
_MANY = 1_000_000

Tell = Callable[[str, int, int], None]
"""Told what is done, how much of it, and of how much; what it raises ends the work."""


@dataclass(frozen=True, slots=True)
class IndexState:
    """Files, entries, pieces, what is pending, vectors by model as the manifest has them, and the engine's rows."""

    files: int
    episodes: int
    chunks: int
    pending: int
    vectors: Mapping[str, int]
    rows: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Counts:
    """Entries, pieces, vectors by model fingerprint, and what the index still has to take in (vectors not counted)."""

    episodes: int
    chunks: int
    vectors: Mapping[str, int]
    pending: int


class Inspection:
    """Compares. ``writing`` is held while one file is compared, so that an entry just written is no difference."""

    def __init__(
        self,
        manifest: Manifest,
        intake: Intake,
        documents: Documents,
        index: Index,
        roots: Sequence[Root],
        mending: Mending,
        *,
        writing: threading.RLock,
    ) -> None:
        self._manifest = manifest
        self._intake = intake
        self._documents = documents
        self._index = index
        self._roots = roots
        self._writing = writing
        self._mending = mending

    def state(self) -> IndexState:
        """Return how much there is."""
        episodes, chunks, pending, vectors = self._documents.totals()
        files = len(self._manifest.files())
        return IndexState(files, episodes, chunks, pending, MappingProxyType(vectors), self._index.row_counts())

    def differences(self, tell: Tell) -> list[Problem]:
        """Return every difference, files first."""
        if damage := self._manifest.damage():
            return [Problem(MANIFEST, f"it is damaged: {damage}")]
        if reason := self._mending.reason:
            return [Problem(MANIFEST, reason)]
        found = self._compare_files(tell)
        found += [
            Problem(MANIFEST, f"the term {term} is counted in {kept} pieces and stands in {right}")
            for term, (kept, right) in self._documents.miscounted().items()
        ]
        try:
            return found + self._compare_rows(tell)
        except EngineError as error:
            return [*found, Problem("index", f"the rows could not be compared: {error}")]

    def _compare_files(self, tell: Tell) -> list[Problem]:
        found: list[Problem] = []
        places = self._places(found)
        known = {file.path for file in self._manifest.files()}
        for done, place in enumerate(places):
            tell(f"compares {place.shown}", done, len(places))
            with self._writing:
                found += self._compare_file(place)
        gone = sorted(known - {place.shown for place in places})
        found += [Problem(path, "it is in the manifest, and no such file is there") for path in gone]
        return found

    def _places(self, found: list[Problem]) -> list[Place]:
        places = []
        for root in self._roots:
            if not root.folder.is_dir():
                continue
            errors: list[str] = []
            for path in root.walk(errors):
                place = root.place_of(path)
                if place is not None and way_out(path, place.within) is None:
                    places.append(place)
            found += [Problem(root.name, error) for error in errors]
        return places

    def _compare_file(self, place: Place) -> list[Problem]:
        file = self._manifest.file(place.shown)
        if file is None:
            return [Problem(place.shown, "it is not in the manifest")]
        try:
            expected = self._intake.expected(place)
        except UnreadableFile as error:
            return [Problem(place.shown, str(error))]
        with self._manifest.reading() as connection:
            episodes = connection.execute(SELECT_EPISODES, (place.shown,)).fetchall()
            chunks = [
                chunk
                for chunk in connection.execute(SELECT_CHUNKS, (place.shown,))
                if chunk[2] not in expected.uncut  # they are still to come
            ]
            texts = dict(
                connection.execute(
                    "SELECT id, text FROM documents WHERE id IN (SELECT id FROM chunks WHERE path = ?)", (place.shown,)
                )
            )
        reasons = []
        if file.lines != expected.lines:
            reasons.append(f"it has {expected.lines} lines, the manifest says {file.lines}")
        reasons += _compared("entry", EPISODE_FIELDS, expected.episodes, episodes)
        reasons += _compared("piece", CHUNK_FIELDS, expected.chunks, chunks)
        reasons += _texts(expected, texts)
        return [Problem(place.shown, reason) for reason in reasons]

    def _compare_rows(self, tell: Tell) -> list[Problem]:
        documents = self._all_documents()
        leaving = set(self._documents.dropped(_MANY))
        expected = {collection_of(space): self._documents.embedded(space) for space in self._documents.spaces()}
        expected[self._index.place] = self._documents.indexed()
        found: list[Problem] = []
        collections = sorted({*self._index.collections(), *expected})
        for done, name in enumerate(collections):
            tell(f"compares the rows of {name}", done, len(collections))
            rows = (row for row in self._index.rows(name) if row.id not in leaving)
            found += _rows(name, rows, expected.get(name, set()), documents)
        return found

    def _all_documents(self) -> dict[str, Document]:
        found: dict[str, Document] = {}
        after = ""
        while page := self._documents.after(after, _PAGE):
            found |= {document.id: document for document in page}
            after = page[-1].id
        return found


def _compared(
    what: str, fields: Sequence[str], expected: Iterable[Sequence[Any]], held: Iterable[Sequence[Any]]
) -> list[str]:
    """Compare rows by place in their file; the second field is that place."""
    right = {row[1]: tuple(row) for row in expected}
    kept = {row[1]: tuple(row) for row in held}
    name = fields.index("id")
    reasons = []
    for place in sorted({*right, *kept}):
        if place not in kept:
            reasons.append(f"{what} {right[place][name]} is in the file and not in the manifest")
        elif place not in right:
            reasons.append(f"{what} {kept[place][name]} is in the manifest and not in the file")
        else:
            wrong = [field for field, a, b in zip(fields, right[place], kept[place], strict=True) if a != b]
            if wrong:
                reasons.append(f"{what} {right[place][name]} has another {', '.join(wrong)} in the manifest")
    return reasons


def _texts(expected: Expected, held: Mapping[str, str]) -> list[str]:
    reasons = [f"piece {id_} has no text in the manifest" for id_ in expected.texts if id_ not in held]
    reasons += [
        f"piece {id_} has another text in the manifest"
        for id_, text in expected.texts.items()
        if id_ in held and held[id_] != text
    ]
    return reasons


def _rows(
    collection: str, rows: Iterable[Row], expected: Collection[str], known: Mapping[str, Document]
) -> list[Problem]:
    reasons = []
    counts: Counter[str] = Counter()
    for row in rows:
        counts[row.id] += 1
        document = known.get(row.id)
        if document is None:
            reasons.append(f"row {row.id} belongs to no piece")
        elif row.id in expected and (wrong := _wrong_fields(row, document)):
            reasons.append(f"row {row.id} has another {', '.join(wrong)} than its piece")
    reasons += [f"row {id_} is there {count} times" for id_, count in counts.items() if count > 1]
    reasons += [f"row {id_} is missing" for id_ in expected if id_ not in counts]
    return [Problem(collection, reason) for reason in sorted(reasons)]


def _wrong_fields(row: Row, document: Document) -> list[str]:
    names = {
        "at": row.at_ms == document.at_us // 1000,
        "project": row.project in {document.project, capped(document.project)},
        "session": row.session in {document.session, capped(document.session)},
        "kind": row.kind == document.kind,
    }
    return [name for name, is_right in names.items() if not is_right]
