"""What the entries around a short one lend it.

A short entry ("Yes, the blue one.") may hold no word of the question: what it answers stands in the entries next to
it. So a short entry gets a share of the scores of its neighbours in the session. It changes the order only. Share,
reach and bound were set on dialogues and chats that ``docs/benchmarks.md`` names; a neighbour lends only where it holds
a word of the question, for a crowd of entries that merely sound alike must not outrank the one that holds a rare word.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from episodic.index.finding import Finding
from episodic.index.manifest import Manifest
from memoryd.text.sentences import estimate_tokens

SHARE = 0.3
"""What part of a neighbour's score is lent."""
REACH = 2
"""So many entries before, and as many after, are neighbours."""
MOST = 0.4
"""No entry is lent more, so that a good hit of its own stays in front."""
SHORT_TOKENS = 220
"""A longer entry speaks for itself."""


class Surroundings:
    """Finds the neighbours of entries in their sessions. All methods may be called from any thread."""

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest

    def lend(
        self, findings: Mapping[str, Finding], scores: Mapping[str, float], *, lenders: Collection[str]
    ) -> dict[str, float]:
        """Return what each piece is lent, above 0 and at most ``MOST``; pieces that nobody lends to are left out.

        Args:
            findings: What was found, by piece id.
            scores: Scores from 0 to 1, by piece id.
            lenders: The pieces that may lend: those that hold a word of the question.
        """
        offered: dict[str, float] = {}
        sessions: dict[str, set[str]] = {}
        for id_ in lenders:
            finding = findings.get(id_)
            if finding is not None and finding.session is not None and not finding.is_excerpt:
                offered[finding.episode] = max(offered.get(finding.episode, 0.0), scores[id_])
                sessions.setdefault(finding.session, set()).add(finding.episode)
        near = {
            finding.episode: id_
            for id_, finding in findings.items()
            if finding.session in sessions and sessions[finding.session] != {finding.episode} and _is_whole(finding)
        }
        short = self._short(near)
        lent = {}
        for episode, neighbours in self._neighbours(list(short)).items():
            share = SHARE * sum(offered.get(one, 0.0) for one in neighbours - {episode})
            if share > 0:
                lent[short[episode]] = min(share, MOST)
        return lent

    def _short(self, pieces: Mapping[str, str]) -> dict[str, str]:
        """Return, of entries and their pieces, those whose text is short."""
        if not pieces:
            return {}
        with self._manifest.reading() as connection:
            texts = dict(connection.execute(_TEXTS, (json.dumps(list(pieces.values())),)))
        return {episode: id_ for episode, id_ in pieces.items() if estimate_tokens(texts.get(id_, "")) < SHORT_TOKENS}

    def _neighbours(self, episodes: list[str]) -> dict[str, set[str]]:
        if not episodes:
            return {}
        with self._manifest.reading() as connection:
            rows = connection.execute(_AROUND, (json.dumps(episodes),)).fetchall()
        return {id_: set(f"{before or ''} {after or ''}".split()) for id_, before, after in reversed(rows)}


def _is_whole(finding: Finding) -> bool:
    return finding.pieces == 1 and not finding.is_excerpt


_TEXTS = "SELECT id, text FROM documents WHERE id IN (SELECT value FROM json_each(?))"


def _nearest(comparison: str, direction: str) -> str:
    return (
        "(SELECT group_concat(id, ' ') FROM (SELECT n.id AS id FROM episodes n "  # noqa: S608 - fixed words
        "WHERE n.session = e.session AND n.written < 2 "
        f"AND (n.at_us, n.path, n.position) {comparison} (e.at_us, e.path, e.position) "
        f"ORDER BY n.at_us {direction}, n.path {direction}, n.position {direction} LIMIT {REACH}))"
    )


_AROUND = (
    f"SELECT e.id, {_nearest('<', 'DESC')}, {_nearest('>', 'ASC')} FROM episodes e "  # noqa: S608 - as above
    "WHERE e.id IN (SELECT value FROM json_each(?)) AND e.written < 2 ORDER BY e.path, e.position"
)
