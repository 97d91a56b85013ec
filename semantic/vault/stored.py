"""A note as read, and the words of its pieces, as bytes that a cache can keep; and back."""

from __future__ import annotations

import sys
from array import array
from datetime import datetime
from types import MappingProxyType
from typing import Any

import orjson

from semantic.model import Note, NoteLink, Section
from semantic.weighing import Weighed

_HEADER_BYTES = 4


def pack_note(note: Note) -> bytes | None:
    """Return a note with its links as written; ``None`` for one that cannot be kept, such as a number without end."""
    links = [[link.written, link.heading, link.block, link.shown, link.embed, link.line] for link in note.links]
    sections = [[section.id, section.heading, section.text, section.lines] for section in note.sections]
    fields = {
        "id": note.id,
        "title": note.title,
        "text": note.text,
        "etag": note.etag,
        "summary": note.summary,
        "tags": note.tags,
        "aliases": note.aliases,
        "front_matter": dict(note.front_matter),
        "links": links,
        "sections": sections,
        "element": note.element,
        "at": None if note.at is None else note.at.isoformat(),
        "violations": note.violations,
        "problems": note.problems,
    }
    try:
        return orjson.dumps(fields)
    except TypeError:
        return None


def unpack_note(vault: str, path: str, data: bytes) -> Note:
    """Return the note that ``pack_note`` was given.

    Raises:
        ValueError: These are no such bytes.
    """
    fields: dict[str, Any] = orjson.loads(data)
    try:
        at = fields["at"]
        return Note(
            id=fields["id"],
            vault=vault,
            path=path,
            title=fields["title"],
            text=fields["text"],
            etag=fields["etag"],
            summary=fields["summary"],
            tags=tuple(fields["tags"]),
            aliases=tuple(fields["aliases"]),
            front_matter=MappingProxyType(fields["front_matter"]),
            links=tuple(
                NoteLink(written, None, heading=heading, block=block, shown=shown, embed=embed, line=line)
                for written, heading, block, shown, embed, line in fields["links"]
            ),
            sections=tuple(
                Section(id_, tuple(heading), text, (lines[0], lines[1]))
                for id_, heading, text, lines in fields["sections"]
            ),
            element=fields["element"],
            at=None if at is None else datetime.fromisoformat(at),
            violations=tuple(fields["violations"]),
            problems=tuple(fields["problems"]),
        )
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError("these bytes are no stored note") from error


def pack_weights(weighed: Weighed) -> bytes:
    """Return the words of a document's pieces."""
    header = orjson.dumps([sys.byteorder, [[unit, len(terms)] for unit, terms, _ in weighed.units]])
    parts = [len(header).to_bytes(_HEADER_BYTES, "big"), header]
    for _, terms, weights in weighed.units:
        parts += [terms.tobytes(), weights.tobytes()]
    return b"".join(parts)


def unpack_weights(document: str, data: bytes) -> Weighed:
    """Return what ``pack_weights`` was given.

    Raises:
        ValueError: These are no such bytes.
    """
    at = _HEADER_BYTES + int.from_bytes(data[:_HEADER_BYTES], "big")
    header = orjson.loads(data[_HEADER_BYTES:at])
    units = []
    try:
        order, counts = header
        for unit, count in counts:
            terms, weights = array("I"), array("f")
            terms.frombytes(data[at : at + count * terms.itemsize])
            at += count * terms.itemsize
            weights.frombytes(data[at : at + count * weights.itemsize])
            at += count * weights.itemsize
            if len(terms) != count or len(weights) != count:
                raise ValueError("these bytes are cut short")
            units.append((unit, terms, weights))
    except TypeError as error:
        raise ValueError("these bytes are no stored words") from error
    if order != sys.byteorder or at != len(data):
        raise ValueError("these bytes are of another machine, or too many")
    return Weighed(document, tuple(units))
