"""Which element a person means: by its id, or by what it is called."""

from __future__ import annotations

from memoryd.cli.frame import NOT_FOUND, REFUSED, Failure, Frame
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
        raise Failure(f"no element has this name: {said}; `memoryd recall` searches all that is known", NOT_FOUND)
    wanted = fold_name(said)
    called = [one for one in found if fold_name(one["name"]) == wanted]
    called = called or [one for one in found if wanted in map(fold_name, one["aliases"])]
    meant = called or ([] if page.get("next_cursor") else found)
    if len(meant) == 1:
        return str(meant[0]["id"])
    listed = ", ".join(f"{one['kind']} {one['name']} ({one['id']})" for one in (meant or found)[:_MOST_LISTED])
    raise Failure(f"several elements are called so; send the id of one: {listed}", REFUSED)
