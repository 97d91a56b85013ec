"""From a turn to an entry of the journal, once: whoever tells of it, however often, and in whatever session's file.

A turn is known by (session, id); a fork's copy by where it says it comes from, or by its mark; what hooks told of while
the session file could not be read, by its session, its instant and what was asked. All of that is asked of the
journal, so nothing is told twice when ``state/`` is gone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta, tzinfo
from pathlib import Path
from typing import Literal

from episodic.episode import Episode, NewEpisode
from episodic.errors import ForgottenEpisode, TurnConflict
from episodic.journal.excerpt import excerpt_path
from episodic.store import EpisodicStore
from memoryd.capture.account import MOST_ASKED, bounded, excerpt_text, journal_text, title_of
from memoryd.capture.turn import Turn, clean, words_of
from memoryd.text.window import Window

Outcome = Literal["recorded", "known", "copy", "forgotten", "empty"]

HOOK_MADE = "p-"
"""Ids begin so of turns that only hooks told of."""
_SAME_TURN = timedelta(seconds=30)
_SAME_COMPACTION = timedelta(minutes=10)
_COMPACTION = "compact-"


class Recorder:
    """Writes turns. All methods may be called from any thread.

    Args:
        episodic: The memory.
        memory: The folder of the truth.
        zone: The zone of the days.
        project_of: Returns the id of the project of a working folder; it may be new with this call.
        vaults: The folders of notes, by name.
        keeps_excerpts: Whether a longer account is kept beside the journal.
        on_recorded: Called with the id of each entry that was written.
    """

    def __init__(
        self,
        episodic: EpisodicStore,
        *,
        memory: Path,
        zone: tzinfo,
        project_of: Callable[[str | None], str | None],
        vaults: Mapping[str, Path],
        keeps_excerpts: bool = True,
        on_recorded: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._episodic = episodic
        self._memory = memory
        self._zone = zone
        self._project_of = project_of
        self._vaults = list(vaults.values())
        self._keeps_excerpts = keeps_excerpts
        self._on_recorded = on_recorded
        self._lock = threading.Lock()
        self._fresh: list[Path] = []

    def find(self, turn: Turn) -> Outcome | None:
        """Return why a turn is not written; ``None`` where it is to be written."""
        if not turn.is_substantial:
            return "empty"
        key = _key(turn)
        names = [(turn.session, turn.id), *([turn.origin] if turn.origin else [])]
        for session, name in names:
            if self._episodic.refuses(session=session, turn=name, key=key):
                return "forgotten"
        for session, name in names:
            found = self._episodic.recorded(session=session, turn=name, key=key)
            if found is not None:
                return "known" if found.session == turn.session else "copy"
        return "known" if self._is_told(turn) else None

    def record(self, turn: Turn) -> Outcome:
        """Write a turn where it is not written yet; it is on the disk when this returns.

        Raises:
            JournalUnwritable: It cannot be written; nothing of it is stored.
            InvalidEpisode: It cannot be an entry.
        """
        with self._lock:
            reason = self.find(turn)
            if reason is not None:
                return reason
            new = self._entry(turn)
            try:
                self._episodic.append(new)
            except TurnConflict:
                return "known"
            except ForgottenEpisode:
                return "forgotten"
            if new.excerpt is not None and new.transcript is not None:
                self._fresh.append(self._memory / new.transcript)
        session, name = turn.origin or (turn.session, turn.id)
        written = self._episodic.recorded(session=session, turn=name)
        if written is not None:
            self._on_recorded(written.id)
        return "recorded"

    def flush(self) -> None:
        """Take the excerpts that were written into the index."""
        with self._lock:
            fresh, self._fresh = self._fresh, []
        if fresh:
            self._episodic.refresh(fresh)

    def _entry(self, turn: Turn) -> NewEpisode:
        session, name = turn.origin or (turn.session, turn.id)
        title = title_of(turn)
        new = NewEpisode(
            text=journal_text(turn, note_of=self._note_of),
            at=turn.at.astimezone(self._zone),
            title=title or None,
            project=self._project_of(turn.cwd),
            session=session,
            turn=name,
            key=_key(turn),
            files=tuple(turn.files),
        )
        if not self._keeps_excerpts:
            return new
        return replace(new, transcript=excerpt_path(session, name), excerpt=excerpt_text(turn))

    def _is_told(self, turn: Turn) -> bool:
        """Tell whether hooks told of the turn under a name of their own, or a file of one that hooks tell of now."""
        around = _SAME_COMPACTION if turn.kind == "compaction" else _SAME_TURN
        window = Window(turn.at - around, turn.at + around)
        sessions = {turn.session, *([turn.origin[0]] if turn.origin else [])}
        return any(
            _tells_of(one, turn)
            for session in sessions
            for one in self._episodic.list(window, session=session, limit=500)
        )

    def _note_of(self, path: str) -> str | None:
        file = Path(path)
        if file.suffix != ".md" or not any(file.is_relative_to(folder) for folder in self._vaults):
            return None
        return clean(file.stem)


def _key(turn: Turn) -> str | None:
    return None if turn.mark is None else f"turn {turn.mark}"


def _tells_of(one: Episode, turn: Turn) -> bool:
    """Tell whether an entry that was made at the same time is of a turn, under a name of another source."""
    name = one.turn or ""
    if turn.kind == "compaction":
        return name.startswith(_COMPACTION)
    if turn.prompt is not None and turn.kind != "continued" and name == f"{HOOK_MADE}{turn.prompt}":
        return True
    return name.startswith(HOOK_MADE) != turn.id.startswith(HOOK_MADE) and _asks_the_same(one, turn)


def _asks_the_same(one: Episode, turn: Turn) -> bool:
    asked = words_of(bounded(turn.asked, MOST_ASKED))
    return bool(asked) and words_of(one.text.removeprefix("Asked:")).startswith(asked)
