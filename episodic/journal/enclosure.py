"""Where a path really leads: a link in the journal may name only what lies in the journal or beside it.

A link is a word that anybody can write who may write to the folder, and a sync tool carries it from one machine to
another. What it names outside was not given to be read, and still less to be written to.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

from episodic.errors import LeadsOut


def way_out(path: Path, within: Iterable[Path]) -> str | None:
    """Return where a path really leads, if that lies in none of these folders (each by its real path)."""
    real = Path(os.path.realpath(path))
    is_inside = any(real.is_relative_to(os.path.realpath(folder)) for folder in within)
    return None if is_inside else str(real)


def check_inside(path: Path, within: Iterable[Path]) -> None:
    """Refuse a path that leads elsewhere.

    Raises:
        LeadsOut: In words that say where it leads, and what to do.
    """
    if (real := way_out(path, within)) is not None:
        raise LeadsOut(
            f"it leads by a link to {real}, out of its folder; nothing is read or written there. Put the file itself "
            "in the place of the link"
        )


def is_link_refused(error: OSError) -> bool:
    """Tell whether a file was not opened because its own name is a link, where none is followed."""
    return error.errno == errno.ELOOP
