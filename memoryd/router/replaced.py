"""What decisions replaced, looked up by the names of the things decided on, whatever was asked.

An old line "the queue is X" may come up beside the answer to another question, when neither the decision for X nor the
one that replaced it was found. So each entry of an answer is read for names of things that were decided on more than
once, and what it says of them is tried against the decisions that were replaced (``memoryd.router.outdated``).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from memoryd.router.outdated import ENTRIES, Outdates, outdates
from memoryd.text.canonical import fold_name
from memoryd.text.hit import Hit
from semantic.model import Decision, Element
from semantic.projection.picture import Projection

READ_CHARACTERS = 2_000
"""So much of an entry is read."""
_PICTURES_KEPT = 2
_WORD = re.compile(r"\w+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]")
_PAIR = 2
"""Where no space parts words, a name is looked up by so many characters."""

Said = Callable[[Hit], str | None]
"""Returns the decision that replaced what an entry says; ``None`` for all else."""


@dataclass(slots=True)
class _Known:
    """The elements of one picture by name, and how long names are that begin with a word.

    What tells that an entry is outdated is made when a name is met.
    """

    picture: Projection
    names: dict[str, list[str]] = field(default_factory=dict)
    lengths: dict[str, set[int]] = field(default_factory=dict)
    tests: dict[str, tuple[Outdates, ...]] = field(default_factory=dict)

    def add(self, element: Element) -> None:
        for name in filter(None, map(fold_name, (element.name, *element.aliases))):
            begins = name[:_PAIR] if _UNSPACED.match(name) else (_WORD.findall(name) or [name])[0]
            self.names.setdefault(name, []).append(element.id)
            self.lengths.setdefault(begins, set()).add(len(name))

    def replaced_by(self, entry: Hit) -> str | None:
        if entry.kind not in ENTRIES:
            return None
        for id_ in dict.fromkeys(self._met(fold_name(f"{entry.title}\n{entry.text[:READ_CHARACTERS]}"))):
            for test in self._tests(id_):
                if (newer := test(entry)) is not None:
                    return newer
        return None

    def _met(self, text: str) -> Iterator[str]:
        """Yield the elements whose names stand in a folded text; that a name is whole is seen by what tells."""
        begins = [(found.start(), found.group()) for found in _WORD.finditer(text)]
        begins += [(found.start(), text[found.start() :][:_PAIR]) for found in _UNSPACED.finditer(text)]
        for place, word in begins:
            for length in self.lengths.get(word, ()):
                yield from self.names.get(text[place : place + length], ())

    def _tests(self, id_: str) -> tuple[Outdates, ...]:
        if id_ not in self.tests:
            self.tests[id_] = tuple(_tests(self.picture, self.picture.elements[id_]))
        return self.tests[id_]


class Replaced:
    """Tells which entries state what was replaced. May be called from any thread.

    Args:
        picture_of: Returns what is known now, or as of an instant.
    """

    def __init__(self, picture_of: Callable[[datetime | None], Projection]) -> None:
        self._picture_of = picture_of
        self._lock = threading.Lock()
        self._known: list[_Known] = []

    def __call__(self, as_of: datetime | None) -> Said:
        """Return what judges an entry by the decisions of now, or by those that held at an instant."""
        picture = self._picture_of(as_of)
        with self._lock:
            known = next((one for one in self._known if one.picture is picture), None)
            if known is None:
                known = _of(picture)
                self._known = [known, *self._known[: _PICTURES_KEPT - 1]]
        return known.replaced_by


def _of(picture: Projection) -> _Known:
    known = _Known(picture)
    for one in picture.elements.values():
        if len(one.decisions) > 1:
            known.add(one)
    return known


def _tests(picture: Projection, element: Element) -> Iterator[Outdates]:
    decisions = [picture.decisions[id_] for id_ in element.decisions]
    current = {value for one in decisions if one.superseded_by is None for value in _values(one, element.id)}
    for old in decisions:
        # What is so again was not replaced.
        if old.superseded_by is None or current.intersection(_values(old, element.id)):
            continue
        test = outdates(_as_hit(old, picture), _as_hit(picture.decisions[old.superseded_by], picture))
        if test is not None:
            yield test


def _values(decision: Decision, element: str) -> Iterable[str]:
    """Return what a decision gave an element as its gist; another's gist says nothing of this one."""
    return (fold_name(str(one["gist"])) for one in decision.mutations if one.get("gist") and one.get("id") == element)


def _as_hit(decision: Decision, picture: Projection) -> Hit:
    elements = [picture.elements[id_] for id_ in decision.elements if id_ in picture.elements]
    return Hit(
        id=decision.id,
        store="semantic",
        kind="decision",
        title=decision.title,
        text=decision.why,
        score=0.0,
        at=decision.valid_at,
        names=tuple(name for one in elements for name in (one.name, *one.aliases)),
        values=tuple(str(one["gist"]) for one in decision.mutations if one.get("gist")),
    )
