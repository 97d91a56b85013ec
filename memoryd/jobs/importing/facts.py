"""Facts of other programs, recorded as decisions, once each.

A fact with an id is known by the last line of its reason, which says where it came from; one without, by its words.
What was decided since stays in force: a fact that stands here already is never recorded again.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memoryd.jobs.importing.item import Fact
from memoryd.jobs.importing.report import Fate
from memoryd.jobs.importing.words import ACTOR, comparable, line, mended, storable
from memoryd.text.canonical import digest
from semantic.errors import Purged
from semantic.store import SemanticStore
from semantic.writing.recording import MAX_TITLE, NewDecision

_LONGEST_WHY = 20_000
_ORIGIN = re.compile(r"^Taken in from (.+)\.\Z", re.MULTILINE)


class Facts:
    """Takes in facts of one program.

    Args:
        source: The name of the program.
        semantic: Where they go.
        episode_of: Returns the episode of an entry of the program, by its id there: evidence.
        is_dry: Only tell.
    """

    def __init__(
        self, source: str, semantic: SemanticStore, episode_of: Callable[[str], str | None], *, is_dry: bool
    ) -> None:
        self._source = source
        self._semantic = semantic
        self._episode_of = episode_of
        self._is_dry = is_dry
        self._ids: dict[str, str] = {}
        self._words: set[tuple[str, str]] = set()
        self._told = semantic.taking.sessions_of(ACTOR)
        self._origins: dict[str, tuple[str, tuple[str, str]]] = {}
        for one in semantic.projection().decisions.values():
            if one.actor == ACTOR:
                words = comparable(one.title), comparable(one.why)
                self._words.add(words)
                if origin := _ORIGIN.search(one.why):
                    self._origins[origin[1]] = one.id, words

    def take(self, fact: Fact) -> Fate:
        """Record a fact, or find it.

        Raises:
            SemanticError: It cannot be recorded; nothing is.
        """
        origin = None if fact.id is None else line(f"{self._source} {fact.id}")
        why = storable(fact.why)[:_LONGEST_WHY].strip()
        if origin is not None:
            why = f"{why}\n\nTaken in from {origin}.".strip()
        title = line(fact.title)[:MAX_TITLE]
        words = comparable(title), comparable(why)
        if origin is not None and origin in self._origins:
            id_, before = self._origins[origin]
            self._ids[str(fact.id)] = id_
            return Fate("known") if before == words else Fate("differs", id_)
        if words in self._words:
            return Fate("known")
        # The log keeps who wrote a line, and in which session, when its text is forgotten.
        session = f"import {digest(self._source, fact.id, list(words) if fact.id is None else None, length=20)}"
        if session in self._told:
            return Fate("forgotten")
        if self._is_dry:
            return Fate("recorded")
        new = NewDecision(
            title,
            why,
            mended(fact.mutations),
            scope="user" if fact.cwd is None else None,
            actor=ACTOR,
            session=session,
            valid_at=fact.valid_at,
            evidence=[found for id_ in fact.evidence if (found := self._episode_of(id_)) is not None],
            supersedes=[self._ids[id_] for id_ in fact.supersedes if id_ in self._ids],
        )
        try:
            recorded = self._semantic.decide(new, cwd=fact.cwd)
        except Purged:
            return Fate("forgotten")
        if fact.id is not None:
            self._ids[fact.id] = recorded.id
        return Fate("recorded" if recorded.created else "known")
