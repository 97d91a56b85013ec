"""Who has which name: notes, elements, and terms that a note defines."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from memoryd.text.canonical import fold_name
from semantic.extract.facts import Facts
from semantic.extract.generic import USUAL_FILES
from semantic.extract.naming import is_short, name_of
from semantic.model import Element, Note


def term_id(vault: str, name: str) -> str:
    """Return the id of the node of a term, which is one thing in one vault."""
    return f"term:{vault}:{fold_name(name)}"


_WORD = re.compile(r"[^\W_]+")
_SLUG = re.compile(r"[a-z0-9][a-z0-9._-]*")
_WORK_KEYS = frozenset(
    {"director", "actor", "actors", "isbn", "bookid", "publisher", "imdb", "doubanid", "导演", "演员", "出版社"}
)
"""What front matter says of a book or a film, and of nothing else."""


LEAST_LINKED = 3
"""A name that so many notes give to an address somewhere is one that people of this vault use."""


def _is_said(stem: str, title: str) -> bool:
    """Tell whether people would say a file's name: one made for addresses has to be made of the title, and half of it.

    "python-3.11" is how the note on testing a preview of Python 3.11 is filed, and not what "Python 3.11" means;
    "domain-knowledge" says nothing of a note with the title "Vorlage Domänenwissen".
    """
    if stem in USUAL_FILES:
        return False
    if not _SLUG.fullmatch(stem):
        return True
    said, shown = (_WORD.findall(fold_name(one)) for one in (stem, title))
    return 2 * len(said) >= len(shown) and "".join(said) in "".join(shown)


class KnownNames:
    """The names of one state of notes and log. It never changes.

    Attributes:
        spelled: Tokens of a name to (id of the node, its vault or ``None`` for an element) of all who have it.
        defined: Id of a term to its name, of all terms that a note defines or that many link to an address.
        addressed: Ids of the latter.
        works: Short names of books and films: any phrase may be the title of one, so that it is meant only where it is
            set off as a title is.
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
        works: set[tuple[str, ...]] = set()
        own: set[tuple[tuple[str, ...], str]] = set()
        spelled: defaultdict[tuple[str, ...], set[tuple[str, str | None]]] = defaultdict(set)
        for id_, note in notes.items():
            self.notes[note.vault] += 1
            home = homes.get(id_, id_)
            stem = posixpath.basename(note.path)[: -len(".md")]
            self._paths[note.vault, posixpath.basename(note.path).casefold()].add(note.path)
            is_work = not _WORK_KEYS.isdisjoint(str(key).casefold() for key in note.front_matter)
            for name in dict.fromkeys((note.title, stem, *note.aliases)):
                if name == stem and not _is_said(stem, note.title):
                    continue
                self._titled[note.vault, fold_name(name)].add(home)
                tokens = name_of(name)
                # The title of a vault's own front page is what the vault is called, and no thing in it.
                if tokens is not None and not (stem in USUAL_FILES and stem == note.path.removesuffix(".md")):
                    if is_work and is_short(tokens):
                        works.add(tokens)
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
        self._people = {
            (notes[id_].vault, fold_name(one.name))
            for id_, told in facts.items()
            for one in told.mentions
            if one.kind == "person"
        }
        self.addressed = frozenset(self._addressed(notes, facts))
        for id_ in sorted(facts):
            vault = notes[id_].vault
            linked = [one.name for one in facts[id_].mentions if one.kind == "name"]
            names = [one.name for one in facts[id_].definitions]
            for name in (*names, *(one for one in linked if self.thing(vault, one) in self.addressed)):
                if not self.titled(vault, name):
                    term = self.thing(vault, name)
                    self.defined.setdefault(term, name)
                    tokens = name_of(name)
                    if tokens is not None:
                        spelled[tokens].add((term, vault))
                        titles.add(tokens)
                        own.add((tokens, term))
        self.titles = frozenset(titles)
        self.works = frozenset(works)
        self._own = frozenset(own)
        self.spelled: Mapping[tuple[str, ...], tuple[tuple[str, str | None], ...]] = {
            tokens: tuple(sorted(owners, key=lambda owner: (owner[0], owner[1] or "")))
            for tokens, owners in spelled.items()
        }

    def thing(self, vault: str, name: str) -> str:
        """Return the id of what no note is called: a person, where some note of the vault tells so, else a term."""
        return f"person:{vault}:{fold_name(name)}" if (vault, fold_name(name)) in self._people else term_id(vault, name)

    def _addressed(self, notes: Mapping[str, Note], facts: Mapping[str, Facts]) -> Iterator[str]:
        """Yield the ids of what several notes of a vault link to an address."""
        linking: Counter[str] = Counter()
        for id_, told in facts.items():
            linking.update({self.thing(notes[id_].vault, one.name) for one in told.mentions if one.kind == "name"})
        return (thing for thing, count in linking.items() if count >= LEAST_LINKED)

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
