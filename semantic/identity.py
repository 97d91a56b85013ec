"""Which names are one name: element ids, and the near-duplicates that a writer is asked about.

An id ignores case, width and runs of white space, and nothing else: accents make different names. What is only almost
equal is never joined in silence; it is shown to the writer, who decides.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from dataclasses import dataclass
from typing import TypeVar

from memoryd.text.canonical import digest, fold_name

SEPARATOR = "\u001f"
"""Stands between a name and the number that tells a second element of that name from the first."""

EDIT_LETTERS = 8
"""From this many letters on, one edited letter makes two names near."""

_Key = TypeVar("_Key")
_Item = TypeVar("_Item")

_COMBINING = re.compile("[\u0300-\u036f]")  # the accents; kana voicing marks and vowel signs are letters, not accents
_HALF = EDIT_LETTERS // 2
_DROPPED = "PZC"  # punctuation, separators and control characters; symbols stay: C++ is not C
_ASCII_DROPPED = {code: None for code in range(128) if unicodedata.category(chr(code))[0] in _DROPPED}


def element_id(project: str | None, kind: str, name: str, taken: Container[str] = ()) -> str:
    """Return the id of an element that is made now: the plain one, or the first numbered one that is free.

    ``project`` is ``None`` in user scope; ``taken`` are the ids that stand for something else already.
    """
    scope = "user" if project is None else "project"
    folded = fold_name(name)
    number, found = 0, _element_id(scope, project, kind, folded)
    while found in taken:
        number += 1
        found = _element_id(scope, project, kind, f"{folded}{SEPARATOR}{number}")
    return found


def loose_name(name: str) -> str:
    """Return a name without accents, case, width, punctuation and spaces; perhaps nothing is left."""
    if name.isascii():
        return name.lower().translate(_ASCII_DROPPED)
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", name).casefold())
    bare = unicodedata.normalize("NFC", _COMBINING.sub("", folded))
    return "".join(letter for letter in bare if unicodedata.category(letter)[0] not in _DROPPED)


def digits_of(loose: str) -> str:
    """Return the digits of a loose name, in order."""
    return "".join(letter for letter in loose if letter.isdigit())


def one_letter_apart(one: str, other: str) -> bool:
    """Tell whether one letter added, left out or exchanged makes one text of the other."""
    if len(one) > len(other):
        one, other = other, one
    if len(other) - len(one) > 1 or one == other:
        return False
    same = 0
    while same < len(one) and one[same] == other[same]:
        same += 1
    return one[same + (len(one) == len(other)) :] == other[same + 1 :]


def why_near(one: str, other: str) -> str | None:
    """Say why two names may be one, or return ``None`` if they are plainly two."""
    return why_loose_near(loose_name(one), loose_name(other))


def why_loose_near(loose: str, loose_other: str) -> str | None:
    """Say why the names behind two loose ones may be one, or return ``None`` if they are plainly two."""
    if not loose or not loose_other:
        return None
    if loose == loose_other:
        return "the same name but for accents, case, width, punctuation or spaces"
    if max(len(loose), len(loose_other)) < EDIT_LETTERS or not one_letter_apart(loose, loose_other):
        return None
    return "one letter differs" if digits_of(loose) == digits_of(loose_other) else None


def near_keys(loose: str) -> tuple[str, ...]:
    """Return keys of which two near names share at least one: an edit touches the first four letters or the last."""
    if not loose:
        return ()
    if len(loose) < EDIT_LETTERS - 1:
        return (loose,)
    return (loose, f"{loose[:_HALF]}*", f"*{loose[-_HALF:]}")


@dataclass(frozen=True, slots=True)
class Named:
    """A name or alias that an element answers to."""

    id: str
    kind: str
    name: str
    alias: bool
    loose: str


class NameIndex:
    """Finds elements by name, alias and near name inside one scope or project. Owned by one writer at a time."""

    def __init__(self) -> None:
        self._held: dict[str, list[tuple[tuple[str | None, str, str], Named]]] = {}
        self._exact: dict[tuple[str | None, str, str], dict[str, Named]] = {}
        self._near: dict[tuple[str | None, str], dict[tuple[str, str], Named]] = {}
        self._by_name: dict[tuple[str | None, str], dict[str, Named]] = {}

    def put(self, id_: str, project: str | None, kind: str, name: str, aliases: tuple[str, ...]) -> None:
        """Enter an element under its present names, in place of its former ones."""
        self.drop(id_)
        held = self._held[id_] = []
        for index, written in enumerate((name, *aliases)):
            named = Named(id_, kind, written, alias=index > 0, loose=loose_name(written))
            folded = fold_name(written)
            key = (project, fold_name(kind), folded)
            held.append((key, named))
            self._exact.setdefault(key, {}).setdefault(id_, named)
            self._by_name.setdefault((project, folded), {}).setdefault(id_, named)
            for near in near_keys(named.loose):
                self._near.setdefault((project, near), {})[id_, written] = named

    def drop(self, id_: str) -> None:
        """Take an element out."""
        for key, named in self._held.pop(id_, ()):
            project, _, folded = key
            _discard(self._exact, key, id_)
            _discard(self._by_name, (project, folded), id_)
            for near in near_keys(named.loose):
                _discard(self._near, (project, near), (id_, named.name))

    def exact(self, project: str | None, kind: str, name: str) -> list[Named]:
        """Return who has this kind and name, those whose name it is before those whose alias it is, then by id."""
        found = self._exact.get((project, fold_name(kind), fold_name(name)), {}).values()
        return sorted(found, key=lambda named: (named.alias, named.id))

    def of_other_kind(self, project: str | None, kind: str, name: str) -> list[Named]:
        """Return who has this name and another kind."""
        found = self._by_name.get((project, fold_name(name)), {}).values()
        return sorted((n for n in found if fold_name(n.kind) != fold_name(kind)), key=lambda named: named.id)

    def near(self, project: str | None, kind: str, name: str) -> list[tuple[Named, str]]:
        """Return who of this kind has almost this name, each with the reason, one line an element."""
        found: dict[str, tuple[Named, str]] = {}
        loose = loose_name(name)
        for key in near_keys(loose):
            for named in self._near.get((project, key), {}).values():
                reason = None if named.id in found else why_loose_near(loose, named.loose)
                if reason is not None and fold_name(named.kind) == fold_name(kind):
                    found[named.id] = (named, reason)
        return [found[id_] for id_ in sorted(found)]


def _element_id(scope: str, project: str | None, kind: str, folded_name: str) -> str:
    return "el_" + digest(scope, project, fold_name(kind), folded_name, length=20)


def _discard(table: dict[_Key, dict[_Item, Named]], key: _Key, item: _Item) -> None:
    held = table.get(key)
    if held is not None:
        held.pop(item, None)
        if not held:
            del table[key]
