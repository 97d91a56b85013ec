"""``/v1/elements`` and ``/v1/conflicts``: things known, how they came to be so, and what they hang on."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from memoryd.api.conventions import decode_cursor, encode_cursor
from memoryd.api.instant import parse_instant
from memoryd.api.present import Presenter, element_body, link_body
from memoryd.api.request import LIMIT_DEFAULT, AsOf, Cursor, Limit
from memoryd.api.route import answer, documented, new_router
from memoryd.api.schemas.decisions import ConflictPage, ElementAnswer, ElementPage, HistoryPage, NeighborPage
from memoryd.api.services import Services
from semantic.attention import UNATTENDED
from semantic.model import Element

Archived = Annotated[bool | None, Query(description="Only archived elements, or only others.")]


def elements_router(services: Services) -> APIRouter:
    """Return the routes of elements."""
    router = new_router(services, "elements")
    present = Presenter(services.zone)
    semantic = services.semantic

    def is_archived(element: Element) -> bool:
        return semantic.attention().get(element.id, UNATTENDED).archived

    @router.get("/elements", operation_id="list_elements", responses=documented(ElementPage, text="By kind and name"))
    def list_elements(
        q: Annotated[str | None, Query(description="Words of a name, an alias or a gist.")] = None,
        near: Annotated[str | None, Query(description="A name: what is spelled nearly so.")] = None,
        kind: Annotated[str | None, Query(description="Only this kind.")] = None,
        scope: Annotated[Literal["user", "project"] | None, Query(description="Only this scope.")] = None,
        archived: Archived = None,
        cursor: Cursor = None,
        limit: Limit = LIMIT_DEFAULT,
    ) -> Response:
        """List elements."""
        after = str(decode_cursor(cursor, str)[0]) if cursor else ""
        found = [
            element
            for element in semantic.elements(q=q, near=near, kind=kind, scope=scope)
            if archived is None or is_archived(element) is archived
        ]
        start = next((place + 1 for place, element in enumerate(found) if element.id == after), 0)
        page = found[start : start + limit]
        more = len(found) > start + limit
        body = {
            "items": [element_body(element, archived=is_archived(element)) for element in page],
            "next_cursor": encode_cursor(page[-1].id) if more else None,
        }
        return answer(services, body)

    @router.get("/elements/{id}", operation_id="get_element", responses=documented(ElementAnswer, 404, text="It"))
    def get(id: str, as_of: AsOf = None) -> Response:  # noqa: A002 - the name of the path parameter is the contract's
        """Return an element as it is known now, or as it was known then."""
        if as_of is None:
            element = semantic.element(id)
        else:
            then = parse_instant(as_of, field="query/as_of", zone=services.zone, edge="end")
            element = semantic.element_as_of(id, then)
        body = element_body(element, archived=is_archived(element))
        return answer(services, body, headers={"ETag": f'"{element.etag}"'})

    @router.get("/elements/{id}/history", operation_id="element_history", responses=documented(HistoryPage, 404))
    def history(id: str) -> Response:  # noqa: A002 - as above
        """Return every decision about an element, oldest first."""
        items = [present.history_item(decision) for decision in semantic.history(id)]
        return answer(services, {"items": items, "next_cursor": None})

    @router.get("/elements/{id}/neighbors", operation_id="element_neighbors", responses=documented(NeighborPage, 404))
    def neighbors(id: str) -> Response:  # noqa: A002 - as above
        """Return the edges around an element, in and out."""
        items = [
            {"link": link_body(link), "element": element_body(element) if element else None}
            for link, element in semantic.neighbors(id)
        ]
        return answer(services, {"items": items, "next_cursor": None})

    @router.get(
        "/conflicts", operation_id="list_conflicts", responses=documented(ConflictPage, text="In a fixed order")
    )
    def conflicts() -> Response:
        """List the elements about which two decisions stand that nobody weighed against each other."""
        items = [
            {"element": element_body(element), "heads": [present.history_item(head) for head in heads]}
            for element, heads in semantic.conflicts()
        ]
        return answer(services, {"items": items, "next_cursor": None})

    return router
