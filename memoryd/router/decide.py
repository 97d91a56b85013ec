"""Which store answers a question: what happened, what is known, or both; and why, in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from memoryd.router.compound import MOST_ASKS, Half, halves, is_clause, is_full, leans, told
from memoryd.router.cues import Lexicon, Sign, read_cues
from memoryd.router.language import detect, detect_or_english, fold, plain
from memoryd.router.names import NO_NAMES, Names
from memoryd.router.temporal import Span, read_span

Route3 = Literal["episodic", "semantic", "both"]

READ_CHARACTERS = 1500
"""A question's opening that is read for cues; a pasted log behind it says nothing about what is asked."""

ENOUGH = 1.0
"""The least weight on which a store is chosen; the tense of a verb has more, a noun alone less."""

CLOSE = 0.6
"""From this share of the stronger side on, the weaker side is heard as well."""

_MARKED = re.compile(r"\w\W*[?？؟]\W*$")
_NAME_WEIGHT = 0.5
_SPAN_WEIGHT = 3.4
_OPEN_SPAN_WEIGHT = 1.5


@dataclass(frozen=True, slots=True)
class Ask:
    """A part of a compound question: what is looked for, where, why there, and within which span."""

    text: str
    store: Route3
    confidence: float
    reasons: tuple[str, ...]
    range: Span | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """The router's choice.

    Attributes:
        store: Who is asked.
        confidence: 0 to 1; how far the marks found agree. Not a probability.
        reasons: Why, in words, the strongest mark first.
        range: The span of time read from the question's own words.
        language: The code of the language it was read in, ``None`` where nothing told.
        is_thin: The question's words say too little to choose, so both are asked.
        is_key_words: It is no question at all.
        asks: The parts of a compound question that are looked for apart; empty where it is looked for whole.
    """

    store: Route3
    confidence: float
    reasons: tuple[str, ...]
    range: Span | None = None
    language: str | None = None
    is_thin: bool = False
    is_key_words: bool = False
    asks: tuple[Ask, ...] = ()


@dataclass(frozen=True, slots=True)
class _Verdict:
    store: Route3
    confidence: float
    reasons: tuple[str, ...]
    thin: bool = False
    asks: tuple[Ask, ...] = ()


def decide(question: str, *, names: Names = NO_NAMES, now: datetime) -> Route:
    """Decide which store answers the question.

    Args:
        question: As the person wrote it; only its first ``READ_CHARACTERS`` are read.
        names: What graph and journal know, as weak evidence.
        now: The asker's present, aware; spans are read in its zone.

    Returns:
        The route. A question that says too little goes to both, with a low confidence and a reason that says so.
    """
    question = question[:READ_CHARACTERS]
    folded = fold(question)
    known_language = detect(folded)
    lexicon = known_language or detect_or_english(folded)
    span = read_span(question, now, known_language.code if known_language else None)
    verdict = _judge(folded, plain(question), lexicon, span, names, now)
    if verdict.thin:
        verdict = replace(verdict, reasons=(*verdict.reasons, _thin_reason(folded, lexicon)))
    return Route(
        verdict.store,
        verdict.confidence,
        verdict.reasons,
        span,
        known_language.code if known_language else None,
        is_thin=verdict.thin,
        is_key_words=verdict.thin and not _is_question(folded, lexicon),
        asks=verdict.asks,
    )


def _judge(folded: str, said: str, lexicon: Lexicon, span: Span | None, names: Names, now: datetime) -> _Verdict:
    opened = lexicon.opening.sub("", folded, count=1)
    parts = halves(opened, said[len(folded) - len(opened) :] if len(said) == len(folded) else opened, lexicon)
    if len(parts) == 1:
        clause = _without(parts[0].text, span)
        clause, tail, tail_words = _cut_tail(clause, lexicon)
        verdict = _weigh(clause, lexicon, span, names, now)
        return _with_tail(verdict, tail, tail_words)
    spans = [read_span(part.said, now, lexicon.code) if span is not None else None for part in parts]
    clauses = [_without(part.text, one) for part, one in zip(parts, spans, strict=True)]
    verdicts = [_weigh(clause, lexicon, one, names, now) for clause, one in zip(clauses, spans, strict=True)]
    together = _together(parts, verdicts)
    if len(parts) > MOST_ASKS or any(verdict.thin for verdict in verdicts):
        return together
    one_store = len({verdict.store for verdict in verdicts}) == 1
    leaning = [
        _leans(clause, one, lexicon, is_first=place == 0, one_store=one_store)
        for place, (clause, one) in enumerate(zip(clauses, spans, strict=True))
    ]
    return _apart(together, said, [*zip(parts, verdicts, spans, leaning, strict=True)])


def _leans(clause: str, span: Span | None, lexicon: Lexicon, *, is_first: bool, one_store: bool) -> bool:
    """Tell whether a part is no search of its own. One that only names a day is: the day is read in order."""
    points_back = lexicon.back.search(clause) is not None
    if span is not None and not points_back and (one_store or not span.has_content):
        return False
    if one_store:
        return not is_full(clause, lexicon)
    return not is_first and leans(clause, lexicon)


