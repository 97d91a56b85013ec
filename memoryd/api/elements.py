"""``/v1/elements`` and ``/v1/conflicts``: things known, how they came to be so, and what they hang on."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from memoryd.api.conventions import cut_page, decode_cursor, encode_cursor
from memoryd.api.instant import parse_instant
from memoryd.api.present import Presenter, element_body, link_body, page_body, standing_body
from memoryd.api.request import LIMIT_DEFAULT, AsOf, Cursor, Limit, Session, Who
from memoryd.api.route import answer, documented, new_router
from memoryd.api.schemas.decisions import ConflictPage, ElementAnswer, ElementPage, HistoryPage, NeighborPage
from memoryd.api.services import Services
from memoryd.render.brief import cost_of
from semantic.search.listing import listing_key

Explain = Annotated[bool | None, Query(description="Say where it stands in the active set now, and why.")]
Archived = Annotated[bool | None, Query(description="Only archived elements, or only others.")]


def elements_router(services: Services) -> APIRouter:
    """Return the routes of elements."""
    router = new_router(services, "elements")
    present = Presenter(services.zone)
    semantic = services.semantic

    def archived_ids() -> set[str]:
        return {id_ for id_, standing in semantic.attention().items() if standing.archived}

    @router.get("/elements", operation_id="list_elements", responses=documented(ElementPage, text="By name and id"))
    def list_elements(
        q: Annotated[str | None, Query(description="Words of a name, an alias or a gist.")] = None,
        near: Annotated[
            str | None, Query(description="An id or name: what is near it. A path: what touches it.")
        ] = None,
        kind: Annotated[str | None, Query(description="Only this kind.")] = None,
        scope: Annotated[Literal["user", "project"] | None, Query(description="Only this scope.")] = None,
        project: Annotated[str | None, Query(description="Only this project, by id or name.")] = None,
        archived: Archived = None,
        cursor: Cursor = None,
        limit: Limit = LIMIT_DEFAULT,
    ) -> Response:
        """List elements."""
        after = tuple(str(part) for part in decode_cursor(cursor, str, str)) if cursor else ("", "")
        out = archived_ids()
        found = [
            element
            for element in semantic.elements(q=q, near=near, kind=kind, scope=scope, project=project)
            if (archived is None or (element.id in out) is archived) and listing_key(element) > after
        ]
        page = found[:limit]
        since = services.unconfirmed(page)
        body = {
            "items": [
                element_body(element, archived=element.id in out, unconfirmed_since=present.day(since.get(element.id)))
                for element in page
            ],
            "next_cursor": encode_cursor(*listing_key(page[-1])) if len(found) > limit else None,
        }
        return answer(services, body)

    @router.get("/elements/{id}", operation_id="get_element", responses=documented(ElementAnswer, 404, text="It"))
    def get(
        id: str,  # noqa: A002 - the contract's name
        who: Who,
        session: Session,
        as_of: AsOf = None,
        explain: Explain = None,
    ) -> Response:
        """Return an element as it is known now, or was then. An agent's read brings an archived one back."""
        if as_of is None:
            element = semantic.element(id)
        else:
            then = parse_instant(as_of, field="query/as_of", zone=services.zone, edge="end")
            element = semantic.element_as_of(id, then)
        if who.kind == "agent":
            semantic.attend("read", [element.id], actor=str(who), session=session)
            services.attended()
        # The read is on its way to the record, where it brings the element back.
        is_archived = who.kind != "agent" and element.id in archived_ids()
        since = services.unconfirmed([element]).get(id) if as_of is None else None
        body = element_body(element, archived=is_archived, unconfirmed_since=present.day(since))
        if explain and as_of is None:
            body["standing"] = standing_body(semantic.place_of(element.id, cost=cost_of))
        return answer(services, body, headers={"ETag": f'"{element.etag}"'})

    @router.get("/elements/{id}/history", operation_id="element_history", responses=documented(HistoryPage, 404))
    def history(id: str, cursor: Cursor = None, limit: Limit = LIMIT_DEFAULT) -> Response:  # noqa: A002 - as above
        """Return every decision about an element, oldest first."""
        page, following = cut_page(semantic.history(id), limit, cursor)
        return answer(services, page_body([present.history_item(decision) for decision in page], following))

    @router.get("/elements/{id}/neighbors", operation_id="element_neighbors", responses=documented(NeighborPage, 404))
    def neighbors(id: str, cursor: Cursor = None, limit: Limit = LIMIT_DEFAULT) -> Response:  # noqa: A002 - as above
        """Return the edges around an element, in and out."""
        page, following = cut_page(semantic.neighbors(id), limit, cursor)
        out = archived_ids()
        items = [
            {
                "link": link_body(link),
                "element": element_body(element, archived=element.id in out) if element else None,
            }
            for link, element in page
        ]
        return answer(services, page_body(items, following))

    @router.get(
        "/conflicts", operation_id="list_conflicts", responses=documented(ConflictPage, text="In a fixed order")
    )
    def conflicts(cursor: Cursor = None, limit: Limit = LIMIT_DEFAULT) -> Response:
        """List the elements about which two decisions stand that nobody weighed against each other."""
        page, following = cut_page(semantic.conflicts(), limit, cursor)
        out = archived_ids()
        items = [
            {
                "element": element_body(element, archived=element.id in out),
                "heads": [present.history_item(head) for head in heads],
            }
            for element, heads in page
        ]
        return answer(services, page_body(items, following))

    return router
