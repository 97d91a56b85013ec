"""Where the daemon's time comes from: one zone, one clock, both passed in to everybody else."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

Clock = Callable[[], datetime]
"""Returns the present instant, aware, in the daemon's zone."""

_LOCALTIME = Path("/etc/localtime")


def system_clock(zone: tzinfo) -> Clock:
    """Return a clock that reads the machine's time in the given zone."""
    return lambda: datetime.now(zone)


def find_zone(name: str | None = None, environ: Mapping[str, str] | None = None) -> tzinfo:
    """Return the named zone, or the machine's own.

    The machine's zone is that of ``TZ``, else of ``/etc/localtime``. A fixed offset would be wrong on the other
    side of a clock change, so it is only the last resort.

    Raises:
        ZoneInfoNotFoundError: The name is no IANA zone.
    """
    if name:
        return ZoneInfo(name)
    environ = os.environ if environ is None else environ
    named = environ.get("TZ", "").removeprefix(":")
    return _zone_named(named) or _zone_of_file(_LOCALTIME) or datetime.now().astimezone().tzinfo or ZoneInfo("UTC")


def _zone_named(name: str) -> tzinfo | None:
    if not name:
        return None
    if name.startswith("/"):
        return _zone_of_file(Path(name))
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        # A POSIX rule such as CET-1CEST: the C library understands it, zoneinfo does not.
        return None


def _zone_of_file(file: Path) -> tzinfo | None:
    """Return the zone of a compiled zone file, by its name where the path tells it."""
    try:
        _, found, name = str(file.resolve()).rpartition("/zoneinfo/")
        if found:
            return ZoneInfo(name)
        with file.open("rb") as data:
            return ZoneInfo.from_file(data, key=None)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