def _weigh(clause: str, lexicon: Lexicon, span: Span | None, names: Names, now: datetime) -> _Verdict:
    signs = _one_tense(read_cues(clause, lexicon.cues))
    episodic = sum(sign.cue.episodic for sign in signs)
    semantic = sum(sign.cue.semantic for sign in signs)
    reasons = [(max(sign.cue.episodic, sign.cue.semantic), sign.reason) for sign in signs if _tells(sign)]
    if span is not None:
        weight = _SPAN_WEIGHT if span.window.until is not None and span.window.until <= now else _OPEN_SPAN_WEIGHT
        episodic += weight
        reasons.append((weight, f'a span of time ("{span.text}")'))
    for known in names.found_in(clause)[:2]:
        episodic += _NAME_WEIGHT if known.known_to == "journal" else 0.0
        semantic += _NAME_WEIGHT if known.known_to == "graph" else 0.0
        reasons.append((_NAME_WEIGHT, f'a name that the {known.known_to} knows ("{known.name}")'))
    told = tuple(reason for _, reason in sorted(reasons, key=lambda pair: -pair[0]))
    settled = [sign.reason for sign in signs if sign.cue.both]
    if settled:
        return _Verdict("both", 0.85, (*settled, *(reason for reason in told if reason not in settled)))
    return _balance(episodic, semantic, told)


def _balance(episodic: float, semantic: float, reasons: tuple[str, ...]) -> _Verdict:
    strong, weak = max(episodic, semantic), min(episodic, semantic)
    if strong < ENOUGH:
        return _Verdict("both", 0.25, reasons, thin=True)
    if weak >= ENOUGH and weak >= CLOSE * strong:
        return _Verdict("both", round(0.4 + 0.3 * weak / strong, 2), (*reasons, "the marks point both ways"))
    margin = (strong - weak) / (strong + 1.0)
    return _Verdict("episodic" if episodic > semantic else "semantic", round(0.45 + 0.5 * margin, 2), reasons)


def _one_tense(signs: Sequence[Sign]) -> tuple[Sign, ...]:
    """Drop "no past tense" where a finite verb was found."""
    groups = {sign.cue.group for sign in signs}
    if "tense" in groups:
        return tuple(sign for sign in signs if sign.cue.group != "tense-none")
    if "aspect" in groups:
        return tuple(sign for sign in signs if sign.cue.group != "plain")
    return tuple(signs)


def _tells(sign: Sign) -> bool:
    return sign.cue.both or sign.cue.episodic > 0 or sign.cue.semantic > 0


def _cut_tail(clause: str, lexicon: Lexicon) -> tuple[str, str, str]:
    match = lexicon.tail.search(clause)
    if match is None or not clause[: match.start()].strip() or not is_clause(clause[: match.start()].strip()):
        return clause, "", ""
    return clause[: match.start()], match.lastgroup or "", match.group(0).strip(" ,?.!、。？")


def _with_tail(verdict: _Verdict, tail: str, words: str) -> _Verdict:
    if tail == "since" or (tail == "why" and verdict.store == "episodic"):
        return _Verdict("both", 0.8, (f'a second ask ("{words}")', *verdict.reasons))
    return verdict


def _together(parts: Sequence[Half], verdicts: Sequence[_Verdict]) -> _Verdict:
    """Join the verdicts on the parts of a compound question; a part that says too little follows the others."""
    telling = [(part.text, verdict) for part, verdict in zip(parts, verdicts, strict=True) if not verdict.thin]
    if not telling:
        return verdicts[0]
    stores = {verdict.store for _, verdict in telling}
    reasons = tuple(reason for _, verdict in telling for reason in verdict.reasons)
    confidence = min(verdict.confidence for _, verdict in telling)
    if len(stores) == 1:
        return _Verdict(telling[0][1].store, confidence, reasons)
    asks = told([(text, verdict.store) for text, verdict in telling])
    return _Verdict("both", max(confidence, 0.6), (asks, *reasons))


def _apart(together: _Verdict, said: str, parts: Sequence[tuple[Half, _Verdict, Span | None, bool]]) -> _Verdict:
    """Add what is looked for apart, if that is another search than the whole question's.

    A part that leans on another is looked for with all the words, in its own store and span; where all parts go to
    one store that is no other search.
    """
    stores = {verdict.store for _, verdict, _, _ in parts}
    if len(stores) == 1 and any(is_leaning for *_, is_leaning in parts):
        return together
    asks: list[Ask] = []
    for part, verdict, span, is_leaning in parts:
        text, within = (said, _widened(span, said)) if is_leaning else (part.said, span)
        if within is None:
            # "What did Ann do last week and what did Bob ship" means one week; what is known has none.
            earlier = next((ask.range for ask in reversed(asks) if ask.store == verdict.store != "semantic"), None)
            within = None if earlier is None else Span(earlier.window, earlier.text, text, has_content=True)
        asks.append(Ask(text, verdict.store, verdict.confidence, verdict.reasons, within))
    reason = "each ask is looked for by itself"
    heard = together.reasons
    if len(stores) == 1:
        reason = f"{told([(part.text, verdict.store) for part, verdict, _, _ in parts])}, and {reason}"
        heard = (reason, *heard)
    else:
        heard = (heard[0], reason, *heard[1:])
    return replace(together, reasons=heard, asks=tuple(asks))


def _widened(span: Span | None, said: str) -> Span | None:
    """Return the span of a part for the whole question: the words that name it are not looked for."""
    if span is None:
        return None
    return Span(span.window, span.text, " ".join(said.replace(span.text, " ", 1).split()), has_content=True)


def _thin_reason(folded: str, lexicon: Lexicon) -> str:
    if _is_question(folded, lexicon):
        return "the question does not say whether it asks for an event or for a fact, so both are asked"
    return "only key words, no question: both are asked"


def _is_question(folded: str, lexicon: Lexicon) -> bool:
    """Tell whether a text asks something; in a language that no lexicon reads, its mark says so."""
    return lexicon.asking.search(folded) is not None or _MARKED.search(folded) is not None


def _without(clause: str, span: Span | None) -> str:
    """Take the words of the span out, so that "May" is no verb and "last" no adjective."""
    if span is None:
        return clause
    return " ".join(clause.replace(fold(span.text), " ", 1).split())
