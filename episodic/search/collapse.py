"""One hit an entry, one hit a text: what says the same becomes a source of the hit that stands for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from episodic.index.finding import Finding
from memoryd.text.hit import Hit


@dataclass(slots=True)
class Candidate:
    """A piece that may become a hit, its fused score, and where else the same is said."""

    finding: Finding
    score: float
    sources: list[str] = field(default_factory=list)


class Collapsed:
    """Candidates in the order in which their pieces were added, best first."""

    def __init__(self) -> None:
        self._by_text: dict[str, Candidate] = {}
        self._told: set[str] = set()

    @property
    def candidates(self) -> list[Candidate]:
        """The candidates so far."""
        return list(self._by_text.values())

    def add(self, finding: Finding, score: float) -> None:
        """Add a piece: a candidate, unless its entry or its text has one.

        An entry whose best piece says what another entry's best says is that one's source, with all its pieces.
        """
        if finding.episode in self._told:
            return
        self._told.add(finding.episode)
        twin = self._by_text.get(finding.text_hash)
        if twin is None:
            self._by_text[finding.text_hash] = Candidate(finding, score)
            return
        place = finding.path if finding.path != twin.finding.path else finding.episode
        twin.sources += (place, *finding.others)


def appended(first: Iterable[Hit], others: Iterable[Hit]) -> list[Hit]:
    """Return two lists as one: an entry or a text that the first has gets the sources that the second knows."""
    hits = list(first)
    places: dict[str, int] = {}
    for number, hit in enumerate(hits):
        places |= dict.fromkeys((hit.episode or hit.id, hit.text), number)
    for other in others:
        place = places.get(other.episode or other.id, places.get(other.text))
        if place is None:
            hits.append(other)
            continue
        kept = hits[place]
        name = other.path if other.path != kept.path else other.episode
        hits[place] = with_sources(kept, (*((name,) if name else ()), *other.sources))
    return hits


def with_sources(hit: Hit, sources: Iterable[str]) -> Hit:
    """Return the hit with further places that say the same; its own are none."""
    known = {hit.path, hit.episode, hit.id, *hit.sources}
    more = [source for source in dict.fromkeys(sources) if source not in known]
    return replace(hit, sources=(*hit.sources, *more)) if more else hit
