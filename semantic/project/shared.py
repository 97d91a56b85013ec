"""What of a project's log may stand in the project's repository, and what of a clone's may be taken in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from semantic.errors import BrokenLine
from semantic.log import ndjson
from semantic.log.event import read_line

FOLDER = ".memoryd/log"
"""Where a shared log lies, below the top of a working tree."""

_NAME = re.compile(r"[0-9a-f]{12}\.ndjson")


@dataclass(frozen=True, slots=True)
class Screened:
    """The lines of a shared file that belong to the project, and how many were left out."""

    data: bytes
    refused: int


def is_shard_name(name: str) -> bool:
    """Tell whether a file of a shared log has the name of an install's shard."""
    return _NAME.fullmatch(name) is not None


def screen(data: bytes, project: str, install: str) -> Screened:
    """Return the whole, unbroken lines that an install wrote for a project; nothing of user scope is among them.

    An unfinished last line is left out and not counted: it comes whole with a later pull.
    """
    kept, refused = [], 0
    for raw in ndjson.split_lines(data)[0]:
        try:
            head = read_line(raw).event.head
        except BrokenLine:
            refused += 1
            continue
        if head.scope == "project" and head.project == project and head.install == install:
            kept.append(raw + b"\n")
        else:
            refused += 1
    return Screened(b"".join(kept), refused)
