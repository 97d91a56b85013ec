"""The journal's folder: which file an entry goes to, and writing it there with all that protects it."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path

from episodic.episode import Episode
from episodic.errors import JournalUnwritable, LeadsOut
from episodic.index.intake import Place
from episodic.index.roots import JOURNAL, Root
from episodic.journal.dayfile import Written, append, make_folder, recover, remove_leftovers
from episodic.journal.enclosure import check_inside, way_out
from episodic.journal.excerpt import EXCERPTS
from episodic.journal.primary import claim, day_file_name
from episodic.journal.recent import RecentEntries, RecentEntry
from episodic.journal.text import day_heading


class JournalFolder:
    """Writes day files. The caller sees to it that one thread writes at a time."""

    def __init__(self, *, memory: Path, state: Path, install: str, root: Root, clock: Callable[[], datetime]) -> None:
        self._memory = memory
        self._state = state
        self._install = install
        self._root = root
        self._intent = state / "append.intent"
        self.recent = RecentEntries(state / "recent.ndjson", clock=clock)

    @property
    def memory(self) -> Path:
        """The folder of the truth."""
        return self._memory

    def prepare(self) -> None:
        """Make the folders, claim the home where nobody has, and read the recent entries.

        Raises:
            JournalUnwritable: One of them cannot be used.
        """
        make_folder(self._memory / JOURNAL)
        make_folder(self._memory / EXCERPTS)
        make_folder(self._state)
        claim(self._memory, self._install)
        for folder in (JOURNAL, EXCERPTS):
            with contextlib.suppress(JournalUnwritable):  # it may be read only; what is forgotten later asks again
                remove_leftovers(self._memory / folder)
        try:
            self.recent.load()
        except OSError as error:
            raise JournalUnwritable(f"{self._state} cannot be used: {error.strerror or error}") from error

    def place_for(self, day: date) -> Place:
        """Return the file in which this install writes a day."""
        primary = claim(self._memory, self._install)
        place = self._place(day_file_name(day, install=self._install, primary=primary), day)
        if way_out(place.path, place.within) is None:
            return place
        # Nothing is written through such a link, and nothing is lost for it: readers take both files as one day.
        return self._place(day_file_name(day, install=self._install, primary=""), day)

    def write(self, place: Place, id: str, section: str) -> Written:  # noqa: A002 - the word of the domain
        """Append an entry; it is on the disk when this returns.

        Raises:
            JournalUnwritable: It cannot be written; nothing of it is in the file.
        """
        make_folder(place.path.parent)
        written = self._append(place, id, section)
        with contextlib.suppress(OSError):  # the entry is safe; only the guard against an editor's old copy is missing
            self.recent.add(id, place.shown, section)
        return written

    def restore(self, place: Place, entry: RecentEntry) -> None:
        """Append an entry again that an outside save dropped.

        Raises:
            JournalUnwritable: It cannot be written.
        """
        self._append(place, entry.id, entry.section)
        self.recent.mark_restored(entry.id)

    def recover(self) -> tuple[str | None, Place | None]:
        """Cut off what a kill left half-written; return what was done, and the file that was written last."""
        note = recover(self._intent)
        try:
            path = Path(json.loads(self._intent.read_bytes())["path"])
        except (OSError, ValueError, KeyError, TypeError):
            return note, None
        place = self._root.place_of(path)
        is_ours = place is not None and path.is_file() and way_out(path, place.within) is None
        return note, place if is_ours else None

    def holds_traces(self, ids: Sequence[str]) -> bool:
        """Tell whether something of these entries is kept beside the journal."""
        try:
            noted = self._intent.read_text("utf-8", "replace")
        except OSError:
            noted = ""
        return self.recent.holds(ids) or any(f"id={id_} " in noted for id_ in ids)

    def drop_traces(self, ids: list[str]) -> None:
        """Remove what is kept of entries beside the journal, also in what was set aside or left half-done.

        Raises:
            JournalUnwritable: Something of it cannot be removed.
        """
        try:
            self.recent.remove(ids)
            self._intent.unlink(missing_ok=True)
            for path in self._state.glob("*.broken*"):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
        except OSError as error:
            raise JournalUnwritable(
                f"the entry is out of the journal, but a copy below {self._state} cannot be removed: "
                f"{error.filename or ''} {error.strerror or error}"
            ) from error
        for folder in (JOURNAL, EXCERPTS):
            remove_leftovers(self._memory / folder)

    def holding(self, mark: bytes) -> list[Place]:
        """Return the day files that hold these bytes; for look-ups before the first scan."""
        found = []
        for path in self._root.walk([]):
            place = self._root.place_of(path)
            try:
                # A pipe would wait for somebody who writes to it.
                if place is None or way_out(path, place.within) is not None:
                    continue
                if path.is_file() and mark in path.read_bytes():
                    found.append(place)
            except OSError:
                continue
        return found

    def transcript_of(self, episode: Episode) -> Path | None:
        """Return the kept excerpt of an entry's turn. Files outside the folder of excerpts are never opened."""
        folder = (self._memory / EXCERPTS).resolve()
        candidates = []
        if episode.transcript is not None:
            candidates.append(self._memory / episode.transcript)
        if episode.session is not None and episode.turn is not None:
            candidates.append(folder / episode.session / f"{episode.turn}.md")
        for candidate in candidates:
            try:
                real = candidate.resolve()
                if real.is_relative_to(folder) and real.is_file():
                    return real
            except (OSError, ValueError):
                continue  # a name that no file can have
        return None

    def _place(self, name: str, day: date) -> Place:
        path = self._root.folder / name
        return Place(path, self._root.shown(path), self._root.name, day, (self._root.folder, self._root.base))

    def _append(self, place: Place, id_: str, section: str) -> Written:
        heading = day_heading(place.day)
        try:
            check_inside(place.path, place.within)
        except LeadsOut as error:
            raise JournalUnwritable(f"{place.path}: {error}; the entry is not in it. Then send it again") from error
        return append(place.path, section, heading=heading, mark=f"id={id_} ".encode(), intent=self._intent)
