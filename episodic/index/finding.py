"""What the manifest knows of a found piece: where it stands, the entry it belongs to, and, once shown, its text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import NamedTuple

from episodic.index.manifest import Manifest
from episodic.index.timeline import instant
from episodic.journal.excerpt import EXCERPTS
from memoryd.text.hit import ArmScore, Hit, Kind


class Finding(NamedTuple):
    """A piece with its first place, and the paths of its other places.

    A question finds a hundred or two and shows ten: making one is to cost next to nothing, so all of it stands in
    indexes of the manifest, and what is shown is read by :meth:`Findings.told` for the ten.
    """

    id: str
    path: str
    ordinal: int
    episode: str
    at_us: int
    offset_min: int
    project: str | None
    session: str | None
    pieces: int
    text_hash: str
    is_excerpt: bool
    """Whether it stands in the kept excerpt of a turn, beside its entry."""
    others: tuple[str, ...] = ()

    @property
    def at(self) -> datetime:
        """The instant of the entry, with the offset it was written with."""
        return instant(self.at_us, self.offset_min)

    def kind(self, *, kinds: Sequence[str] | None) -> Kind:
        """Return how the piece is shown: as its entry, or as a section of a long one."""
        if self.pieces == 1 or (kinds is not None and "section" not in kinds):
            return "episode"
        return "section"

    def hit_id(self, *, kinds: Sequence[str] | None) -> str:
        """Return the id under which it is shown."""
        return self.episode if self.kind(kinds=kinds) == "episode" else self.id

    def hit(self, told: Told, score: float, arms: Mapping[str, ArmScore], *, kinds: Sequence[str] | None) -> Hit:
        """Return the hit."""
        kind = self.kind(kinds=kinds)
        heading = told.heading
        title = heading[0] if kind == "episode" else " > ".join(dict.fromkeys(heading))
        return Hit(
            self.hit_id(kinds=kinds),
            "episodic",
            kind,
            title,
            told.text,
            score,
            path=self.path,
            lines=told.lines,
            at=self.at,
            project=self.project,
            session=self.session,
            episode=self.episode,
            sources=self.others,
            arms=arms,
        )


class Told(NamedTuple):
    """What is shown of a piece: its text, the headings above it, the entry's title first, and its lines."""

    text: str
    heading: tuple[str, ...]
    lines: tuple[int, int]


class Findings:
    """Loads findings from the manifest."""

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest

    def load(self, ids: Sequence[str]) -> dict[str, Finding]:
        """Return the findings of those ids that still exist, by their first places."""
        found: dict[str, Finding] = {}
        with self._manifest.reading() as connection:
            rows = connection.execute(_PLACES, (json.dumps(list(ids)),)).fetchall()
        rows.sort(key=_PLACE)
        for row in rows:
            known = found.get(row[0])
            if known is None:
                found[row[0]] = Finding._make((*row, row[1].startswith(_EXCERPTS), ()))
            elif row[1] != known.path and row[1] not in known.others:
                found[row[0]] = known._replace(others=(*known.others, row[1]))
        return found

    def told(self, findings: Iterable[Finding]) -> dict[str, Told]:
        """Return what is to be shown of findings, by piece id; a piece that is gone meanwhile is left out."""
        places = json.dumps([[one.path, one.ordinal] for one in findings])
        with self._manifest.reading() as connection:
            rows = connection.execute(_TOLD, (places,)).fetchall()
        return {id_: Told(text, tuple(json.loads(heading)), (first, last)) for id_, text, heading, first, last in rows}


_EXCERPTS = f"{EXCERPTS}/"
_PLACE = itemgetter(1, 2)
# The order of the joins is told: each step is answered by an index alone. SQLite would begin with the texts.
_PLACES = """
SELECT c.id, c.path, c.ordinal, e.id, e.at_us, e.offset_min, e.project, e.session, e.pieces, d.text_hash
FROM json_each(?) wanted
CROSS JOIN chunks c INDEXED BY chunks_id ON c.id = wanted.value
CROSS JOIN episodes e INDEXED BY episodes_found ON e.path = c.path AND e.position = c.position
CROSS JOIN documents d INDEXED BY documents_found ON d.id = c.id
WHERE e.written < 2 OR EXISTS (SELECT 1 FROM entries o WHERE o.id = e.id)
"""
_TOLD = """
SELECT c.id, d.text, c.heading, c.first, c.last FROM json_each(?) wanted
CROSS JOIN chunks c ON c.path = json_extract(wanted.value, '$[0]')
  AND c.ordinal = json_extract(wanted.value, '$[1]')
CROSS JOIN documents d ON d.id = c.id
"""
