"""Whether what was found has to do with what was asked: an answer that nobody needs costs more than none.

Rankings always have a first place. A prompt gets memory only where what was found shares words with it that carry
meaning, or names something known, or lies very near in meaning.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from memoryd.text.hit import Hit
from memoryd.text.terms import terms

LEAST_WORDS = 2.0
LEAST_SHARE = 0.34
"""A hit has to hold words of the prompt of at least this weight, and so much of all that it asks for."""
NEAR, VERY_NEAR = 0.85, 0.9
"""Cosines, with one shared word and without any. Of the default model unrelated texts reach 0.82 and related ones
begin at 0.77, so that likeness alone says little; a model with a wider scale is asked for more than it gives."""

_WORD = re.compile(r"[\w./-]*\w", re.UNICODE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_TELLING = re.compile(r"\d|[_/.]|[a-z][A-Z]|[A-Z]{2}")
_COMMON = frozenset(
    # Function words, and what nearly every prompt to a coding agent is made of.
    """
    a about above after again all also always am an and any anything are as ask at be because been before being best
    better big both bug but by call can cannot change check code come could create day did do does doing done down
    each else error every everything explain fail file files find first fix for from function get give go good got
    great had happen has have he hello help her here hi him his how i idea if im implement in into is issue it its
    just keep know last later let like line list little long look made make many may me mean might more most much
    must my name need never new next nice no not nothing now of off ok okay old on once one only open or other our
    out over own part please problem put question read really remove rename right run same say see set she should
    show simple so some something start still stop such sure take tell test tests than thank thanks that the their
    them then there these they thing things think this those through time to today together too try two under until
    up update us use used using very want was way we well were what when where which while who why will with without
    work works would write wrong yes yesterday yet you your
    aber alle als also am an auch auf aus bei bin bis bitte da dann das dass dein dem den der des die dies diese
    dieser dir doch du ein eine einem einen einer er es etwas für gibt habe haben hat hier ich ihr im in ist ja
    jetzt kann kein keine können mach machen man mehr mein mich mir mit muss nach nein nicht noch nun nur oder ohne
    schon sehr sein sich sie sind so soll über um und uns unser vom von vor war warum was weil wenn wer werden wie
    wir wird wo zu zum zur
    à au aux avec ce ces cette comment dans de des du elle en est et être fait il je la le les leur lui ma mais me
    mes mon ne nous on ou où par pas plus pour pourquoi qu que quel quelle qui sa sans se ses si son sur ta te tes
    ton tu un une vous
    al algo como con cual cuando de del donde el ella en era es esa ese eso esta este esto hay la las lo los más me
    mi muy no nos o para pero por porque que qué se ser si sin sobre son su sus también te tiene todo tu un una uno
    y ya
    """.split()  # noqa: SIM905 - a page of words is read more easily so
)


def telling_words(prompt: str) -> dict[str, float]:
    """Return the words of a prompt that carry meaning, with what each counts: a name or an identifier counts double."""
    found: dict[str, float] = {}
    for word in _WORD.findall(prompt):
        if _CJK.search(word):
            found.update(dict.fromkeys((term for term in terms(word) if len(term) > 1), 1.0))
        elif word.casefold() not in _COMMON and len(word) > 2:
            found[word] = 2.0 if _TELLING.search(word) else 1.0
    return found


def relevant(prompt: str, hits: Sequence[Hit], *, named: Collection[str] = ()) -> list[Hit]:
    """Return the hits that have to do with a prompt, in their order.

    Args:
        prompt: What was asked.
        hits: What was found, best first.
        named: Names of known things that the prompt holds; whoever is called so is meant.
    """
    asked = {word: (weight, frozenset(terms(word))) for word, weight in telling_words(prompt).items()}
    total = sum(weight for weight, _ in asked.values())
    if not asked:
        return []
    folded = {name.casefold() for name in named}
    return [one for one in hits if _is_relevant(one, asked.values(), total, folded)]


def _is_relevant(hit: Hit, asked: Iterable[tuple[float, frozenset[str]]], total: float, named: Collection[str]) -> bool:
    if hit.kind in {"element", "note"} and any(name in hit.title.casefold() for name in named):
        return True
    held = frozenset(terms(f"{hit.title}\n{hit.summary or ''}\n{hit.text}"))
    shared = sum(weight for weight, forms in asked if forms & held)
    if shared >= LEAST_WORDS and shared / total >= LEAST_SHARE:
        return True
    dense = hit.arms.get("dense")
    return dense is not None and (dense.score >= VERY_NEAR or (shared > 0 and dense.score >= NEAR))
