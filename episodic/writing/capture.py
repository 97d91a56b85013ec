"""Writing an entry: once a turn, durably, and found before the answer is given."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo

from episodic.episode import Episode, NewEpisode
from episodic.errors import (
    EngineError,
    ForgottenEpisode,
    InvalidEpisode,
    JournalUnwritable,
    ManifestUnusable,
    TurnConflict,
    UnknownEpisode,
    UnreadableFile,
)
from episodic.index.backlog import Backlog
from episodic.index.draft import LONG_CHARS
from episodic.index.intake import Intake, Place, read_place
from episodic.index.refusal import Refusals
from episodic.index.timeline import Timeline
from episodic.index.upkeep import Index
from episodic.journal.anchor import encoded
from episodic.journal.dayfile import Written, lines_before
from episodic.journal.excerpt import write_excerpt
from episodic.journal.identity import key_digest, written_id
from episodic.journal.text import read_own_section, render_section, stored_text
from episodic.writing.folder import JournalFolder
from memoryd.text.window import is_in_calendar

_LONG_BYTES = 256 * 1024
"""A longer day that is not as it was known is read in the background."""
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Appended:
    """An entry, and whether this call wrote it (or it was there from an earlier one)."""

    episode: Episode
    created: bool


class Capture:
    """Appends entries. ``writing`` is held while a file and its rows are changed."""

    def __init__(
        self,
        folder: JournalFolder,
        intake: Intake,
        index: Index,
        timeline: Timeline,
        refusals: Refusals,
        *,
        zone: tzinfo,
        entropy: Callable[[int], bytes],
        writing: threading.RLock,
        backlog: Backlog,
    ) -> None:
        self._folder = folder
        self._intake = intake
        self._index = index
        self._timeline = timeline
        self._refusals = refusals
        self._zone = zone
        self._entropy = entropy
        self._writing = writing
        self._memory = folder.memory
        self._behind: dict[str, Place] = {}
        self._trouble = ""
        self._backlog = backlog
        backlog.before = self._take_behind

    def append(self, new: NewEpisode, *, is_scanned: Callable[[], bool]) -> Appended:
        """Write an entry. See ``EpisodicStore.append``."""
        text = _checked(new)
        # A day is a local day: what was sent with another offset, or in UTC, goes to the day that it was here.
        if not is_in_calendar(new.at):
            raise InvalidEpisode("at: lies on no day of the calendar, which has the years 2 to 9998")
        new = replace(new, at=new.at.astimezone(self._zone))
        key = None if new.key is None else key_digest(new.key)
        with self._writing:
            if self._refusals.refuses_turn(session=new.session, turn=new.turn, key=new.key):
                raise ForgottenEpisode
            existing = self._existing(new, key, is_scanned=is_scanned)
            if existing is not None:
                if existing.text != text:
                    what = "turn" if new.turn is not None and new.session is not None else "key"
                    raise TurnConflict(
                        f"this {what} was recorded as {existing.id} with another text", existing=existing.id
                    )
                return Appended(existing, created=False)
            id_ = written_id(new.at, session=new.session, turn=new.turn, key=new.key, entropy=self._entropy)
            section = render_section(id_, new, key=key)
            # The excerpt comes first: a kill in between leaves a file that nothing names, and the turn is taken again.
            write_excerpt(self._memory, id_, new, key=key)
            place = self._folder.place_for(new.at.date())
            written = self._folder.write(place, id_, section)
            try:
                pieces = self._intake.take_appended(place, section, written)
                if pieces is None and written.after.size > _LONG_BYTES:
                    self._behind[place.shown] = place
                elif pieces is None:
                    self._intake.take(place)
                    self.mend(place)
            except (ManifestUnusable, UnreadableFile) as error:
                # The entry is on the disk; the index takes it in as soon as it can.
                self._behind[place.shown] = place
                self._trouble = str(error)
                pieces = []
        self._index_now(pieces)
        if self._behind or len(section) > LONG_CHARS:
            self._backlog.begin()
        return Appended(self._read_back(id_, place, section, written), created=True)

    def recorded(
        self, *, session: str | None, turn: str | None, key: str | None, is_scanned: Callable[[], bool]
    ) -> Episode | None:
        """Return the entry of a turn, else that of a key. See ``EpisodicStore.recorded``."""
        by_turn = NewEpisode("", _NEVER, session=session, turn=turn)
        by_key = NewEpisode("", _NEVER, key=key)
        digest = None if key is None else key_digest(key)
        with self._writing:
            found = self._existing(by_turn, None, is_scanned=is_scanned)
            return found or (digest and self._existing(by_key, digest, is_scanned=is_scanned)) or None

    @property
    def trouble(self) -> str | None:
        """In words, why entries that are on the disk are not in the index."""
        behind, trouble = list(self._behind), self._trouble
        return f"{', '.join(behind)} cannot be taken into the index: {trouble}" if behind and trouble else None

    def behind(self, id: str) -> Episode | None:  # noqa: A002 - the word of the domain
        """Return an entry that is on the disk, and not in the manifest yet."""
        entries = (entry for place in list(self._behind.values()) for entry in read_place(place, zone=self._zone))
        return next((one.episode for one in entries if one.written and one.episode.id == id), None)

    def mend(self, place: Place) -> list[str]:
        """Append again, once, entries of the last day that a save dropped from a day file; say so in words."""
        notes = []
        for entry in self._folder.recent.of(place.shown):
            if entry.id in self._refusals or self._timeline.holds(entry.id):
                continue
            try:
                self._folder.restore(place, entry)
            except JournalUnwritable as error:
                notes.append(f"{entry.id} was dropped by a save and could not be written again: {error}")
            else:
                notes.append(f"{entry.id} was dropped by a save of another program and was written again")
        if notes:
            self._intake.take(place)
        return notes

    def mend_interrupted(self) -> list[str]:
        """Take in the file that was written last: a kill may have come between the file and the index."""
        with self._writing:
            note, place = self._folder.recover()
            if place is not None:
                with contextlib.suppress(UnreadableFile, ManifestUnusable):  # the next scan names it
                    self._intake.take(place)
        return [note] if note else []

    def _existing(self, new: NewEpisode, key: str | None, *, is_scanned: Callable[[], bool]) -> Episode | None:
        has_turn = new.session is not None and new.turn is not None
        if not has_turn and key is None:
            return None
        try:
            found = self._timeline.find(session=new.session, turn=new.turn, key=key)
        except ManifestUnusable:
            found = None
        # Asked after the look-up: that may be what finds the manifest to be lost.
        if found is not None or (is_scanned() and not self._behind):
            return found
        # The files may hold it though the manifest, being new, behind or of no use, does not.
        mark = f" turn={encoded(new.turn)} " if has_turn and new.turn is not None else f" key={key} "
        for place in self._folder.holding(mark.encode()):
            for entry in read_place(place, zone=self._zone):
                episode = entry.episode
                same = (episode.session, episode.turn) == (new.session, new.turn) if has_turn else episode.key == key
                if same and entry.written and episode.id not in self._refusals:
                    return episode
        return None

    def _take_behind(self) -> None:
        """Take in the files in which entries stand that the manifest does not know yet.

        Raises:
            ManifestUnusable: They stay noted.
        """
        for shown, place in list(self._behind.items()):
            with contextlib.suppress(UnreadableFile):  # the next scan names it
                reading = self._intake.read(place)
                with self._writing:
                    if self._intake.write(reading) is None:
                        self._intake.take(place)
                    self.mend(place)
            self._behind.pop(shown, None)
        self._trouble = ""

    def _index_now(self, pieces: list[str] | None) -> None:
        try:
            if pieces is None:
                self._index.sync(batches=1)
            elif pieces:
                self._index.put(pieces)
        except (EngineError, ManifestUnusable):
            return  # the index notes its own trouble, and what is missing stays pending

    def _read_back(self, id_: str, place: Place, section: str, written: Written) -> Episode:
        with contextlib.suppress(UnknownEpisode, ManifestUnusable):
            return self._timeline.get(id_)
        entry = read_own_section(section, file=place.shown, day=place.day, zone=self._zone)
        above = lines_before(place.path, written.offset)
        first, last = entry.episode.lines
        return replace(entry.episode, id=id_, lines=(first + above, last + above))


def _checked(new: NewEpisode) -> str:
    """Return the text as it will be stored.

    Raises:
        InvalidEpisode: The entry cannot be written.
    """
    if new.at.tzinfo is None or new.at.utcoffset() is None:
        raise InvalidEpisode("an entry needs a time with a zone")
    for value in (
        new.text,
        new.title,
        new.project,
        new.session,
        new.turn,
        new.transcript,
        new.key,
        new.excerpt,
        *new.files,
    ):
        try:
            (value or "").encode()
        except UnicodeEncodeError as error:
            raise InvalidEpisode("the entry holds half of a character (a lone surrogate)") from error
    text = stored_text(new.text)
    if not text.strip():
        raise InvalidEpisode("an entry needs text")
    return text
