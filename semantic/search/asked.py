"""What a question asks for by its words although it is no answer to others: what was superseded, and bookkeeping."""

from __future__ import annotations

from collections.abc import Mapping

from memoryd.text.background import COMMON, background
from memoryd.text.terms import term_id, terms
from semantic.model import Decision

LANGUAGES = ("en", "de")
NEAR_BEST = 0.9
"""What holds the words of a question this nearly as well as the best is asked for by its words."""
SAME_WORDS = 0.8
"""From this share of common words on, of all that either has, a question is a decision's title."""


def replaced(
    text: str, words: Mapping[str, float], decisions: Mapping[str, Decision]
) -> dict[str, tuple[tuple[str, ...], bool]]:
    """Return what a question asks for by its words and was superseded.

    The value is what came of it: itself, what superseded it, and so on to what stands; and whether the question is
    its very title. ``words`` are the lexical scores by id.
    """
    best = max(words.values(), default=0.0)
    found = {}
    for id_, score in words.items():
        decision = decisions.get(id_)
        if decision is None or decision.superseded_by is None:
            continue
        titled = is_title(text, decision.title)
        if titled or score >= NEAR_BEST * best:
            found[id_] = (_chain(decision, decisions), titled)
    return found


def is_title(text: str, title: str) -> bool:
    """Tell whether a question is nothing but a title."""
    asked, said = _telling(text), _telling(title)
    return bool(said) and len(asked & said) >= SAME_WORDS * len(asked | said)


def asks_for_books(text: str, decision: Decision) -> bool:
    """Tell whether a question asks for a line of the books: by all the words of its title, or by a path in it."""
    paths = (str(one.get("name", "")).partition(":")[2] for one in decision.mutations)
    if any(path and path.casefold() in text.casefold() for path in paths):
        return True
    telling = _telling(decision.title)
    return bool(telling) and telling <= set(terms(text, LANGUAGES))


def _telling(text: str) -> set[str]:
    """Return the terms of a text that are not common in any text."""
    words = dict.fromkeys(terms(text, LANGUAGES))
    shares = background(words, LANGUAGES)
    return {word for word in words if shares.get(term_id(word), 0.0) < COMMON}


def _chain(decision: Decision, decisions: Mapping[str, Decision]) -> tuple[str, ...]:
    chain = [decision.id]
    while (one := decisions.get(chain[-1])) is not None and one.superseded_by is not None:
        if one.superseded_by in chain or one.superseded_by not in decisions:
            break
        chain.append(one.superseded_by)
    return tuple(chain)
