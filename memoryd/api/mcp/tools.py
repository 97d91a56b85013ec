"""The eight tools: what each is called, says of itself, and does. Each is one call of a route, or a few.

Descriptions say when to use a tool, not only what it does: an agent reads nothing else before it decides.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memoryd.api.mcp import answers as out
from memoryd.api.mcp import arguments as given
from memoryd.api.mcp.caller import Caller
from memoryd.api.mcp.cut import cut_items, without_empty
from memoryd.api.mcp.exact import untamed
from memoryd.api.mcp.graph import graph
from memoryd.api.mcp.reading import address_of_note, place_of_note, read
from memoryd.api.mcp.refusal import Refused
from memoryd.render.budget import cut_text

_TITLE = 80
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
    try:
        status, written = await caller.ask("POST", "/v1/episodes", body=body, session=args.session, headers=headers)
    except Refused as refused:
        if refused.status != 409 or not args.key:
            raise
        raise Refused(f"{refused}; for another text give another key, or none", 409) from refused
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
    if left := found["changes"][len(kept) :]:
        # They are not told again, so their ids are.
        titles = "; ".join(f"{one['id']} {cut_text(one['title'], _TITLE)}" for one in left)
        cut = f"{len(left)} more changes, which read gives by id: {titles}"
    return {"changes": kept, **without_empty({"cursor": found.get("cursor"), "cut": cut})}


async def note(caller: Caller, args: given.NoteArguments) -> dict[str, Any]:
    """Write a note, or hold it against the contract."""
    vault, path = _place_of(caller, args)
    if args.check_only:
        body = {"text": args.text, "vault": vault, "path": path}
        _, checked = await caller.ask("POST", "/v1/notes/check", body=body)
        return {"vault": vault, "path": path, "written": False, "violations": checked["violations"]}
    address, text = address_of_note(vault, path), args.text
    if args.etag:
        # What was read came tamed; what is sent back as it was shown is meant as it is stored.
        text = await asyncio.to_thread(untamed, text, await _stored(caller, address, args.session))
    headers = {"If-Match": f'"{args.etag.strip(chr(34))}"'} if args.etag else {"If-None-Match": "*"}
    try:
        _, written = await caller.ask("PUT", address, body={"text": text}, session=args.session, headers=headers)
    except Refused as refused:
        if refused.status != 412:
            raise
        way = "read it again, and repeat with its new etag" if args.etag else "read it, and give its etag to change it"
        raise Refused(f"{vault}:{path} is there and is not what you read: {way}", 412) from refused
    told = {key: written[key] for key in ("vault", "path", "etag", "violations")}
    return {**told, "written": True}


async def _stored(caller: Caller, address: str, session: str | None) -> str:
    try:
        _, stored = await caller.ask("GET", address, session=session)
    except Refused as refused:
        if refused.status != 404:
            raise
        raise Refused(f"{refused}; to make a new one leave etag out", 404) from refused
    return str(stored["text"])


def _place_of(caller: Caller, args: given.NoteArguments) -> tuple[str, str]:
    """Return the vault and the path of a note, which may be named together, as answers do.

    Raises:
        Refused: The two arguments name different vaults.
    """
    named = place_of_note(args.path)
    if named is None:
        return args.vault or caller.notes.default_vault, args.path
    if args.vault not in {None, named[0]}:
        raise Refused(f"path: names the vault {named[0]}, and vault says {args.vault}; name one")
    return named


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
                "Ask what happened and what is known: earlier work, decisions and reasons, conventions, notes. Use it "
                "before you decide what may have been decided, when the user refers to the past ('last week', 'why do "
                "we'), and when a name is new to you. A hit with superseded_by is no longer in force."
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
                "Write to today's journal what should be found on its own: a finding, a fix and its cause, an "
                "agreement. Turns are captured by hooks already. Secrets are removed."
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
                "Record a decision with its reason, and what it changes in what is known. Worth it when a later reader "
                "would ask why: a choice between ways, a convention, a limit found. recall first: use a known name as "
                "it is, name what this replaces in supersedes. It is never changed, only superseded."
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
                "Read one thing whole by the id that recall or graph gave. Without an id: conventions, decisions in "
                "force, what is known, recent days; for the start of work where no hook gave them."
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
                "Walk what is known: 'what depends on this', 'what touches this file', 'how do these two hang "
                "together', 'how did it come to be so'."
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
                "What others recorded since your last call, oldest first. Use it in long work before you act on what "
                "you read some time ago."
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
                "Write a note: knowledge that a person will read and edit, one subject each. What breaks the vault's "
                "contract is refused with the fix. To change one, read it and send the whole text with its etag; keep "
                "what you do not change."
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
                "Say which things that memory gave you helped: that keeps them at hand. Or pin one, put it away, bring "
                "it back."
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
