"""The extracted plane of all notes: what each says by itself, kept while the note is the same, put together.

Only what is found in one note is kept. Whatever depends on the others (who has a name, how often two meet) is worked
out anew, so that a graph kept up to date is the one that would be built from nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from semantic.extract.facts import Facts
from semantic.extract.known import KnownNames
from semantic.extract.model.answer import Told
from semantic.extract.naming import Call, NameTable, may_hold
from semantic.extract.plane import ExtractedPlane
from semantic.extract.reading import read_note_text, spoken
from semantic.graph.build import Parts
from semantic.model import Element, Note

CHECK_EVERY = 50


@dataclass(slots=True)
class _Read:
    note: Note
    facts: Facts
    calls: tuple[Call, ...] | None = None
    text: str | None = None
    """What names are looked for in, until they were."""


class Corpus:
    """Keeps what was read of each note. Not safe for several threads.

    Args:
        said: Gives the model that read a section's text and what it said, if one did.
    """

    def __init__(self, said: Callable[[str], tuple[str, Told] | None] = lambda _: None) -> None:
        self._said = said
        self._read: dict[str, _Read] = {}
        self._names: frozenset[tuple[str, ...]] = frozenset()

    def read(
        self,
        notes: Mapping[str, Note],
        homes: Mapping[str, str],
        elements: Mapping[str, Element],
        check: Callable[[], None] = lambda: None,
    ) -> Parts:
        """Return the extracted plane.

        Args:
            notes: By id, with links resolved.
            homes: Note id to the element that the note is one thing with.
            elements: The elements of the log.
            check: Called now and then; what it raises ends the work, and nothing is lost.
        """
        self._keep_up(notes, check)
        known = KnownNames(notes, homes, elements, {id_: one.facts for id_, one in self._read.items()})
        self._look_for(frozenset(known.spelled), check)
        plane = ExtractedPlane(known, homes)
        for number, id_ in enumerate(sorted(notes)):
            if number % CHECK_EVERY == 0:
                check()
            read = self._read[id_]
            calls = [call for call in read.calls or () if call.name in known.spelled]
            plane.add(notes[id_], read.facts, calls)
            for section in notes[id_].sections:
                said = self._said(section.text)
                if said is not None:
                    plane.add_said(notes[id_], section, *said)
        return plane.finished()

    def _keep_up(self, notes: Mapping[str, Note], check: Callable[[], None]) -> None:
        for gone in [id_ for id_ in self._read if id_ not in notes]:
            del self._read[gone]
        for number, (id_, note) in enumerate(notes.items()):
            if number % CHECK_EVERY == 0:
                check()
            held = self._read.get(id_)
            if held is not None and held.note is note:
                continue
            if held is not None and held.note.etag == note.etag and held.note.aliases == note.aliases:
                held.note = note  # only what its links resolve to changed
                continue
            facts, text = read_note_text(note)
            self._read[id_] = _Read(note, facts, text=text)

    def _look_for(self, names: frozenset[tuple[str, ...]], check: Callable[[], None]) -> None:
        """Look for the names in every note that was not looked through for them yet."""
        added = names - self._names
        table = NameTable(names)
        for number, read in enumerate(self._read.values()):
            if number % CHECK_EVERY == 0:
                check()
            if read.calls is not None and added and may_hold(read.note.text, added):
                read.calls = None
        self._names = names
        for number, read in enumerate(self._read.values()):
            if number % CHECK_EVERY == 0:
                check()
            if read.calls is None:
                read.calls = table.find(spoken(read.note) if read.text is None else read.text)
                read.text = None
