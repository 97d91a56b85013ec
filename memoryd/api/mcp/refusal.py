"""Why a tool did not do what it was asked, and what to do instead: the daemon's words as a tool's caller needs them.

The daemon speaks to programs: of bodies, headers and addresses. An agent knows none of them, only its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_EMPTY = re.compile(r"(?:String|List) should have at least 1 ")
_CHECKS = re.compile(r"^(?:Input|String|List|Value) should ")
_START = re.compile(r"^from: ")
"""Where a path begins: the tool calls it ``of``."""
_MOST_FAULTS = 4
_MOST_CANDIDATES = 8
PHRASES = {
    "GET /v1/projects lists them": "leave project out and give cwd, the folder you work in",
    "The log has more under this request's id.": "The daemon's log says more.",
    "send next_cursor as it was given": "give next_cursor as it was returned",
    "Try again after the seconds in Retry-After.": "Try again in a few seconds.",
    "or send an id": "or give its id",
    "no element has the id as sent": "no element has this id; recall, or graph with q, gives the ids there are",
    "nothing in the graph has this id or name": (
        "nothing in the graph has this id or name; recall finds by meaning, graph with q by a part of the name"
    ),
    "element, note, decision or episode by id": "element, note, decision or episode by the id that recall or read gave",
}
"""What the daemon says to programs -> what an agent is told in its place."""
_NO_NEWS = "The request is not valid"
"""A title that says no more than what follows it."""


class Refused(Exception):
    """A call was not done; the message says why and what to do, and ``status`` is that of REST."""

    def __init__(self, message: str, status: int = 422) -> None:
        super().__init__(message)
        self.status = status


def explain(problem: Mapping[str, Any], status: int) -> str:
    """Return a problem as a sentence about the arguments of a tool."""
    title, detail = str(problem.get("title") or f"status {status}"), str(problem.get("detail") or "")
    if faults := problem.get("errors"):
        said = [_fault(one) for one in faults[:_MOST_FAULTS]]
        more = len(faults) - len(said)
        detail = "; ".join(said) + (f" (and {more} more)" if more > 0 else "")
    else:
        says_more = title not in {detail, _NO_NEWS} and status != 404
        detail = f"{title}: {detail}" if detail and says_more else detail or title
    for said_before, said_here in PHRASES.items():
        detail = detail.replace(said_before, said_here)
    detail = _START.sub("of: ", detail)
    candidates = problem.get("candidates") or []
    if candidates:
        known = ", ".join(f"{one['id']} ({one['kind']} {one['name']!r})" for one in candidates[:_MOST_CANDIDATES])
        detail = f"{detail}; there is: {known}"
    return detail


def _fault(one: Mapping[str, Any]) -> str:
    parts = [part for part in str(one.get("pointer", "")).split("/")[2:] if part]
    place = ".".join(parts).removeprefix("memoryd-")
    return f"{place}: {plain_fault(str(one.get('message', '')))}" if place else plain_fault(str(one.get("message", "")))


def plain_fault(message: str) -> str:
    """Return what a check says of a value without the check's own way of saying it."""
    message = message.removeprefix("Value error, ").strip()
    if _EMPTY.match(message):
        return "must not be empty"
    return _CHECKS.sub("must ", message)
