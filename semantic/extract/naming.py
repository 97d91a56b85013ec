"""Where a text names what is known elsewhere, without a link: titles, aliases, elements and defined terms."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from semantic.extract.generic import FILE_SUFFIXES, is_generic

SHORTEST_WORD = 4
SHORTEST_HAN = 3
MOST_TOKENS = 16

_TOKEN = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\u30fc]|"
    r"[\p{L}\p{N}--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]][\p{L}\p{M}\p{N}_--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]]*",
    regex.V1,
)
_TIES = frozenset("-\u2010\u2011.@#/\\")
"""A word with one of these before it, or with one and more text behind it, is a part of something."""
_OWN_WORDS = frozenset(
    "的是和与跟及或在了为以对从到把被让等都也就有个这那用将而但并其中里上下后前时我你他她它们说做叫比像如请"
)
"""Characters that stand between words far more often than inside them."""
_TITLE_GOES_ON = frozenset("：: （(")
LONGEST_TITLE = 40
LONGEST_PHRASE = 6
_NEW_BLOCK = regex.compile(r"\n[ \t>]*(?:\n|[-*+#|]|\d+[.)])")
"""No name goes on from one paragraph, list item or row to the next."""
_TORN = regex.compile(r"[、。；！？;!?|+》』】]|——")
LONGEST_TORN = 8
"""A name of no more tokens is none where such a mark stands inside it; a longer one is the title that has the mark."""
_SLUG = regex.compile(r"[\p{L}\p{N}_-]+")
_FILE_END = regex.compile(rf"\.(?:{'|'.join(sorted(FILE_SUFFIXES))})\b")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\u30fc]")


@dataclass(frozen=True, slots=True)
class Call:
    """A place where a name stands.

    Attributes:
        name: Its tokens.
        at: The place in the text, by token.
        line: In the file, from 1.
        is_set_off: Whether it stands between the marks of a title, or fills a line: whatever is called so is meant.
    """

    name: tuple[str, ...]
    at: int
    line: int
    is_set_off: bool = False


@lru_cache(maxsize=65_536)
def name_of(written: str) -> tuple[str, ...] | None:
    """Return the tokens by which a name is looked for, or ``None`` if it is too common a thing to be meant.

    A single word is looked for only if it is written as a name is, and it is then found only in that form.
    """
    if is_generic(written):
        return None
    plain = unicodedata.normalize("NFKC", written)
    tokens = _TOKEN.findall(plain)
    if not tokens or len(tokens) > MOST_TOKENS:
        return None
    if any(_UNSPACED.match(token) for token in tokens):
        return tuple(token.casefold() for token in tokens) if len(tokens) >= SHORTEST_HAN else None
    if len(tokens) == 1:
        word = tokens[0]
        is_name = len(word) >= 2 and any(a.isupper() or a.isdigit() for a in word[1:])
        if len(word) < 2 or not any(letter.isalpha() for letter in word):
            return None
        if not is_name and (len(word) < SHORTEST_WORD or not word[0].isupper()):
            return None
        return (word,)  # as written: "Go" is not "go"
    if max(len(token) for token in tokens if token) < SHORTEST_WORD and not any(t[1:].upper() == t[1:] for t in tokens):
        return None
    return tuple(token.casefold() for token in tokens)


class NameTable:
    """The names that are looked for. It never changes."""

    def __init__(self, names: Iterable[tuple[str, ...]]) -> None:
        self.names = frozenset(names)
        self._words: set[str] = {name[0] for name in self.names if _is_word(name)}
        self._phrases: dict[str, list[tuple[str, ...]]] = {}
        for name in sorted(self.names):
            if not _is_word(name):
                self._phrases.setdefault(name[0], []).append(name)

    def find(self, text: str) -> tuple[Call, ...]:
        """Return every place where one of the names stands, also inside a longer one.

        Args:
            text: Of any length; lines are counted from 1.
        """
        plain = unicodedata.normalize("NFKC", text)
        tokens = [(match.group(), match.start()) for match in _TOKEN.finditer(plain)]
        folded = [token.casefold() for token, _ in tokens]
        found: list[Call] = []
        line, counted = 1, 0
        for at, (token, start) in enumerate(tokens):
            phrases = self._phrases.get(folded[at])
            is_word = token in self._words
            if phrases is None and not is_word:
                continue
            line += plain.count("\n", counted, start)
            counted = start
            if is_word and not _is_no_word(plain, tokens, at):
                found.append(Call((token,), at, line, _is_set_off(plain, start, start + len(token))))
            for name in phrases or ():
                if tuple(folded[at : at + len(name)]) == name:
                    last = tokens[at + len(name) - 1]
                    end = last[1] + len(last[0])
                    if _is_whole(plain, start, end, len(name)) and stands_alone(plain, start, end):
                        found.append(Call(name, at, line, _is_set_off(plain, start, end)))
        return tuple(found)


def _is_set_off(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    outer = text[:start].rstrip("*_")[-1:] if before in {"*", "_"} else "x"
    if before == "《" or (before == after and not outer.isalnum()):
        return True
    begins = text.rfind("\n", 0, start) + 1
    ends = text.find("\n", end)
    return not any(letter.isalnum() for letter in text[begins:start] + text[end : len(text) if ends < 0 else ends])


def _is_no_word(text: str, tokens: Sequence[tuple[str, int]], at: int) -> bool:
    """Tell whether a word is but a part of something: a plain one of any compound, another of a file's name."""
    token, start = tokens[at]
    if _FILE_END.match(text, start + len(token)) is not None:
        return True
    return is_plain_word((token,)) and _is_part_of_more(text, tokens, at)


