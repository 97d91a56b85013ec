"""Which format a data set is in."""

from __future__ import annotations

import json
from pathlib import Path

from memoryd.bench import beam, locomo, longmemeval, notes
from memoryd.bench.corpus import Corpus
from memoryd.bench.errors import BenchDataError

FORMATS = (locomo.FORMAT, beam.FORMAT, longmemeval.FORMAT, notes.FORMAT)


def read_corpus(path: Path, *, form: str | None = None, gold: Path | None = None, dates: Path | None = None) -> Corpus:
    """Read a data set; its format is looked up where none is named.

    Raises:
        BenchDataError: It is in no format that is known, or not in the one that was named.
    """
    form = form or detect(path)
    if form == locomo.FORMAT:
        return locomo.read_locomo(path, gold)
    if form == beam.FORMAT:
        return beam.read_beam(path, gold)
    if form == longmemeval.FORMAT:
        return longmemeval.read_longmemeval(path)
    return notes.read_notes(path, gold, dates)


def detect(path: Path) -> str:
    """Return the name of a data set's format.

    Raises:
        BenchDataError: It is in none that is known.
    """
    if path.is_dir():
        return beam.FORMAT if any(path.glob("*/chat.json")) else notes.FORMAT
    try:
        entries = json.loads(path.read_text("utf-8"))
        keys = set(entries[0])
    except (OSError, ValueError, TypeError, LookupError) as error:
        raise BenchDataError(f"{path} is no list of JSON objects: {error!r}") from error
    if "haystack_sessions" in keys:
        return longmemeval.FORMAT
    if "conversation" in keys:
        return locomo.FORMAT
    raise BenchDataError(f"{path} is in none of the formats {', '.join(FORMATS)}")
