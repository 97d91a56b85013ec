"""Reading one note: everything that its text says by itself."""

from __future__ import annotations

import posixpath
import re

from semantic.extract.definition import find_definitions
from semantic.extract.facts import Facts
from semantic.extract.generic import is_generic
from semantic.extract.prose import Prose
from semantic.extract.span import find_mentions
from semantic.model import Note

MOST_HEADINGS = 60
MOST_DEFINITIONS = 500
MOST_MENTIONS = 500
_UNSPOKEN = re.compile(
    r"!?\[\[[^\]|\n]*(?:\|(?=[^\]\n]*\]\])|\]\])|\]\([^)\n]*\)|<?https?://[^\s<>]+|^ {0,3}\[[^\]\n]+\]:.*$|"
    r"[ \t]\^[\w-]+$",
    re.MULTILINE,
)
"""A link's target is no mention: it is a link already. A block's own mark names nothing."""

LONGEST_READ = 400_000
"""Of a longer note only so many characters are read: it is an export or a log and no note."""


def read_note_text(note: Note) -> tuple[Facts, str]:
    """Return what a note says, and the text in which names of others are looked for.

    Both are pure functions of its text, title and aliases.
    """
    text = note.text[:LONGEST_READ]
    prose = Prose(text)
    stem = posixpath.basename(note.path)[: -len(".md")]
    definitions = find_definitions(prose, note.title, (*note.aliases, stem))
    mentions = find_mentions(prose, note.front_matter, text)
    headings = [
        heading
        for heading in prose.headings
        if heading.level > 1 and heading.title != note.title and not is_generic(heading.title)
    ]
    facts = Facts(
        tuple(definitions[:MOST_DEFINITIONS]), tuple(mentions[:MOST_MENTIONS]), tuple(headings[:MOST_HEADINGS])
    )
    return facts, _spoken(prose)


def spoken(note: Note) -> str:
    """Return the text in which names are looked for."""
    return _spoken(Prose(note.text[:LONGEST_READ]))


def _spoken(prose: Prose) -> str:
    """Return the prose, of the same lines as the file: without code, addresses and the targets of links."""
    return "\n" * (prose.first_line - 1) + _UNSPOKEN.sub(" ", prose.masked)
