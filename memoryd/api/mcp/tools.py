"""The eight tools: what each is called, says of itself, and does. Each is one call of a route, or a few.

Descriptions say when to use a tool, not only what it does: an agent reads nothing else before it decides.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memoryd.api.mcp import answers as out
from memoryd.api.mcp import arguments as given
from memoryd.api.mcp.caller import Caller, Refused
from memoryd.api.mcp.cut import cut_items, without_empty
from memoryd.api.mcp.graph import graph
from memoryd.api.mcp.reading import read

_HIT = tuple(out.RecallHit.model_fields)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool. ``shows_memory``: its answer holds stored text, which is fenced where it is shown as text."""

    name: str
    title: str
    description: str
    takes: type[given.Arguments]
    gives: type[out.Output]
    run: Callable[[Caller, Any], Awaitable[dict[str, Any]]]
    is_read_only: bool
    is_idempotent: bool
    is_destructive: bool = False
    shows_memory: bool = True


async def recall(caller: Caller, args: given.RecallArguments) -> dict[str, Any]:
    """Ask both memories."""
    body = args.model_dump(exclude={"max_chars", "session"}) | {"cwd": args.cwd or caller.cwd}
    _, found = await caller.ask("POST", "/v1/recall", body=body, session=args.session)
    hits = [without_empty({key: hit.get(key) for key in _HIT}) for hit in found["hits"]]
    # The title and the text of a hit are always there, if empty.
    hits = [{"title": "", "text": "", **hit} for hit in hits]
    kept, cut = cut_items(hits, args.max_chars, noun="hits")
    route = found["route"]
    told = {"range": route.get("range"), "degraded": found["degraded"], "cut": cut}
    return {"store": route["store"], "reasons": route["reasons"], "hits": kept, **without_empty(told)}


async def remember(caller: Caller, args: given.RememberArguments) -> dict[str, Any]:
    """Write an entry."""
    body = args.model_dump(exclude={"key"}) | _place(caller, args.cwd, args.project)
    headers = {"Idempotency-Key": args.key} if args.key else None
    status, written = await caller.ask("POST", "/v1/episodes", body=body, session=args.session, headers=headers)
    return {**written, "created": status == 201}


async def decide(caller: Caller, args: given.DecideArguments) -> dict[str, Any]:
    """Record a decision."""
    body = args.model_dump() | _place(caller, args.cwd, args.project)
    if args.scope == "user":
        body |= {"cwd": args.cwd, "project": args.project}
    status, recorded = await caller.ask("POST", "/v1/decisions", body=body, session=args.session)
    return {**recorded, "created": status == 201}


async def sync(caller: Caller, args: given.SyncArguments) -> dict[str, Any]:
    """Ask what others wrote."""
    session = args.session or caller.session
    if session is None:
        raise Refused("session: is needed; give the id of your session, the same in every call")
    body = {"session": session, "cursor": args.cursor}
    _, found = await caller.ask("POST", "/v1/sync", body=body, session=session)
    kept, cut = cut_items(found["changes"], args.max_chars, noun="changes")
    return {"changes": kept, **without_empty({"cursor": found.get("cursor"), "cut": cut})}


async def note(caller: Caller, args: given.NoteArguments) -> dict[str, Any]:
    """Write a note, or hold it against the contract."""
    place = {"vault": args.vault, "path": args.path}
    if args.check_only:
        _, checked = await caller.ask("POST", "/v1/notes/check", body={"text": args.text, **place})
        return {**place, "written": False, "violations": checked["violations"]}
    headers = {"If-Match": f'"{args.etag.strip(chr(34))}"'} if args.etag else {"If-None-Match": "*"}
    try:
        _, written = await caller.ask(
            "PUT",
            f"/v1/notes/{args.vault}/{args.path}",
            body={"text": args.text},
            session=args.session,
            headers=headers,
        )
    except Refused as refused:
        if refused.status == 412:
            way = (
                "read it again, and repeat with its new etag"
                if args.etag
                else "read it, and give its etag to change it"
            )
            raise Refused(f"{args.vault}:{args.path} is there and is not what you read: {way}", 412) from refused
        raise
    return {
        "vault": written["vault"],
        "path": written["path"],
        "written": True,
        "etag": written["etag"],
        "violations": written["violations"],
    }


