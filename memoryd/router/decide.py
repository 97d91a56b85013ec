"""Which store answers a question: what happened, what is known, or both; and why, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from memoryd.router.cues import Lexicon, Sign, read_cues
from memoryd.router.language import detect, detect_or_english, fold
from memoryd.router.names import NO_NAMES, Names
from memoryd.router.temporal import Span, read_span

Route3 = Literal["episodic", "semantic", "both"]

READ_CHARACTERS = 1500
"""A question's opening that is read for cues; a pasted log behind it says nothing about what is asked."""

ENOUGH = 1.0
"""The least weight on which a store is chosen; the tense of a verb has more, a noun alone less."""

CLOSE = 0.6
"""From this share of the stronger side on, the weaker side is heard as well."""

_NAME_WEIGHT = 0.5
_SPAN_WEIGHT = 3.4
_OPEN_SPAN_WEIGHT = 1.5


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
    """

    store: Route3
    confidence: float
    reasons: tuple[str, ...]
    range: Span | None = None
    language: str | None = None
    is_thin: bool = False
    is_key_words: bool = False


@dataclass(frozen=True, slots=True)
class _Verdict:
    store: Route3
    confidence: float
    reasons: tuple[str, ...]
    thin: bool = False


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
    verdict = _judge(folded, lexicon, span, names, now)
    if verdict.thin:
        verdict = replace(verdict, reasons=(*verdict.reasons, _thin_reason(folded, lexicon)))
    return Route(
        verdict.store,
        verdict.confidence,
        verdict.reasons,
        span,
        known_language.code if known_language else None,
        is_thin=verdict.thin,
        is_key_words=verdict.thin and lexicon.asking.search(folded) is None,
    )


def _judge(folded: str, lexicon: Lexicon, span: Span | None, names: Names, now: datetime) -> _Verdict:
    halves = _halves(lexicon.opening.sub("", folded, count=1), lexicon)
    if len(halves) == 1:
        clause = _without(halves[0], span)
        clause, tail, tail_words = _cut_tail(clause, lexicon)
        verdict = _weigh(clause, lexicon, span, names, now)
        return _with_tail(verdict, tail, tail_words)
    verdicts = []
    for half in halves:
        half_span = read_span(half, now, lexicon.code) if span is not None else None
        verdicts.append(_weigh(_without(half, half_span), lexicon, half_span, names, now))
    return _together(halves, verdicts)


def _halves(folded: str, lexicon: Lexicon) -> list[str]:
    """Cut a compound question into the questions it is made of; what asks nothing stays with its neighbour."""
    halves: list[str] = []
    for part in lexicon.joint.split(folded):
        if not part or not part.strip(" ?.!,;。？！，、"):
            continue
        if halves and not (
            lexicon.asking.search(part) and lexicon.asking.search(halves[-1]) and _is_clause(halves[-1])
        ):
            halves[-1] = f"{halves[-1]} {part}"
        else:
            halves.append(part)
    return halves or [folded]


def _is_clause(part: str) -> bool:
    """A lone "when" before "and why" is no question yet."""
    return len(part.split()) > 1 or any(ord(character) > 0x2E80 for character in part)


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
    if match is None or not clause[: match.start()].strip() or not _is_clause(clause[: match.start()].strip()):
        return clause, "", ""
    return clause[: match.start()], match.lastgroup or "", match.group(0).strip(" ,?.!、。？")


def _with_tail(verdict: _Verdict, tail: str, words: str) -> _Verdict:
    if tail == "since" or (tail == "why" and verdict.store == "episodic"):
        return _Verdict("both", 0.8, (f'a second ask ("{words}")', *verdict.reasons))
    return verdict


def _together(halves: Sequence[str], verdicts: Sequence[_Verdict]) -> _Verdict:
    """Join the verdicts on the parts of a compound question; a part that says too little follows the others."""
    telling = [(half, verdict) for half, verdict in zip(halves, verdicts, strict=True) if not verdict.thin]
    if not telling:
        return verdicts[0]
    stores = {verdict.store for _, verdict in telling}
    reasons = tuple(reason for _, verdict in telling for reason in verdict.reasons)
    confidence = min(verdict.confidence for _, verdict in telling)
    if len(stores) == 1:
        return _Verdict(telling[0][1].store, confidence, reasons)
    asks = "; ".join(f'"{half.strip()}" is {verdict.store}' for half, verdict in telling)
    return _Verdict("both", max(confidence, 0.6), (f"two asks: {asks}", *reasons))


def _thin_reason(folded: str, lexicon: Lexicon) -> str:
    if lexicon.asking.search(folded):
        return "the question does not say whether it asks for an event or for a fact, so both are asked"
    return "only key words, no question: both are asked"


def _without(clause: str, span: Span | None) -> str:
    """Take the words of the span out, so that "May" is no verb and "last" no adjective."""
    if span is None:
        return clause
    return " ".join(clause.replace(fold(span.text), " ", 1).split())
