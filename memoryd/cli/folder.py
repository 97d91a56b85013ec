"""Which folder a command speaks for: the one it runs in, unless that can be nobody's project."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import gettempdir


def working_folder() -> str | None:
    """Return the working folder, which the daemon turns into a project; ``None`` where it would be none.

    The home folder, the root of the file system and folders for temporary files are no projects. A repository is one
    wherever it lies.
    """
    try:
        here = Path.cwd()
    except OSError:
        # Somebody removed it under the shell; what is asked does not depend on it.
        return None
    if any((folder / ".git").exists() for folder in (here, *here.parents)):
        return str(here)
    real = Path(os.path.realpath(here))
    temporary = Path(os.path.realpath(gettempdir()))
    is_nobodys = real == real.parent or real == Path(os.path.realpath(Path.home())) or real.is_relative_to(temporary)
    return None if is_nobodys else str(here)
