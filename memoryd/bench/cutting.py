"""A note without its links to another note, as its author would have written it had there been none."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from memoryd.text.front_matter import split_front_matter
from semantic.model import Note
from semantic.vault.contract import Contract
from semantic.vault.link import Located, locate_links, locate_property_links
from semantic.vault.note import read_note

_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def without_links(note: Note, target: str) -> Note:
    """Return a note without any of its links to the note ``target`` (an id), in its text and its front matter.

    Mark, shown text and all go, as they go from the question. The other links lead where they did.
    """
    leads_to = {link.written: link.target for link in note.links}
    matter = split_front_matter(note.text)
    below = len(note.text) - len(matter.body)
    above = note.text.find(matter.raw) if matter.raw else 0
    spans = [
        _whole(note.text, located, first)
        for first, some in ((above, locate_property_links(matter.raw)), (below, locate_links(matter.body)))
        for located in some
        if leads_to.get(located.link.written) == target
    ]
    text = note.text
    for start, end in sorted(set(spans), reverse=True):
        text = text[:start] + text[end:]
    modified = note.at or _LONG_AGO
    read = read_note(note.vault, note.path, text.encode(), modified=modified, zone=UTC, contract=Contract())
    links = (replace(link, target=leads_to.get(link.written)) for link in read.links)
    return replace(read, links=tuple(link for link in links if link.target != target))


def _whole(text: str, located: Located, first: int) -> tuple[int, int]:
    """Return the span of a link from its first mark to its last."""
    start, end = located.start + first, located.end + first
    if located.is_wikilink:
        opening = text.rfind("[[", 0, start)
        closing = text.find("]]", end) + len("]]")
    else:
        shown = text.rfind("](", 0, start)
        opening = text.rfind("[", 0, shown) if shown >= 0 else start
        closing = text.find(")", end) + 1 or end
    return opening - (opening > 0 and text[opening - 1] == "!"), closing
