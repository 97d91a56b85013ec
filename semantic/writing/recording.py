"""Recording a decision: its words are checked, its names resolved, what it supersedes is settled, then it is written.

One decision is one line of the log. What it supersedes are the heads, at this moment, of all that it has authority
over, and those that the writer names; a replay never infers more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memoryd.text.canonical import CanonicalError
from memoryd.text.secrets import find_secrets
from semantic.errors import (
    AmbiguousName,
    InvalidDecision,
    NearDuplicate,
    Purged,
    SecretFound,
    StaleHeads,
    UnknownElement,
)
from semantic.identity import NameIndex
from semantic.log.citation import check_evidence, check_mention
from semantic.log.instant import write_instant
from semantic.log.intent import decision_id, intent_of
from semantic.log.mutation import MAX_MUTATIONS
from semantic.log.shards import Draft
from semantic.model import Decision, Scope
from semantic.projection.ledger import Ledger
from semantic.projection.picture import Projection
from semantic.writing.resolution import Resolved, Resolver, tidy

MAX_TITLE = 500
GIST_UNITS = 300
"""A gist is one glance; longer ones crowd out others when memory is shown within a budget."""


@dataclass(frozen=True, slots=True)
class NewDecision:
    """A decision to be recorded.

    Attributes:
        mutations: As sent: an element in one is ``{kind, name}`` or an id.
        scope: ``None`` for the default: project if a project is given, else user.
        project: The id of its project; a store also takes a name.
        evidence: Episode ids, or ``<vault>:<path>#<heading>``.
        supersedes: Decisions that it replaces beside the heads of what it changes.
        about: Ids mentioned and not changed.
        valid_at: From when it holds, aware; ``None`` for when it is recorded.
        new: New names are new, however near to known ones.
        if_match: ETags of elements as the writer read them, comma-separated; refused if their heads changed.
    """

    title: str
    why: str
    mutations: Sequence[Any] = ()
    scope: Scope | None = None
    project: str | None = None
    actor: str = "person"
    session: str | None = None
    evidence: Sequence[str] = ()
    supersedes: Sequence[str] = ()
    about: Sequence[str] = ()
    valid_at: datetime | None = None
    new: bool = False
    if_match: str | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """What came of recording a decision.

    Attributes:
        created: False if the same decision stands already and nothing was written.
        elements: Ids of the elements that it names, in order of first mention.
        heads: The heads, now, of all that it has authority over, in replay order.
        superseded: The decisions that it supersedes.
        warnings: What the writer may want to do better, in words.
    """

    id: str
    created: bool
    elements: tuple[str, ...]
    heads: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default_factory=tuple)


def record(ledger: Ledger, new: NewDecision, *, first: Draft | None = None) -> Recorded:
    """Record a decision durably, or find that it stands already.

    ``first`` is an event that has to stand before it (a project that is new with it): recorded only if it is.

    Raises:
        InvalidDecision: Its words or mutations cannot be recorded, or hold a credential.
        UnknownName: An element, name or decision in it means nothing here.
        Clash: A name is near or ambiguous, heads changed, or the decision was forgotten.
        WriteFailed: It could not be made durable; nothing was recorded.
    """
    check_words(new)
    project = None if new.scope == "user" else new.project
    if new.scope == "project" and project is None:
        raise InvalidDecision("scope project needs a project, or a cwd inside one")
    with ledger.writing:
        names, picture = ledger.names(), ledger.present()
        for index, id_ in enumerate(new.supersedes):
            if id_ not in picture.decisions:
                picture.decision(check_mention(id_, f"supersedes[{index}]"))
        again = _standing(picture, names, project, new)
        if again is not None:
            return again
        resolved = Resolver(picture, names, project, new=new.new).resolve(new.mutations)
        _check_match(picture, resolved, new.if_match)
        intent = _intent(project, new, resolved)
        supersedes = _supersedes(picture, resolved, new)
        id_ = decision_id(intent, supersedes)
        if id_ in picture.decisions:
            # The same words once more after something else replaced them without touching what they changed.
            supersedes = sorted({*supersedes, *_ends_of_line(picture, id_)})
            id_ = decision_id(intent, supersedes)
        if id_ in picture.forgotten:
            raise Purged("this decision was forgotten and stays so; say it in other words to record it anew")
        warnings = resolved.warnings + _warnings(picture, new, resolved)
        warnings += _backdated(new, (picture.decisions[one] for one in supersedes))
        if first is not None:
            ledger.record(first)
        event = ledger.record(Draft("decision", id_, _body(new, resolved, supersedes), new.actor, new.session, project))
        warnings += [
            f"{one} sorts behind this decision, since its lamport is absurd, and what it says goes on standing; "
            f"`memoryd forget {one}` takes it out"
            for one in supersedes
            if picture.decisions[one].order > event.order[:3]
        ]
        return Recorded(
            id_,
            created=True,
            elements=tuple(resolved.mentioned),
            # With authority all other heads were superseded; without, what was decided of these stands.
            heads=(id_,) if resolved.authority else _heads(ledger.present(), resolved.touched),
            superseded=tuple(supersedes),
            warnings=tuple(warnings),
        )


def check_words(new: NewDecision) -> None:
    """Check all that needs no look at the store.

    Raises:
        InvalidDecision: A word is missing or too long, a list is none, or a text holds a credential.
    """
    if not new.title.strip():
        raise InvalidDecision("title: say what was decided in one line")
    if len(new.title) > MAX_TITLE:
        raise InvalidDecision(f"title: at most {MAX_TITLE} characters; the rest belongs into why")
    if new.valid_at is not None and new.valid_at.tzinfo is None:
        raise InvalidDecision("valid_at: needs a zone")
    if len(new.mutations) > MAX_MUTATIONS:
        raise InvalidDecision(f"mutations: at most {MAX_MUTATIONS} in one decision")
    for index, one in enumerate(new.evidence):
        check_evidence(one, f"evidence[{index}]")
    for index, one in enumerate(new.about):
        check_mention(one, f"about[{index}]")
    for place, text in _texts(new):
        found = find_secrets(text)
        if found:
            raise SecretFound(place, found[0].kind)


def _standing(picture: Projection, names: NameIndex, project: str | None, new: NewDecision) -> Recorded | None:
    """Return the same decision if it is still a head of all that it has authority over."""
    try:
        resolved = Resolver(picture, names, project, latest=True).resolve(new.mutations)
    except (NearDuplicate, AmbiguousName, UnknownElement):
        return None  # it needs something that is not there, so it was not recorded before
    intent = _intent(project, new, resolved)
    plain = decision_id(intent, _supersedes(picture, resolved, new))
    candidates = [*_heads(picture, resolved.touched), plain]
    if not resolved.authority:
        candidates += picture.without_authority(project, tidy(new.title), new.why.strip())
    for id_ in dict.fromkeys(candidates):
        held = picture.decisions.get(id_)
        if held is not None and intent_of(held.project, held.title, held.why, held.mutations) == intent:
            stands = all(id_ in _heads(picture, [element]) for element in held.elements)
            idle = not resolved.authority  # recording it again would change nothing
            if stands or (idle and id_ == plain):
                warnings = [] if stands else [f"this was decided before and superseded by {held.superseded_by}"]
                return Recorded(
                    id_,
                    created=False,
                    elements=tuple(resolved.mentioned),
                    heads=_heads(picture, resolved.authority or resolved.touched),
                    superseded=held.supersedes,
                    warnings=tuple(warnings + resolved.warnings),
                )
    return None


def _intent(project: str | None, new: NewDecision, resolved: Resolved) -> str:
    try:
        return intent_of(project, new.title, new.why, resolved.mutations)
    except CanonicalError as error:
        raise InvalidDecision(f"this cannot be recorded: {error}") from error


def _supersedes(picture: Projection, resolved: Resolved, new: NewDecision) -> list[str]:
    known = [id_ for id_ in resolved.authority if id_ not in resolved.minted]
    return sorted({*_heads(picture, known), *new.supersedes})


def _ends_of_line(picture: Projection, id_: str) -> Iterable[str]:
    """Return what stands at the end of the line of supersession; of a ring, which has no end, its last in order."""
    line = {id_: picture.decisions[id_]}
    held = line[id_]
    while held.superseded_by is not None:
        held = picture.decisions[held.superseded_by]
        if held.id in line:
            held = max((one for one in line.values() if one.id != id_), key=lambda decision: decision.order)
            break
        line[held.id] = held
    return (held.id,) if held.id != id_ else ()


def _heads(picture: Projection, ids: Iterable[str]) -> tuple[str, ...]:
    """Return the heads of elements and notes together, in replay order; of what does not live, none."""
    found: dict[str, Decision] = {}
    for id_ in ids:
        shown = picture.shown(id_)
        if shown in picture.elements or shown.startswith("no_"):
            found |= {head.id: head for head in picture.heads(shown)}
    return tuple(head.id for head in sorted(found.values(), key=lambda decision: decision.order))


def _check_match(picture: Projection, resolved: Resolved, if_match: str | None) -> None:
    if if_match is None or if_match.strip() == "*":
        return
    current = {
        picture.elements[shown].etag for id_ in resolved.touched if (shown := picture.shown(id_)) in picture.elements
    }
    for etag in if_match.split(","):
        if etag.strip().strip('"') not in current:
            raise StaleHeads("an element was decided on since it was read: read it again, then decide")


def _body(new: NewDecision, resolved: Resolved, supersedes: Sequence[str]) -> dict[str, Any]:
    body = {
        "title": tidy(new.title),
        "why": new.why.strip(),
        "mutations": [dict(mutation) for mutation in resolved.mutations],
        "evidence": list(dict.fromkeys(new.evidence)),
        "supersedes": list(supersedes),
        "about": list(dict.fromkeys(new.about)),
    }
    return body if new.valid_at is None else body | {"valid_at": write_instant(new.valid_at)}


def _warnings(picture: Projection, new: NewDecision, resolved: Resolved) -> list[str]:
    found = [] if new.why.strip() else ["why is blank: a decision is worth keeping for its reason"]
    for index, mutation in enumerate(resolved.mutations):
        place = f"mutations[{index}]"
        gist = mutation.get("gist", "")
        if len(gist.encode("utf-16-le")) // 2 > GIST_UNITS:
            found.append(
                f"{place}.gist has more than {GIST_UNITS} characters: keep it to one glance, details belong to notes"
            )
        if mutation["op"] == "retire_link" and not _has_link(picture, mutation):
            found.append(f"{place}: there was no such link to retire")
    for id_ in new.supersedes:
        former = picture.decisions[id_]
        if former.superseded_by is not None:
            found.append(f"{id_} was superseded before, by {former.superseded_by}")
    return found


def _backdated(new: NewDecision, replaced: Iterable[Decision]) -> list[str]:
    """Return a warning for each decision that is replaced by one which is said to hold from before it.

    What is recorded last stands, whenever it holds from: the writer may have meant only to tell of the past.
    """
    if new.valid_at is None:
        return []
    zone, since = new.valid_at.tzinfo, f"{new.valid_at:%Y-%m-%d}"
    return [
        f"valid_at: {since} is before what this replaces, “{one.title}” ({one.id}, holds since "
        f"{one.valid_at.astimezone(zone):%Y-%m-%d}): this holds now and since {since}, and that nowhere any more; "
        "if it was so only in the past, record once more what holds now"
        for one in replaced
        if one.superseded_by is None and new.valid_at < one.valid_at
    ]


def _has_link(picture: Projection, mutation: Mapping[str, Any]) -> bool:
    ends = (picture.shown(mutation["from"]), mutation["rel"], picture.shown(mutation["to"]))
    if ends[0] in picture.elements:
        links: Iterable[Any] = picture.elements[ends[0]].links
    else:
        links = picture.links
    return any((link.source, link.relation, link.target) == ends for link in links)


def _texts(new: NewDecision) -> Iterable[tuple[str, str]]:
    yield "title", new.title
    yield "why", new.why
    yield from ((f"evidence[{index}]", one) for index, one in enumerate(new.evidence))
    yield from ((f"about[{index}]", one) for index, one in enumerate(new.about))
    for index, mutation in enumerate(new.mutations):
        yield from _texts_in(mutation, f"mutations[{index}]")


def _texts_in(value: Any, place: str) -> Iterable[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            # A key beside its value is what tells a secret: {"password": "…"} is one, though neither part is alone.
            yield from _texts_in(item, f"{place}.{key}")
            if isinstance(item, str):
                yield f"{place}.{key}", f"{value.get('key', '') if key == 'value' else key}={item}"
    elif isinstance(value, Sequence) and not isinstance(value, bytes):
        for index, item in enumerate(value):
            yield from _texts_in(item, f"{place}[{index}]")
