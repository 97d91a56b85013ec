"""Who has which name: notes, elements, and terms that a note defines."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Mapping

from memoryd.text.canonical import fold_name
from semantic.extract.facts import Facts
from semantic.extract.naming import name_of
from semantic.model import Element, Note


def term_id(vault: str, name: str) -> str:
    """Return the id of the node of a term, which is one thing in one vault."""
    return f"term:{vault}:{fold_name(name)}"


_WORD = re.compile(r"[^\W_]+")
_SLUG = re.compile(r"[a-z0-9][a-z0-9._-]*")


def _is_said(stem: str, title: str) -> bool:
    """Tell whether people would say a file's name: one made for addresses that is but a small part of the title is not.

    "python-3.11" is how the note on testing a preview of Python 3.11 is filed, and not what "Python 3.11" means.
    """
    return not _SLUG.fullmatch(stem) or 2 * len(_WORD.findall(stem)) >= len(_WORD.findall(title))


class KnownNames:
    """The names of one state of notes and log. It never changes.

    Attributes:
        spelled: Tokens of a name to (id of the node, its vault or ``None`` for an element) of all who have it.
        titles: The names that some note, element or term has as its own, and not merely as an alias.
    """

    def __init__(
        self,
        notes: Mapping[str, Note],
        homes: Mapping[str, str],
        elements: Mapping[str, Element],
        facts: Mapping[str, Facts],
    ) -> None:
        self._titled: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        self._paths: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        self._folders = {homes.get(id_, id_): posixpath.dirname(note.path) for id_, note in notes.items()}
        self.notes = {note.vault: 0 for note in notes.values()}
        titles: set[tuple[str, ...]] = set()
        own: set[tuple[tuple[str, ...], str]] = set()
        spelled: defaultdict[tuple[str, ...], set[tuple[str, str | None]]] = defaultdict(set)
        for id_, note in notes.items():
            self.notes[note.vault] += 1
            home = homes.get(id_, id_)
            stem = posixpath.basename(note.path)[: -len(".md")]
            self._paths[note.vault, posixpath.basename(note.path).casefold()].add(note.path)
            for name in dict.fromkeys((note.title, stem, *note.aliases)):
                if name == stem and not _is_said(stem, note.title):
                    continue
                self._titled[note.vault, fold_name(name)].add(home)
                tokens = name_of(name)
                if tokens is not None:
                    spelled[tokens].add((home, note.vault))
                    if name == note.title or (name == stem and not _SLUG.fullmatch(stem)):
                        titles.add(tokens)
                        own.add((tokens, home))
        for element in elements.values():
            for name in (element.name, *element.aliases):
                tokens = name_of(name)
                if tokens is not None:
                    spelled[tokens].add((element.id, None))
                    titles.add(tokens)
                    if name == element.name:
                        own.add((tokens, element.id))
        self.defined: dict[str, str] = {}
        for id_ in sorted(facts):
            vault = notes[id_].vault
            for definition in facts[id_].definitions:
                if not self.titled(vault, definition.name):
                    term = term_id(vault, definition.name)
                    self.defined.setdefault(term, definition.name)
                    tokens = name_of(definition.name)
                    if tokens is not None:
                        spelled[tokens].add((term, vault))
                        titles.add(tokens)
                        own.add((tokens, term))
        self.titles = frozenset(titles)
        self._own = frozenset(own)
        self.spelled: Mapping[tuple[str, ...], tuple[tuple[str, str | None], ...]] = {
            tokens: tuple(sorted(owners, key=lambda owner: (owner[0], owner[1] or "")))
            for tokens, owners in spelled.items()
        }

    def titled(self, vault: str, name: str) -> tuple[str, ...]:
        """Return the nodes of the notes of a vault that are called this."""
        return tuple(sorted(self._titled.get((vault, fold_name(name)), ())))

    def owners(self, tokens: tuple[str, ...], vault: str, folder: str) -> tuple[str, ...]:
        """Return who is meant by a name in a note: elements, or those of its vault, its own folder first."""
        found = [(id_, of) for id_, of in self.spelled.get(tokens, ()) if of in {None, vault}]
        elements = [id_ for id_, of in found if of is None]
        if elements:
            return tuple(elements)
        # A name goes before an alias, and what stands nearer before what is far.
        named = [id_ for id_, _ in found if (tokens, id_) in self._own] or [id_ for id_, _ in found]
        near = [id_ for id_ in named if self._folders.get(id_) == folder]
        return tuple(near or named)

    def who(self, vault: str, name: str, *, is_person: bool) -> str:
        """Return the node of a name: the one element or note that is called so, else a term or a person."""
        tokens = name_of(name)
        elements = [] if tokens is None else [id_ for id_, of in self.spelled.get(tokens, ()) if of is None]
        known = elements or list(self.titled(vault, name))
        if len(known) == 1:
            return known[0]
        return f"person:{vault}:{fold_name(name)}" if is_person else term_id(vault, name)

    def files(self, vault: str, path: str) -> tuple[str, ...]:
        """Return the paths of notes of a vault that end in this one."""
        found = self._paths.get((vault, posixpath.basename(path).casefold()), ())
        wanted = f"/{path}".casefold()
        return tuple(sorted(one for one in found if f"/{one}".casefold().endswith(wanted)))
