"""Entries of other programs, written to the journal at their own time, once each.

An entry is known by its session and turn, else by a key made of its program and its id there; both stand in its anchor.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from episodic.episode import NewEpisode
from episodic.errors import ForgottenEpisode
from episodic.journal.identity import key_digest
from episodic.journal.text import stored_text
from episodic.store import EpisodicStore
from memoryd.jobs.importing.item import Entry
from memoryd.jobs.importing.report import Fate
from memoryd.jobs.importing.words import line, storable
from memoryd.text.secrets import redact_id

_AHEAD = timedelta(days=1)


class Entries:
    """Takes in entries of one program.

    Args:
        source: The name of the program.
        episodic: Where they go.
        clock: Returns the present, aware.
        project_of: Returns the id of an entry's project, which may be new with this call.
        is_dry: Only tell.
    """

    def __init__(
        self,
        source: str,
        episodic: EpisodicStore,
        *,
        clock: Callable[[], datetime],
        project_of: Callable[[Entry], str | None],
        is_dry: bool,
    ) -> None:
        self._source = source
        self._episodic = episodic
        self._clock = clock
        self._project_of = project_of
        self._is_dry = is_dry
        self._ids: dict[str, str] = {}

    def take(self, entry: Entry) -> Fate:
        """Write an entry, or find it.

        Raises:
            JournalUnwritable: It cannot be written; nothing of it is stored.
            InvalidEpisode: It cannot be an entry.
        """
        said = stored_text(storable(entry.text)).replace("\r", "\n")
        if not said.strip():
            return Fate("empty")
        text = f"{said}\n\n(from {self._source}: {line(entry.origin)})"
        if entry.at > self._clock() + _AHEAD:
            return Fate("refused", f"its time, {entry.at:%Y-%m-%d}, has not come yet")
        session = redact_id(entry.session) if entry.session else None
        turn = redact_id(entry.turn) if session and entry.turn else None
        key = self._key(entry.id)
        if self._episodic.refuses(session=session, turn=turn, key=key):
            return Fate("forgotten")
        found = self._episodic.recorded(session=session, turn=turn, key=key)
        if found is not None:
            self._ids[entry.id] = found.id
            if found.text == text:
                return Fate("known")
            # The turn may have been told by its own session: that account is the better one.
            return Fate("differs" if found.key == key_digest(key) else "captured", found.id)
        if self._is_dry:
            return Fate("recorded")
        new = NewEpisode(
            text=text,
            at=entry.at,
            title=line(entry.title) or None,
            project=self._project_of(entry),
            session=session,
            turn=turn,
            key=key,
            files=tuple(storable(file) for file in entry.files),
        )
        try:
            self._ids[entry.id] = self._episodic.append(new).episode.id
        except ForgottenEpisode:
            return Fate("forgotten")
        return Fate("recorded")

    def episode_of(self, id: str) -> str | None:  # noqa: A002 - the word of the domain
        """Return the episode of an entry, by its id in the program, whichever import wrote it."""
        if id in self._ids:
            return self._ids[id]
        found = self._episodic.recorded(session=None, turn=None, key=self._key(id))
        return None if found is None else found.id

    def _key(self, id: str) -> str:  # noqa: A002 - as above
        return f"import {self._source} {id}"
