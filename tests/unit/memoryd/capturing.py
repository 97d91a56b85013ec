"""A capture over a store of its own, for tests: events go in one at a time, and the journal can be looked at."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from episodic.episode import Episode
from episodic.store import EpisodicStore
from episodic.testing import SettableClock, make_store
from memoryd.capture.importing import Imported, import_sessions
from memoryd.capture.missed import fill
from memoryd.capture.payload import read_payload
from memoryd.capture.record import Recorder
from memoryd.capture.sessions import Sessions
from memoryd.capture.told import Told
from tests.session_file import START


class Capturing:
    """Events in, entries out. The clock starts when the session files of the tests do."""

    def __init__(self, home: Path, **options: Any) -> None:
        self.home = home
        self.memory = home / "memory"
        self.clock = SettableClock(START)
        self.store: EpisodicStore = make_store(home, clock=self.clock)
        self.store.open()
        self.store.reconcile()
        self.written: list[str] = []
        self.touched: list[Path] = []
        self.recorder = Recorder(
            self.store,
            memory=self.memory,
            zone=UTC,
            project_of=lambda cwd: f"{Path(cwd).name}-00000000" if cwd else None,
            vaults={},
            on_recorded=self.written.append,
            **options,
        )
        self.sessions = Sessions(home / "state" / "sessions.sqlite")
        self.sessions.open(self.clock())
        self.told = Told(self.sessions, self.recorder, clock=self.clock, on_touched=self.touched.append)

    def at(self, minute: float) -> None:
        """Set the clock to so many minutes after the start."""
        self.clock.now = START + timedelta(minutes=minute)

    def tell(self, event: str, transcript: Path | None = None, session: str = "s1", **fields: Any) -> None:
        """Take an event in."""
        body: Mapping[str, Any] = {
            "session_id": session,
            "transcript_path": str(transcript or self.home / "nowhere.jsonl"),
            "cwd": "/code/shop",
            "hook_event_name": event,
            **fields,
        }
        payload = read_payload(event, body)
        if event == "SessionStart":
            for known in self.told.begin(payload):
                self.told.outcomes += fill(known, self.sessions, self.recorder, now=self.clock()).outcomes
        else:
            self.told.take(payload)
        self.recorder.flush()

    def take(self, *files: Path, is_dry: bool = False, now: datetime | None = None) -> Imported:
        """Import session files that nobody writes to any more."""
        late = now or datetime.now(UTC) + timedelta(days=2)
        return import_sessions(files, self.recorder, clock=lambda: late, is_dry=is_dry)

    def lose_state(self) -> None:
        """Delete what can be deleted, as far as capture has it."""
        self.sessions.close()
        for file in (self.home / "state").glob("sessions.sqlite*"):
            file.unlink()
        self.sessions.open(self.clock())

    @property
    def entries(self) -> list[Episode]:
        """The journal, in order."""
        return self.store.list(limit=500, newest_first=False)

    @property
    def asked(self) -> list[str]:
        """The first line of each entry."""
        return [entry.text.split("\n")[0] for entry in self.entries]

    def files_with(self, text: str) -> list[str]:
        """The files of this home that hold a text."""
        data = text.encode()
        return sorted(
            str(path.relative_to(self.home))
            for path in self.home.rglob("*")
            if path.is_file() and data in path.read_bytes()
        )

    def close(self) -> None:
        """Close everything."""
        self.sessions.close()
        self.store.close()
