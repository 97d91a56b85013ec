"""What the journal says again and again is knowledge: a sentence that recurs is proposed as a fact for all projects.

A sentence recurs where entries of several days or of several projects hold it in the same words. Likeness would propose
more, and wrongly: headings and reports of tools are alike, and a proposal is read by a person.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from typing import Protocol

from episodic.episode import Episode
from memoryd.router.outdated import telling_terms
from memoryd.text.canonical import fold_name
from memoryd.text.sentences import split_sentences
from memoryd.text.window import Window
from semantic.curation.plan import DAYS, PROJECTS, Plan, Step, proposal_id
from semantic.projection.picture import Projection

KIND = "fact"
LOOKED_AT = 5_000
"""So many entries are read, the newest first: what nobody said again for so long is not worth a proposal."""
PAGE = 500
LEAST_TERMS = 4
"""A sentence with fewer telling words says nothing that one could know."""
MOST_CHARACTERS = 300
NAME_CHARACTERS = 80
MOST_EVIDENCE = 10
_EDGE = " \t.!?。！？-*#>`\"'"


class Entries(Protocol):
    """The journal. ``index_seq`` grows with whatever changes an entry."""

    def index_seq(self) -> int:
        """Return the number of the last change."""
        ...

    def list(self, window: Window, *, after: tuple[datetime, str] | None = None, limit: int = 50) -> Sequence[Episode]:
        """Return entries of a window, newest first, those after the one that was seen last."""
        ...


@dataclass(slots=True)
class _Sentence:
    words: str
    days: set[date] = field(default_factory=set)
    projects: set[str] = field(default_factory=set)
    episodes: list[str] = field(default_factory=list)

    @property
    def recurs(self) -> bool:
        return len(self.days) >= DAYS or len(self.projects) >= PROJECTS

    @property
    def where(self) -> str:
        in_projects = len(self.projects) >= PROJECTS
        return f"{len(self.projects)} projects" if in_projects else f"{len(self.days)} days"


class Recurrence:
    """Proposes what recurs in a journal. May be called from any thread.

    Args:
        journal: Read again only when it has changed.
        zone: Of the days.
    """

    def __init__(self, journal: Entries, zone: tzinfo) -> None:
        self._journal = journal
        self._zone = zone
        self._read: tuple[int, dict[str, _Sentence]] | None = None

    def plans(self, picture: Projection) -> Iterator[Plan]:
        """Return a proposal for each sentence that recurs and is not known yet, the oldest saying first."""
        seq = self._journal.index_seq()
        read = self._read
        if read is None or read[0] != seq:
            read = self._read = (seq, self._recurring())
        texts = (text for one in picture.elements.values() for text in (one.name, one.gist or ""))
        known = {fold_name(text.strip(_EDGE)) for text in texts}
        yield from (_plan(key, one) for key, one in read[1].items() if key not in known)

    def _recurring(self) -> dict[str, _Sentence]:
        said: dict[str, _Sentence] = {}
        for entry in reversed(list(self._newest())):
            for sentence in dict.fromkeys(split_sentences(entry.text)):
                words = " ".join(sentence.split()).strip(_EDGE)
                if not words or len(words) > MOST_CHARACTERS:
                    continue
                one = said.setdefault(fold_name(words), _Sentence(words))
                one.days.add(entry.at.astimezone(self._zone).date())
                one.episodes.append(entry.id)
                if entry.project is not None:
                    one.projects.add(entry.project)
        return {key: one for key, one in said.items() if one.recurs and len(telling_terms(one.words)) >= LEAST_TERMS}

    def _newest(self) -> Iterator[Episode]:
        seen, after = 0, None
        while seen < LOOKED_AT:
            page = self._journal.list(Window(), limit=PAGE, after=after)
            yield from page
            if len(page) < PAGE:
                return
            seen, after = seen + len(page), (page[-1].at, page[-1].id)


def _plan(key: str, sentence: _Sentence) -> Plan:
    name = sentence.words
    if len(name) > NAME_CHARACTERS:
        name = name[:NAME_CHARACTERS].rsplit(" ", 1)[0] + " …"
    put = {"op": "put_element", "kind": KIND, "name": name, "gist": sentence.words, "props": {"scope": "global"}}
    evidence = tuple(dict.fromkeys(sentence.episodes))[:MOST_EVIDENCE]
    step = Step(f"{name} holds for all projects", f"The journal says so in {sentence.where}.", (put,), None, evidence)
    return Plan(proposal_id("promotion", (key,)), "promotion", step.title, "proposed", (step,))
