"""Forgetting: text is taken out of the log for good, and what else stood in the same lines is kept.

Forgetting an element forgets the decisions that changed it, since their lines hold its words. Where such a decision
also changed other elements, these are recorded anew, as they are now, before it goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from semantic.errors import InvalidDecision
from semantic.log.ids import is_forgettable
from semantic.model import Decision, Element
from semantic.projection.ledger import Ledger
from semantic.projection.picture import Projection
from semantic.writing.recording import NewDecision, record

UNREACHED = (
    "the history of a git repository that holds the memory folder",
    "backups and copies made outside",
    "machines that have not been synchronised since",
)
_KEPT_TITLE = "Kept when something else was forgotten"


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten (ids asked for and those that went with them), the events, and what they cannot reach."""

    ids: tuple[str, ...]
    events: tuple[str, ...]
    unreached: tuple[str, ...] = UNREACHED


def forget(ledger: Ledger, ids: Sequence[str], *, actor: str, session: str | None) -> Forgotten:
    """Forget elements, decisions and episodes; of episodes the log only remembers that they were forgotten.

    What was forgotten before stays so and is answered as forgotten; nothing new is recorded of it. Whether an episode
    is known is for its own store to say.

    Raises:
        InvalidDecision: Something in the list is no id of these.
        UnknownElement: An element is not known; nothing was forgotten.
        UnknownDecision: A decision is not known; nothing was forgotten.
        WriteFailed: It could not be made durable, or a file could not be purged yet (it is tried again).
    """
    if not ids:
        raise InvalidDecision("ids: name at least one")
    for index, id_ in enumerate(ids):
        if not is_forgettable(id_):
            raise InvalidDecision(f"ids[{index}]: must be an element, a decision or an episode (el_…, de_…, ep_…)")
    with ledger.writing:
        picture = ledger.projection()
        _check_known(picture, ids)
        elements = {member for id_ in ids if id_.startswith("el_") for member in _members(picture, id_)}
        shown = {picture.shown(id_) for id_ in elements}
        going = {one for id_ in shown if id_ in picture.elements for one in picture.elements[id_].decisions}
        _keep_others(ledger, picture, going, shown, actor, session)
        every = set(ids) | elements | going
        events = []
        for project, group in _by_project(picture, every - picture.forgotten):
            events.append(ledger.forget(group, actor=actor, session=session, project=project).head.id)
        return Forgotten(tuple(sorted(every)), tuple(events))


def _check_known(picture: Projection, ids: Iterable[str]) -> None:
    for id_ in ids:
        if id_ in picture.forgotten:
            continue
        if id_.startswith("el_"):
            picture.element(id_)
        elif id_.startswith("de_"):
            picture.decision(id_)


def _members(picture: Projection, id_: str) -> set[str]:
    shown = picture.shown(id_)
    return {id_, shown} | {old for old, now in picture.shown_as.items() if now == shown}


def _keep_others(
    ledger: Ledger, picture: Projection, going: Iterable[str], shown: set[str], actor: str, session: str | None
) -> None:
    decisions = [picture.decisions[id_] for id_ in going]
    others = {other for one in decisions for other in _changed(picture, one) if other not in shown}
    by_owner: dict[str | None, list[Element]] = {}
    for id_ in sorted(others):
        if id_ in picture.elements:
            element = picture.elements[id_]
            by_owner.setdefault(element.project, []).append(element)
    for project, elements in by_owner.items():
        mutations = [_put(element) for element in elements]
        mutations += [link for element in elements for link in _links(element, shown)]
        evidence = sorted({one for element in elements for one in element.evidence})
        record(
            ledger,
            NewDecision(
                _KEPT_TITLE,
                "The lines that held these elements were forgotten.",
                mutations,
                project=project,
                actor=actor,
                session=session,
                evidence=evidence,
            ),
        )


def _changed(picture: Projection, decision: Decision) -> set[str]:
    ids: set[str] = set()
    for mutation in decision.mutations:
        named = [mutation.get("id"), mutation.get("from"), *mutation.get("ids", ())]
        ids.update(picture.shown(one) for one in named if isinstance(one, str))
    return ids


def _put(element: Element) -> dict[str, Any]:
    lists = {"notes": element.notes, "touches": element.touches, "aliases": element.aliases}
    return {
        "op": "put_element",
        "id": element.id,
        "gist": element.gist,
        **({"props": dict(element.props)} if element.props else {}),
        **{name: list(values) for name, values in lists.items() if values},
    }


def _links(element: Element, gone: set[str]) -> list[dict[str, Any]]:
    return [
        {"op": "add_link", "from": link.source, "rel": link.relation, "to": link.target}
        for link in element.links
        if link.source == element.id and link.target not in gone
    ]


def _by_project(picture: Projection, ids: Iterable[str]) -> list[tuple[str | None, list[str]]]:
    """Group ids by whose log they stand in, so that all who share a project's log learn what was forgotten of it."""
    groups: dict[str | None, list[str]] = {}
    for id_ in sorted(ids):
        held = picture.elements.get(picture.shown(id_)) or picture.decisions.get(id_)
        groups.setdefault(None if held is None else held.project, []).append(id_)
    return sorted(groups.items(), key=lambda pair: pair[0] or "")
