"""Hits made of what the arms found: what stands in them, and the text that is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo

from memoryd.text.hit import ArmScore, Found, Hit
from memoryd.text.rrf import Fused
from semantic.fields import Document, DocumentKind
from semantic.model import Element, Section
from semantic.search.asked import asks_for_books
from semantic.search.joining import Known
from semantic.search.query import SemanticQuery, instant_in


@dataclass(frozen=True, slots=True)
class Piece:
    """The section by which an arm found a document, and the hit's place in that arm."""

    document: str
    section: Section
    rank: int


@dataclass(slots=True)
class Group:
    """One hit in the making: its documents (an element and the notes joined to it) and each arm's best piece."""

    id: str
    kind: DocumentKind
    documents: dict[str, Document] = field(default_factory=dict)
    pieces: dict[str, Piece] = field(default_factory=dict)


def answer(
    shown: Sequence[Fused],
    arms: Mapping[str, Mapping[str, float]],
    groups: Mapping[str, Group],
    query: SemanticQuery,
    known: Known,
    degraded: Sequence[str],
    zone: tzinfo,
) -> Found:
    """Return the first hits of a ranking in the order that it has, with each arm's own list.

    ``zone`` is that of the days which their texts name.
    """
    hits = []
    for one in shown[: query.limit]:
        places = {arm: ArmScore(rank, arms[arm][one.id]) for arm, rank in one.ranks.items()}
        hits.append(replace(_hit(groups[one.id], one.score, query, known, zone), arms=places))
    return Found(tuple(hits), tuple(degraded), {arm: tuple(rows.items()) for arm, rows in arms.items()})


def newest(
    groups: Mapping[str, Group], query: SemanticQuery, known: Known, degraded: Sequence[str], zone: tzinfo
) -> Found:
    """Return the hits of a question without words, newest first; all score 1, since nothing was asked."""
    hits = [_hit(group, 1.0, query, known, zone) for group in groups.values()]
    hits.sort(key=lambda hit: (0.0 if hit.at is None else -hit.at.timestamp(), hit.id))
    return Found(tuple(hits[: query.limit]), tuple(degraded))


def _hit(group: Group, score: float, query: SemanticQuery, known: Known, zone: tzinfo) -> Hit:
    piece = min(group.pieces.values(), key=lambda piece: piece.rank, default=None)
    note = _note_of(group, piece)
    section = piece.section if piece is not None and note is not None and piece.document == note.id else None
    if section is None and note is not None:
        section = next((unit.section for unit in note.units if unit.section is not None), None)
    element = known.elements.get(group.id) if group.kind == "element" else None
    decision = known.decisions.get(group.id) if group.kind == "decision" else None
    hit = Hit(id=group.id, store="semantic", kind=group.kind, title="", text="", score=score)
    if note is not None:
        hit = replace(
            hit,
            title=note.names[0],
            text=section.text if section is not None else note.gist,
            path=note.path,
            lines=None if section is None else section.lines,
            at=note.at,
            summary=note.gist or None,
        )
    if element is not None:
        document = group.documents.get(group.id)
        hit = replace(
            hit,
            title=element.name,
            text=_element_text(element, known, "" if piece is None or section is None else section.text, zone),
            at=element.at or hit.at,
            project=element.project,
            summary=element.gist or hit.summary,
            evidence=element.evidence,
            elements=(element.id,),
            sources=tuple(one.id for one in group.documents.values() if document is None or one.id != document.id),
        )
    if decision is not None:
        document = group.documents[group.id]
        hit = replace(
            hit,
            title=decision.title,
            text=decision.why,
            at=(instant_in(document, query.window) if query.window else None) or decision.at,
            project=decision.project,
            session=decision.session,
            superseded_by=decision.superseded_by,
            evidence=decision.evidence,
            elements=decision.elements,
            names=tuple(_names_of(decision.elements, known)),
            values=tuple(str(one["gist"]) for one in decision.mutations if one.get("gist")),
            is_bookkeeping=decision.is_bookkeeping and not asks_for_books(query.text, decision),
        )
    return hit


def _names_of(elements: Sequence[str], known: Known) -> Iterator[str]:
    for id_ in elements:
        if (element := known.elements.get(id_)) is not None:
            yield from (element.name, *element.aliases)


def _note_of(group: Group, piece: Piece | None) -> Document | None:
    if piece is not None:
        return group.documents[piece.document]
    return next((one for one in group.documents.values() if one.kind == "note"), None)


def _element_text(element: Element, known: Known, section: str, zone: tzinfo) -> str:
    """Return an element's gist, the decisions that stand, and the part of its note that was found."""
    heads = [known.decisions[one] for one in element.heads if one in known.decisions]
    lines = [element.gist] if element.gist else []
    lines += [f"Decided {head.at.astimezone(zone).date().isoformat()}: {head.title}" for head in heads]
    return "\n".join([*lines, *(["", section] if section else [])]).strip()
