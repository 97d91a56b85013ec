"""What the manifest knows of a found piece: its text, where it stands, and the entry it belongs to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from episodic.excerpt import EXCERPTS
from episodic.manifest import Manifest
from episodic.timeline import instant
from memoryd.text.hit import ArmScore, Hit, Kind


def is_excerpt(path: str) -> bool:
    """Tell whether a path, as shown, is that of an excerpt."""
    return path.startswith(f"{EXCERPTS}/")


class Finding(NamedTuple):
    """A piece with its first place, and the paths of its other places.

    A question finds a hundred or two and shows ten: making one is to cost next to nothing, and its heading is read
    when it is shown.
    """

    id: str
    episode: str
    text: str
    text_hash: str
    heading_json: str
    lines: tuple[int, int]
    path: str
    at: datetime
    project: str | None
    session: str | None
    pieces: int
    others: tuple[str, ...]

    @property
    def heading(self) -> tuple[str, ...]:
        """The headings above it, the entry's title first."""
        return tuple(json.loads(self.heading_json))

    @property
    def is_excerpt(self) -> bool:
        """Whether it stands in the kept excerpt of a turn, beside its entry."""
        return is_excerpt(self.path)

    def kind(self, *, kinds: Sequence[str] | None) -> Kind:
        """Return how the piece is shown: as its entry, or as a section of a long one."""
        if self.pieces == 1 or (kinds is not None and "section" not in kinds):
            return "episode"
        return "section"

    def hit_id(self, *, kinds: Sequence[str] | None) -> str:
        """Return the id under which it is shown."""
        return self.episode if self.kind(kinds=kinds) == "episode" else self.id

    def hit(self, score: float, arms: Mapping[str, ArmScore], *, kinds: Sequence[str] | None) -> Hit:
        """Return the hit."""
        kind = self.kind(kinds=kinds)
        heading = self.heading
        title = heading[0] if kind == "episode" else " > ".join(dict.fromkeys(heading))
        return Hit(
            self.hit_id(kinds=kinds),
            "episodic",
            kind,
            title,
            self.text,
            score,
            path=self.path,
            lines=self.lines,
            at=self.at,
            project=self.project,
            session=self.session,
            episode=self.episode,
            sources=self.others,
            arms=arms,
        )


class Findings:
    """Loads findings from the manifest."""

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest

    def load(self, ids: Sequence[str]) -> dict[str, Finding]:
        """Return the findings of those ids that still exist."""
        found: dict[str, Finding] = {}
        others: dict[str, list[str]] = {}
        with self._manifest.reading() as connection:
            rows = connection.execute(_PLACES, (json.dumps(list(ids)),)).fetchall()
        for row in rows:
            id_, text, text_hash, heading, first, last, path, episode, at_us, offset_min, project, session, pieces = row
            if id_ in found:
                if path != found[id_].path and path not in others.get(id_, ()):
                    others.setdefault(id_, []).append(path)
                continue
            found[id_] = Finding(
                id_,
                episode,
                text,
                text_hash,
                heading,
                (first, last),
                path,
                instant(at_us, offset_min),
                project,
                session,
                pieces,
                (),
            )
        return found | {id_: found[id_]._replace(others=tuple(paths)) for id_, paths in others.items()}


_PLACES = """
SELECT d.id, d.text, d.text_hash, c.heading, c.first, c.last, c.path, e.id, e.at_us, e.offset_min, e.project,
  e.session, e.pieces
FROM documents d
JOIN chunks c ON c.id = d.id
JOIN episodes e ON e.path = c.path AND e.position = c.position
WHERE d.id IN (SELECT value FROM json_each(?)) AND (e.written < 2 OR EXISTS (SELECT 1 FROM entries o WHERE o.id = e.id))
ORDER BY c.path, c.ordinal
"""
