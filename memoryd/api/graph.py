"""``/v1/graph``: the whole net of what is known, and questions to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from memoryd.api.instant import parse_instant
from memoryd.api.present import Presenter
from memoryd.api.request import AsOf
from memoryd.api.route import answer, documented, new_router, snapshot
from memoryd.api.schemas.graph import (
    ExplainAnswer,
    ExplainBody,
    GraphAnswer,
    PathAnswer,
    PathBody,
    QueryAnswer,
    QueryBody,
)
from memoryd.api.services import Services
from memoryd.render.budget import cut_text
from memoryd.render.meter import json_units
from memoryd.text.hit import Hit
from semantic.errors import AmbiguousName, UnknownNode
from semantic.graph.asking import Answered
from semantic.graph.explain import Explanation
from semantic.graph.model import Node
from semantic.graph.nodelink import edge_body, node_body, node_link
from semantic.graph.page import graph_page
from semantic.graph.path import Path, Step
from semantic.graph.report import report
from semantic.graph.sources import Picture
from semantic.model import Note
from semantic.search.query import SemanticQuery

MARKDOWN = "text/markdown; charset=utf-8"
HTML = "text/html; charset=utf-8"
# The page holds what the memory holds: whoever opens it from here gets it as a document with rights of its own.
_PAGE_HEADERS = {"Content-Security-Policy": "sandbox allow-scripts"}

SEARCHED = 12
"""So many hits of the search lead into the graph."""
ABOUT_UNITS = 200
"""In an answer to a question a node tells so much of what it is; `explain` tells all of it."""

Scope = Annotated[Literal["user", "project", "all"], Query(description="Whose knowledge; with what hangs on it.")]
Plane = Annotated[
    list[Literal["curated", "note", "extracted", "code"]] | None,
    Query(description="Only these planes; may be repeated."),
]
Format = Annotated[
    Literal["json", "html", "md"], Query(description="Node-link JSON, a page of its own, or the report.")
]


def graph_router(services: Services) -> APIRouter:
    """Return the routes of the graph."""
    router = new_router(services, "graph")
    present = Presenter(services.zone)

    def picture(as_of: str | None, field: str) -> Picture:
        if as_of is None:
            seen = services.semantic.graph.now()
        else:
            seen = services.semantic.graph.as_of(parse_instant(as_of, field=field, zone=services.zone, edge="end"))
        reading = services.reading()
        return replace(seen, degraded=(*seen.degraded, reading)) if reading else seen

    @router.get("/graph", operation_id="get_graph", responses=documented(GraphAnswer, text="By id"))
    def whole(
        scope: Scope = "all",
        plane: Plane = None,
        as_of: AsOf = None,
        format: Format = "json",  # noqa: A002 - the contract's name
    ) -> Response:
        """Return the graph, or a part of it."""
        seen = picture(as_of, "query/as_of")
        if plane is not None or scope != "all":
            seen = Picture(seen.graph.part(plane, scope), seen.projection, seen.notes, seen.degraded)
        if format == "md":
            return _text(services, report(seen.graph, seen.shape, seen.degraded), MARKDOWN)
        if format == "html":
            page = graph_page(seen.graph, seen.shape)
            return Response(page, media_type=HTML, headers={**snapshot(services), **_PAGE_HEADERS})
        return answer(services, {**node_link(seen.graph), "degraded": list(seen.degraded)})

    @router.post("/graph/path", operation_id="graph_path", responses=documented(PathAnswer, 404, 409, text="The way"))
    def path(body: PathBody) -> Response:
        """Tell how two things hang together: the path that says the most, not the one with the fewest steps."""
        seen = picture(body.as_of, "body/as_of")
        start, goal = _find(seen, body.from_, "from"), _find(seen, body.to, "to")
        found = seen.path(start, goal)
        return answer(services, _path_body(seen, start.id, goal.id, found))

    @router.post(
        "/graph/explain", operation_id="graph_explain", responses=documented(ExplainAnswer, 404, 409, text="What it is")
    )
    def explain(body: ExplainBody) -> Response:
        """Tell what a thing is, what it hangs on, who decided it and why, and what speaks of it."""
        seen = picture(body.as_of, "body/as_of")
        explained = seen.explain(_find(seen, body.of, "of"))
        return answer(services, _explanation_body(explained, seen, present))

    @router.post(
        "/graph/query", operation_id="graph_query", responses=documented(QueryAnswer, text="The part that answers")
    )
    def query(body: QueryBody) -> Response:
        """Return the part of the graph that answers a question, cut to a length."""
        seen = picture(body.as_of, "body/as_of")
        instant = None
        if body.as_of is not None:
            instant = parse_instant(body.as_of, field="body/as_of", zone=services.zone, edge="end")
        embedder, missing = services.query_embedder()
        asked = SemanticQuery(body.query, limit=SEARCHED, as_of=instant, lexical=services.lexical)
        found = services.semantic.search(asked, embedder)
        answered = seen.ask(
            body.query,
            list(dict.fromkeys(id_ for hit in found.hits for id_ in _about(hit))),
            body.max_chars,
            cost_of_node=lambda node: json_units(_short_node_body(node)),
            cost_of_edge=lambda edge: json_units(edge_body(edge)),
        )
        degraded = dict.fromkeys((*missing, *found.degraded, *seen.degraded))
        return answer(services, {"query": body.query, **_answered_body(answered), "degraded": list(degraded)})

    @router.get(
        "/graph/report",
        operation_id="graph_report",
        responses={200: {"description": "Markdown", "content": {"text/markdown": {}}}},
    )
    def get_report() -> Response:
        """Return the report: hubs, communities, bridges, orphans, what is unsure and what is surprising."""
        seen = picture(None, "query/as_of")
        return _text(services, report(seen.graph, seen.shape, seen.degraded), MARKDOWN)

    return router


def _find(seen: Picture, written: str, field: str) -> Node:
    """Return what a name means; a refusal names the field that has it, since a path has two ends."""
    try:
        return seen.find(written)
    except UnknownNode as error:
        raise UnknownNode(f"{field}: {error}", error.candidates) from error
    except AmbiguousName as error:
        raise AmbiguousName(f"{field}: {error}", error.candidates) from error


def _text(services: Services, text: str, media_type: str) -> Response:
    return Response(text, media_type=media_type, headers=snapshot(services))


def _about(hit: Hit) -> Iterator[str]:
    """Yield the nodes that a hit of the search is about: itself, or what was decided about."""
    if hit.kind != "decision":
        yield hit.id
    yield from hit.elements


def _short_node_body(node: Node) -> dict[str, Any]:
    body = node_body(node)
    return body | {"about": cut_text(body["about"], ABOUT_UNITS)} if "about" in body else body


def _answered_body(answered: Answered) -> dict[str, Any]:
    return {
        "starts": [{"id": id_, "score": round(score, 3)} for id_, score in answered.starts],
        "nodes": [_short_node_body(node) for node in answered.nodes],
        "links": [edge_body(edge) for edge in answered.edges],
        "left_out": {
            "nodes": answered.left_out_nodes,
            "links": answered.left_out_edges,
            "further_ties": answered.more_ties,
        },
        "units": answered.units,
    }


def _path_body(seen: Picture, start: str, goal: str, found: Path) -> dict[str, Any]:
    nodes = seen.graph.nodes
    steps = found.steps or ()
    degraded = [*seen.degraded, *(["the search ended at its limit"] if found.is_cut else [])]
    return {
        "from": node_body(nodes[start]),
        "to": node_body(nodes[goal]),
        "found": found.steps is not None,
        "cut": found.is_cut,
        "cost": found.price,
        "nodes": [node_body(nodes[id_]) for id_ in _along(start, steps)] if found.steps is not None else [],
        "steps": [edge_body(step.edge) | {"forward": step.is_forward} for step in steps],
        "degraded": degraded,
    }


def _along(start: str, steps: Sequence[Step]) -> list[str]:
    return [start, *(step.edge.target if step.is_forward else step.edge.source for step in steps)]


def _explanation_body(explained: Explanation, seen: Picture, present: Presenter) -> dict[str, Any]:
    return {
        "node": node_body(explained.node),
        "relations": dict(explained.relations),
        "hangs_on": [
            {"link": edge_body(one.edge), "forward": one.is_forward, "node": node_body(one.other)}
            for one in explained.hanging
        ],
        "left_out": explained.left_out,
        "decisions": [present.history_item(decision) for decision in explained.decisions],
        "notes": [_note_body(note) for note in explained.notes],
        "evidence": list(explained.evidence),
        "degraded": list(seen.degraded),
    }


def _note_body(note: Note) -> dict[str, Any]:
    body = {"id": note.id, "path": f"{note.vault}:{note.path}", "title": note.title}
    return body if note.summary is None else body | {"summary": note.summary}
