"""Turns that no event told of, from the files of the sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memoryd.capture.dialogue import Reading, read_transcript
from memoryd.capture.opening import is_regular
from memoryd.capture.record import Recorder
from memoryd.capture.sessions import Known, Sessions
from memoryd.capture.turn import Turn, words_of
from memoryd.text.secrets import redact_id

ENDED_QUIET = timedelta(minutes=1)
"""A turn whose answer ended is over when its file was quiet for so long: its own stop may still be on the way."""
QUIET = timedelta(hours=1)
"""A turn is over when its file was quiet for so long: the agent's process ended in the middle of it."""


class Missed:
    """Fills in what is missing of a session."""

    def __init__(self, sessions: Sessions, recorder: Recorder, *, clock: Callable[[], datetime]) -> None:
        self._sessions = sessions
        self._recorder = recorder
        self._clock = clock
        self.outcomes: Counter[str] = Counter()

    def fill(self, known: Known) -> bool:
        """Record the turns of a session that are over and not in the journal; tell whether its file goes on.

        A long file is read in pieces, so that others have their turn in between.

        Raises:
            JournalUnwritable: One cannot be written; the next call begins with it.
        """
        filled = fill(known, self._sessions, self._recorder, now=self._clock())
        self.outcomes += filled.outcomes
        return filled.goes_on


@dataclass(frozen=True, slots=True)
class Filled:
    """How many turns of a piece of a file came to what, and whether there is more to read."""

    outcomes: Counter[str]
    goes_on: bool = False


def fill(known: Known, sessions: Sessions, recorder: Recorder, *, now: datetime, is_final: bool = False) -> Filled:
    """Record the turns of the next piece of a session's file from where it was read last.

    ``is_final``: its last turn is over too.

    Raises:
        JournalUnwritable: One cannot be written; the next call begins with it.
    """
    outcomes: Counter[str] = Counter()
    path = None if known.transcript is None else Path(known.transcript)
    try:
        place = 0 if path is None else sessions.cursor(path)
        if path is None or path.stat().st_size == place:
            return Filled(outcomes)
        reading = read_transcript(path, start=place, session=known.session, asked_at=changed_at(path))
        is_final = is_final or is_over(reading, quiet=now - changed_at(path))
    except OSError:
        return Filled(outcomes)  # the agent deletes its files; what was told of them is in the journal
    if not reading.is_to_end:
        # A turn that fills a whole piece is told as far as it was read: the place must move on.
        is_final = reading.open_start is None or reading.open_start <= place
    over, rest = split(reading, is_final=is_final)
    for turn in over:
        outcomes[recorder.record(turn)] += 1
        _close_prompt(turn, sessions)
    sessions.set_cursor(path, rest)
    return Filled(outcomes, goes_on=not reading.is_to_end)


def _close_prompt(turn: Turn, sessions: Sessions) -> None:
    """Close the prompt that a hook told of and the file tells of too: no stop will come for it any more."""
    for prompt in sessions.prompts(turn.session):
        has_ids = prompt.prompt_id is not None and turn.prompt is not None
        if prompt.prompt_id == turn.prompt if has_ids else words_of(prompt.asked) == words_of(turn.asked):
            sessions.close_prompts([prompt.number])
            return


def split(reading: Reading, *, is_final: bool) -> tuple[list[Turn], int]:
    """Return the turns that are over, and the byte from which to read the others again."""
    if is_final or reading.open_start is None:
        return list(reading.turns), reading.end
    left = reading.open_turn
    return [turn for turn in reading.turns if turn is not left], reading.open_start


def is_over(reading: Reading, *, quiet: timedelta) -> bool:
    """Tell whether the last turn of a file is over, though nothing follows it."""
    left = reading.open_turn
    return quiet >= QUIET or (left is not None and left.is_ended and quiet >= ENDED_QUIET)


def changed_at(path: Path) -> datetime:
    """Return when a file was changed last.

    Raises:
        OSError: It is not there.
    """
    return datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)


def siblings(path: Path, *, since: datetime, known: set[str]) -> list[Known]:
    """Return the sessions beside a session's file that changed since an instant and were never heard of."""
    found = []
    for other in sorted(path.parent.glob("*.jsonl")):
        try:
            is_new = str(other) not in known and other != path and is_regular(other) and changed_at(other) >= since
        except OSError:
            continue
        if is_new and not other.name.startswith("agent-"):
            found.append(Known(redact_id(other.stem), str(other), None, is_ended=True))
    return found