def _is_whole(text: str, start: int, end: int, length: int) -> bool:
    """Tell whether the words of a name stand together: in one block, in one clause, and not inside an address."""
    if _NEW_BLOCK.search(text, start, end) is not None:
        return False
    if length <= LONGEST_TORN and _TORN.search(text, start, end) is not None:
        return False
    return not _is_in_slug(text, start, end)


def _is_in_slug(text: str, start: int, end: int) -> bool:
    """Tell whether a name stands inside a longer one that was made for addresses.

    "sarkar-vibe-coding-material-disengagement" names one thing, and not "vibe coding"; "context-engineering-based" is
    a word of prose.
    """
    if "-" not in {text[start - 1 : start], text[end : end + 1]}:
        return False
    begin = start
    while begin and _SLUG.match(text[begin - 1]):
        begin -= 1
    run = _SLUG.match(text, begin)
    if run is None or run.end() < end:
        return False
    others = text[begin:start] + text[end : run.end()]
    return others == others.lower() and text[start:end].islower() and others.count("-") > 1


def stands_alone(text: str, start: int, end: int) -> bool:
    """Tell whether a name in a script without spaces stands for itself there, and is no part of a longer word.

    Nothing shows where such a word ends. A place is taken for a bound where another script, a mark or a line's end
    stands, or a character that mostly is a word by itself ("the", "and", "in"). A name of three characters needs both
    bounds, one of four either, a longer one none; in the marks of a title (《…》) it has to be the title.
    """
    if not _UNSPACED.match(text[start]):
        return True
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if (opened := text.rfind("《", max(0, start - LONGEST_TITLE), start)) >= 0 and "》" not in text[opened:start]:
        return opened == start - 1 and (after == "》" or after in _TITLE_GOES_ON)
    bounds = _bounds(before) + _bounds(after)
    return bounds >= {3: 2, 4: 1}.get(end - start, 0)


def _bounds(letter: str) -> bool:
    return not letter or letter in _OWN_WORDS or not _UNSPACED.match(letter)


def _is_part_of_more(text: str, tokens: Sequence[tuple[str, int]], at: int) -> bool:
    """Tell whether a plain word is a part of a compound, a path or a longer name, or holds the place of another."""
    token, start = tokens[at]
    before, after = text[max(0, start - 1) : start], text[start + len(token) : start + len(token) + 2]
    if before in _TIES or (after[:1] in _TIES and after[1:].isalnum()):
        return True
    if before in {"[", "{", "<"} and after[:1] in {"]", "}", ">"}:
        return True  # "as a [Role], I want": what is meant is yet to be put there
    return _is_part_of_a_name(text, tokens, at)


def _is_part_of_a_name(text: str, tokens: Sequence[tuple[str, int]], at: int) -> bool:
    """Tell whether a capitalised word stands beside another one: "Model Checking" does not name "Checking"."""
    if _beside(text, tokens, at - 1, at) and any(letter.isupper() for letter in tokens[at - 1][0][1:]):
        return True  # "GitHub Actions" begins with what is a name in any place
    return _is_capital_beside(text, tokens, at, at + 1) or (
        # The first word of a sentence has its capital from there.
        _is_capital_beside(text, tokens, at - 1, at, which=at - 1) and _beside(text, tokens, at - 2, at - 1)
    )


def _is_capital_beside(
    text: str, tokens: Sequence[tuple[str, int]], first: int, second: int, which: int | None = None
) -> bool:
    word = second if which is None else which
    return _beside(text, tokens, first, second) and tokens[word][0][0].isupper()


def _beside(text: str, tokens: Sequence[tuple[str, int]], first: int, second: int) -> bool:
    if first < 0 or second >= len(tokens):
        return False
    token, start = tokens[first]
    return text[start + len(token) : tokens[second][1]] == " "


def may_hold(text: str, names: Iterable[tuple[str, ...]]) -> bool:
    """Tell whether a text could hold one of the names: never false where it does."""
    plain = unicodedata.normalize("NFKC", text)
    folded = plain.casefold()
    return any(name[0] in (plain if _is_word(name) else folded) for name in names)


def longest(calls: Iterable[Call]) -> list[Call]:
    """Return the calls without those that lie inside a longer one."""
    kept: list[Call] = []
    end = -1
    for call in sorted(calls, key=lambda one: (one.at, -len(one.name))):
        if call.at >= end:
            kept.append(call)
            end = call.at + len(call.name)
    return kept


def spellings(names: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the names that can be looked for, each with its tokens."""
    return {name: tokens for name in names if (tokens := name_of(name)) is not None}


def _is_word(name: tuple[str, ...]) -> bool:
    return len(name) == 1 and not _UNSPACED.match(name[0])


def is_short(name: tuple[str, ...]) -> bool:
    """Tell whether a name is a plain word, or a phrase of few characters in a script without spaces."""
    return is_plain_word(name) or (len(name) <= LONGEST_PHRASE and all(map(_UNSPACED.match, name)))


def is_plain_word(name: tuple[str, ...]) -> bool:
    """Tell whether a name is a single word that any sentence may hold: no abbreviation, no CamelCase, no number."""
    return _is_word(name) and not any(letter.isupper() or letter.isdigit() for letter in name[0][1:])
