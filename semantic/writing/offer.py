"""Lines of the log that somebody changed by hand, offered to be recorded as decisions of their own.

A changed line is never used: its hash says that nobody recorded it. What it says now may still be meant, so it can be
recorded anew, as any decision is. Offered is what reads as a decision; nothing else in a damaged line is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from semantic.errors import BrokenLine
from semantic.log import custody, ndjson
from semantic.log.body import read_body
from semantic.log.event import read_line
from semantic.projection.picture import Projection


@dataclass(frozen=True, slots=True)
class Offer:
    """A changed line: its file below ``memory/``, its number from 1, and what it says now."""

    path: str
    line: int
    title: str
    why: str
    mutations: tuple[Mapping[str, Any], ...]
    project: str | None
    evidence: tuple[str, ...] = ()
    about: tuple[str, ...] = ()


def offers(memory: Path, picture: Projection) -> list[Offer]:
    """Return the changed lines whose words no decision has yet, in the order of files and lines."""
    root = memory / "log"
    files = [*root.glob("user/*.ndjson"), *root.glob("projects/*/*.ndjson"), *root.glob(f"{custody.FOLDER}/*.ndjson")]
    recorded = {(one.project, one.title, one.why, _bytes(one.mutations)) for one in picture.decisions.values()}
    found = []
    for path in sorted(files):
        for offer in _of_file(path, path.relative_to(memory).as_posix()):
            words = (offer.project, offer.title, offer.why, _bytes(offer.mutations))
            if words not in recorded:
                recorded.add(words)
                found.append(offer)
    return found


def _of_file(path: Path, shown: str) -> Iterator[Offer]:
    try:
        data = path.read_bytes()
    except OSError:
        return
    lines, rest = ndjson.split_lines(data)
    for number, raw in enumerate([*lines, *([rest] if rest else [])], start=1):
        try:
            read_line(raw)
        except BrokenLine:
            offer = _read(raw, shown, number)
            if offer is not None:
                yield offer


def _read(raw: bytes, shown: str, number: int) -> Offer | None:
    try:
        line = orjson.loads(raw)
        head, body = line["head"], line["body"]
        project = head["project"]
        if head["kind"] != "decision" or not (project is None or isinstance(project, str)):
            return None
        read_body("decision", head["id"], body)
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError, BrokenLine):
        return None
    return Offer(
        shown,
        number,
        body["title"],
        body["why"],
        tuple(body["mutations"]),
        project,
        tuple(body["evidence"]),
        tuple(body["about"]),
    )


def _bytes(mutations: Any) -> bytes:
    return orjson.dumps([dict(mutation) for mutation in mutations], option=orjson.OPT_SORT_KEYS)
