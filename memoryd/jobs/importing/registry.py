"""Which programs are known, and whose files lie at a path."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, tzinfo
from pathlib import Path

from memoryd.errors import ImportFailed, SourceUnknown
from memoryd.jobs.importing.files import peek, some_files
from memoryd.jobs.importing.source import Source
from memoryd.jobs.importing.sources.basic_memory import BasicMemory
from memoryd.jobs.importing.sources.claude_mem import ClaudeMem
from memoryd.jobs.importing.sources.graphify import Graphify
from memoryd.jobs.importing.sources.kg_memory import KgMemory
from memoryd.jobs.importing.sources.kgai import Kgai
from memoryd.jobs.importing.sources.mempalace import MemPalace
from memoryd.jobs.importing.sources.memsearch import Memsearch
from memoryd.jobs.importing.sources.qmd import Qmd

SESSIONS = "claude"
"""Session files of the agent itself: their turns are recorded as hooks would have, by another way."""

NAMES = ("memsearch", "claude-mem", "mempalace", "kgai", "kg-memory", "graphify", "qmd", SESSIONS, "basic-memory")
"""Every program, in the order in which a path is tried: what is surest first."""


def all_sources(
    zone: tzinfo, clock: Callable[[], datetime], own: Callable[[], Collection[Path]] = tuple
) -> dict[str, Source]:
    """Return what reads the files of each program but the agent's own sessions, and none of the folders ``own``."""
    made: Sequence[Source] = (
        Memsearch(zone, own),
        ClaudeMem(clock),
        MemPalace(zone),
        Kgai(),
        KgMemory(),
        Graphify(),
        Qmd(),
        BasicMemory(own),
    )
    return {one.name: one for one in made}


def recognise(path: Path, sources: dict[str, Source]) -> str:
    """Return whose files lie at a path.

    Raises:
        ImportFailed: Nothing lies there.
        SourceUnknown: They are of no program that is known here.
    """
    if not path.exists():
        raise ImportFailed(f"there is nothing at {path}")
    for name in NAMES:
        if _holds_sessions(path) if name == SESSIONS else sources[name].recognises(path):
            return name
    raise SourceUnknown(
        f"what lies at {path} is of no program that is known here; name one ({', '.join(NAMES)}), or the files "
        "themselves. A folder of notes needs no import: add it to vault.paths"
    )


def _holds_sessions(path: Path) -> bool:
    first = next(some_files(path, ".jsonl"), None) if path.is_dir() else path
    return first is not None and first.suffix == ".jsonl" and '"sessionId"' in peek(first)
