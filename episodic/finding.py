"""What the manifest knows of a found piece: its text, where it stands, and the entry it belongs to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from episodic.manifest import Manifest
from episodic.timeline import instant
from memoryd.text.hit import ArmScore, Hit, Kind


@dataclass(frozen=True, slots=True)
class Finding:
    """A piece with its first place, and the paths of its other places."""

    id: str
    episode: str
    text: str
    text_hash: str
    heading: tuple[str, ...]
    lines: tuple[int, int]
    path: str
    at: datetime
    project: str | None
    session: str | None
    pieces: int
    others: tuple[str, ...]

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
        title = self.heading[0] if kind == "episode" else " > ".join(dict.fromkeys(self.heading))
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
                tuple(json.loads(heading)),
                (first, last),
                path,
                instant(at_us, offset_min),
                project,
                session,
                pieces,
                (),
            )
        return found | {id_: replace(found[id_], others=tuple(paths)) for id_, paths in others.items()}


_PLACES = """
SELECT d.id, d.text, d.text_hash, c.heading, c.first, c.last, c.path, e.id, e.at_us, e.offset_min, e.project,
  e.session, e.pieces
FROM documents d
JOIN chunks c ON c.id = d.id
JOIN episodes e ON e.path = c.path AND e.position = c.position
WHERE d.id IN (SELECT value FROM json_each(?)) ORDER BY c.path, c.ordinal
"""
