"""Writing notes: made, changed, moved and removed, each on the disk and read back before it is answered.

A change has to say which text it replaces, so that nobody's edit is lost, an editor's included: the file on the disk
is what counts, not what was last read of it. What is written is what was sent, byte for byte.
"""

from __future__ import annotations

import difflib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd.text.secrets import find_secrets
from semantic.errors import (
    ContractBroken,
    InvalidNote,
    NoteExists,
    NoteUnwritable,
    SecretFound,
    StaleNote,
    UnknownNote,
)
from semantic.log.ids import note_id
from semantic.log.instant import Clock
from semantic.model import Note
from semantic.projection.ledger import Ledger
from semantic.vault.file import create_file, encode_note, move_file, remove_file, replace_file
from semantic.vault.library import Library
from semantic.vault.mending import Left, Mended, Mending, plan_mending
from semantic.vault.note import etag_of
from semantic.vault.place import Place, check_new_path, clean_path, find_place
from semantic.writing.recording import NewDecision, check_words, record

OWN_VAULT = "vault"
"""The name of the vault below our own memory; its files are private."""

ANY = "*"
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Author:
    """Who writes: the actor as the log names it, and whether the note contract binds it."""

    actor: str = "person"
    session: str | None = None

    @property
    def is_bound(self) -> bool:
        """Tell whether a note of this author has to keep the contract: an agent's has."""
        return self.actor == "agent" or self.actor.startswith("agent:")


@dataclass(frozen=True, slots=True)
class Change:
    """A note whose text a move changes: where it lies afterwards, its ETag before, and the lines that change."""

    vault: str
    path: str
    etag: str
    diff: str


@dataclass(frozen=True, slots=True)
class Move:
    """A note that moves, what else changes with it, and the links that are left to a person.

    ``decision`` records it; ``None`` while nothing was done.
    """

    id: str
    source: str
    target: str
    changes: tuple[Change, ...]
    left: tuple[Left, ...]
    decision: str | None = None


