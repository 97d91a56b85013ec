"""Capture as the daemon has it: events in, turns and their summaries out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from datetime import datetime, tzinfo
from pathlib import Path

from episodic.store import EpisodicStore
from memoryd.capture.collect import Collector, Counts
from memoryd.capture.payload import Payload
from memoryd.capture.record import Recorder
from memoryd.capture.sessions import Sessions
from memoryd.capture.summarise import Summaries, Summarize


class Capture:
    """Everything that capture needs, put together.

    Args:
        episodic: Where turns go.
        memory: The folder of the truth.
        state: A folder for what can be made again.
        clock: Returns the present, aware.
        zone: The zone of the days.
        project_of: Returns the id of the project of a working folder, which may be new.
        vaults: The folders of notes, by name.
        is_scanned: Tells whether the journal was read once.
        on_touched: Called with a file that a tool wrote.
        on_stored: Called when something new wants a vector.
        keeps_excerpts: Whether a longer account is kept beside the journal.
        summarize: Makes summaries; ``None`` where none are wanted.
    """

    def __init__(
        self,
        episodic: EpisodicStore,
        *,
        memory: Path,
        state: Path,
        clock: Callable[[], datetime],
        zone: tzinfo,
        project_of: Callable[[str | None], str | None],
        vaults: Mapping[str, Path],
        is_scanned: Callable[[], bool],
        on_touched: Callable[[Path], None],
        on_stored: Callable[[], None],
        keeps_excerpts: bool = True,
        summarize: Summarize | None = None,
    ) -> None:
        self._clock = clock
        self._sessions = Sessions(state / "sessions.sqlite")
        self._on_stored = on_stored
        self._summaries = (
            Summaries(summarize, episodic=episodic, sessions=self._sessions, clock=clock)
            if summarize is not None and keeps_excerpts
            else None
        )
        self.recorder = Recorder(
            episodic,
            memory=memory,
            zone=zone,
            project_of=project_of,
            vaults=vaults,
            keeps_excerpts=keeps_excerpts,
            on_recorded=self._on_recorded,
        )
        # Code is nobody's note: what lies elsewhere is not looked at, or each edit would cost a look at all roots.
        folders = [memory, *vaults.values()]
        self._collector = Collector(
            sessions=self._sessions,
            recorder=self.recorder,
            clock=clock,
            is_scanned=is_scanned,
            on_touched=lambda path: on_touched(path) if _is_below(path, folders) else None,
        )

    def start(self) -> None:
        """Begin, once the stores are open."""
        self._sessions.open(self._clock())
        self._collector.start()
        if self._summaries is not None:
            self._summaries.start()

    def close(self) -> None:
        """End; events that wait are taken in first, as long as that is quick."""
        if self._summaries is not None:
            self._summaries.stop()
        self._collector.close()
        self._sessions.close()

    def submit(self, payload: Payload) -> Future[None]:
        """Hand over an event; the future is done when it was taken in."""
        return self._collector.submit(payload)

    @property
    def pending(self) -> int:
        """How many events and sessions wait."""
        return self._collector.pending

    @property
    def problem(self) -> str | None:
        """Why turns are not written right now, in words."""
        return self._collector.problem

    @property
    def notice(self) -> str | None:
        """What befell the file of open ends, in words; turns are written all the same."""
        return self._sessions.problem

    def counts(self) -> Counts:
        """Return what became of the turns since the start."""
        return self._collector.counts()

    def _on_recorded(self, episode: str) -> None:
        if self._summaries is not None:
            self._summaries.want(episode)
        self._on_stored()


def _is_below(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)
