"""A JSON text in which only what differs is written anew.

Other people's settings are theirs to the byte: their order, their white space, how they wrote a number or a letter.
So a text is not made of its values again; it is cut where a value differs, and the new value is put in between.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from json.decoder import JSONDecoder
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = JSONDecoder()


def splice(text: str, wanted: Any, *, indent: str, line_end: str) -> str:
    """Return the text with what differs from ``wanted`` replaced; what is new stands in the style given.

    Args:
        text: Valid JSON, perhaps after a byte order mark.
        wanted: What the text shall hold; members that stay keep their place, new ones come last.
        indent: The white space of one level.
        line_end: How lines end.

    Raises:
        RecursionError: It is nested too deeply.
    """
    start = _SPACE.match(text, 1 if text.startswith("\ufeff") else 0).end()  # type: ignore[union-attr] # it matches always
    node = _read(text, start)
    return text[:start] + _Splicing(text, indent, line_end).render(node, wanted, "") + text[node.end :]


@dataclass(frozen=True, slots=True)
class _Node:
    """A value and where it stands; ``items`` of an object or array are (key or None, where it begins, value)."""

    value: Any
    start: int
    end: int
    items: tuple[tuple[str | None, int, _Node], ...] = ()


@dataclass(frozen=True, slots=True)
class _Splicing:
    text: str
    indent: str
    line_end: str

    def render(self, node: _Node, wanted: Any, margin: str) -> str:
        """Return the text of a value; ``margin`` is the white space before the line that it ends on."""
        if node.value == wanted:
            return self.text[node.start : node.end]
        if isinstance(node.value, dict) and isinstance(wanted, Mapping):
            return self._joined(node, _paired_members(node, wanted), margin)
        if isinstance(node.value, list) and isinstance(wanted, list):
            return self._joined(node, _paired_items(node, wanted), margin)
        return self._dumped(wanted, margin, is_spread=self.line_end in self.text)

    def _joined(self, node: _Node, parts: Iterator[tuple[int | None, str | None, Any]], margin: str) -> str:
        """Return an object or array of what stays of it and what is new, with the separators that are there."""
        lead, tail, between = self._around(node, margin)
        inner = lead.rpartition("\n")[2] if "\n" in lead else margin
        out, before = [], None
        for number, (place, key, value) in enumerate(parts):
            if place is None:
                name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
                said = name + self._dumped(value, inner, is_spread="\n" in lead)
            else:
                _, begins, held = node.items[place]
                said = self.text[begins : held.start] + self.render(held, value, inner)
            if number:
                is_neighbour = place is not None and place - 1 == before
                out.append(self._gap(node, place) if is_neighbour and place is not None else between)
            out.append(said)
            before = place
        brackets = self.text[node.start], self.text[node.end - 1]
        return "".join([brackets[0], lead, *out, tail, brackets[1]]) if out else "".join(brackets)

    def _around(self, node: _Node, margin: str) -> tuple[str, str, str]:
        """Return the white space after the opening and before the closing bracket, and what parts two items."""
        if not node.items:
            line = f"{self.line_end}{margin}{self.indent}"
            return line, f"{self.line_end}{margin}", f",{line}"
        lead = self.text[node.start + 1 : node.items[0][1]]
        tail = self.text[node.items[-1][2].end : node.end - 1]
        if "\n" in lead:
            return lead, tail, f",{self.line_end}{lead.rpartition(chr(10))[2]}"
        return lead, tail, self._gap(node, 1) if len(node.items) > 1 else ", "

    def _gap(self, node: _Node, place: int) -> str:
        """Return what stands between an item and the one before it."""
        return self.text[node.items[place - 1][2].end : node.items[place][1]]

    def _dumped(self, value: Any, margin: str, *, is_spread: bool) -> str:
        if not is_spread:
            return json.dumps(value, ensure_ascii=False)
        return json.dumps(value, ensure_ascii=False, indent=self.indent).replace("\n", self.line_end + margin)


def _paired_members(node: _Node, wanted: Mapping[str, Any]) -> Iterator[tuple[int | None, str | None, Any]]:
    """Yield (place in the node or None, key, value): what stays in its order, then what is new."""
    for place, (key, _, _) in enumerate(node.items):
        if key is not None and key in wanted:
            yield place, key, wanted[key]
    yield from ((None, key, value) for key, value in wanted.items() if key not in node.value)


def _paired_items(node: _Node, wanted: Sequence[Any]) -> Iterator[tuple[int | None, str | None, Any]]:
    """Yield the same of an array: equal items in order, an item that changed in its place, then what is new."""
    held = [item.value for _, _, item in node.items]
    at = 0
    for number, value in enumerate(wanted):
        equal = next((place for place in range(at, len(held)) if held[place] == value), None)
        if equal is None and at < len(held) and isinstance(value, dict) and held[at] not in wanted[number + 1 :]:
            equal = at
        yield equal, None, value
        at = at if equal is None else equal + 1


def _read(text: str, start: int) -> _Node:
    """Read the value that begins here; the text is known to be JSON."""
    opening = text[start]
    if opening not in "{[":
        value, end = _DECODER.raw_decode(text, start)
        return _Node(value, start, end)
    items: list[tuple[str | None, int, _Node]] = []
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        begins, key = at, None
        if opening == "{":
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        item = _read(text, at)
        items.append((key, begins, item))
        at = _skip(text, item.end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    value = {key: item.value for key, _, item in items} if opening == "{" else [item.value for _, _, item in items]
    return _Node(value, start, at + 1, tuple(items))


def _skip(text: str, at: int) -> int:
    """Return where the white space that begins here ends."""
    return _SPACE.match(text, at).end()  # type: ignore[union-attr] # it matches always
