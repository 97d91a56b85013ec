"""The conventions as parts of a route's signature."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import Depends, Header, Query, Request
from pydantic import BaseModel

from memoryd.api.conventions import (
    ACTOR_HEADER,
    LIMIT_DEFAULT,
    LIMIT_MOST,
    SESSION_HEADER,
    Actor,
    parse_actor,
    settle_session,
)
from memoryd.api.errors import BadParameter
from memoryd.api.guard import bearer_token

Limit = Annotated[int, Query(ge=1, le=LIMIT_MOST, description=f"At most so many items, 1 to {LIMIT_MOST}.")]
"""To be given the default ``LIMIT_DEFAULT``, or that of the route."""

Cursor = Annotated[str | None, Query(description="`next_cursor` of the part before.")]
Since = Annotated[str | None, Query(description="Start: an instant, a date, or a span back from now such as `2w`.")]
Until = Annotated[str | None, Query(description="End, not included: as `since`; a date means the end of that day.")]
AsOf = Annotated[str | None, Query(description="An instant or a date (its end): what was known then.")]

__all__ = [
    "LIMIT_DEFAULT", "AsOf", "Cursor", "Limit", "Session", "Since", "Token", "Until", "Who", "refuse_unknown_query",
]  # fmt: skip


async def read_actor(
    actor: Annotated[
        str | None, Header(alias=ACTOR_HEADER, description="`person`, `agent[:name]` or `job:name`.")
    ] = None,
) -> Actor:
    """Return who acts."""
    return parse_actor(actor)


async def read_session(
    session: Annotated[str | None, Header(alias=SESSION_HEADER, description="The agent's session.")] = None,
) -> str | None:
    """Return the session that the header names."""
    return settle_session(None, session)


async def read_token(authorization: Annotated[str | None, Header(include_in_schema=False)] = None) -> str:
    """Return the token that the request came with; the guard has judged it before."""
    return bearer_token([authorization or ""]) or ""


Who = Annotated[Actor, Depends(read_actor)]
Token = Annotated[str, Depends(read_token)]
Session = Annotated[str | None, Depends(read_session)]


async def refuse_unknown_query(request: Request) -> None:
    """Refuse a query parameter that the route does not have, and one that is sent twice without being a list.

    Meant as a dependency of every router. A misspelt filter would otherwise return more than was asked for.

    Raises:
        BadParameter: Naming the parameters that there are.
    """
    sent = Counter(name for name, _ in request.query_params.multi_items())
    if not sent:
        return
    known = dict(_parameters(request.scope["route"].dependant))
    for name, times in sent.items():
        if name not in known:
            offered = ", ".join(sorted(known)) or "none"
            raise BadParameter("query", "unknown_parameter", f"there is no such parameter here; there are: {offered}")
        if times > 1 and not known[name]:
            raise BadParameter(f"query/{name}", "repeated", "is given more than once")


def _parameters(dependant: Any) -> Iterator[tuple[str, bool]]:
    """Return the names of a route's query parameters, and for each whether it may be repeated."""
    for field in dependant.query_params:
        kind = field.field_info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            for name, inner in kind.model_fields.items():
                yield inner.alias or name, _is_list(inner.annotation)
        else:
            yield field.alias, _is_list(kind)
    for inner_dependant in dependant.dependencies:
        yield from _parameters(inner_dependant)


def _is_list(annotation: Any) -> bool:
    text = str(annotation)
    return any(kind in text for kind in ("list[", "tuple[", "set[", "Sequence["))
