"""The job ``import``: take in what other programs keep of the past."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryd.capture.importing import import_sessions, session_files
from memoryd.capture.record import Recorder
from memoryd.jobs.argument import Argument
from memoryd.jobs.entities import import_entities
from memoryd.jobs.registry import Job, Run
from semantic.store import SemanticStore

SOURCES = ("claude", "kg-memory")


def import_job(
    recorder: Recorder,
    semantic: SemanticStore,
    *,
    clock: Callable[[], datetime],
    is_scanned: Callable[[], bool],
    stored: Callable[[], None],
) -> Job:
    """Return the job. It waits for the scan of the journal: only then is it quick to see what is known.

    ``stored`` is called when decisions were recorded; turns tell of themselves.
    """

    def run(arguments: Mapping[str, Any], handle: Run) -> dict[str, Any]:
        while not is_scanned():
            handle.tell("waits for the scan of the files")
            handle.rest(0.2)
        path = Path(arguments["path"]).expanduser()
        if arguments["source"] == "kg-memory":
            try:
                return import_entities(path, semantic, is_dry=arguments["dry_run"], tell=handle.tell).body()
            finally:
                stored()
        files = session_files(path)
        return import_sessions(
            files,
            recorder,
            clock=clock,
            is_dry=arguments["dry_run"],
            tell=lambda name, done: handle.tell(name, done, len(files)),
        ).body()

    return Job(
        name="import",
        summary="Take in what other programs keep of the past; what is known stays as it is.",
        run=run,
        arguments=(
            Argument(name="source", choices=SOURCES, is_required=True, meaning="Whose files they are."),
            Argument(name="path", is_required=True, meaning="The file, or for sessions a folder of them; a full path."),
            Argument(name="dry_run", kind=bool, default=False, meaning="Only say what would be taken in."),
        ),
    )
