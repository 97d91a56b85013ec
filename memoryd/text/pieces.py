"""A document cut into searchable pieces that follow its structure.

Pieces of some 500 to 1,100 characters retrieve best and fit any embedding model. A piece keeps to one section, holds
whole blocks where it can, and carries the path of headings above it. Nothing is lost and nothing stands twice.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from memoryd.text.blocks import Block, mask_comments, parse_blocks
from memoryd.text.front_matter import BOM, find_front_matter
from memoryd.text.segments import cut_block
from memoryd.text.sentences import estimate_tokens

__all__ = ["MAX_TOKENS", "Piece", "cut_pieces", "estimate_tokens"]

MAX_TOKENS = 450
"""No piece is larger, by ``estimate_tokens``: the models' window of 512 with room for a prefix."""

TARGET_TOKENS = 400
"""Blocks are packed together up to this size, about 1,080 Latin or 530 CJK characters."""

SMALL_TOKENS = 185
"""Below this size (500 characters) a piece still takes in the sub-section that follows."""

TINY_TOKENS = 60
"""A piece this small may grow to the full cap rather than stand alone."""

MAX_TITLE = 200

_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a document.

    Attributes:
        text: As stored, without the white space around it.
        heading: The titles of the sections it stands in, outermost first; its own heading line is also in the text.
        lines: Its first and last line in the file, from 1, both included.
    """

    text: str
    heading: tuple[str, ...]
    lines: tuple[int, int]


@dataclass(slots=True)
class _Run:
    """Characters ``start`` to ``end`` that will be one piece: their size, section, and whether they say anything."""

    start: int
    end: int
    cost: float
    level: int
    path: tuple[str, ...]
    speaks: bool


@dataclass(slots=True)
class _Cutter:
    text: str
    boundary_headings: bool
    runs: list[_Run] = field(default_factory=list)
    open: _Run | None = None
    pending: _Run | None = None
    """Headings that wait for the block they stand above; its ``level`` is the highest rank among them."""
    titles: list[tuple[int, str]] = field(default_factory=list)

    def add_heading(self, start: int, end: int, block: Block) -> None:
        while self.titles and self.titles[-1][0] >= block.level:
            self.titles.pop()
        self.titles.append((block.level, block.title[:MAX_TITLE]))
        cost = estimate_tokens(self.text[start:end])
        if self.pending is None:
            self.pending = _Run(start, end, cost, block.level, self._path(), not self.boundary_headings)
        else:
            self.pending.cost += estimate_tokens(self.text[self.pending.end : start]) + cost
            self.pending.end = end
            self.pending.level = min(self.pending.level, block.level)
            self.pending.path = self._path()
        if self.pending.cost > MAX_TOKENS / 2:
            self._release()

    def add(self, start: int, end: int, kind: str, *, speaks: bool) -> None:
        cost = estimate_tokens(self.text[start:end])
        if self._waiting(start) > MAX_TOKENS / 2:  # so many blank lines that the heading cannot reach its text
            self._release()
        room = MAX_TOKENS - self._waiting(start)
        if cost <= room:
            self._place(start, end, cost, speaks=speaks)
            return
        for begin, stop in cut_block(self.text, start, end, kind, room):
            self._place(begin, stop, estimate_tokens(self.text[begin:stop]), speaks=speaks)

    def finish(self) -> list[_Run]:
        if self.pending is not None:
            gap = 0.0 if self.open is None else estimate_tokens(self.text[self.open.end : self.pending.start])
            if self.open is not None and self.open.cost + gap + self.pending.cost <= MAX_TOKENS:
                self.open.end = self.pending.end
                self.open.speaks = self.open.speaks or self.pending.speaks
                self.pending = None
            else:
                self._release()
        self._close()
        return self.runs if any(run.speaks for run in self.runs) else []

    def _path(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.titles)

    def _level(self) -> int:
        return self.titles[-1][0] if self.titles else 0

    def _waiting(self, start: int) -> float:
        if self.pending is None:
            return 0.0
        return self.pending.cost + estimate_tokens(self.text[self.pending.end : start])

    def _place(self, start: int, end: int, cost: float, *, speaks: bool) -> None:
        heading, self.pending = self.pending, None
        run = _Run(start, end, cost, self._level(), self._path(), speaks)
        if heading is not None:
            run.cost += heading.cost + estimate_tokens(self.text[heading.end : start])
            run.start = heading.start
            run.speaks = speaks or heading.speaks
        if self.open is not None and self._joins(self.open, run, heading):
            self.open.cost += estimate_tokens(self.text[self.open.end : run.start]) + run.cost
            self.open.end = end
            if not self.open.speaks:
                # What says nothing by itself has no section to keep to: the piece is named by what it says.
                self.open.level, self.open.path = run.level, run.path
            self.open.speaks = self.open.speaks or run.speaks
            return
        self._close()
        self.open = run

    def _joins(self, open_: _Run, run: _Run, heading: _Run | None) -> bool:
        total = open_.cost + estimate_tokens(self.text[open_.end : run.start]) + run.cost
        limit = TARGET_TOKENS if open_.cost > TINY_TOKENS and open_.speaks else MAX_TOKENS
        if total > limit:
            return False
        if heading is None or not self.boundary_headings or not open_.speaks:
            return True
        return 0 < open_.level < heading.level and open_.cost < SMALL_TOKENS

    def _release(self) -> None:
        """Place headings that are too large to wait, or that nothing follows, as text of their own."""
        heading, self.pending = self.pending, None
        if heading is None:
            return
        speaks = heading.speaks or heading.cost > MAX_TOKENS / 2
        self._close()
        for begin, stop in cut_block(self.text, heading.start, heading.end, "paragraph", MAX_TOKENS):
            self._place(begin, stop, estimate_tokens(self.text[begin:stop]), speaks=speaks)

    def _close(self) -> None:
        if self.open is not None:
            self.runs.append(self.open)
            self.open = None


def cut_pieces(text: str, *, first_line: int = 1, boundary_headings: bool = True) -> list[Piece]:
    """Cut a document into pieces of at most ``MAX_TOKENS``, in order.

    Joined, the pieces are the body again, but for white space between them. Front matter is left out; it is looked
    for only where the text is a whole file (``first_line`` 1). Documents that are blank, or hold only comments, give
    no piece.

    Args:
        text: A file, or a part of one.
        first_line: The line of the file on which ``text`` starts, from 1.
        boundary_headings: A piece does not run on into a section of the same or a higher rank, and headings alone
            say nothing. Without it headings are text like any other: that is right for a single entry.
    """
    body = 1 if text.startswith(BOM) else 0
    if first_line == 1 and (span := find_front_matter(text)) is not None:
        body = span[2]
    line_of = _LineOf(text, first_line)
    # Work on the body alone: offsets below are into it.
    body_text = text[body:]
    body_starts = _line_starts(body_text)
    spoken = mask_comments(body_text, front_matter=False)
    cutter = _Cutter(body_text, boundary_headings)
    for block in parse_blocks(body_text, front_matter=False):
        start, end = body_starts[block.start], body_starts[min(block.end, len(body_starts) - 1)]
        end = start + len(body_text[start:end].rstrip())
        if end <= start:
            continue
        if block.kind == "heading":
            cutter.add_heading(start, end, block)
        else:
            speaks = block.kind != "rule" and bool(spoken[start:end].strip().strip(_INVISIBLE))
            cutter.add(start, end, block.kind, speaks=speaks)
    pieces: list[Piece] = []
    for run in cutter.finish():
        start, end = _trimmed(body_text, run.start, run.end)
        if start < end:
            lines = (line_of(body + start), line_of(body + end - 1))
            pieces.append(Piece(body_text[start:end], run.path, lines))
    return pieces


class _LineOf:
    """Line numbers of offsets into a text; only a line feed ends a line."""

    def __init__(self, text: str, first_line: int) -> None:
        self._starts = _line_starts(text)[:-1]
        self._first = first_line

    def __call__(self, offset: int) -> int:
        return self._first + bisect_right(self._starts, offset) - 1


def _line_starts(text: str) -> list[int]:
    """Return the offset of each line, and the length of the text at the end."""
    starts = [0]
    starts.extend(match.end() for match in re.finditer("\n", text))
    starts.append(len(text))
    return starts


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Drop blank lines in front and white space behind; the indentation of the first line stays."""
    part = text[start:end]
    end = start + len(part.rstrip())
    lead = len(part) - len(part.lstrip())
    if lead:
        newline = part.rfind("\n", 0, lead)
        start += newline + 1 if newline >= 0 else 0
    return start, max(start, end)
