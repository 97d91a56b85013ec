"""The words under which a text is found: one function for what is stored and for what is asked."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import regex

from memoryd.text.stems import stems

MAX_TERM = 128
"""A longer term is cut: it is data, not a word, and its start tells it apart."""

TERM_IDS = 2**32 - 1
"""Ids are below this: the largest unsigned 32-bit value is no valid index of a sparse vector."""

# Scripts that write no space between words, with the marks that lengthen or repeat a character.
_SPACELESS = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
    r"\u30fc\u3005\u3007"
)
_TOKEN = regex.compile(
    rf"""(?V1)
    (?P<run>[{_SPACELESS}]+)
  | (?P<plus>(?<!\w)[A-Za-z](?:\+\+|\#)(?!\w))
  | (?P<word>[\w--[{_SPACELESS}]]++(?:(?:://|::|[._\-/\\:@'+]|(?<=\d),(?=\d))[\w--[{_SPACELESS}]]++)*+)
  | (?P<symbol>\p{{Extended_Pictographic}})
    """,
    regex.VERBOSE,
)
# What the pattern above finds in a text of ASCII alone, several times as fast. Only a "plus" ends in one of its signs.
_PLAIN_TOKEN = re.compile(
    r"(?<!\w)[A-Za-z](?:\+\+|\#)(?!\w)|\w++(?:(?:://|::|[._\-/\\:@'+]|(?<=\d),(?=\d))\w++)*+", re.ASCII
)
_TRANSLATION = {
    **dict.fromkeys(map(ord, "\u00a9\u00ae\u2122\u200b"), " "),
    **dict.fromkeys(map(ord, "\u00ad\u200c\u200d\u2060\ufeff\ufe0e\ufe0f"), ""),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201b\u02bc\uff07"), "'"),
    **dict.fromkeys(map(ord, "\u2010\u2011"), "-"),
}
_CLUSTER = regex.compile(r"\p{M}*[^\p{M}]\p{M}*|\p{M}+")
_HAN = regex.compile(r"\p{Han}")
_JOINERS = regex.compile(r"[._\-/\\:@'+,]+")
_SEGMENTS = regex.compile(r"[/\\:@+]+")
_VERSION = regex.compile(r"[vV](\d+(?:\.\d+)+(?:[-+.]\w+)*)")
_HUMP = regex.compile(r"\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|\d+|[^\W\d_\p{Lu}\p{Ll}]+")
_PLURAL_ACRONYM = regex.compile(r"\p{Lu}{2,}s")
_MIXED = regex.compile(r"\p{L}[\p{L}\p{M}]+|\d{2,}")

# Accents fold in these scripts; elsewhere a mark is part of the letter (vowel signs, й).
_FOLDABLE = regex.compile(r"[\p{Latin}\p{Greek}\p{Arabic}\p{Hebrew}\u0451\u0301]")
_FOLDED_LETTER = regex.compile(r"[\p{Latin}\p{Greek}\p{Arabic}\p{Hebrew}\u0451]\p{Mn}*|(?<=\p{Cyrillic})\u0301")
_MARKS = regex.compile(r"\p{Mn}+")
_PLAIN_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ħ": "h", "ı": "i", "ŧ": "t", "ـ": ""}
)


def terms(text: str, languages: Sequence[str] = ("en", "de")) -> list[str]:
    """Return the terms of a text, as often as they stand in it. Any text will do; none raises.

    - Words: NFKC, case-folded, stemmed in the given languages; forms without accents beside them.
    - Identifiers, versions, paths, codes, addresses: whole, by segment and in parts.
    - Scripts without spaces: pairs of neighbouring characters, and single Han characters beside them.
    """
    chosen = tuple(languages)
    found: list[str] = []
    if text.isascii():
        for token in _PLAIN_TOKEN.findall(text):
            found += (token.casefold(),) if token[-1] in "+#" else _long_terms(token, chosen)
        return found
    plain = unicodedata.normalize("NFKC", text.translate(_TRANSLATION))
    for match in _TOKEN.finditer(plain):
        kind, token = match.lastgroup, match[0]
        if kind == "run":
            found += _run_terms(token)
        elif kind != "word":
            found.append(token.casefold())
        else:
            found += _long_terms(token, chosen)
    return found


def _long_terms(token: str, languages: tuple[str, ...]) -> Iterable[str]:
    if len(token) <= MAX_TERM:
        return _word_terms(token, languages)
    return [term for segment in _SEGMENTS.split(token) for term in _word_terms(segment[:MAX_TERM], languages)]


@lru_cache(maxsize=1 << 17)
def term_id(term: str) -> int:
    """Return the term's id, 0 to 2^32 - 2: the same on every machine, for ever."""
    digest = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % TERM_IDS


def _run_terms(run: str) -> list[str]:
    clusters = _CLUSTER.findall(run)
    if len(clusters) == 1:
        return clusters
    found = [left + right for left, right in pairwise(clusters)]
    # A question may be one character long: 茶. In Korean a word of one syllable takes its particle behind it: 집에.
    found += [cluster for cluster in clusters if _HAN.match(cluster)]
    if "\uac00" <= run[0] <= "\ud7a3":
        found.append(run[0])
    return found


@lru_cache(maxsize=1 << 16)
def _word_terms(token: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_expanded(token, languages)))


def _expanded(token: str, languages: tuple[str, ...]) -> Iterator[str]:
    parts = [part for part in _JOINERS.split(token) if part]
    if "'" in token:
        yield from _apostrophised(token, languages)
        return
    if parts != [token]:
        yield token.casefold()
        for segment in _SEGMENTS.split(token):
            yield segment.casefold()
        if version := _VERSION.fullmatch(token):
            yield version[1].casefold()
        if len(parts) > 1 and all(part.isdecimal() for part in parts) and all(len(part) == 3 for part in parts[1:]):
            yield "".join(parts)  # 20,000 and 20.000 are 20000
    for part in parts:
        yield from _part_terms(part, languages)


def _apostrophised(token: str, languages: tuple[str, ...]) -> Iterator[str]:
    """Yield the terms of ``Mia's``, ``don't``, ``l'homme``: the bare word, the word written together, long parts."""
    base = token[:-2] if token[-2:] in {"'s", "'S"} else token
    if "'" not in base:
        yield from _expanded(base, languages)
        return
    yield base.replace("'", "").casefold()
    if base[-3:].casefold() != "n't":
        for part in base.split("'"):
            if len(part) >= 3:
                yield from _expanded(part, languages)


def _part_terms(part: str, languages: tuple[str, ...]) -> Iterator[str]:
    yield from _forms(part, languages)
    if part.islower() and part.isalpha():
        return
    if part.isalpha():
        humps = [] if _PLURAL_ACRONYM.fullmatch(part) else _HUMP.findall(part)
        if len(humps) < 2:
            return
    elif part.isdecimal():
        return
    else:
        humps = [hump for run in _MIXED.findall(part) for hump in (run, *_HUMP.findall(run))]
    for hump in humps:
        if len(hump) > 1:
            yield from _forms(hump, languages)


def _forms(word: str, languages: tuple[str, ...]) -> Iterator[str]:
    """Yield a single word's stems, and those of the word without accents."""
    plain = unicodedata.normalize("NFC", word.casefold())
    yield from stems(plain, languages)
    folded = _without_accents(plain)
    if folded not in {plain, ""}:
        yield from stems(folded, languages)


def _without_accents(word: str) -> str:
    if word.isascii() or not _FOLDABLE.search(word):
        return word
    return _FOLDED_LETTER.sub(_bare, word).translate(_PLAIN_LETTERS)


def _bare(letter: regex.Match[str]) -> str:
    return _MARKS.sub("", unicodedata.normalize("NFD", letter[0]))
