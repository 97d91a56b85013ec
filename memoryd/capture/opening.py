"""Opening what an agent calls its session file: whatever stands there, reading it never waits and always ends.

The path comes from outside. Behind it may be a pipe that nobody writes to, a device without an end, or a file of holes
larger than the memory.
"""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path


def open_regular(path: Path) -> tuple[BufferedReader, int]:
    """Open a regular file for reading and return it with its size in bytes now; links are followed.

    A reader should stop at that size: a file of the system may say 0 and go on for ever.

    Raises:
        OSError: It cannot be opened, or is a folder, a pipe, a socket or a device (``EINVAL``).
    """
    try:
        # Without O_NONBLOCK the opening of a pipe waits for its writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except ValueError as error:  # a NUL in the path
        raise OSError(errno.EINVAL, "no path", str(path)) from error
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode):
        return os.fdopen(descriptor, "rb"), status.st_size
    os.close(descriptor)
    raise OSError(errno.EINVAL, "no regular file", str(path))


def is_regular(path: Path) -> bool:
    """Tell whether a path leads to a regular file."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False
