"""When each job ran last, over restarts: without it, what runs once a day never would where a machine is off at night.

The file lies in ``state/`` and may be deleted: then what is due soon is done a little sooner.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import structlog

from memoryd.errors import MemorydError
from memoryd.paths import write_private

log = structlog.get_logger("memoryd.jobs")


@dataclass(frozen=True, slots=True)
class LastRun:
    """When a run ended, and why it failed if it did."""

    at: datetime
    error: str | None


class RunMemo:
    """The last run of each job by name. Nothing here fails: a memo that cannot be kept is just not there.

    Args:
        file: Where it lies; ``None`` keeps it in memory.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._runs = _read(file) if file is not None else {}

    def get(self, name: str) -> LastRun | None:
        """Return the last run of a job."""
        return self._runs.get(name)

    def put(self, name: str, run: LastRun) -> None:
        """Keep the last run of a job."""
        self._runs[name] = run
        if self._file is None:
            return
        packed = {key: {"at": one.at.isoformat(), "error": one.error} for key, one in sorted(self._runs.items())}
        try:
            write_private(self._file, json.dumps(packed, ensure_ascii=False).encode("utf-8", "replace"))
        except (MemorydError, OSError) as error:
            log.warning("last_run_not_noted", reason=type(error).__name__)


def _read(file: Path) -> dict[str, LastRun]:
    try:
        packed = json.loads(file.read_bytes())
        return {name: _run_of(one) for name, one in packed.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _run_of(one: Mapping[str, object]) -> LastRun:
    at, error = datetime.fromisoformat(str(one["at"])), one["error"]
    if at.tzinfo is None:
        raise ValueError(one)
    return LastRun(at, error if isinstance(error, str) else None)
