"""Cues: words and forms that tell whether a question asks for an event or for standing knowledge.

A cue is data. Each language has a table of them (``memoryd.router.lexicon``); this module only reads a table
against a clause. Weights are judgements of how far one mark alone may be trusted: 2 to 3 for the tense of the main
verb and for a point in time, 1 to 1.5 for an adverb, below 1 for a noun that merely goes with one kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Cue:
    """One mark in a question.

    Attributes:
        pattern: Searched in the clause after NFKC and lower-casing.
        reason: What the mark means, in words for a person.
        episodic: Weight for "this asks for something that happened".
        semantic: Weight for "this asks for something that is known".
        both: One ask that needs an event and its lasting reason; settles the clause.
        group: Of one group only the leftmost match counts, and of equal starts the first in the table. The
            group ``tense`` holds the finite verbs: the first of a clause is its main verb.
    """

    pattern: re.Pattern[str]
    reason: str
    episodic: float = 0.0
    semantic: float = 0.0
    both: bool = False
    group: str = ""


@dataclass(frozen=True, slots=True)
class Sign:
    """A cue as found: the words that matched, and where they start in the clause."""

    cue: Cue
    words: str
    start: int

    @property
    def reason(self) -> str:
        """The reason with the words that gave it."""
        return f'{self.cue.reason} ("{self.words}")'


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What the router knows of one language.

    Attributes:
        code: ISO 639-1.
        name: The language's name in English, for ``explain``.
        function_words: Frequent short words by which the language is told from the others.
        marks: Characters that hint at the language.
        cues: The table.
        opening: Polite or empty openings ("can you tell me"), removed before the cues are read.
        joint: Places at which a compound question is cut; the pattern matches the joint itself.
        asking: What makes a part of a compound question a question of its own.
        tail: A second ask of one word at the end ("and why"); group ``why`` where it asks for a reason and ``since``
            where it asks for a beginning.
        decision: Words that ask for a decision.
        back: Words that point back to what was named before ("it", "they").
        hollow: Words that carry no content beside a span of time ("what did we do").
        hollow_runs: The same for scripts without spaces: removed before content is looked for.
    """

    code: str
    name: str
    function_words: frozenset[str]
    marks: frozenset[str]
    cues: tuple[Cue, ...]
    opening: re.Pattern[str]
    joint: re.Pattern[str]
    asking: re.Pattern[str]
    tail: re.Pattern[str]
    decision: re.Pattern[str]
    back: re.Pattern[str]
    hollow: frozenset[str] = field(default_factory=frozenset)
    hollow_runs: re.Pattern[str] | None = None


def read_cues(clause: str, cues: Iterable[Cue]) -> tuple[Sign, ...]:
    """Return the cues found in a folded clause, in the order of the clause, each at most once."""
    free: list[Sign] = []
    leading: dict[str, Sign] = {}
    for cue in cues:
        match = cue.pattern.search(clause)
        if match is None:
            continue
        sign = Sign(cue, match.group(0).strip(), match.start())
        if not cue.group:
            free.append(sign)
        elif cue.group not in leading or sign.start < leading[cue.group].start:
            leading[cue.group] = sign
    return tuple(sorted([*free, *leading.values()], key=lambda sign: sign.start))


def words(text: str) -> frozenset[str]:
    """Return the words of a table written as plain text."""
    return frozenset(text.split())


def any_of(text: str) -> str:
    """Return an alternation of the given words (regular expressions, ``_`` for white space), longest first."""
    options = sorted(text.split(), key=len, reverse=True)
    return "(?:" + "|".join(option.replace("_", r"\s+") for option in options) + ")"


def whole(pattern: str) -> re.Pattern[str]:
    """Compile a pattern that must not start or end inside a word."""
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w|'t\b)")
