"""What the words of a question are worth: which of them are looked for, and how far a match tells anything.

Ranks know nothing of how good a match is: the best of a bad list is first as well. A question that is worded otherwise
than what answers it ("dental treatment" for "a filling in my molar") meets, by its words, only texts that share "the"
or "treatment" with it, and their ranks must not outweigh its meaning. So common words are not looked for while there
are others, and the whole list counts by its *evidence*:

- how much of what the question says stands anywhere: the share of its weight whose words some text holds;
- or how rare the rarest of its words is here: an error code that one of a thousand texts holds is no coincidence,
  whatever else was asked. In a handful of texts every word is rare, and says less;
- or that one of its words is written as a name, a code or a path is, and few texts hold it: who writes ``ERR-4021``,
  ``src/app.py``, ``getUserName``, "in quotes" or a name means that and nothing like it.

The exponents were chosen on development data, see ``docs/benchmarks.md``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import regex

from memoryd.text.background import BACKGROUND, COMMON, background
from memoryd.text.bm25 import inverse_frequency
from memoryd.text.terms import term_id, terms

KNOWN_POWER = 3
"""Of the share of the question's weight that the texts hold."""
RARE_POWER = 4
"""Of the rarity of its rarest word."""
RARE_IN = 1_000
"""A word in one of so many texts is as rare as counts: rarity is the logarithm of texts a holder, over that of this."""


EXACT_IN = 50
"""A word by its form alone is no name where more than two texts, and more than one of so many, hold it."""
_TOKEN = regex.compile(r"\S+")
_EDGES = " \t\n.,;:!?()[]{}<>'\"`“”„«»‘’。，、？！：；（）「」『』"
_QUOTED = regex.compile(r"[\"“„«`「『]([^\"“”„«»`」』]{2,60})[\"”“»`」』]")
_EXACT = regex.compile(
    r"""(?=.*\p{L}).*\d.*            # letters and digits: v1.2.3, ERR-4021, E0308
      | .*[\p{L}\d][_/\\:@.\#][\p{L}\d].*   # src/app.py, user_name, std::vec, anna@example.org
      | .*\p{Ll}\p{Lu}.*             # getUserName
      | \p{Lu}{3,}s?                 # DNSSEC
      | \d{5,}""",
    regex.VERBOSE,
)
_SPACELESS = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\u30fc\u3005]{4,}")
_PAIRS = 3
_NAME = regex.compile(r"\p{Lu}\p{Ll}{2,}(?:['’]s)?")


@dataclass(frozen=True, slots=True)
class AskedWords:
    """The words of a question that are looked for.

    Attributes:
        weights: The query half of BM25 (``memoryd.text.bm25``) of the words that some text holds, by term id.
        evidence: What a match of them is worth, 0 to 1.
        missing: How many of the telling words no text holds.
        is_exact: It names something by its very name, code or path, and few texts hold that.
    """

    weights: Mapping[int, float]
    evidence: float
    missing: int = 0
    is_exact: bool = False


def weigh_words(
    question: str,
    words: Sequence[str],
    document_frequency: Mapping[int, int],
    documents: int,
    languages: Sequence[str],
) -> AskedWords:
    """Weigh the terms of a question against what a memory holds.

    Args:
        question: As it was asked.
        words: Its terms, as :func:`memoryd.text.terms.terms` makes them in ``languages``.
        document_frequency: In how many of the memory's texts a term stands, by term id.
        documents: How many texts there are.
        languages: Of the terms.
    """
    shares = background(words, languages)
    asked = list(dict.fromkeys(map(term_id, words)))
    # A question of common words alone ("what did we do") is looked for as it stands.
    telling = [id_ for id_ in asked if shares.get(id_, 0.0) < COMMON] or asked
    weights, whole = {}, 0.0
    for id_ in telling:
        holders = document_frequency.get(id_, 0)
        imagined = holders + shares.get(id_, 0.0) * BACKGROUND
        weight = inverse_frequency(imagined, documents + BACKGROUND)
        whole += weight
        if holders > 0:
            weights[id_] = weight
    if not weights:
        return AskedWords({}, 0.0, len(telling))
    known = math.fsum(weights.values()) / whole
    fewest = min(document_frequency[id_] for id_ in weights)
    rarity = math.log(max(documents, fewest) / fewest) / math.log(RARE_IN)
    most = max(2, documents // EXACT_IN)
    is_exact = any(
        all(0 < document_frequency.get(id_, 0) <= most and id_ in weights for id_ in ids)
        for ids in exact_terms(question, languages)
    )
    evidence = 1.0 if is_exact else max(min(known, 1.0) ** KNOWN_POWER, min(rarity, 1.0) ** RARE_POWER)
    return AskedWords(weights, evidence, len(telling) - len(weights), is_exact)


def exact_terms(question: str, languages: Sequence[str]) -> list[tuple[int, ...]]:
    """Return what a question names exactly, each as the term ids that a text must hold.

    Scripts without spaces or capitals show no names; four characters in a row that some text holds too are as good.

    Names of people and things are told by their capital letter, past the first word; not in German, which writes all
    nouns so.
    """
    found = [
        tuple(map(term_id, wanted))
        for phrase in _QUOTED.findall(question)
        if (wanted := [word for word in terms(phrase, languages) if not background([word], languages)])
    ]
    for run in _SPACELESS.findall(question):
        pairs = [run[place : place + 2] for place in range(len(run) - 1)]
        for place in range(len(pairs) - _PAIRS + 1):
            window = pairs[place : place + _PAIRS]
            if not background(window, languages):
                found.append(tuple(map(term_id, window)))
    tokens = [token.strip(_EDGES) for token in _TOKEN.findall(question)]
    for place, token in enumerate(tokens):
        if not token or not (
            _EXACT.fullmatch(token) or (place > 0 and _NAME.fullmatch(token) and not is_german(tokens))
        ):
            continue
        if (forms := terms(token, languages)) and not background(forms[:1], languages):
            found.append((term_id(forms[0]),))
    return found


def is_german(tokens: Sequence[str]) -> bool:
    """Tell whether a question's small words are German."""
    return len({token.lower() for token in tokens} & _GERMAN) > 0


_GERMAN = frozenset(
    """
    wann wer wie warum wieso welche welcher welches welchen woher wohin wofür womit der das dem ein eine einen einem
    einer und ist sind haben hatten ich wir sie mein meine unser unsere mit von für nicht beim zum zur über gibt wurde
    wurden
    """.split()  # noqa: SIM905 - a table of words
)
