"""Writing back what was shown tamed: what an agent did not touch stays byte for byte what it was.

An agent is shown a note with look-alikes of tags defused and hidden characters taken out. When it sends the note back,
each line is looked for among the lines as they were shown; a line that was changed is laid beside the shown line that
it came from, and what of it is the same is taken from the file.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice

from memoryd.api.mcp.cut import HIDDEN, tame
from memoryd.text.fence import DEFUSED, OPENING

_PIECE = re.compile(r"\w+|\s+|[^\w\s]")
_WORD = re.compile(r"\w+")
_LEAST_ALIKE = 0.4
"""A line that shares less of its words with a shown one is another line."""
_MOST_COMPARED = 200
_LONGEST = 4_000
"""Characters of a line that is laid beside another; a longer one is taken as it was sent."""


def untamed(sent: str, stored: str) -> str:
    """Return the text that an agent means, who was shown a stored text with look-alikes of tags defused.

    Args:
        sent: The whole text as the agent sends it.
        stored: The text that the agent read and changed.
    """
    shown = tame(stored)
    if shown == stored:
        return sent
    # Taming changes no line's end, so the lines of both answer to each other. A tag may begin in one line and go on in
    # the next: the text is tamed as a whole.
    lines = [_Line(*both) for both in zip(stored.split("\n"), shown.split("\n"), strict=True)]
    given = sent.split("\n")
    same = _same([line.plain for line in lines], [_plain(text) for text in given])
    taken = set(same.values())
    left = _Left(line for number, line in enumerate(lines) if number not in taken and line.shown != line.stored)
    meant = []
    for number, text in enumerate(given):
        line = lines[same[number]] if number in same else left.take(text)
        meant.append(text if line is None else line.in_place_of(text))
    return "\n".join(meant)


def _plain(line: str) -> str:
    """Return a line without the first half of an end of line: an agent may send back only the second."""
    return line.removesuffix("\r")


def _same(shown: Sequence[str], sent: Sequence[str]) -> dict[int, int]:
    """Return, by the place of what was sent, the place of what was shown that it is, in the order of both."""
    most = min(len(shown), len(sent))
    head = next((number for number in range(most) if shown[number] != sent[number]), most)
    tail = next((number for number in range(most - head) if shown[-1 - number] != sent[-1 - number]), most - head)
    same = {number: number for number in range(head)}
    same |= {len(sent) - 1 - number: len(shown) - 1 - number for number in range(tail)}
    matcher = SequenceMatcher(None, shown[head : len(shown) - tail], sent[head : len(sent) - tail])
    for block in matcher.get_matching_blocks():
        same |= {head + block.b + number: head + block.a + number for number in range(block.size)}
    return same


@dataclass(frozen=True, slots=True)
class _Line:
    """A line as it is stored and as it was shown."""

    stored: str
    shown: str

    @property
    def plain(self) -> str:
        """The line as it was shown, whatever its end."""
        return _plain(self.shown)

    def in_place_of(self, sent: str) -> str:
        """Return what a sent line means that is this one, or a changed one that was made of it."""
        if sent == self.shown:
            return self.stored
        if _plain(sent) == self.plain:
            return _plain(self.stored) + sent[len(self.plain) :]
        return self._laid_beside(sent)

    def _laid_beside(self, sent: str) -> str:
        """Return a changed line with the stored letters wherever it is as this one was shown."""
        letters, shown, sources, start = _letters(self.stored, self.shown), _PIECE.findall(self.shown), [], 0
        for piece in shown:
            sources.append("".join(letters[start : start + len(piece)]))
            start += len(piece)
        pieces = _PIECE.findall(sent)
        same = _same(shown, pieces)
        return "".join(sources[same[number]] if number in same else piece for number, piece in enumerate(pieces))


class _Left:
    """The shown lines that came back nowhere as they were: each was moved, changed or taken out, once."""

    def __init__(self, lines: Iterable[_Line]) -> None:
        self._waiting = dict(enumerate(lines))
        self._words = {number: Counter(_WORD.findall(line.shown)) for number, line in self._waiting.items()}
        self._places: defaultdict[str, deque[int]] = defaultdict(deque)
        for number, line in self._waiting.items():
            self._places[line.plain].append(number)

    def take(self, sent: str) -> _Line | None:
        """Return the line that was moved here, or else the one that this was made of, and wait for it no longer."""
        moved = self._places.get(_plain(sent))
        number = moved[0] if moved else self._nearest(sent)
        if number is None:
            return None
        line = self._waiting.pop(number)
        self._places[line.plain].remove(number)
        return line

    def _nearest(self, sent: str) -> int | None:
        if len(sent) > _LONGEST:
            return None
        words = Counter(_WORD.findall(sent))
        best, most = None, _LEAST_ALIKE
        for number, line in islice(self._waiting.items(), _MOST_COMPARED):
            own = self._words[number]
            alike = 2 * (own & words).total() / max(1, own.total() + words.total())
            if alike >= most and len(line.stored) <= _LONGEST and (best is None or alike > most):
                best, most = number, alike
        return best


def _letters(stored: str, shown: str) -> list[str]:
    """Return, for each letter of a line as it was shown, what stands for it in the file; all of them are the line.

    What is hidden belongs to the letter before it, at the beginning to the one behind.
    """
    kept: list[str] = []
    before = ""
    for letter in stored:
        if HIDDEN.match(letter) is None:
            kept.append(before + letter)
            before = ""
        elif kept:
            kept[-1] += letter
        else:
            before += letter
    plain = HIDDEN.sub("", stored)
    letters: list[str] = []
    at = 0
    for letter in shown:
        # An opening is the one thing that is shown in another way, and perhaps in fewer letters.
        opening = OPENING.match(plain, at) if letter == DEFUSED else None
        end = at + 1 if opening is None else opening.end()
        letters.append("".join(kept[at:end]))
        at = end
    return letters
