"""Links as they stand in a note: wikilinks, embeds, Markdown links and their reference definitions.

Only what a reader sees as a link counts: code, comments and mathematics are masked first. Nothing is resolved
here; see ``semantic.vault.resolve``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from memoryd.text.blocks import mask_code
from semantic.model import NoteLink

# One pass over the text. Every alternative fails or ends within its line and none can match a prefix of itself in
# two ways, so the time is linear whatever the text.
_TOKEN = re.compile(
    r"""
      \\[^\n]                                                          # an escaped character opens nothing
    | (?P<embed>!)?\[\[(?P<inner>(?:[^\[\]\n]|\[(?!\[)|\](?!\]))+)\]\]  # [[wikilink]]
    | (?P<open>!?\[)
    | \](?:\([ \t]*
        (?P<destination><[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)
        (?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?
      [ \t]*\))?
    """,
    re.VERBOSE,
)
_DEFINITION = re.compile(
    r"^ {0,3}\[(?P<label>[^\]\[^\n][^\]\[\n]*)\]:[ \t]*(?P<destination><[^<>\n]*>|\S+)", re.MULTILINE
)
_WIKILINK = re.compile(r"(!)?\[\[((?:[^\[\]\n]|\[(?!\[)|\](?!\]))+)\]\]")
_COMMENT = re.compile(r"(?:^|\s)#")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+:")


@dataclass(frozen=True, slots=True)
class Located:
    """A link, and the span in the text at which its target is written; ``is_wikilink`` tells the two forms apart."""

    link: NoteLink
    start: int
    end: int
    is_wikilink: bool


def find_links(text: str, *, first_line: int = 1, masked: str | None = None) -> list[NoteLink]:
    """Return the links of a Markdown text in order, unresolved.

    ``written`` is the target alone: percent-decoded, without heading, block and shown text; empty for a link into
    the same file. Links to the web are left out.

    Args:
        text: Markdown without its front matter.
        first_line: The 1-based line of the file at which the text starts.
        masked: ``mask_code(text)``, where the caller has it.
    """
    return [located.link for located in locate_links(text, first_line=first_line, masked=masked)]


def locate_links(text: str, *, first_line: int = 1, masked: str | None = None) -> list[Located]:
    """Return the links of a Markdown text in order, as ``find_links`` does, with the place of each target."""
    masked = mask_code(text) if masked is None else masked
    found: list[tuple[int, Located]] = []
    opened: list[tuple[int, bool]] = []
    lines = _Lines(text, first_line)
    for token in _TOKEN.finditer(masked):
        if token["inner"] is not None:
            start, end = token.span("inner")
            link = _wikilink(text[start:end], embed=token["embed"] is not None, line=lines.at(token.start()))
            if link is not None:
                found.append((token.start(), _located_wikilink(link, text[start:end], start)))
        elif token["open"] is not None:
            opened.append((token.end(), token["open"] == "!["))
        elif token.group().startswith("]") and opened:
            start, embed = opened.pop()
            if token["destination"] is not None:
                shown = text[start : token.start()]
                link = _markdown_link(token["destination"], shown, embed=embed, line=lines.at(token.start()))
                if link is not None:
                    found.append((start, _located_destination(link, token)))
    lines = _Lines(text, first_line)
    for token in _DEFINITION.finditer(masked):
        link = _markdown_link(token["destination"], token["label"], embed=False, line=lines.at(token.start()))
        if link is not None:
            found.append((token.start(), _located_destination(link, token)))
    return [located for _, located in sorted(found, key=lambda pair: pair[0])]


def locate_property_links(raw: str) -> list[Located]:
    """Return the wikilinks of a front matter block as stored, those in comments left out; lines are not counted."""
    found = []
    for token in _WIKILINK.finditer(raw):
        row = raw[raw.rfind("\n", 0, token.start()) + 1 : token.start()]
        link = _wikilink(token[2], embed=token[1] is not None, line=0)
        if link is not None and not _COMMENT.search(row):
            found.append(_located_wikilink(link, token[2], token.start(2)))
    return found


def _located_wikilink(link: NoteLink, inner: str, at: int) -> Located:
    ends = [place for mark in ("|", "\\|", "#") if (place := inner.find(mark)) >= 0]
    target = inner[: min(ends, default=len(inner))]
    start = at + len(target) - len(target.lstrip())
    return Located(link, start, start + len(target.strip()), is_wikilink=True)


def _located_destination(link: NoteLink, token: re.Match[str]) -> Located:
    destination, start = token["destination"], token.start("destination")
    start += destination.startswith("<")
    target = destination.removeprefix("<").removesuffix(">").partition("#")[0]
    start += len(target) - len(target.lstrip())
    return Located(link, start, start + len(target.strip()), is_wikilink=False)


def property_links(front_matter: Mapping[str, Any], raw: str) -> list[NoteLink]:
    """Return the wikilinks in the values of a front matter, at the line of ``raw`` that holds each."""
    rows = raw.split("\n")
    links = []
    for value in _strings(front_matter.values()):
        for found in _WIKILINK.finditer(value):
            line = next((number for number, row in enumerate(rows, 1) if found.group() in row), 1)
            link = _wikilink(found[2], embed=found[1] is not None, line=line)
            if link is not None:
                links.append(link)
    return links


class _Lines:
    """Line numbers of growing offsets, counted once over the text."""

    def __init__(self, text: str, first_line: int) -> None:
        self._text, self._offset, self._line = text, 0, first_line

    def at(self, offset: int) -> int:
        if offset > self._offset:
            self._line += self._text.count("\n", self._offset, offset)
            self._offset = offset
        return self._line


def _wikilink(inner: str, *, embed: bool, line: int) -> NoteLink | None:
    # In a table the pipe is escaped, since a bare one would end the cell.
    target, pipe, shown = inner.replace("\\|", "|").partition("|")
    written, _, inside = target.partition("#")
    return _link(written.strip(), inside, shown.strip() if pipe else None, embed=embed, line=line)


def _markdown_link(destination: str, shown: str, *, embed: bool, line: int) -> NoteLink | None:
    destination = destination.removeprefix("<").removesuffix(">").strip()
    if _SCHEME.match(destination) or destination.startswith("//"):
        return None
    written, _, inside = destination.partition("#")
    if written.endswith("/"):
        return None  # a folder is no note
    return _link(unquote(written), unquote(inside), shown or None, embed=embed, line=line)


def _link(written: str, inside: str, shown: str | None, *, embed: bool, line: int) -> NoteLink | None:
    steps = [step.strip() for step in inside.split("#") if step.strip()]
    block = steps.pop()[1:] or None if steps and steps[-1].startswith("^") else None
    heading = "#".join(steps) or None
    if not written and heading is None and block is None:
        return None
    return NoteLink(written, None, heading=heading, block=block, shown=shown, embed=embed, line=line)


def _strings(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            yield from _strings(value.values())
        elif isinstance(value, list | tuple):
            yield from _strings(value)
