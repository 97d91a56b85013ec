"""Whether what was found has to do with what was asked: an answer that nobody needs costs more than none.

Rankings always have a first place. A prompt gets a find only where its words and its meaning, taken together, speak for
it: the share of the prompt's telling words that the find holds, and by how much its vector is nearer than the mean of
the hundred nearest (where nothing is about the prompt, all are about equally far). The router weighs the same two to
tell whether an answer answers; here more is asked for, since what nobody asked for has to be worth its place.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence

from memoryd.text.hit import Hit
from memoryd.text.terms import terms

DEPTH, LEAST_ROWS = 100, 20
"""So many of the nearest vectors are background; a list that is shorter than the second has none."""
_WORDS, _LEAD, _LEAST = 7.55, 130.0, 6.0
"""What all of the words count, and a cosine that is nearer by 1; the sum of both from which a find is told."""
FAR_AHEAD = 0.055
"""So much nearer than the background needs no word in common."""
LEAST_WORDS, LEAST_SHARE = 2.0, 0.6
"""What a prompt asks for weighs at least the first. Without a background a find holds that, and so much of all."""
VERY_NEAR = 0.9
"""Without a background: the cosine that needs no shared word. Of the default model unrelated texts reach 0.86."""

_EXACT, _PLAIN, _EVERYDAY_WEIGHT = 2.0, 1.0, 0.4

_WORD = re.compile(r"[\w./-]*\w", re.UNICODE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_EXACTLY = re.compile(r"\d|[_/.]|[a-z][A-Z]")
"""A name, a path or a code is meant as it is written. Capitals alone are no such mark: "API" and "CI" are words."""
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


_EVERYDAY = frozenset(
    # What prompts to coding agents are about in any project: it tells something, and never much.
    """
    add added adding api app apps application array async await branch browser build built button cache ci class cli
    client column commit component config configuration container css data database date debug default define
    definition dependency deploy dev directory doc docs document documentation edit endpoint env environment error
    errors event example export failing failed fails feature field flag folder form format function functions html
    http https id image import improve index input install interface item json key library link log logic login logs
    loop merge message method migration missing model module move node number object option options output package
    page param parameter parser pass path patch plugin pr process production project prop property python query react
    refactor release repo repository request response result return review route row schema script search server
    service session sessions setting settings setup side site state step string style support switch table task
    template text time title token tool type types typescript ui unit update url user users validate validation value
    values variable version view window words write writing xml yaml
    anlegen anpassen ausgabe datei dateien daten eingabe einstellung fehler feld formular funktion hinzufügen klasse
    knopf liste meldung methode ordner prüfen schreib schreibe schreiben seite tabelle umbauen verbessern wert zeile
    """.split()  # noqa: SIM905 - as above
)


def telling_words(prompt: str) -> dict[str, float]:
    """Return the words of a prompt that carry meaning, with what each counts.

    A name or an identifier counts double, a word that is in the prompts of any project less than half.
    """
    found: dict[str, float] = {}
    for word in _WORD.findall(prompt):
        if _CJK.search(word):
            found.update(dict.fromkeys((term for term in terms(word) if len(term) > 1), _PLAIN))
        elif word.casefold() not in _COMMON and len(word) > 2:
            everyday = _EVERYDAY_WEIGHT if word.casefold() in _EVERYDAY else _PLAIN
            found[word] = _EXACT if _EXACTLY.search(word) else everyday
    return found


def leads_of(arms: Iterable[Mapping[str, Sequence[tuple[str, float]]]]) -> dict[str, float] | None:
    """Return by how much each find is nearer in meaning than the background of its store; ``None`` if none has one.

    Args:
        arms: What each store's arms found, best first, as in ``memoryd.text.hit.Found``.
    """
    lists = [rows[:DEPTH] for one in arms if len(rows := one.get("dense", ())) >= LEAST_ROWS]
    leads: dict[str, float] = {}
    for rows in lists:
        background = statistics.fmean(score for _, score in rows)
        leads |= {id_: max(score - background, 0.0) for id_, score in rows}
    return leads if lists else None


def relevant(
    prompt: str, hits: Sequence[Hit], *, named: Collection[str] = (), leads: Mapping[str, float] | None = None
) -> list[Hit]:
    """Return the hits that have to do with a prompt, in their order.

    Args:
        prompt: What was asked.
        hits: What was found, best first.
        named: Names of known things that the prompt holds; whoever is called so is meant.
        leads: As :func:`leads_of` gives them; ``None`` where likeness cannot be judged against a background.
    """
    asked = {word: (weight, frozenset(terms(word))) for word, weight in telling_words(prompt).items()}
    total = sum(weight for weight, _ in asked.values())
    if not asked:
        return []
    folded = {name.casefold() for name in named}
    return [one for one in hits if _is_relevant(one, asked.values(), total, folded, leads)]


def _is_relevant(
    hit: Hit,
    asked: Iterable[tuple[float, frozenset[str]]],
    total: float,
    named: Collection[str],
    leads: Mapping[str, float] | None,
) -> bool:
    if hit.kind in {"element", "note"} and any(name in hit.title.casefold() for name in named):
        return True
    held = frozenset(terms(f"{hit.title}\n{hit.summary or ''}\n{hit.text}"))
    shared = sum(weight for weight, forms in asked if forms & held)
    if leads is not None:
        lead = leads.get(hit.id, 0.0)
        tells = shared >= 2 * _EVERYDAY_WEIGHT or lead >= FAR_AHEAD
        return tells and _WORDS * shared / max(total, LEAST_WORDS) + _LEAD * lead >= _LEAST
    dense = hit.arms.get("dense")
    is_very_near = dense is not None and dense.score >= VERY_NEAR
    return is_very_near or (shared >= LEAST_WORDS and shared / total >= LEAST_SHARE)