class Desk:
    """Writes notes of all vaults, one at a time. Every method may be called from any thread.

    Args:
        library: The notes as read; it hears of every write before the writer is answered.
        ledger: The log, in which moves are recorded.
        default_vault: The vault that new notes go to where none is named.
        clock: Says what time it is, with a zone.
        taken_in: Told the ids of notes that changed or went, so that a search finds them at once.
    """

    def __init__(
        self,
        library: Library,
        ledger: Ledger,
        default_vault: str,
        clock: Clock,
        taken_in: Callable[[Sequence[str]], None],
    ) -> None:
        self._library = library
        self._ledger = ledger
        self.default_vault = default_vault
        self._clock = clock
        self._taken_in = taken_in
        self._writing = threading.Lock()

    def read(self, vault: str, path: str) -> Note:
        """Return the note at a path as its file is now.

        Raises:
            UnknownNote: No note lies there.
        """
        note = self._library.fresh_note(vault, path)
        if note is None:
            raise UnknownNote("no note lies at this path")
        return note

    def create(self, vault: str, path: str, text: str, author: Author) -> Note:
        """Make a note.

        Raises:
            InvalidNote: It cannot lie there, or not with this text; ContractBroken for an agent's.
            SecretFound: An agent's text holds what looks like a credential.
            NoteExists: A note is there.
            NameTaken: Another name is there that some systems cannot tell from it.
            NoteUnwritable: It could not be made; nothing is left of it.
        """
        with self._writing:
            place = self._place(vault, path)
            if place.is_there:
                raise NoteExists(f"{place.shown} is there already; read it, then change it with If-Match")
            check_new_path(place.path)
            data = encode_note(text)
            self._check(place, text, author)
            create_file(place.disk, data, is_private=self._is_private(vault))
            return self._read_back(place)

    def change(self, vault: str, path: str, text: str, author: Author, *, if_match: str) -> Note:
        """Put another text in the place of a note's.

        Raises:
            InvalidNote: The text cannot be stored; ContractBroken for an agent's.
            SecretFound: An agent's text holds what looks like a credential.
            StaleNote: The note has another text than the writer read, or is gone.
            NoteUnwritable: It could not be written; it is as it was.
        """
        with self._writing:
            place, old = self._held(vault, path, if_match)
            data = encode_note(text, old)
            self._check(place, text, author)
            if data != old:
                replace_file(place.disk, data, is_private=self._is_private(vault))
            return self._read_back(place)

    def delete(self, vault: str, path: str, *, if_match: str) -> None:
        """Remove a note; links to it wait from then on.

        Raises:
            UnknownNote: No note lies there.
            StaleNote: It has another text than the writer read.
            NoteUnwritable: It could not be removed.
        """
        with self._writing:
            if not self._place(vault, path).is_there:
                raise UnknownNote("no note lies at this path")
            place, _ = self._held(vault, path, if_match)
            remove_file(place.listed)
            self._library.refresh([place.listed])
            self._taken_in([note_id(place.vault, place.path)])

    def plan_move(self, source: tuple[str, str], target: tuple[str, str]) -> Move:
        """Return what a move would change; nothing is done.

        Raises:
            As ``move``, except for what only writing meets.
        """
        with self._writing:
            old, new = self._ends(source, target)
            return self._described(old, new, self._plan(old, new))

    def move(
        self, source: tuple[str, str], target: tuple[str, str], author: Author, *, if_match: str | None = None
    ) -> Move:
        """Give a note another path in its vault, mend the links to it, and record that it is the same note.

        Args:
            source: Vault and path where it lies.
            target: Vault and path where it goes.
            author: Who moves it.
            if_match: The ETag of the note as the writer read it; ``None`` moves it as it is.

        Raises:
            UnknownNote: No note lies at the source.
            InvalidNote: It cannot lie at the target.
            NoteExists: Something lies at the target.
            NameTaken: Another name is there that some systems cannot tell from it.
            StaleNote: The note, or one whose links would be mended, changed meanwhile.
            NoteUnwritable: A file could not be written; all is as it was.
            WriteFailed: The move could not be recorded; all is as it was.
        """
        with self._writing:
            old, new = self._ends(source, target)
            if if_match is not None:
                self._held(old.vault, old.path, if_match)
            decided = self._decision(old, new, author)
            check_words(decided)
            plan = self._plan(old, new)
            move = self._described(old, new, plan)
            decision = self._carry_out(old, new, plan, decided)
            return Move(move.id, move.source, move.target, move.changes, move.left, decision)

    def _ends(self, source: tuple[str, str], target: tuple[str, str]) -> tuple[Place, Place]:
        if source[0] != target[0]:
            raise InvalidNote("a note moves within its vault: links do not lead from one vault to another")
        old = self._place(*source)
        if not old.is_there:
            raise UnknownNote("no note lies at the path to move from")
        if old.listed.is_symlink():
            raise InvalidNote("what lies there is a link to another file: move that file")
        path = clean_path(target[1])
        if path == old.path:
            raise InvalidNote("the note lies there already")
        new = self._place(*target)
        if new.is_there:
            raise NoteExists(f"something lies at {new.shown} already; choose another name")
        check_new_path(new.path)
        return old, new

    def _place(self, vault: str, path: str) -> Place:
        root, hides = self._library.bounds(vault)
        path = clean_path(path)
        if reason := hides(path):
            raise InvalidNote(reason)
        return find_place(vault, root, path)

    def _held(self, vault: str, path: str, if_match: str) -> tuple[Place, bytes]:
        """Return a note's place and bytes, if its text is the one that the writer read."""
        place = self._place(vault, path)
        if not place.is_there:
            raise StaleNote(f"no note lies at {place.shown} any more; make it with If-None-Match: *")
        data = _read(place)
        wanted = [one.strip() for one in if_match.split(",")]
        if ANY not in wanted and etag_of(data) not in [one.strip('"') for one in wanted]:
            raise StaleNote(f"{place.shown} has another text than the one that was read: read it again, then write")
        return place, data

    def _check(self, place: Place, text: str, author: Author) -> None:
        if not author.is_bound:
            return
        for what, written in (("text", text), ("path", place.path)):
            found = find_secrets(written)
            if found:
                raise SecretFound(what, found[0].kind)
        broken = self._library.check(text, place.vault, place.path)
        if broken:
            raise ContractBroken(broken)

    def _is_private(self, vault: str) -> bool:
        return vault == OWN_VAULT

    def _read_back(self, place: Place) -> Note:
        self._library.refresh([place.listed, place.disk])
        self._taken_in([note_id(place.vault, place.path)])
        return self.read(place.vault, place.path)

    def _plan(self, old: Place, new: Place) -> Mending:
        """Return what the move asks of all notes, each as its file is now."""
        for _ in range(_TRIES):
            notes, files = self._library.shelved(old.vault)
            plan = plan_mending(old.vault, notes, files, old.path, new.path)
            disks = [self._library.disk_of(old.vault, one.path) for one in plan.mended]
            stale = [
                disk
                for one, disk in zip(plan.mended, disks, strict=True)
                if disk is None or etag_of(disk.read_bytes()) != notes[one.path].etag
            ]
            if not stale:
                return plan
            self._library.refresh([disk for disk in stale if disk is not None])
        raise StaleNote("a note whose links would be mended is being changed; try again in a moment")

    def _described(self, old: Place, new: Place, plan: Mending) -> Move:
        changes = []
        for one in plan.mended:
            path = new.path if one.path == old.path else one.path
            note = self._library.note(old.vault, one.path)
            changes.append(Change(old.vault, path, "" if note is None else note.etag, _diff(one, path)))
        return Move(note_id(new.vault, new.path), old.shown, new.shown, tuple(changes), plan.left)

    def _decision(self, old: Place, new: Place, author: Author) -> NewDecision:
        return NewDecision(
            title="A note was moved",
            # The instant makes each move an event of its own: there and back again is not the same as nothing.
            why=f"{old.shown} is {new.shown} since {self._clock().isoformat(timespec='milliseconds')}.",
            mutations=[{"op": "rename", "id": note_id(old.vault, old.path), "name": new.shown}],
            scope="user",
            actor=author.actor,
            session=author.session,
        )

    def _carry_out(self, old: Place, new: Place, plan: Mending, decided: NewDecision) -> str:
        is_private = self._is_private(old.vault)
        written: list[tuple[Path, bytes]] = []
        move_file(old.listed, new.disk, is_private=is_private)
        disks = [old.listed, new.listed]
        try:
            for one in plan.mended:
                disk, before = self._unchanged(old, new, one)
                replace_file(disk, encode_note(one.after, before), is_private=is_private)
                written.append((disk, before))
                disks.append(disk)
            recorded = record(self._ledger, decided)
        except BaseException:
            for disk, before in reversed(written):
                replace_file(disk, before, is_private=is_private)
            move_file(new.disk, old.listed, is_private=is_private)
            self._library.refresh(disks)
            raise
        self._library.refresh(disks)
        ids = [note_id(old.vault, path) for path in (old.path, new.path, *(one.path for one in plan.mended))]
        self._taken_in(ids)
        return recorded.id

    def _unchanged(self, old: Place, new: Place, one: Mended) -> tuple[Path, bytes]:
        """Return the file of a note that is to be mended, and its bytes, which are those that the plan was made of."""
        disk = new.disk if one.path == old.path else self._library.disk_of(old.vault, one.path)
        note = self._library.note(old.vault, one.path)
        before = b"" if disk is None else disk.read_bytes()
        if disk is None or note is None or etag_of(before) != note.etag:
            raise StaleNote(f"{old.vault}:{one.path} changed meanwhile; try again")
        return disk, before


def _read(place: Place) -> bytes:
    try:
        return place.disk.read_bytes()
    except OSError as error:
        raise NoteUnwritable(f"{place.shown} cannot be read ({error.strerror}); it is as it was") from error


def _diff(one: Mended, path: str) -> str:
    lines = difflib.unified_diff(
        one.before.splitlines(), one.after.splitlines(), fromfile=one.path, tofile=path, n=0, lineterm=""
    )
    return "\n".join(lines)
