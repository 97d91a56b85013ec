"""Names that a question mentions, whatever their case, accents, width and punctuation, and with a letter wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable

import regex

from semantic.identity import loose_name, one_letter_apart

MAX_TOKENS = 256
"""A longer question is read this far; nobody names a note with its last words."""

MAX_WINDOW = 16
"""The most tokens a name may have: words, or single characters of a script without spaces."""

TYPO_LETTERS = 5
"""A shorter word is not taken for another one."""

MAX_TYPO_LETTERS = 48
"""A longer run of letters is no word that someone mistyped."""

MIN_SHARE = 0.3
"""A name that is a smaller part of what was asked is mentioned by the way and leads nowhere."""

TYPO_WEIGHT = 0.8
_MAX_READINGS = 8

_TOKEN = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\u30fc]|"
    r"[^\W_\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\u30fc][\p{L}\p{M}\p{N}--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]]*",
    regex.V1,
)


def split_words(text: str) -> list[str]:
    """Return the words of a text as they are written, and single characters of scripts without spaces."""
    return _TOKEN.findall(text)


def name_tokens(text: str) -> list[str]:
    """Return the loose tokens of a name or question, without case, accents and width."""
    return [loose for token in split_words(text) if (loose := loose_name(token))]


class NameFinder:
    """Who is called what. Not safe for several threads."""

    def __init__(self) -> None:
        self._names: dict[str, tuple[tuple[str, ...], ...]] = {}
        self._called: defaultdict[str, set[str]] = defaultdict(set)
        self._words: Counter[str] = Counter()
        self._near: defaultdict[str, set[str]] = defaultdict(set)

    def put(self, owner: str, names: Iterable[str]) -> None:
        """Enter an owner under its present names, in place of its former ones."""
        self.drop(owner)
        held = dict.fromkeys(tuple(name_tokens(name)) for name in names)
        self._names[owner] = tuple(tokens for tokens in held if tokens and len(tokens) <= MAX_WINDOW)
        for tokens in self._names[owner]:
            self._called["".join(tokens)].add(owner)
            for word in tokens:
                if TYPO_LETTERS <= len(word) <= MAX_TYPO_LETTERS:
                    self._words[word] += 1
                    if self._words[word] == 1:
                        for key in _shortened(word):
                            self._near[key].add(word)

    def drop(self, owner: str) -> None:
        """Take an owner out; one that is not there is no error."""
        for tokens in self._names.pop(owner, ()):
            _discard(self._called, "".join(tokens), owner)
            for word in tokens:
                if TYPO_LETTERS <= len(word) <= MAX_TYPO_LETTERS:
                    self._words[word] -= 1
                    if self._words[word] == 0:
                        del self._words[word]
                        for key in _shortened(word):
                            _discard(self._near, key, word)

    def find(self, text: str, rarity: Callable[[str], float]) -> list[tuple[str, float]]:
        """Return (owner, score) for each name in the text, best first; a score is its share of the text's weight.

        Args:
            text: The question.
            rarity: What a loose token weighs: the rarer, the more.
        """
        tokens = name_tokens(text)[:MAX_TOKENS]
        if not tokens:
            return []
        weights = [rarity(token) for token in tokens]
        whole = sum(weights) or 1.0
        readings = [self._readings(token) for token in tokens]
        scores: dict[str, float] = {}
        for first in range(len(tokens)):
            keys: list[tuple[str, float]] = [("", 1.0)]
            weight = 0.0
            for last in range(first, min(first + MAX_WINDOW, len(tokens))):
                weight += weights[last]
                keys = [(key + word, sure * likely) for key, sure in keys for word, likely in readings[last]]
                keys = keys[:_MAX_READINGS]
                if weight < MIN_SHARE * whole:
                    continue
                for key, sure in keys:
                    if _is_weak(key) and weight < whole:
                        continue
                    for owner in self._called.get(key, ()):
                        scores[owner] = max(scores.get(owner, 0.0), sure * weight / whole)
        return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))

    def _readings(self, token: str) -> list[tuple[str, float]]:
        """Return what a token may stand for: itself and, if no name has that word, words of names one slip away."""
        found = [(token, 1.0)]
        likely = TYPO_LETTERS <= len(token) <= MAX_TYPO_LETTERS
        if likely and token not in self._words and not token.isdigit():
            near = {word for key in _shortened(token) for word in self._near.get(key, ())}
            found += [(word, TYPO_WEIGHT) for word in sorted(near) if _is_slip(token, word)][:3]
        return found


def _is_weak(key: str) -> bool:
    """Tell whether a name is so short, or so much of a number, that it is meant only where nothing else is asked."""
    return len(key) < 2 or key.isdecimal() or (key.isascii() and len(key) < 3)


def _shortened(word: str) -> list[str]:
    """Return the word and each form of it with one letter less: two words one slip apart share one of these."""
    return list(dict.fromkeys((word, *(word[:at] + word[at + 1 :] for at in range(len(word))))))


def _is_slip(one: str, other: str) -> bool:
    if "".join(filter(str.isdigit, one)) != "".join(filter(str.isdigit, other)):
        return False  # v2 is never v3
    if one_letter_apart(one, other):
        return True
    if len(one) != len(other):
        return False
    differing = [at for at in range(len(one)) if one[at] != other[at]]
    return (
        len(differing) == 2
        and differing[1] == differing[0] + 1
        and one[differing[0]] == other[differing[1]]
        and one[differing[1]] == other[differing[0]]
    )


def _discard(table: dict[str, set[str]], key: str, item: str) -> None:
    held = table.get(key)
    if held is not None:
        held.discard(item)
        if not held:
            del table[key]
