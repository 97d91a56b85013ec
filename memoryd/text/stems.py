"""Stems: one form for a word's inflections, in several languages at once.

The language of a line is not known, and a question is too short to guess it. So a word goes through the stemmers of
all configured languages in turn until none changes it: mostly one term a word, which keeps BM25's counts honest.
Where the chain would part two words that one of the languages joins, that language's term stands beside it.
"""

from __future__ import annotations

import threading
from functools import lru_cache

import regex
import Stemmer

_ALGORITHMS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "et": "estonian", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali",
    "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
LANGUAGES = frozenset({*_ALGORITHMS, "ja", "ko", "zh"})
"""What may be set: languages with a stemmer, and those whose words have no endings to fold."""

_SCRIPTS = {
    "ar": "Arabic", "el": "Greek", "hi": "Devanagari", "hy": "Armenian", "ne": "Devanagari", "ru": "Cyrillic",
    "sr": "Cyrillic", "ta": "Tamil",
}  # fmt: skip

_DEFAULTS = {
    "Arabic": "arabic", "Armenian": "armenian", "Cyrillic": "russian", "Devanagari": "hindi", "Greek": "greek",
    "Tamil": "tamil",
}  # fmt: skip
"""The stemmer of a script that none of the languages writes: without it such words would have no stem at all."""

MAX_ROUNDS = 4
"""Two stemmers settle in one or two rounds; the limit only ends a pair that would chase each other."""

MIN_LETTERS = 3

_SCRIPT = regex.compile("|".join(rf"(?P<{name}>\p{{{name}}})" for name in ("Latin", *_DEFAULTS)))
_LOCK = threading.Lock()


def stems(word: str, languages: tuple[str, ...]) -> list[str]:
    """Return the stems of a case-folded word: one, seldom two.

    Two words that the stemmer of any of the languages joins have a stem in common. A language works on words of its
    own script; a script that no language covers has its commonest stemmer. Unknown languages are left out, no
    languages mean no stems, and a word shorter than ``MIN_LETTERS`` is its own stem.
    """
    if len(word) < MIN_LETTERS or not languages:
        return [word]
    script = _script_of(word)
    algorithms = tuple(
        _ALGORITHMS[language]
        for language in languages
        if language in _ALGORITHMS and _SCRIPTS.get(language, "Latin") == script
    )
    if not algorithms:
        if script not in _DEFAULTS:
            return [word]
        algorithms = (_DEFAULTS[script],)
    with _LOCK:  # a stemmer keeps the word that it works on inside
        found = {_settled(word, algorithms): None}
        for algorithm in algorithms[1:]:
            found[_settled(_stem(word, algorithm), algorithms)] = None
    return list(found)


def _settled(word: str, algorithms: tuple[str, ...]) -> str:
    for _ in range(MAX_ROUNDS):
        before = word
        for algorithm in algorithms:
            word = _stem(word, algorithm)
        if word == before:
            break
    return word


def _stem(word: str, algorithm: str) -> str:
    return str(_stemmer(algorithm).stemWord(word)) or word


@lru_cache(maxsize=len(_ALGORITHMS))
def _stemmer(algorithm: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(algorithm, 0)


def _script_of(word: str) -> str:
    if word.isascii():
        return "Latin" if word[0].isalpha() else ""
    found = _SCRIPT.match(word)
    return "" if found is None or found.lastgroup is None else found.lastgroup
