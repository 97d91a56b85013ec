"""What a tool's answer showed a session, noted as what hooks show is: so that no hook tells it again.

The other way round nothing is kept back: what an agent asks for it is given, whether it saw it before or not. A
session that reads is also known from then on, so what others record after that is news to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import structlog

from memoryd.api.briefing import Briefing
from memoryd.api.changes import saw_note
from memoryd.api.conventions import settle_session
from memoryd.api.services import Services
from memoryd.render.meter import utf16_units
from semantic.log.ids import note_id

log = structlog.get_logger("memoryd.mcp")

Showed: TypeAlias = Callable[[str, str | None, str, Mapping[str, Any]], None]
"""Called with a session, its working folder, a tool and the tool's answer; it waits for files."""

BY_ROUTE = frozenset({"context"})
"""Kinds of answers whose showing the route notes itself."""


def shows_to(services: Services) -> Showed:
    """Return what notes the answers of tools in the daemon's record of sessions."""
    briefing = Briefing(services)

    def showed(session: str, cwd: str | None, tool: str, found: Mapping[str, Any]) -> None:
        if found.get("kind") in BY_ROUTE:
            return
        try:
            named = settle_session(session, None) or session
            briefing.register(named, briefing.place(cwd))
            units = utf16_units(json.dumps(found, ensure_ascii=False))
            services.seen.show(named, tool, units=units, ids=list(dict.fromkeys(ids_in(tool, found))))
            item = found.get("item") or {}
            if found.get("kind") == "note" and "etag" in item:
                saw_note(services, named, item["vault"], item["path"], item["etag"])
        except Exception:
            # The answer is right without it; the session may be told a thing twice.
            log.exception("showing_not_noted", tool=tool)

    return showed


def ids_in(tool: str, found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ids of what stands in an answer.

    Of a part of an episode only the part counts: the rest of it is still new to the session.
    """
    if tool == "recall":
        yield from (hit["id"] for hit in found["hits"])
    elif tool == "sync":
        yield from (one["id"] for one in found["changes"])
    elif tool == "read":
        if item := found.get("item"):
            yield from _named(item)
        yield from (id_ for one in found.get("items") or () for id_ in _named(one))
    elif tool == "graph" and found["op"] in {"elements", "history"}:
        yield from (id_ for one in found["items"] for id_ in _named(one))
    elif tool == "graph" and found["op"] == "neighbors":
        yield from (id_ for one in found["items"] for id_ in _named(one.get("element") or {}))


def _named(item: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(id_ := item.get("id"), str):
        yield id_
    elif isinstance(vault := item.get("vault"), str) and isinstance(path := item.get("path"), str):
        yield note_id(vault, path)
