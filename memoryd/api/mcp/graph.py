"""The tool ``graph``: elements, what hangs on them, how they came to be so, and the ways between them."""

from __future__ import annotations

from typing import Any

from memoryd.api.mcp.arguments import GraphArguments
from memoryd.api.mcp.caller import Caller
from memoryd.api.mcp.cut import cut_items, without_empty
from memoryd.api.mcp.reading import named_element
from memoryd.api.mcp.refusal import Refused

_LEAST_UNITS = 500


async def graph(caller: Caller, args: GraphArguments) -> dict[str, Any]:
    """Ask the graph."""
    if args.op in {"path", "explain"}:
        return await _told(caller, args)
    if args.op == "query":
        return await _answered(caller, args)
    found = await _page(caller, args)
    items = [without_empty(one) for one in found["items"]]
    kept, cut = cut_items(items, args.max_chars, noun=args.op)
    return {"op": args.op, "items": kept, **without_empty({"next_cursor": found.get("next_cursor"), "cut": cut})}


async def _page(caller: Caller, args: GraphArguments) -> dict[str, Any]:
    page = {"cursor": args.cursor, "limit": args.limit}
    if args.op == "elements":
        query = {"q": args.q, "near": args.near, "kind": args.kind, "scope": args.scope, **page}
        path = "/v1/elements"
    elif args.op == "conflicts":
        query, path = page, "/v1/conflicts"
    else:
        query, path = page, f"/v1/elements/{await named_element(caller, _needed(args, 'of'))}/{args.op}"
    _, found = await caller.ask("GET", path, query=query, session=args.session)
    return dict(found)


async def _told(caller: Caller, args: GraphArguments) -> dict[str, Any]:
    body = (
        {"of": _needed(args, "of")}
        if args.op == "explain"
        else {"from": _needed(args, "of"), "to": _needed(args, "to")}
    )
    _, found = await caller.ask("POST", f"/v1/graph/{args.op}", body=body, session=args.session)
    kept, cut = cut_items([without_empty(dict(found))], args.max_chars, noun="parts")
    return {"op": args.op, "items": kept, **without_empty({"cut": cut})}


async def _answered(caller: Caller, args: GraphArguments) -> dict[str, Any]:
    # The part that answers is cut by the daemon, which knows what says least; the rest is room for what frames it.
    body = {"query": _needed(args, "q"), "max_chars": max(args.max_chars * 4 // 5, _LEAST_UNITS)}
    _, found = await caller.ask("POST", "/v1/graph/query", body=body, session=args.session)
    nodes = {node["id"]: without_empty(node) for node in found["nodes"]}
    starts = [nodes[start["id"]] for start in found["starts"]]
    links = [
        {"from": nodes[one["source"]]["name"], "to": nodes[one["target"]]["name"], **without_empty(one)}
        for one in found["links"]
    ]
    kept, cut = cut_items([*starts, *links], args.max_chars, noun="nodes and links")
    left = found["left_out"]
    if left["nodes"] or left["links"]:
        said = f"{left['nodes']} more nodes and {left['links']} more links belong to it; ask with a larger max_chars."
        cut = f"{cut} {said}" if cut else said
    return {"op": args.op, "items": kept, **without_empty({"cut": cut})}


def _needed(args: GraphArguments, name: str) -> str:
    value = getattr(args, name)
    if not value:
        way = "a question in plain words" if name == "q" else "the id or the name of an element"
        raise Refused(f"{name}: is needed for op {args.op}; give {way}")
    return str(value)
