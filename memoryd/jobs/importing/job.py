"""The job ``import``: take in what other programs keep of the past."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from episodic.store import EpisodicStore
from memoryd.capture.importing import import_sessions, session_files
from memoryd.capture.record import Recorder
from memoryd.jobs.argument import Argument
from memoryd.jobs.importing.receiver import Receiver
from memoryd.jobs.importing.registry import NAMES, SESSIONS, all_sources, recognise
from memoryd.jobs.importing.report import Report, shown_as
from memoryd.jobs.importing.source import Source
from memoryd.jobs.registry import Job, Run
from semantic.store import SemanticStore

_EACH = 50
"""So many items are taken in between two times that what is new is told to those who wait for it."""


class Importing:
    """Takes in what lies at a path.

    Args:
        recorder: Where turns of session files go.
        episodic: Where entries of other programs go.
        semantic: Where their notes and facts go.
        vaults: The folders of notes, by name.
        clock: Returns the present, aware.
        zone: The zone of times that name none.
        project_of: Returns the id of the project of a folder, which may be new with this call.
        stored: Called when something was stored.
    """

    def __init__(
        self,
        recorder: Recorder,
        episodic: EpisodicStore,
        semantic: SemanticStore,
        *,
        vaults: Mapping[str, Path],
        clock: Callable[[], datetime],
        zone: tzinfo,
        project_of: Callable[[str | None], str | None],
        stored: Callable[[], None],
    ) -> None:
        self._recorder = recorder
        self._episodic = episodic
        self._semantic = semantic
        self._vaults = vaults
        self._clock = clock
        self._project_of = project_of
        self._stored = stored
        self._sources = all_sources(zone, clock, self._own)

    def run(
        self, path: Path, *, source: str | None = None, is_dry: bool = False, handle: Run | None = None
    ) -> dict[str, Any]:
        """Take in what lies at a path, and return what it came to.

        What was taken in stays where the run ends early, and the next one goes on from there.

        Args:
            path: The file or folder.
            source: Whose it is; without it, that is found out.
            is_dry: Only tell.
            handle: The run of the job; it may be ended between two items.

        Raises:
            ImportFailed: There is nothing to take in, or a file of it cannot be read.
            RunCancelledError: Somebody asked for the end.
        """
        tell = handle.tell if handle is not None else (lambda _text, _done=0, _total=0: None)
        name = source or recognise(path, self._sources)
        if name == SESSIONS:
            files = session_files(path)
            report = import_sessions(
                files,
                self._recorder,
                clock=self._clock,
                is_dry=is_dry,
                tell=lambda file, done: tell(file, done, len(files)),
            )
            return {"source": name, **report.body()}
        return self._take(self._sources[name], path, is_dry=is_dry, tell=tell).body()

    def _own(self) -> set[Path]:
        return {folder.resolve() for folder in (*self._episodic.watched(), *self._semantic.watched())}

    def _take(self, source: Source, path: Path, *, is_dry: bool, tell: Callable[[str, int], None]) -> Report:
        report = Report(source.name)
        tell(f"reads {path}", 0)
        receiver = Receiver(
            report,
            episodic=self._episodic,
            semantic=self._semantic,
            vaults=self._vaults,
            clock=self._clock,
            project_of=self._project_of,
            is_dry=is_dry,
        )
        try:
            for item in source.read(path, report):
                tell(f"{source.name}: {shown_as(item)}", report.done)
                receiver.take(item)
                if report.done % _EACH == 0:
                    self._stored()
        finally:
            self._stored()
        return report


def import_job(importing: Importing, *, is_scanned: Callable[[], bool]) -> Job:
    """Return the job. It waits for the scan of the files: only then is it known, and quick to see, what is there."""

    def run(arguments: Mapping[str, Any], handle: Run) -> dict[str, Any]:
        while not is_scanned():
            handle.tell("waits for the scan of the files")
            handle.rest(0.2)
        path = Path(arguments["path"]).expanduser()
        return importing.run(path, source=arguments["source"], is_dry=arguments["dry_run"], handle=handle)

    return Job(
        name="import",
        summary="Take in what other programs keep of the past; what is known stays as it is.",
        run=run,
        arguments=(
            Argument(name="source", choices=NAMES, meaning="Whose files they are; without it, that is found out."),
            Argument(name="path", is_required=True, meaning="The file or folder that holds them; a full path."),
            Argument(name="dry_run", kind=bool, default=False, meaning="Only say what would be taken in."),
        ),
    )
