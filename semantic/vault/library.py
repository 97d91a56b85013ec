"""All vaults together: the notes as last read, who links to whom, and one digest that says what is known.

Notes are kept in memory and are values: a reader gets a whole, consistent picture and never waits for a disk.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from types import MappingProxyType

from memoryd.text.canonical import digest, fold_name
from memoryd.text.report import Problem, Report
from semantic.errors import InvalidNote, NameTaken, NoteUnwritable, UnknownNote
from semantic.log.ids import note_id
from semantic.model import Note
from semantic.tag import tag_matches
from semantic.vault.cache import Keeping
from semantic.vault.contract import Contract
from semantic.vault.daily import DailyNotes
from semantic.vault.note import read_note
from semantic.vault.place import clean_path, find_place
from semantic.vault.shelf import Changes, Shelf


class Library:
    """The notes of several vaults. Every method may be called from any thread.

    Args:
        vaults: Name to folder; a folder that does not exist is a problem in each report and nothing else.
        contract: What each note is checked against.
        clock: Gives the present instant, aware.
        zone: The zone of dates in front matter that name none; the clock's by default.
        keeping: Where what was read is kept from one start to the next.
    """

    def __init__(
        self,
        vaults: Mapping[str, Path],
        contract: Contract,
        clock: Callable[[], datetime],
        zone: tzinfo | None = None,
        keeping: Keeping | None = None,
    ) -> None:
        self._contract = contract
        self._clock = clock
        self._zone = zone or self._clock().tzinfo or UTC
        self._shelves = {
            name: Shelf(name, Path(folder), self._contract, self._zone, keeping)
            for name, folder in sorted(vaults.items())
        }
        self._reading = threading.Lock()  # one pass over the disk at a time
        self._lock = threading.Lock()  # held only while the notes change hands
        self._notes: Mapping[str, Note] = MappingProxyType({})
        self._version = 0

    @property
    def version(self) -> int:
        """Grows whenever a note or a link changed."""
        return self._version

    def reconcile(self, *, accept_loss: bool = False) -> Report:
        """Look at every vault whole and read what changed.

        Notes that are missing are dropped only if their vault was seen complete and not half empty;
        ``accept_loss=True`` says that what is missing is gone for good.
        """
        with self._reading:
            now = self._clock()
            return self._put(
                [(shelf, shelf.plan_scan(now, accept_loss=accept_loss)) for shelf in self._shelves.values()]
            )

    def refresh(self, paths: Iterable[Path]) -> Report:
        """Look at files and folders that were created, changed, moved or removed; other paths are none of our own."""
        named = [Path(path) for path in paths]
        with self._reading:
            now = self._clock()
            return self._put([(shelf, shelf.plan_events(named, now)) for shelf in self._shelves.values()])

    def notes(self, tag: str | None = None, q: str | None = None, *, broken: bool = False) -> list[Note]:
        """Return the notes by vault and path: those with a tag, with a text in title, alias or path, with broken links.

        ``broken`` also lists notes that break the contract or could not be read whole.
        """
        wanted = None if q is None else fold_name(q)
        return [
            note
            for note in sorted(self._notes.values(), key=lambda note: (note.vault, note.path))
            if (tag is None or any(tag_matches(tag, one) for one in note.tags))
            and (wanted is None or any(wanted in fold_name(name) for name in (note.title, note.path, *note.aliases)))
            and (not broken or is_broken(note))
        ]

    def snapshot(self) -> Mapping[str, Note]:
        """Return all notes by id, as of now; the mapping never changes."""
        return self._notes

    def note(self, vault: str, path: str) -> Note | None:
        """Return the note at a path in any Unicode form, or ``None``."""
        try:
            return self._notes.get(note_id(vault, path))
        except ValueError:
            return None  # a path that is no text names no note

    def fresh_note(self, vault: str, path: str) -> Note | None:
        """Return the note at a path as its file is now, whether or not its last change was heard of."""
        shelf = self._shelves.get(vault)
        if shelf is None:
            return None
        note = self.note(vault, path)
        if note is not None and shelf.is_as_read(note.path):
            return note
        try:
            path = clean_path(path)
            root, hides = self.bounds(vault)
            if hides(path):
                return None
            disk = find_place(vault, root, path).listed
        except (InvalidNote, NameTaken, NoteUnwritable):
            disk = shelf.root / path
            if note is None:
                return None
        self.refresh([disk])
        return self.note(vault, path)

    def bounds(self, vault: str) -> tuple[Path, Callable[[str], str | None]]:
        """Return a vault's folder, and what says in words why no note may lie at a path of it (``None``: one may).

        Raises:
            UnknownNote: There is no vault of this name.
            NoteUnwritable: Its folder is not there.
        """
        shelf = self._shelves.get(vault)
        if shelf is None:
            raise UnknownNote(f"there is no vault of this name; there are: {', '.join(self._shelves)}")
        if not shelf.root.is_dir():
            raise NoteUnwritable(f"the folder of the vault {vault} is not there; mount it, or mend vault.paths")
        return shelf.root, shelf.barrier()

    def shelved(self, vault: str) -> tuple[dict[str, Note], frozenset[str]]:
        """Return a vault's notes by path, and the paths of its other files."""
        with self._lock:
            shelf = self._shelves[vault]
            return dict(shelf.notes), shelf.files

    def disk_of(self, vault: str, path: str) -> Path | None:
        """Return the file of a note as it was last read, ``None`` where there is none."""
        with self._lock:
            entry = self._shelves[vault].entries.get(path)
            return None if entry is None else entry.seen.disk.resolve()

    def links_to(self, id: str) -> list[Note]:  # noqa: A002 - an id is called id everywhere
        """Return the notes that link to a note (``no_…``) or to another file (``<vault>:<path>``).

        A move mends these.
        """
        with self._lock:
            sources = [
                shelf.notes[path]
                for shelf in self._shelves.values()
                for path in shelf.linkage.sources(id)
                if path in shelf.notes
            ]
        return sorted(sources, key=lambda note: (note.vault, note.path))

    def check(self, text: str, vault: str, path: str) -> tuple[str, ...]:
        """Return what would break the contract, or could not be read, if this text were the note at the path."""
        data = text.encode("utf-8", "surrogatepass")
        note = read_note(vault, path, data, modified=self._clock(), zone=self._zone, contract=self._contract)
        return tuple(dict.fromkeys((*note.violations, *note.problems)))

    def daily_notes(self) -> list[DailyNotes]:
        """Return each vault's daily notes, which are dated entries and no notes of this library."""
        return [daily for shelf in self._shelves.values() if (daily := shelf.daily_notes()) is not None]

    def watched(self) -> list[Path]:
        """Return the folders to watch, those that exist."""
        return [shelf.root for shelf in self._shelves.values() if shelf.root.is_dir()]

    def digest(self) -> str:
        """Return a hash of everything known: equal for a library kept up to date and one read from nothing."""
        notes = self._notes
        return digest([_described(notes[one]) for one in sorted(notes)])

    def differences(self) -> list[Problem]:
        """Read every vault anew and return what differs from the notes that are held. Nothing is changed."""
        roots = {name: shelf.root for name, shelf in self._shelves.items()}
        fresh = Library(roots, self._contract, self._clock, self._zone)
        with self._reading:
            fresh.reconcile()
            held = self._notes
        read = fresh.snapshot()
        found = []
        for id_ in {**held, **read}:
            note, other = held.get(id_), read.get(id_)
            if note is None or other is None:
                shown = note or other
                assert shown is not None
                reason = "it is not held" if note is None else "it is held, and no such note was read"
                found.append(Problem(f"{shown.vault}:{shown.path}", reason))
            elif _described(note) != _described(other):
                found.append(Problem(f"{note.vault}:{note.path}", "it is held in another form than it was read in"))
        return sorted(found, key=lambda one: one.path)

    def _put(self, plans: list[tuple[Shelf, Changes]]) -> Report:
        report = Report()
        with self._lock:
            touched = [shelf.apply(changes) for shelf, changes in plans]
            if any(touched):
                self._publish()
        for _, changes in plans:
            report += changes.report
        return report

    def _publish(self) -> None:
        notes = {note.id: note for shelf in self._shelves.values() for note in shelf.notes.values()}
        self._notes = MappingProxyType(notes)
        self._version += 1


def is_broken(note: Note) -> bool:
    """Tell whether a note has a link to nothing, breaks the contract or could not be read whole."""
    return bool(note.violations or note.problems) or any(link.target is None for link in note.links)


def _described(note: Note) -> list[object]:
    """Return the note as canonical JSON can hold it; its text and front matter are in the etag."""
    links = [
        [
            link.written,
            link.target,
            link.heading,
            link.block,
            link.shown,
            link.embed,
            link.line,
            list(link.ambiguous),
            link.inferred,
        ]
        for link in note.links
    ]
    sections = [[section.id, list(section.heading), list(section.lines)] for section in note.sections]
    return [
        note.id,
        note.vault,
        note.path,
        note.title,
        note.etag,
        note.summary,
        list(note.tags),
        list(note.aliases),
        links,
        sections,
        note.element,
        None if note.at is None else note.at.isoformat(),
        list(note.violations),
        list(note.problems),
    ]
