"""Where a question stands: the passage of a note that holds it word for word, and what hangs beside that passage.

Who quotes a passage has it, and has the notes that it names. What may be missing there is what other passages link to
beside those, and what shares its links with the note: bibliographic coupling and co-citation (Kessler 1963; Small
1973), where a passage counts by its links and a common neighbour by the logarithm of its own (Adamic and Adar 2003), so
that no list and no hub outweighs the rest. A question that quotes nothing stands nowhere, and nothing of this applies.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from unicodedata import normalize

from semantic.fields import Document
from semantic.model import Section
from semantic.search.mention import split_words
from semantic.search.web import Web

MIN_WORDS = 8
"""Fewer words, or characters of a script without spaces, are no quotation: any text may hold them."""

RUN = 3
"""So many words in a row are compared."""

QUOTED = 0.7
"""The share of its runs that a question has in common with what it quotes: a link that was cut out breaks two."""

MAX_WORDS = 512
MAX_LINKS = 200
"""Of a note with more links, or of a passage with more, it says nothing that they stand together."""

MAX_SOURCES = 1000
"""So many notes are looked at for what they link to beside a passage's links: it bounds the time."""

FOUND = 300


@dataclass(frozen=True, slots=True)
class Place:
    """A quoted passage: its note, what it links to, and what of that the question itself names."""

    document: str
    linked: tuple[str, ...]
    named: frozenset[str]


def find_place(question: str, pieces: Iterable[tuple[str, Section]], documents: Mapping[str, Document]) -> Place | None:
    """Return the first of some passages that holds a question word for word, if one does.

    Args:
        question: As it was asked.
        pieces: Note and section, the likeliest first.
        documents: Notes by id.
    """
    asked = _words(question)[:MAX_WORDS]
    if len(asked) < MIN_WORDS:
        return None
    runs = _runs(asked)
    for note, section in pieces:
        if _share(runs, section.text) < QUOTED:
            continue
        first, last = section.lines
        anchors = [anchor for anchor in documents[note].anchors if first <= anchor.line <= last]
        linked = dict.fromkeys(target for anchor in anchors for target in anchor.targets)
        quoted = {target for anchor in anchors if _share(runs, anchor.text) >= QUOTED for target in anchor.targets}
        named = frozenset(one for one in quoted if one in documents and _is_named(documents[one], asked))
        return Place(note, tuple(linked), named)
    return None


def beside(
    place: Place, documents: Mapping[str, Document], web: Web, neighbors: Callable[[str], Iterable[str]]
) -> list[tuple[str, float]]:
    """Return (node, score), best first, of what hangs beside a passage.

    The sum of two shares of the best, 1 at the most each: what other passages link to beside what this one links to, or
    beside its note; and what has neighbours in common with its note.

    Args:
        place: The passage.
        documents: Notes by id.
        web: Their links.
        neighbors: Gives what a node is linked with, either way.
    """
    scores: defaultdict[str, float] = defaultdict(float)
    for some in (_linked_together(place, documents, web), _in_common(place.document, neighbors)):
        best = max(some.values(), default=0.0)
        for node, score in some.items():
            scores[node] += score / best
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:FOUND]


def _linked_together(place: Place, documents: Mapping[str, Document], web: Web) -> dict[str, float]:
    scores: defaultdict[str, float] = defaultdict(float)
    context, sources = _context(place, web)
    for source in sources:
        for targets in _passages(documents[source]) if source in documents else ():
            shared = context.keys() & targets.keys()
            if shared and len(targets) <= MAX_LINKS:
                for other in targets:
                    # A note says of others that they stand beside it, and nothing of itself.
                    scores[other] += (len(shared) - (other in shared)) / len(targets)
    return {node: score for node, score in scores.items() if score > 0 and node != place.document}


def _context(place: Place, web: Web) -> tuple[dict[str, None], list[str]]:
    """Return a passage's note and what it links to, those that fewest link to first, and what links to these."""
    context: dict[str, None] = {}
    sources: set[str] = set()
    for count, one in sorted((web.count_sources(one), one) for one in {place.document, *place.linked}):
        if count > MAX_LINKS or len(sources) + count > MAX_SOURCES:
            break
        context[one] = None
        sources.update(web.sources(one))
    return context, sorted(sources - {place.document})


def _in_common(note: str, neighbors: Callable[[str], Iterable[str]]) -> dict[str, float]:
    scores: defaultdict[str, float] = defaultdict(float)
    own = dict.fromkeys(neighbors(note))
    for common in own if len(own) <= MAX_LINKS else ():
        others = dict.fromkeys(neighbors(common))
        for other in others if len(others) <= MAX_LINKS else ():
            if other != note:
                scores[other] += 1 / log(2 + len(others))
    return scores


def _passages(document: Document) -> Iterator[Mapping[str, None]]:
    """Yield what each section of a note links to."""
    starts = sorted(unit.section.lines[0] for unit in document.units if unit.section is not None)
    passages: defaultdict[int, dict[str, None]] = defaultdict(dict)
    for anchor in document.anchors:
        passages[bisect_right(starts, anchor.line)].update(dict.fromkeys(anchor.targets))
    yield from passages.values()


def _words(text: str) -> list[str]:
    """Return the words of a text as it is read: marks of emphasis are no part of a word, and lost in a quotation."""
    return split_words(normalize("NFKC", text).casefold().replace("_", ""))


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[first : first + RUN]) for first in range(len(words) - RUN + 1)}


def _share(runs: set[tuple[str, ...]], text: str) -> float:
    return len(runs & _runs(_words(text))) / len(runs)


def _is_named(document: Document, asked: Sequence[str]) -> bool:
    said = f" {' '.join(asked)} "
    return any(f" {' '.join(words)} " in said for name in document.names if (words := _words(name)))
