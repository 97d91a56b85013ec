"""The lines of what is known in a place: its active sets, and the map of what hangs together there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

import structlog

from memoryd.api.outlook import Outlook
from memoryd.api.services import Services
from memoryd.render.brief import cost_of, element_line, hub_line, lines_part, map_line
from memoryd.render.budget import Part
from memoryd.render.meter import utf16_units
from semantic.attention.active import LIMIT_UNITS
from semantic.attention.standing import UNATTENDED, Standing
from semantic.errors import SemanticError
from semantic.model import Element, Link, Note, Scope
from semantic.projection.picture import Projection

log = structlog.get_logger("memoryd.known")

MOST_MAPPED = 8
MOST_TRACES = 3
MOST_TIES = 60
"""So many links of an element are looked at for the map: a hub has thousands, and its line names a few."""


class Known:
    """Makes the lines. It keeps nothing."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def parts(
        self,
        picture: Projection,
        outlook: Outlook,
        projects: Iterable[str],
        *,
        units: int,
        own: Collection[str] = (),
        is_now: bool = True,
    ) -> list[Part]:
        """Return the active sets of projects, and that of the person, which holds in all of them.

        Args:
            picture: The log.
            outlook: What of it concerns the place.
            projects: The ids of those that are worked on.
            units: How long a line may be.
            own: Sessions whose own doings stand in the context already.
            is_now: False for a picture of the past, of which nobody can say what was put away then.
        """
        ours = [line for id_ in projects for line in self._lines(picture, outlook, id_, units, own, is_now=is_now)]
        return [
            lines_part("elements", ours),
            lines_part("own", self._lines(picture, outlook, None, units, own, is_now=is_now)),
        ]

    def _lines(
        self,
        picture: Projection,
        outlook: Outlook,
        project: str | None,
        units: int,
        own: Collection[str],
        *,
        is_now: bool,
    ) -> list[str]:
        """Return the lines of one active set: what is pinned, then what says something, each best first.

        What of the neighbours is put away is named while the set's own budget has room for it, so that the text of a
        set is never longer than what was charged for it.
        """
        if (("user" if project is None else "project"), project) not in outlook.scopes:
            return []
        active, room = self._active(picture, project, is_now=is_now)
        standings = self._services.semantic.attention() if is_now else {}
        active.sort(key=lambda one: (not standings.get(one.id, UNATTENDED).pinned, not one.gist))
        since = self._services.unconfirmed(active) if is_now else {}
        zone, found = self._services.zone, []
        for one in active:
            if own and all(picture.decisions[id_].session in own for id_ in one.decisions if id_ in picture.decisions):
                continue
            day = f"{since[one.id].astimezone(zone):%Y-%m-%d}" if one.id in since else None
            line = element_line(one, units=units, unconfirmed=day)
            if room > 0 and (traces := list(islice(_put_away(one, picture, standings), MOST_TRACES))):
                longer = element_line(one, traces, units, unconfirmed=day)
                more = utf16_units(longer) - utf16_units(line)
                if more <= room:
                    room -= more
                    line = longer
            found.append(line)
        return found

    def _active(self, picture: Projection, project: str | None, *, is_now: bool) -> tuple[list[Element], int]:
        """Return the active elements of a scope, best first, and how many units its limit has left."""
        scope: Scope = "user" if project is None else "project"
        living = (one for one in picture if one.scope == scope and one.project == project)
        if not is_now:
            return sorted(living, key=lambda one: (-len(one.links), one.id)), 0
        try:
            passed = self._services.semantic.settle_active(scope, project, cost=cost_of)
        except SemanticError as error:  # the disk is full: what is known is shown all the same
            log.warning("active_set_not_settled", reason=type(error).__name__)
            return list(living), 0
        active = [picture.elements[id_] for id_ in passed.active if id_ in picture.elements]
        return active, LIMIT_UNITS - passed.units


def map_part(picture: Projection, outlook: Outlook, hubs: Iterable[Note]) -> Part:
    """Return what leads further: hub notes, then the elements with the most links, and what these lead to."""
    lines = [hub_line(note) for note in hubs][:MOST_MAPPED]
    for one in outlook.linked[: MOST_MAPPED - len(lines)]:
        lines += [map_line(one, _ties(one, picture), is_whole=len(one.links) <= MOST_TIES)]
    return lines_part("map", lines)


def _put_away(element: Element, picture: Projection, standings: Mapping[str, Standing]) -> Iterator[Element]:
    for link in element.links:
        other = picture.elements.get(_other_end(element, link))
        if other is not None and standings.get(other.id, UNATTENDED).archived:
            yield other


def _ties(element: Element, picture: Projection) -> Mapping[str, Sequence[str]]:
    """Return the names at the other ends of an element's first links, by relation and direction."""
    found: dict[str, list[str]] = {}
    for link in element.links[:MOST_TIES]:
        other = picture.elements.get(_other_end(element, link))
        if other is not None and other.id != element.id:
            arrow = "→" if picture.shown(link.source) == element.id else "←"
            found.setdefault(f"{link.relation} {arrow}", []).append(other.name)
    return found


def _other_end(element: Element, link: Link) -> str:
    return link.target if link.source == element.id else link.source
