"""``/v1/graph``: the whole net of what is known, and questions to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from memoryd.api.instant import parse_instant
from memoryd.api.present import Presenter
from memoryd.api.request import AsOf
from memoryd.api.route import answer, documented, new_router, snapshot
from memoryd.api.schemas.graph import ExplainAnswer, ExplainBody, GraphAnswer, PathAnswer, PathBody
from memoryd.api.services import Services
from semantic.graph.explain import Explanation
from semantic.graph.nodelink import edge_body, node_body, node_link
from semantic.graph.page import graph_page
from semantic.graph.path import Path, Step
from semantic.graph.report import report
from semantic.graph.sources import Picture
from semantic.model import Note

MARKDOWN = "text/markdown; charset=utf-8"
HTML = "text/html; charset=utf-8"
# The page holds what the memory holds: whoever opens it from here gets it as a document with rights of its own.
_PAGE_HEADERS = {"Content-Security-Policy": "sandbox allow-scripts"}

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
            return services.semantic.graph.now()
        return services.semantic.graph.as_of(parse_instant(as_of, field=field, zone=services.zone, edge="end"))

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
        start, goal = seen.find(body.from_), seen.find(body.to)
        found = seen.path(start, goal)
        return answer(services, _path_body(seen, start.id, goal.id, found))

    @router.post(
        "/graph/explain", operation_id="graph_explain", responses=documented(ExplainAnswer, 404, 409, text="What it is")
    )
    def explain(body: ExplainBody) -> Response:
        """Tell what a thing is, what it hangs on, who decided it and why, and what speaks of it."""
        seen = picture(body.as_of, "body/as_of")
        explained = seen.explain(seen.find(body.of))
        return answer(services, _explanation_body(explained, seen, present))

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


def _text(services: Services, text: str, media_type: str) -> Response:
    return Response(text, media_type=media_type, headers=snapshot(services))


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
