"""A note's text by lines, as the extraction reads it: what is prose, which heading stands above, where one begins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memoryd.text.blocks import mask_code, mask_comments, parse_blocks
from memoryd.text.front_matter import split_front_matter
from semantic.extract.facts import Heading

_MARK = re.compile(r"^[ \t]*(?:>[ \t]*)*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?")
_LIST = re.compile(r"^[ \t]*(?:>[ \t]*)*(?:[-*+]|\d{1,3}[.)])[ \t]+")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of prose.

    Attributes:
        number: In the file, from 1.
        text: Without list and quote marks; code and comments are as written.
        masked: The same with code blanked.
        is_first: Whether a paragraph or a list item begins here.
        is_item: Whether it is a list item.
        is_row: Whether it is a row of a table.
        headings: The titles above it, outermost first.
    """

    number: int
    text: str
    masked: str
    is_first: bool
    is_item: bool
    is_row: bool
    headings: tuple[str, ...]


class Prose:
    """The body of a note."""

    def __init__(self, text: str) -> None:
        matter = split_front_matter(text)
        self.body = matter.body
        self.first_line = matter.body_line
        self.data = matter.data
        self.masked = mask_code(self.body, front_matter=False)
        self.headings: list[Heading] = []
        self._titles: dict[int, tuple[int, str]] = {}
        self._rows: set[int] = set()
        self._skipped: set[int] = set()
        for block in parse_blocks(self.body, front_matter=False):
            if block.kind == "heading":
                self._titles[block.start] = (block.level, block.title)
                self._skipped.update(range(block.start, block.end))
                self.headings.append(Heading(block.title, block.level, block.start + self.first_line))
            elif block.kind == "table":
                self._rows.update(range(block.start, block.end))
            elif block.kind in {"fence", "code", "html", "rule"}:
                self._skipped.update(range(block.start, block.end))

    def lines(self) -> Iterator[Line]:
        """Yield the lines that are prose, in order."""
        shown = mask_comments(self.body, front_matter=False).split("\n")
        masked = self.masked.split("\n")
        above: list[tuple[int, str]] = []
        was_blank = True
        for index, raw in enumerate(shown):
            title = self._titles.get(index)
            if title is not None:
                while above and above[-1][0] >= title[0]:
                    above.pop()
                above.append(title)
            if index in self._skipped or not raw.strip():
                was_blank = True
                continue
            is_row = index in self._rows
            mark = None if is_row else _MARK.match(raw)
            cut = mark.end() if mark is not None else 0
            is_item = not is_row and _LIST.match(raw) is not None
            yield Line(
                index + self.first_line,
                raw[cut:].rstrip(),
                masked[index][cut:].rstrip(),
                was_blank or is_item,
                is_item,
                is_row,
                tuple(name for _, name in above),
            )
            was_blank = False
