"""A note file, read: what its front matter says, what its text links to and is tagged with, and its pieces.

Reading never fails on what a person wrote: what cannot be understood is a problem in words, and the rest is kept.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, time, tzinfo
from typing import Any

from memoryd.text.blocks import mask_code, parse_blocks
from memoryd.text.canonical import digest, sha256_hex
from memoryd.text.decode import decode
from memoryd.text.front_matter import FrontMatter, split_front_matter
from memoryd.text.pieces import cut_pieces
from memoryd.text.secrets import find_secrets
from semantic.log.ids import is_element, note_id
from semantic.model import Note, NoteLink, Section
from semantic.tag import front_matter_tags, text_tags
from semantic.vault.contract import Contract
from semantic.vault.link import find_links, property_links

DATE_KEYS = ("date", "created", "created_at", "updated", "updated_at", "modified")
"""The front matter keys that say when a note is from, the first readable one counts."""

MAX_TAGS = 500
MAX_ALIASES = 100
"""More of these than anyone gives a note are generated, and would cost every piece of it memory; the first count."""

_ETAG_DIGITS = 32
_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}:\d{2}\S*))?")
_INLINE_MARKS = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")


def read_note(vault: str, path: str, data: bytes, *, modified: datetime, zone: tzinfo, contract: Contract) -> Note:
    """Read the bytes of a note file. Links are as written, not yet resolved.

    Args:
        vault: The vault's name.
        path: Relative to the vault, with ``/``, in NFC.
        data: The file as stored.
        modified: When the file was last changed, aware: the note's date if its front matter has none.
        zone: The zone of dates that name none.
        contract: What the note is checked against.
    """
    decoded = decode(data)
    matter = split_front_matter(decoded.text)
    problems = list(decoded.problems)
    if matter.problem is not None:
        problems.append(f"{matter.problem}; the text below it is read")
    masked = mask_code(matter.body, front_matter=False)
    element = matter.data.get("element")
    if element is not None and not is_element(element):
        problems.append("`element` in the front matter is no element id (`el_` and 20 hex digits); it joins nothing")
    tags = dict.fromkeys([*front_matter_tags(matter.data), *text_tags(matter.body, masked=masked)])
    aliases = _texts(matter.data.get("aliases", matter.data.get("alias")))
    for what, held, most in (("tags", tags, MAX_TAGS), ("aliases", aliases, MAX_ALIASES)):
        if len(held) > most:
            problems.append(f"{len(held)} {what} are more than the {most} that are read of one note; the first count")
    note = Note(
        id=note_id(vault, path),
        vault=vault,
        path=path,
        title=_title(matter, path),
        text=decoded.text,
        etag=etag_of(data),
        summary=_one_text(matter.data.get("summary")),
        tags=tuple(tags)[:MAX_TAGS],
        aliases=tuple(aliases[:MAX_ALIASES]),
        front_matter=matter.data,
        links=tuple(_links(matter, masked)),
        sections=_sections(vault, path, matter),
        element=element if is_element(element) else None,
        at=note_instant(matter.data, modified, zone),
        problems=tuple(problems),
    )
    violations = (*contract.check(note), *_credentials(decoded.text))
    if matter.problem is not None:
        violations = (f"the front matter cannot be read: {matter.problem}", *violations)
    return replace(note, violations=violations)


def _credentials(text: str) -> list[str]:
    """Return, for each kind of credential that a note seems to hold, where the first one stands; never its text."""
    first: dict[str, int] = {}
    for span in find_secrets(text):
        first.setdefault(span.kind, text.count("\n", 0, span.start) + 1)
    return [
        f"line {line} holds what looks like {kind}: take it out, and say where it is kept instead"
        for kind, line in first.items()
    ]


def etag_of(data: bytes) -> str:
    """Return what stands for the bytes of a note file."""
    return sha256_hex(data)[:_ETAG_DIGITS]


def note_instant(front_matter: Mapping[str, Any], modified: datetime, zone: tzinfo) -> datetime:
    """Return the instant a note is from: its front matter's date, else when the file was last changed."""
    for key in DATE_KEYS:
        instant = _instant(front_matter.get(key), zone)
        if instant is not None:
            return instant
    return modified


def _links(matter: FrontMatter, masked: str) -> list[NoteLink]:
    body = find_links(matter.body, first_line=matter.body_line, masked=masked)
    if "[[" not in matter.raw:
        return body
    first = 2  # the raw block starts on the line after the opening mark
    held = [replace(link, line=link.line + first - 1) for link in property_links(matter.data, matter.raw)]
    return [*held, *body]


def _sections(vault: str, path: str, matter: FrontMatter) -> tuple[Section, ...]:
    seen: Counter[str] = Counter()
    sections = []
    for piece in cut_pieces(matter.body, first_line=matter.body_line):
        occurrence = seen[piece.text]
        seen[piece.text] += 1
        id_ = digest(f"{vault}:{path}", piece.text, occurrence, length=32)
        sections.append(Section(id_, piece.heading, piece.text, piece.lines))
    return tuple(sections)


def _title(matter: FrontMatter, path: str) -> str:
    named = _one_text(matter.data.get("title"))
    if named:
        return named
    if "#" in matter.body or "===" in matter.body:
        for block in parse_blocks(matter.body, front_matter=False):
            if block.kind == "heading" and block.level == 1:
                title = _INLINE_MARKS.sub("", block.title).strip()
                if title:
                    return title
    return posixpath.basename(path)[: -len(".md")]


def _texts(value: Any) -> list[str]:
    """Return the aliases of a front matter: nothing, one text, or a list of them; a comma in a text parts two."""
    match value:
        case str():
            found = [part.strip() for part in value.split(",")]
        case list() | tuple():
            found = [text for item in value if (text := _one_text(item)) is not None]
        case _:
            text = _one_text(value)
            found = [] if text is None else [text]
    return list(dict.fromkeys(filter(None, found)))


def _one_text(value: Any) -> str | None:
    match value:
        case str():
            return " ".join(value.split()) or None
        case bool():
            return "true" if value else "false"
        case int() | float() | date():
            return str(value)
        case _:
            return None


def _instant(value: Any, zone: tzinfo) -> datetime | None:
    found = _DATE.match(value.strip().strip("[]\"'")) if isinstance(value, str) else None
    if found is None:
        return None
    try:
        day = date(int(found[1]), int(found[2]), int(found[3]))
        clock = time.fromisoformat(found[4].rjust(5, "0") if len(found[4]) < 5 else found[4]) if found[4] else time()
        instant = datetime.combine(day, clock)
        return instant if instant.tzinfo is not None else instant.replace(tzinfo=zone)
    except ValueError:
        return None
