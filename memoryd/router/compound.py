"""A compound question: where it is cut, and which of its parts can be looked for by themselves.

Cues are read in the folded question; what is searched for is cut out of the question as it was written, since capitals
and accents tell names apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memoryd.router.cues import Lexicon

MOST_ASKS = 3
"""A question of more parts is a letter, and is searched for whole."""
_EDGE = " \t\n,;:.!、，。！"
_WORD = re.compile(r"\w+")
_CJK = 0x2E80
_FULL = 2
_FEWEST_CJK, _FULL_CJK = 3, 4
"""So many characters of a part in a script without spaces say what it is about, and enough; two are one verb."""


@dataclass(frozen=True, slots=True)
class Half:
    """A part of a question that asks something: folded, and as it was written."""

    text: str
    said: str


def halves(folded: str, said: str, lexicon: Lexicon) -> list[Half]:
    """Cut a question into the questions that it is made of; what asks nothing stays with its neighbour.

    Args:
        folded: The question as cues are read.
        said: The same, with its capitals; where the two differ in length it is not used.
        lexicon: Of the question's language.
    """
    source = said if len(said) == len(folded) else folded
    cut: list[tuple[str, int, int]] = []
    for start, end in _between(folded, lexicon.joint):
        part = folded[start:end]
        if not part.strip(" ?.!,;。？！，、"):
            continue
        if cut and not (lexicon.asking.search(part) and lexicon.asking.search(cut[-1][0]) and is_clause(cut[-1][0])):
            text, first, _ = cut[-1]
            cut[-1] = (f"{text} {part}", first, end)
        else:
            cut.append((part, start, end))
    return [Half(text, source[start:end].strip(_EDGE)) for text, start, end in cut] or [Half(folded, source)]


def is_clause(part: str) -> bool:
    """Tell whether a part is more than one word: a lone "when" before "and why" is no question yet."""
    return len(part.split()) > 1 or any(ord(character) > _CJK for character in part)


def leans(clause: str, lexicon: Lexicon) -> bool:
    """Tell whether a folded part needs what was said before it: it points back, or names nothing itself."""
    fewest = 1 if lexicon.hollow_runs is None else _FEWEST_CJK
    return lexicon.back.search(clause) is not None or _content(clause, lexicon) < fewest


def is_full(clause: str, lexicon: Lexicon) -> bool:
    """Tell whether a part says enough to be looked for beside another of the same kind ("what should I check?" is not).

    What goes to another memory needs less: its neighbour's words would only mislead there.
    """
    if leans(clause, lexicon):
        return False
    return _content(clause, lexicon) >= (_FULL if lexicon.hollow_runs is None else _FULL_CJK)


def _content(clause: str, lexicon: Lexicon) -> int:
    """Return how many words say what a part is about; in a script without spaces, how many characters."""
    rest = lexicon.asking.sub(" ", clause)
    if lexicon.hollow_runs is not None:
        return len("".join(_WORD.findall(lexicon.hollow_runs.sub(" ", rest))))
    idle = lexicon.hollow | lexicon.function_words
    return sum(word not in idle for word in _WORD.findall(rest))


def told(parts: Sequence[tuple[str, str]]) -> str:
    """Return, in words, what was asked of whom: pairs of a part and a store."""
    number = {2: "two", 3: "three"}.get(len(parts), str(len(parts)))
    return f"{number} asks: " + "; ".join(f'"{part.strip()}" is {store}' for part, store in parts)


def _between(text: str, joint: re.Pattern[str]) -> list[tuple[int, int]]:
    spans, start = [], 0
    for match in joint.finditer(text):
        spans.append((start, match.start()))
        start = match.end()
    return [*spans, (start, len(text))]
