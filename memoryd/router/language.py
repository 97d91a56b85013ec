"""Which of the six languages a question is written in: by script, then by its function words."""

from __future__ import annotations

import re
import unicodedata

from memoryd.router.cues import Lexicon
from memoryd.router.lexicon import LEXICONS
from memoryd.router.timewords import TIME_WORDS

_KANA = re.compile(r"[\u3041-\u30ff\uff66-\uff9d]")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "\u00a0": " ", "\u202f": " "})
_FOREIGN_SHARE = 0.15
_MARK_WEIGHT = 0.75
_UNSURE = LEXICONS["en"]
_JAPANESE_WITHOUT_KANA = re.compile(r"先週|先月|今週|今月|今朝|昨夜|昨晩|一昨日|昨年|前回|[月火水木金土日]曜")
_VOCABULARIES = {
    code: lexicon.function_words.union(*(word.split() for word in TIME_WORDS[code].vocabulary()))
    for code, lexicon in LEXICONS.items()
}


def fold(text: str) -> str:
    """Return the form in which cues are read: NFKC, lower case, plain apostrophes, single spaces. Accents stay."""
    return plain(text).lower()


def plain(text: str) -> str:
    """Return a text in NFKC with plain apostrophes and single spaces, its capitals as they are."""
    return " ".join(unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).translate(_APOSTROPHES).split())


def detect(folded: str) -> Lexicon | None:
    """Return the lexicon of a folded question, or ``None`` where nothing tells its language.

    A few characters of another script (a name, a quoted word) do not change the language of a sentence.
    """
    letters = len(_LETTER.findall(folded))
    if letters == 0:
        return None
    kana, han = len(_KANA.findall(folded)), len(_HAN.findall(folded))
    if (kana + han) / letters >= _FOREIGN_SHARE:
        return LEXICONS["ja"] if kana or _JAPANESE_WITHOUT_KANA.search(folded) else LEXICONS["zh"]
    found = _WORD.findall(folded)
    parts = [*found, *(part for word in found if "'" in word for part in word.split("'"))]
    best, best_score = None, 0.0
    for lexicon in LEXICONS.values():
        score = float(sum(part in _VOCABULARIES[lexicon.code] for part in parts))
        score += _MARK_WEIGHT * len(lexicon.marks.intersection(folded))
        if score > best_score:
            best, best_score = lexicon, score
    return best


def detect_or_english(folded: str) -> Lexicon:
    """Return the lexicon of a folded question; English where nothing tells."""
    return detect(folded) or _UNSURE
