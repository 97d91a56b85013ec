"""The tool ``read``: one thing whole by its id, or everything active as one text."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from memoryd.api.mcp.arguments import ReadArguments
from memoryd.api.mcp.caller import Caller
from memoryd.api.mcp.cut import cut_item, cut_items, without_empty
from memoryd.api.mcp.refusal import Refused
from memoryd.text.canonical import fold_name

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_CHUNK = re.compile(r"[0-9a-f]{32}")
_PLACE = re.compile(r"([a-z0-9][a-z0-9_-]{0,47}):(.+\.md)(?:#.*)?", re.IGNORECASE | re.DOTALL)
_CONTEXT_MOST = 20_000
_NEAR = 8


async def read(caller: Caller, args: ReadArguments) -> dict[str, Any]:
    """Read one thing, or the context."""
    if args.id is None:
        return await _context(caller, args)
    wanted = args.id.strip()
    if _DATE.fullmatch(wanted):
        return await _day(caller, args, wanted)
    kind, path = await _find(caller, wanted)
    query = {"expand": args.expand} if kind == "episode" else {"as_of": args.as_of} if kind == "element" else {}
    try:
        _, item = await caller.ask("GET", path, query=query, session=args.session)
    except Refused as refused:
        if refused.status == 404:
            raise Refused(
                f"nothing here has the id {wanted!r}: {refused}; recall gives the ids there are", 404
            ) from None
        raise
    item, cut = cut_item(item, args.max_chars)
    return {"kind": kind, "item": item, **without_empty({"cut": cut})}


async def _context(caller: Caller, args: ReadArguments) -> dict[str, Any]:
    query = {
        "cwd": args.cwd or caller.cwd,
        "session": args.session or caller.session,
        "max_chars": min(args.max_chars, _CONTEXT_MOST),
    }
    _, found = await caller.ask("GET", "/v1/context", query=query)
    return {"kind": "context", "text": found["text"]}


async def _day(caller: Caller, args: ReadArguments, date: str) -> dict[str, Any]:
    _, day = await caller.ask("GET", f"/v1/days/{date}")
    items = [without_empty({"id": one["id"], **one}) for one in day["items"]]
    kept, cut = cut_items(items, args.max_chars, noun="entries of that day")
    return {"kind": "day", "items": kept, **without_empty({"cut": cut})}


async def _find(caller: Caller, wanted: str) -> tuple[str, str]:
    """Return the kind of thing that an id names, and its address."""
    if wanted.startswith("ep_") or _CHUNK.fullmatch(wanted):
        return "episode", f"/v1/episodes/{_segment(wanted)}"
    if wanted.startswith("de_"):
        return "decision", f"/v1/decisions/{_segment(wanted)}"
    if wanted.startswith("el_"):
        return "element", f"/v1/elements/{_segment(wanted)}"
    if wanted.startswith("no_"):
        return "note", address_of_note(*await _note_place(caller, wanted))
    if place := place_of_note(wanted):
        return "note", address_of_note(*place)
    return "element", f"/v1/elements/{await named_element(caller, wanted)}"


async def named_element(caller: Caller, name: str) -> str:
    """Return the id of the one element that has a name or alias; an id is returned as it is.

    Raises:
        Refused: None has it, or several have; the message names what is near.
    """
    if name.startswith("el_"):
        return _segment(name)
    _, found = await caller.ask("GET", "/v1/elements", query={"q": name, "limit": 50})
    folded = fold_name(name)
    same = [one for one in found["items"] if folded in {fold_name(known) for known in (one["name"], *one["aliases"])}]
    if len(same) == 1:
        return str(same[0]["id"])
    offered = ", ".join(f"{one['id']} ({one['kind']} {one['name']!r})" for one in (same or found["items"])[:_NEAR])
    if same:
        raise Refused(f"several elements are called {name!r}; give the id of one: {offered}", 409)
    there_is = f"; there is: {offered}" if offered else ""
    raise Refused(f"{name!r} is no id, and no element is called so{there_is}; recall finds by meaning", 404)


def place_of_note(shown: str) -> tuple[str, str] | None:
    """Return the vault and the path that ``<vault>:<path>`` names, as answers show it; ``None`` for anything else."""
    place = _PLACE.fullmatch(shown)
    return None if place is None else (place[1], place[2])


def address_of_note(vault: str, path: str) -> str:
    """Return the address of a note."""
    return f"/v1/notes/{vault}/{path}"


async def _note_place(caller: Caller, id_: str) -> tuple[str, str]:
    """Return vault and path of a note by its id."""
    place = await asyncio.to_thread(caller.notes.place_of, id_)
    if place is None:
        raise Refused(f"no note has the id {_segment(id_)}; it may have been moved or deleted: recall finds it", 404)
    return place


def _segment(id_: str) -> str:
    """Return an id as one part of an address."""
    if "/" in id_ or not id_.isprintable():
        raise Refused(f"{id_!r} is no id; recall gives the ids there are", 404)
    return id_