async def useful(caller: Caller, args: given.UsefulArguments) -> dict[str, Any]:
    """Record what helped."""
    body = {"op": args.op, "ids": args.ids}
    _, attended = await caller.ask("POST", "/v1/attention", body=body, session=args.session)
    return {"op": attended["op"], "ids": attended["ids"]}


def _place(caller: Caller, cwd: str | None, project: str | None) -> dict[str, Any]:
    """Return where a write belongs: the folder that the connection tells stands in only where nothing else does."""
    return {"cwd": cwd or (None if project else caller.cwd), "project": project}


TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            name="recall",
            title="Ask memory",
            description=(
                "Ask what happened and what is known: earlier work, decisions and their reasons, conventions, notes. "
                "Use it before you decide something that may have been decided, when the user refers to the past "
                "('last week', 'as we did', 'why do we'), and when a name is new to you. Answers are ranked and dated; "
                "one with superseded_by is no longer in force."
            ),
            takes=given.RecallArguments,
            gives=out.Recalled,
            run=recall,
            is_read_only=True,
            is_idempotent=True,
        ),
        Tool(
            name="remember",
            title="Write an episode",
            description=(
                "Write what happened to today's journal: a finding, a fix and its cause, an agreement. Turns are "
                "captured by themselves where hooks are installed; use this for what should be found on its own. No "
                "secrets: they are removed."
            ),
            takes=given.RememberArguments,
            gives=out.Remembered,
            run=remember,
            is_read_only=False,
            is_idempotent=False,
            shows_memory=False,
        ),
        Tool(
            name="decide",
            title="Record a decision",
            description=(
                "Record a decision with its reason, and what it changes in what is known (elements and links). Worth "
                "it when a later reader would ask why: a choice between ways, a convention, a limit that was found. "
                "recall first: a name that is known is used as it is, and a decision that this one replaces is named "
                "in supersedes. Once recorded it is never changed, only superseded."
            ),
            takes=given.DecideArguments,
            gives=out.Decided,
            run=decide,
            is_read_only=False,
            is_idempotent=True,
            shows_memory=False,
        ),
        Tool(
            name="read",
            title="Read one thing, or all that is active",
            description=(
                "Read one thing whole by the id that recall or graph gave: an episode, a decision, an element, a note, "
                "a day. Without an id: conventions, decisions in force, what is known and recent days, for the start "
                "of work where no hook has given them."
            ),
            takes=given.ReadArguments,
            gives=out.Read,
            run=read,
            is_read_only=True,
            is_idempotent=True,
        ),
        Tool(
            name="graph",
            title="Ask the graph",
            description=(
                "Walk what is known: list elements, the neighbours or the history of one, what is in conflict, the "
                "path between two, an explanation of one. Use it for 'what depends on', 'what touches this file', "
                "'how do these hang together'."
            ),
            takes=given.GraphArguments,
            gives=out.Graphed,
            run=graph,
            is_read_only=True,
            is_idempotent=True,
        ),
        Tool(
            name="sync",
            title="See what others wrote",
            description=(
                "Return what other sessions and people recorded since your last call, oldest first. Use it in long "
                "work before you act on what you read some time ago."
            ),
            takes=given.SyncArguments,
            gives=out.Synced,
            run=sync,
            is_read_only=True,
            is_idempotent=False,
        ),
        Tool(
            name="note",
            title="Write a note",
            description=(
                "Write a note of the vault: knowledge that a person will read and edit. One subject a note. A text "
                "that breaks the vault's contract is refused with the fix; check_only tells beforehand. To change a "
                "note, read it and send the whole text with its etag; keep what you do not change."
            ),
            takes=given.NoteArguments,
            gives=out.Noted,
            run=note,
            is_read_only=False,
            is_idempotent=True,
            is_destructive=True,
            shows_memory=False,
        ),
        Tool(
            name="useful",
            title="Say what helped",
            description=(
                "Say which of the things that memory gave you helped; that keeps them at hand. Also pins an element, "
                "puts one away, or brings one back."
            ),
            takes=given.UsefulArguments,
            gives=out.Attended,
            run=useful,
            is_read_only=False,
            is_idempotent=True,
            shows_memory=False,
        ),
    )
}
"""By name."""
