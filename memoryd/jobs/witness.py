"""Which entries say what was decided, and are not cited by it yet? Each becomes a proposal to add it as evidence.

A decision cites what its own session wrote. Others may have said the same days before. An entry is proposed where both
searches put it first and both marks are clear: it holds most of the decision's telling words, the rare ones counting
more, and its vector stands out from those of the other entries around that time. How well that tells is in
``docs/benchmarks.md``.
"""

from __future__ import annotations

import heapq
import math
import re
import statistics
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from episodic.search.arms import DENSE_ARM, EpisodicQuery
from memoryd.router.outdated import LANGUAGES, telling_terms
from memoryd.router.plan import SEARCH_CHARACTERS
from memoryd.text.background import background
from memoryd.text.embedder import Embedder
from memoryd.text.hit import Found
from memoryd.text.terms import term_id, terms
from memoryd.text.window import Window
from semantic.curation.plan import ACTOR, Plan, evidence_step, proposal_id, refused
from semantic.model import Decision
from semantic.projection.picture import Projection

BEFORE, AFTER = timedelta(days=30), timedelta(days=1)
"""An entry speaks of a decision from so long before it holds to so shortly after; later ones speak of its effects."""
LEAST_WORDS = 0.6
"""An entry holds at least this share of the decision's telling words, by weight."""
LEAST_LEAD = 3.5
"""Its vector is nearer than the mean of those around by at least so many standard deviations."""
LEAST_ROWS = 20
"""Fewer vectors are no background to stand out from."""
MOST_DECISIONS = 100
"""So many decisions are looked at, the newest of those in force."""
MOST_PROPOSED = 20
"""So many are proposed at once, the clearest first: a person reads each."""
_LOOKED_AT = 20
_NUMBER = re.compile(r"\d+")
_UNSEEN = 0.001
"""The share of texts that a term is taken to stand in of which the background knows nothing."""


class Journal(Protocol):
    """The entries. ``index_seq`` grows with whatever changes one."""

    def index_seq(self) -> int:
        """Return the number of the last change."""
        ...

    def search(self, query: EpisodicQuery, embedder: Embedder | None) -> Found:
        """Return entries, with the lists of both searches."""
        ...


@dataclass(frozen=True, slots=True)
class Witness:
    """An entry that says what a decision says, and how far the two are alike."""

    decision: str
    episode: str
    words: float
    lead: float
    at: datetime | None

    @property
    def told(self) -> str:
        """Return, in words, why it is a witness."""
        when = f" of {self.at:%Y-%m-%d %H:%M}" if self.at is not None else ""
        return (
            f"The entry{when} holds {self.words:.0%} of the decision's telling words, and its vector is nearer than "
            f"those of the entries around it by {self.lead:.1f} standard deviations."
        )


class Witnesses:
    """Proposes evidence. May be called from any thread.

    Args:
        journal: Searched for each decision once, and again while entries about it may still be written.
        embedder: Returns the model; without one nothing is proposed, since words alone do not tell.
        clock: Returns the present, aware.
    """

    def __init__(
        self, journal: Journal, embedder: Callable[[], Embedder | None], clock: Callable[[], datetime]
    ) -> None:
        self._journal = journal
        self._embedder = embedder
        self._clock = clock
        self._lock = threading.Lock()
        self._known: dict[str, tuple[tuple[object, ...], tuple[Witness, ...]]] = {}

    def plans(self, picture: Projection) -> Iterator[Plan]:
        """Return a proposal for each entry that is found, the clearest first; one that was refused is no new one."""
        declined = refused(picture)
        found = [(_plan_id(one), one) for one in self._found(picture, declined)]
        found.sort(key=lambda pair: (-pair[1].words * pair[1].lead, pair[0]))
        fresh = 0
        for id_, one in found:
            fresh += id_ not in declined
            if id_ in declined or fresh <= MOST_PROPOSED:
                step = evidence_step(picture.decisions[one.decision], (one.episode,), one.told)
                yield Plan(id_, "evidence", step.title, "proposed", (step,))

    def _found(self, picture: Projection, declined: Collection[str]) -> list[Witness]:
        standing = (one for one in picture.decisions.values() if one.superseded_by is None and one.actor != ACTOR)
        newest = heapq.nlargest(
            MOST_DECISIONS, (one for one in standing if not one.is_bookkeeping), key=lambda one: (one.valid_at, one.id)
        )
        with self._lock:
            found: list[Witness] = []
            for decision in newest:
                is_over = decision.valid_at + AFTER < self._clock()
                state = (decision.evidence, None if is_over else self._journal.index_seq())
                kept = self._known.get(decision.id)
                if kept is None or kept[0] != state or any(_plan_id(one) in declined for one in kept[1][-1:]):
                    # Only now: a plan that is applied finds what was listed before, and waits for no model.
                    embedder = self._embedder()
                    if embedder is None:
                        continue
                    kept = self._known[decision.id] = (
                        state,
                        tuple(self._witnesses(picture, decision, embedder, declined)),
                    )
                found += (one for one in kept[1] if one.episode not in picture.forgotten)
            return found

    def _witnesses(
        self, picture: Projection, decision: Decision, embedder: Embedder, declined: Collection[str]
    ) -> Iterator[Witness]:
        """Yield the first entry that is not cited yet, if its marks are clear, behind those that were refused."""
        names = (picture.elements[id_].name for id_ in decision.elements if id_ in picture.elements)
        gists = [str(mutation.get("gist") or "") for mutation in decision.mutations]
        said = "\n".join((decision.title, *names, *gists))
        weights, numbers = _rarity(telling_terms(said)), set(_NUMBER.findall(said))
        query = EpisodicQuery(
            text="\n".join((decision.title, *filter(None, gists), decision.why))[:SEARCH_CHARACTERS],
            window=Window(decision.valid_at - BEFORE, decision.valid_at + AFTER),
            project=decision.project,
            kinds=("episode",),
            limit=_LOOKED_AT,
        )
        found = self._journal.search(query, embedder)
        scores = [score for _, score in found.arms.get(DENSE_ARM, ())]
        if not weights or len(scores) < LEAST_ROWS:
            return
        mean, spread = statistics.fmean(scores), statistics.pstdev(scores)
        for hit in found.hits:
            episode = hit.episode or hit.id
            if episode in decision.evidence or (hit.session is not None and hit.session == decision.session):
                continue
            # What said the same of the value before is evidence of what was replaced.
            if episode in picture.superseded_episodes or not numbers.issubset(_NUMBER.findall(hit.text)):
                continue
            held = weights.keys() & set(terms(f"{hit.title}\n{hit.text}", LANGUAGES))
            words = sum(weights[one] for one in held) / sum(weights.values())
            lead = (hit.arms[DENSE_ARM].score - mean) / spread if DENSE_ARM in hit.arms and spread else 0.0
            if words < LEAST_WORDS or lead < LEAST_LEAD:
                return
            one = Witness(decision.id, episode, words, lead, hit.at)
            yield one
            if _plan_id(one) not in declined:
                return


def _plan_id(one: Witness) -> str:
    return proposal_id("evidence", (one.decision, one.episode))


def _rarity(words: Collection[str]) -> Mapping[str, float]:
    """Return what each term tells: the logarithm of how few texts hold it."""
    shares = background(words, LANGUAGES)
    return {one: -math.log(max(shares.get(term_id(one), 0.0), _UNSEEN)) for one in words}
