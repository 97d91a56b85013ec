"""From domain values to answer bodies.

A field that may be left out is left out where it has no value; every other field is always there, ``null`` if need be.
Instants are RFC 3339 with the daemon's offset.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from episodic.episode import Episode
from memoryd.router.decide import Route
from memoryd.text.hit import Hit
from memoryd.text.window import Window
from semantic.attention.active import Place
from semantic.attention.standing import MILLION
from semantic.model import Decision, Element, Link, Note, NoteLink


def page_body(items: list[dict[str, Any]], next_cursor: str | None, **more: Any) -> dict[str, Any]:
    """Return a list; ``next_cursor`` is left out on its last part."""
    return {**more, "items": items, **({} if next_cursor is None else {"next_cursor": next_cursor})}


def without_empty(body: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return the body without those of the named fields that have no value."""
    return {key: value for key, value in body.items() if key not in names or value is not None}


_MINUTE = timedelta(minutes=1)


class Presenter:
    """Makes bodies in one zone."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone

    def day(self, at: datetime | None) -> str | None:
        """Return the day of an instant in the daemon's zone."""
        return None if at is None else at.astimezone(self._zone).date().isoformat()

    def instant(self, at: datetime | None) -> str | None:
        """Return the instant in the daemon's zone: RFC 3339 with offset, milliseconds where there are any.

        It is told in UTC where that zone has no RFC 3339 for it: beside the first and the last day of the calendar, and
        while clocks still kept the seconds of the sun.
        """
        if at is None:
            return None
        try:
            local = at.astimezone(self._zone)
        except OverflowError:
            local = at.astimezone(UTC)
        offset = local.utcoffset()
        if offset is not None and offset % _MINUTE:
            local = at.astimezone(UTC)
        return local.isoformat(timespec="milliseconds" if local.microsecond else "seconds")

    def range(self, window: Window) -> dict[str, Any]:
        """Return a half-open range; an open end is ``null``."""
        return {"since": self.instant(window.since), "until": self.instant(window.until)}

    def route(self, route: Route) -> dict[str, Any]:
        """Return a route with its reasons."""
        body: dict[str, Any] = {
            "store": route.store,
            "confidence": round(route.confidence, 3),
            "reasons": list(route.reasons),
            "range": self.range(route.range.window) if route.range else None,
        }
        return without_empty(body, "range")

    def hit(self, hit: Hit) -> dict[str, Any]:
        """Return one line of an answer."""
        body: dict[str, Any] = {
            "id": hit.id,
            "episode": hit.episode,
            "store": hit.store,
            "kind": hit.kind,
            "title": hit.title,
            "text": hit.text,
            "summary": hit.summary,
            "score": round(min(1.0, max(0.0, hit.score)), 6),
            "path": hit.path,
            "lines": list(hit.lines) if hit.lines else None,
            "at": self.instant(hit.at),
            "project": hit.project,
            "session": hit.session,
            "superseded_by": hit.superseded_by,
            "sources": list(hit.sources),
        }
        return without_empty(body, "episode", "summary", "superseded_by")

    def episode(
        self, episode: Episode, superseded_by: str | None = None, expanded: str | None = None
    ) -> dict[str, Any]:
        """Return an entry as read back."""
        body: dict[str, Any] = {
            "id": episode.id,
            "title": episode.title,
            "text": episode.text,
            "at": self.instant(episode.at),
            "path": episode.path,
            "lines": list(episode.lines),
            "project": episode.project,
            "session": episode.session,
            "superseded_by": superseded_by,
            "expanded": expanded,
        }
        return without_empty(body, "superseded_by", "expanded")

    def decision(self, decision: Decision) -> dict[str, Any]:
        """Return a decision as recorded."""
        body: dict[str, Any] = {
            "id": decision.id,
            "title": decision.title,
            "why": decision.why,
            "at": self.instant(decision.at),
            "valid_at": self.instant(decision.valid_at),
            "actor": decision.actor,
            "session": decision.session,
            "scope": decision.scope,
            "project": decision.project,
            "mutations": [dict(mutation) for mutation in decision.mutations],
            "elements": list(decision.elements),
            "evidence": list(decision.evidence),
            "supersedes": list(decision.supersedes),
            "about": list(decision.about),
            "superseded_by": decision.superseded_by,
        }
        return without_empty(body, "superseded_by")

    def history_item(self, decision: Decision) -> dict[str, Any]:
        """Return a decision as one step of a history."""
        body: dict[str, Any] = {
            "id": decision.id,
            "kind": "decision",
            "title": decision.title,
            "why": decision.why,
            "at": self.instant(decision.at),
            "valid_at": self.instant(decision.valid_at) if decision.valid_at != decision.at else None,
            "actor": decision.actor,
            "supersedes": list(decision.supersedes),
            "superseded_by": decision.superseded_by,
        }
        return without_empty(body, "valid_at", "superseded_by")


def link_body(link: Link) -> dict[str, Any]:
    """Return a typed edge."""
    return {"from": link.source, "rel": link.relation, "to": link.target, "decision": link.decision}


def element_body(element: Element, *, archived: bool = False, unconfirmed_since: str | None = None) -> dict[str, Any]:
    """Return a thing known; ``unconfirmed_since`` is the day since when a file that it touches is another."""
    body = {
        "id": element.id,
        "kind": element.kind,
        "name": element.name,
        "gist": element.gist,
        "notes": list(element.notes),
        "touches": list(element.touches),
        "aliases": list(element.aliases),
        "props": dict(element.props),
        "scope": element.scope,
        "project": element.project,
        "archived": archived,
        "links": [link_body(link) for link in element.links],
        "heads": list(element.heads),
        "evidence": list(element.evidence),
    }
    return body if unconfirmed_since is None else body | {"unconfirmed_since": unconfirmed_since}


def standing_body(place: Place) -> dict[str, Any]:
    """Return where an element stands in its active set; scores from 0 to 1."""
    return {
        "score": place.score / MILLION,
        "recency": place.recency / MILLION,
        "connectedness": place.connectedness / MILLION,
        "units": place.units,
        "archived": place.archived,
        "pinned": place.pinned,
        "graced": place.graced,
    }


def note_body(note: Note) -> dict[str, Any]:
    """Return a note as read."""
    body: dict[str, Any] = {
        "vault": note.vault,
        "path": note.path,
        "title": note.title,
        "summary": note.summary,
        "tags": list(note.tags),
        "links": [_note_link_body(link) for link in note.links],
        "broken": _written(link for link in note.links if link.target is None),
        "violations": list(note.violations),
        "text": note.text,
        "etag": note.etag,
    }
    return without_empty(body, "summary")


def _written(links: Iterable[NoteLink]) -> list[str]:
    return list(dict.fromkeys(link.written for link in links))


def _note_link_body(link: NoteLink) -> dict[str, Any]:
    body: dict[str, Any] = {
        "written": link.written,
        "target": link.target,
        "heading": link.heading,
        "block": link.block,
        "shown": link.shown,
        "embed": link.embed,
        "line": link.line,
        "ambiguous": list(link.ambiguous),
        "inferred": link.inferred,
    }
    return without_empty(body, "heading", "block", "shown")
