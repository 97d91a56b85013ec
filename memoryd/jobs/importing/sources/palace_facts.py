"""MemPalace's facts: who is what to whom, since when and until when."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any

from memoryd.jobs.importing.files import text_of
from memoryd.jobs.importing.item import Fact
from memoryd.jobs.importing.report import Report
from memoryd.jobs.importing.sqlite import rows_of

TABLES = frozenset({"entities", "triples"})
_UNTYPED = "thing"
_TRIPLE = (
    "id", "subject", "predicate", "object", "valid_from", "valid_to", "source_file", "source_drawer_id", "extracted_at",
)  # fmt: skip


def read_facts(opened: sqlite3.Connection, zone: tzinfo, report: Report) -> Iterator[Fact]:
    """Yield a link for each fact, and for each that ended one that takes it back, by the times since when they hold."""
    elements = {}
    for row in rows_of(opened, "entities", ("id", "name", "type"), "id"):
        kind = text_of(row["type"]).strip()
        name = " ".join(text_of(row["name"]).split()) or text_of(row["id"])
        if name:
            elements[row["id"]] = {"kind": _UNTYPED if kind in {"", "unknown"} else kind, "name": name}
    facts: list[tuple[datetime, Fact]] = []
    ever = datetime.min.replace(tzinfo=UTC)
    for row in rows_of(opened, "triples", _TRIPLE, "extracted_at id"):
        ends = elements.get(row["subject"]), elements.get(row["object"])
        relation = " ".join(text_of(row["predicate"]).split())
        if ends[0] is None or ends[1] is None or not relation:
            report.skipped["facts with an end that is no entity"] += 1
            continue
        facts.append((moment(row["valid_from"], zone) or ever, _fact(row, ends[0], relation, ends[1], zone)))
        if row["valid_to"]:
            end = _end(row, ends[0], relation, ends[1], zone)
            facts.append((end.valid_at or ever, end))
    # What ended and began again holds: each end comes before what began after it.
    yield from (fact for _, fact in sorted(facts, key=lambda one: one[0]))


def _fact(row: dict[str, Any], subject: dict[str, str], relation: str, other: dict[str, str], zone: tzinfo) -> Fact:
    said = f"{subject['name']} {relation} {other['name']}"
    kept = [f"MemPalace kept this as a fact, without a reason: {said}."]
    if since := text_of(row["valid_from"]):
        kept.append(f"It holds since {since}.")
    if file := text_of(row["source_file"]):
        kept.append(f"It was read in {file}.")
    return Fact(
        id=f"fact {row['id']}",
        title=said,
        why=" ".join(kept),
        mutations=(
            {"op": "put_element", **subject},
            {"op": "put_element", **other},
            {"op": "add_link", "from": subject, "rel": relation, "to": other},
        ),
        valid_at=moment(row["valid_from"], zone) or moment(row["extracted_at"], zone),
        evidence=tuple(filter(None, (text_of(row["source_drawer_id"]),))),
    )


def _end(row: dict[str, Any], subject: dict[str, str], relation: str, other: dict[str, str], zone: tzinfo) -> Fact:
    said = f"{subject['name']} {relation} {other['name']}"
    return Fact(
        id=f"end of fact {row['id']}",
        title=f"No longer: {said}",
        why=f"MemPalace kept this fact as one that held until {row['valid_to']}, without a reason for its end.",
        mutations=({"op": "retire_link", "from": subject, "rel": relation, "to": other},),
        valid_at=moment(row["valid_to"], zone, is_end=True),
    )


def moment(value: Any, zone: tzinfo, *, is_end: bool = False) -> datetime | None:
    """Return an instant as MemPalace writes it: without a zone it is local; a bare date is its start, or its end."""
    said = text_of(value).strip()
    try:
        if len(said) == len("YYYY-MM-DD"):
            day = date.fromisoformat(said) + timedelta(days=1 if is_end else 0)
            return datetime.combine(day, time(0), zone)
        found = datetime.fromisoformat(said)
    except (ValueError, OverflowError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=zone)
