"""The blocks of a Markdown document, by line, and the parts of it that are not prose.

A block parser that knows the whole of CommonMark's structure decides what is a heading and what is a comment in a
shell script; inline text is never parsed, so a line of a megabyte costs no more than its length.
Only a line feed ends a line: line numbers are those of the file as stored.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from memoryd.text.front_matter import BOM, find_front_matter
from memoryd.text.spans import inline_spans

BlockKind = Literal["front_matter", "heading", "fence", "table", "list", "quote", "html", "paragraph", "rule", "code"]

MAX_SETEXT_LINES = 3
"""A longer paragraph above a line of dashes was meant as a paragraph with a rule under it."""

_KINDS: dict[str, BlockKind] = {
    "heading_open": "heading",
    "fence": "fence",
    "table_open": "table",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "blockquote_open": "quote",
    "html_block": "html",
    "paragraph_open": "paragraph",
    "hr": "rule",
    "code_block": "code",
}


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level block: lines ``start`` to ``end`` (from 0, half-open). ``level`` and ``title`` are a heading's."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    title: str = ""


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    # A reference definition is text like any other here, and its rule is the one that is slow on hostile input.
    return parser.disable("reference")


_MARKDOWN = _parser()


_KEPT_CHARACTERS = 65_536
"""Longer texts are not kept: their tokens weigh many times what they weigh."""


def _tokens(text: str) -> list[Token]:
    """Return the text's tokens, which the caller leaves as they are."""
    return _kept_tokens(text) if len(text) <= _KEPT_CHARACTERS else _parse(text)


@lru_cache(maxsize=4)
def _kept_tokens(text: str) -> list[Token]:
    """Parse a text once for all who ask about it at a time: where is code, which blocks, which title."""
    return _parse(text)


def _parse(text: str) -> list[Token]:
    """Parse blocks only. The library's own normalising would end a line at a lone carriage return."""
    plain = text.replace("\r\n", "\n").replace("\r", " ")
    tokens: list[Token] = []
    _MARKDOWN.block.parse(plain, _MARKDOWN, {}, tokens)
    return tokens


def parse_blocks(text: str, *, front_matter: bool = True) -> list[Block]:
    """Return the document's top-level blocks in order; blank lines belong to none, all others to exactly one.

    ``front_matter=False`` says that the text is a body: a ``---`` on its first line is a rule.
    """
    blocks: list[Block] = []
    first = 0
    span = find_front_matter(text) if front_matter else None
    if span is not None:
        first = text.count("\n", 0, span[2]) + (0 if text[: span[2]].endswith("\n") else 1)
        blocks.append(Block("front_matter", 0, first))
        text = text[span[2] :]
    text = text.removeprefix(BOM)
    lines = text.split("\n")
    at = 0
    for block in _top_level(_tokens(text)):
        blocks.extend(_uncovered(lines, at, block.start, first))
        at = block.end
        end = block.end
        while end > block.start + 1 and not lines[end - 1].strip():
            end -= 1
        blocks.append(Block(block.kind, block.start + first, end + first, block.level, block.title))
    blocks.extend(_uncovered(lines, at, len(lines), first))
    return blocks


def _top_level(tokens: list[Token]) -> Iterator[Block]:
    for index, token in enumerate(tokens):
        kind = _KINDS.get(token.type)
        if token.level != 0 or token.map is None or kind is None:
            continue
        start, end = token.map
        if kind == "heading":
            title = tokens[index + 1].content.strip()
            if token.markup in "=-" and end - start > MAX_SETEXT_LINES + 1:
                yield Block("paragraph", start, end)
            else:
                yield Block("heading", start, end, int(token.tag[1:]), " ".join(title.split()))
        else:
            yield Block(kind, start, end)


def _uncovered(lines: list[str], start: int, end: int, first: int) -> Iterator[Block]:
    """Give lines that no token claims, but that are not blank, to paragraphs: nothing may be lost."""
    begin: int | None = None
    for number in range(start, end):
        if lines[number].strip(" \t\r"):
            begin = number if begin is None else begin
        elif begin is not None:
            yield Block("paragraph", begin + first, number + first)
            begin = None
    if begin is not None:
        yield Block("paragraph", begin + first, end + first)


def code_lines(text: str) -> set[int]:
    """Return the lines (from 0) that lie in fenced or indented code at any depth, fence marks included."""
    lines: set[int] = set()
    for token in _tokens(text.removeprefix(BOM)):
        if token.type in {"fence", "code_block"} and token.map is not None:
            lines.update(range(*token.map))
    return lines


def mask_code(text: str, *, front_matter: bool = True) -> str:
    """Return a text of the same length and lines in which everything that is not prose is blanked by spaces.

    Blanked: front matter (unless the text is a body), fenced, indented and inline code, HTML comments,
    ``%%comments%%`` and math. What is left is where links and tags may be found.
    """
    return _blanked(text, front_matter=front_matter, kinds={"code", "comment", "math"})


def mask_comments(text: str, *, front_matter: bool = True) -> str:
    """Return a text of the same length and lines in which only HTML and ``%%`` comments are blanked."""
    if "<!--" not in text and "%%" not in text:
        return text
    return _blanked(text, front_matter=front_matter, kinds={"comment"})


def _blanked(text: str, *, front_matter: bool, kinds: set[str]) -> str:
    pieces = text.split("\n")
    starts = _line_starts(pieces)
    body = 0
    if front_matter and (span := find_front_matter(text)) is not None:
        body = span[2]
    first = bisect_right(starts, body) - 1 if body else 0
    code = {first + line for line in code_lines(text[body:])} if body < len(text) else set()
    spans: list[tuple[int, int]] = [(0, body)] if body and "code" in kinds else []
    scanned = list(pieces)
    for line in code:
        if line < len(pieces):
            scanned[line] = " " * len(pieces[line])
            if "code" in kinds:
                spans.append((starts[line], starts[line] + len(pieces[line])))
    scanned_text = " " * body + "\n".join(scanned)[body:]
    spans.extend((start, end) for start, end, kind in inline_spans(scanned_text, body) if kind in kinds)
    return _blank(text, spans)


def _blank(text: str, spans: list[tuple[int, int]]) -> str:
    parts: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if end <= at:
            continue
        begin = max(start, at)
        parts.append(text[at:begin])
        parts.append(re.sub(r"[^\n]", " ", text[begin:end]))
        at = end
    parts.append(text[at:])
    return "".join(parts)


def _line_starts(lines: list[str]) -> list[int]:
    starts = [0]
    for line in lines[:-1]:
        starts.append(starts[-1] + len(line) + 1)
    return starts
