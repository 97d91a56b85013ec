"""Which element a person means: by its id, or by what it is called."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from clients.http import ProblemError
from memoryd.cli.frame import NOT_FOUND, REFUSED, Failure, Frame
from memoryd.cli.graph import PATIENCE_S
from memoryd.text.canonical import fold_name

_MOST_ASKED = 100
_MOST_LISTED = 5


def find_element(frame: Frame, said: str) -> str:
    """Return the id of the element that an id or a name means: a whole name or alias, else words that one alone has.

    Raises:
        Failure: None is called so, or several are; nothing is guessed.
    """
    if said.startswith("el_"):
        return said
    page = frame.client.call("GET", "/v1/elements", query={"q": said, "limit": _MOST_ASKED}).body
    found = page["items"]
    if not found:
        raise no_such_element(frame, said)
    wanted = fold_name(said)
    called = [one for one in found if fold_name(one["name"]) == wanted]
    called = called or [one for one in found if wanted in map(fold_name, one["aliases"])]
    meant = called or ([] if page.get("next_cursor") else found)
    if len(meant) == 1:
        return str(meant[0]["id"])
    listed = ", ".join(f"{one['kind']} {one['name']} ({one['id']})" for one in (meant or found)[:_MOST_LISTED])
    raise Failure(f"several elements are called so; send the id of one: {listed}", REFUSED)


def no_such_element(frame: Frame, said: str) -> Failure:
    """Return the failure of a name that no element has, with what is called nearly so."""
    near = list_near(find_near(frame, said))
    return Failure(f"no element has this name: {said}{near}; `memoryd recall` searches all that is known", NOT_FOUND)


def find_near(frame: Frame, said: str) -> list[dict[str, Any]]:
    """Return what the graph knows by this name or nearly this one, the nearest first: nodes with id, kind and name."""
    try:
        answer = frame.client.call("POST", "/v1/graph/explain", body={"of": said}, timeout_s=PATIENCE_S)
    except ProblemError as problem:
        if problem.status not in {HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT}:
            raise
        return list(problem.body.get("candidates") or ())
    node = answer.body.get("node")
    return [node] if node else []


def list_near(nodes: list[dict[str, Any]]) -> str:
    """Return the words that name what was nearly meant, to stand behind a failure; nothing where there is nothing."""
    named = ", ".join(f"{one['kind']} {one['name']} ({one['id']})" for one in nodes[:_MOST_LISTED])
    return f"; there is: {named}" if named else ""
