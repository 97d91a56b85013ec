"""What ids are called: a person reads names, and an id stands behind one where the next command needs it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from clients.http import ProblemError
from memoryd.cli.frame import Frame, shorten

_MOST_ASKED = 40
"""So many ids are asked for in one run; further ones are shown as they are."""
_MOST_NEIGHBORS = 500
_LONGEST_NAME = 80


class Called:
    """Names of elements, decisions and notes, each asked for once, and none before it is shown."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._names: dict[str, str] = {}
        self._asked = 0

    def know(self, things: Iterable[Mapping[str, Any]]) -> None:
        """Take in elements, or decisions, that an answer holds already."""
        for one in things:
            self._names[one["id"]] = _name_of(one)

    def know_neighbors(self, id_: str) -> None:
        """Take in the elements around one, in a single call."""
        place = f"/v1/elements/{quote(id_, safe='')}/neighbors"
        body = self._ask("GET", place, query={"limit": _MOST_NEIGHBORS})
        self.know(item["element"] for item in (body or {}).get("items", ()) if item.get("element"))

    def name(self, id_: str) -> str:
        """Return what an id stands for, with the id; the id alone where nothing is known of it, or it is a path."""
        if id_ not in self._names:
            found = self._find(id_)
            self._names[id_] = "" if found is None else _name_of(found)
        return f"{self._names[id_]} ({id_})" if self._names[id_] else id_

    def link(self, link: Mapping[str, Any], of: str | None = None) -> str:
        """Return a link as it looks from one of its ends, or whole."""
        source, target = link.get("from") or link.get("source"), link.get("to") or link.get("target")
        relation = link.get("rel") or link.get("relation")
        if of is not None and source == of:
            return f"-{relation}-> {self.name(str(target))}"
        if of is not None and target == of:
            return f"<-{relation}- {self.name(str(source))}"
        return f"{self.name(str(source))} -{relation}-> {self.name(str(target))}"

    def _find(self, id_: str) -> Mapping[str, Any] | None:
        kind, shown = id_[:3], quote(id_, safe="")
        if kind == "el_":
            return self._ask("GET", f"/v1/elements/{shown}")
        if kind == "de_":
            return self._ask("GET", f"/v1/decisions/{shown}")
        if kind == "no_":
            return (self._ask("POST", "/v1/graph/explain", body={"of": id_}) or {}).get("node")
        return None

    def _ask(self, method: str, path: str, **parts: Any) -> Mapping[str, Any] | None:
        if self._asked == _MOST_ASKED:
            return None
        self._asked += 1
        try:
            body: Mapping[str, Any] = self._frame.client.call(method, path, **parts).body
        except ProblemError as problem:
            if problem.status != HTTPStatus.NOT_FOUND:
                raise
            return None  # forgotten, or of a past in which the present knows nothing
        return body


def _name_of(thing: Mapping[str, Any]) -> str:
    """Return the name of an element or a note with its kind, or the title of a decision."""
    if thing.get("title"):
        return f"“{shorten(thing['title'], _LONGEST_NAME)}”"
    return f"{thing['kind']} {shorten(thing['name'], _LONGEST_NAME)}" if thing.get("name") else ""
