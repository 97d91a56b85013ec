"""How a failure becomes an answer: RFC 9457 problems, and the one table from error classes to them.

A problem never repeats what was sent: it names the place and what is allowed there. What went wrong inside is logged
under the request's id and is not told.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeAlias

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.responses import Response
from starlette.routing import Match

from memoryd.api.errors import BadParameter
from memoryd.service.logging import describe_error, get_logger

MEDIA_TYPE = "application/problem+json"
LONGEST_NAME = 80

logger = get_logger("memoryd.api.problems")

Members: TypeAlias = Callable[[Any], Mapping[str, Any]]
Table: TypeAlias = Mapping[type[Exception], "Row"]


@dataclass(frozen=True, slots=True)
class Row:
    """What the table says of an error class: slug, status, fixed title, and what else to take from the error.

    The error's own message becomes ``detail``: it must be written for the caller and quote nothing that was sent.
    ``headers`` are sent along, such as ``Retry-After``. ``detail`` is for errors of others, whose messages say too much
    or too little.
    """

    slug: str
    status: int
    title: str
    members: Members | None = None
    headers: Mapping[str, str] | None = None
    detail: str | None = None


class ProblemItem(BaseModel):
    """One thing that is wrong with a request: where (a JSON pointer into its parts), which rule, and in words."""

    pointer: str = Field(examples=["/body/limit"])
    code: str = Field(examples=["greater_than_equal"])
    message: str


class Problem(BaseModel):
    """Why a request was not done (RFC 9457). Some problems carry further members."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(examples=["urn:memoryd:problem:not-found"])
    title: str
    status: int
    detail: str
    instance: str = Field(examples=["urn:memoryd:request:3f2a9c"])
    errors: list[ProblemItem] | None = None


BY_STATUS: Mapping[int, tuple[str, str, str]] = {
    400: ("bad-request", "The request cannot be read", "The request is not well formed."),
    401: ("unauthorized", "A token is needed", "Send the token in the header Authorization: Bearer …"),
    403: ("forbidden", "The request comes from elsewhere", "Requests of other sites are not served."),
    404: ("not-found", "Not found", "There is nothing at this address."),
    405: ("method-not-allowed", "The method is not offered here", "Allow names the methods of this address."),
    406: ("not-acceptable", "No such representation", "The asked-for format is not offered."),
    408: ("too-slow", "The request came too slowly", "Send the whole request within seconds."),
    409: ("conflict", "In conflict with what is there", "What is there says otherwise."),
    412: ("stale", "It changed in the meantime", "Read it again and repeat with its new ETag."),
    413: ("too-large", "The body is too large", "A body has at most 8 MiB."),
    415: ("not-json", "Only JSON is read", "Send the body as application/json in UTF-8."),
    421: ("wrong-host", "This host is not served", "Use the address in endpoint.json."),
    422: ("invalid-request", "The request is not valid", "See errors."),
    428: ("precondition-required", "If-Match is needed", "Send the ETag of what you read in If-Match."),
    429: ("too-many-requests", "Too many requests", "Try again a little later."),
    507: ("not-written", "It could not be written", "The disk may be full or read-only; nothing was changed."),
    500: ("internal", "Something failed inside", "The log has more under this request's id."),
    503: ("not-ready", "Not ready yet", "Try again after the seconds in Retry-After."),
}
"""Status -> (slug, title, default detail) of the problems that belong to no error class."""


ANYWHERE = (400, 403, 408, 413, 415, 421, 422, 500, 503)
"""What the edge answers at every address, before any route is asked."""
WITH_TOKEN = (401,)
"""What it answers beside that wherever a token is needed."""


def problem_body(
    status: int, slug: str, title: str, detail: str, request_id: str, members: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the members of a problem; further ones never replace the fixed ones."""
    fixed = {
        "type": f"urn:memoryd:problem:{slug}",
        "title": title,
        "status": status,
        "detail": detail,
        "instance": f"urn:memoryd:request:{request_id}",
    }
    return fixed | {key: value for key, value in (members or {}).items() if key not in fixed}


def status_body(
    status: int, request_id: str, detail: str | None = None, members: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the problem that stands for a bare status."""
    slug, title, default = BY_STATUS.get(status, ("failed", _phrase(status), _phrase(status)))
    return problem_body(status, slug, title, detail or default, request_id, members)


def request_id_of(request: Request) -> str:
    """Return the id that the guard gave to the request."""
    return str(request.scope.get("state", {}).get("request_id", "none"))


def install_problems(app: FastAPI, table: Table) -> None:
    """Make every failure of the app answer as a problem.

    Args:
        app: The application.
        table: Error class -> row; a subclass without a row of its own has that of its nearest base.
    """
    for kind, row in table.items():
        app.add_exception_handler(kind, _answer_by(row))
    app.add_exception_handler(RequestValidationError, _answer_invalid)
    app.add_exception_handler(BadParameter, _answer_parameter)
    app.add_exception_handler(StarletteHTTPException, _answer_status)
    app.add_exception_handler(Exception, _answer_unexpected)


def problem_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI ``responses`` for these statuses and for those that every route can give."""
    return {status: problem_response(status) for status in sorted({*ANYWHERE, *WITH_TOKEN, *statuses})}


def problem_response(status: int) -> dict[str, Any]:
    """Return the OpenAPI entry of one problem."""
    return {
        "description": BY_STATUS.get(status, ("", _phrase(status)))[1],
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }


def describe_invalid(error: Mapping[str, Any]) -> ProblemItem:
    """Return one validation error without the value that caused it."""
    kind, place = str(error["type"]), [str(part) for part in error["loc"]]
    if kind == "json_invalid":
        return ProblemItem(pointer="/body", code=kind, message=f"not JSON, from character {place[-1]}")
    pointer = "".join("/" + _shorten(part).replace("~", "~0").replace("/", "~1") for part in place)
    if kind == "extra_forbidden":
        message = "there is no field of this name"
    elif kind == "missing" and place == ["body"]:
        message = "a JSON body is needed"
    else:
        message = str(error["msg"]).removeprefix("Value error, ")
        given = error.get("input")
        quoted = isinstance(given, str) and len(given) > 1 and given in message
        if quoted or kind in {"uuid_parsing", "url_parsing", "enum_unknown"}:
            message = "this value is not allowed here"
    return ProblemItem(pointer=pointer, code=kind, message=message)


Handler: TypeAlias = Callable[[Request, Exception], Awaitable[Response]]


def _answer_by(row: Row) -> Handler:
    async def answer(request: Request, error: Exception) -> Response:
        members = row.members(error) if row.members else None
        detail = row.detail or str(error) or row.title
        body = problem_body(row.status, row.slug, row.title, detail, request_id_of(request), members)
        # "Not yet" is no failure: whoever waits for the start asks again and again.
        is_failure = row.status >= HTTPStatus.INTERNAL_SERVER_ERROR and row.status != HTTPStatus.SERVICE_UNAVAILABLE
        if is_failure or row.detail is not None:
            logger.error("request failed", request_id=request_id_of(request), error=describe_error(error))
        return JSONResponse(body, row.status, dict(row.headers or {}), MEDIA_TYPE)

    return answer


async def _answer_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    items = [describe_invalid(one) for one in error.errors()]
    return _invalid(request, items)


async def _answer_parameter(request: Request, error: Exception) -> Response:
    assert isinstance(error, BadParameter)
    return _invalid(request, [ProblemItem(pointer=f"/{error.field}", code=error.code, message=str(error))])


def _invalid(request: Request, items: list[ProblemItem]) -> Response:
    first = items[0]
    detail = f"{first.pointer}: {first.message}" + (f" (and {len(items) - 1} more)" if len(items) > 1 else "")
    body = status_body(422, request_id_of(request), detail, {"errors": [item.model_dump() for item in items]})
    return JSONResponse(body, 422, media_type=MEDIA_TYPE)


async def _answer_status(request: Request, error: Exception) -> Response:
    assert isinstance(error, StarletteHTTPException)
    if error.status_code == HTTPStatus.BAD_REQUEST and error.detail == "There was an error parsing the body":
        # JSON that the parser gives up on in another way: too deep, too long a number, not UTF-8.
        item = ProblemItem(pointer="/body", code="json_invalid", message="not JSON that can be read")
        return _invalid(request, [item])
    said = error.detail if error.detail != _phrase(error.status_code) else None
    body = status_body(error.status_code, request_id_of(request), said)
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED and (offered := _offered(request)):
        headers["Allow"] = ", ".join(offered)
    return JSONResponse(body, error.status_code, headers, MEDIA_TYPE)


async def _answer_unexpected(request: Request, error: Exception) -> Response:
    request_id = request_id_of(request)
    logger.error("request failed", request_id=request_id, error=describe_error(error))
    request.scope.setdefault("state", {})["failure_logged"] = True
    return JSONResponse(status_body(500, request_id), 500, media_type=MEDIA_TYPE)


def _offered(request: Request) -> list[str]:
    """Return the methods of all routes of an address: the framework tells only those of the first one."""
    methods: set[str] = set()
    for route in getattr(request.app.state, "routes", request.app.router.routes):
        if route.matches(request.scope)[0] is not Match.NONE:
            methods |= getattr(route, "methods", None) or set()
    return sorted(methods | ({"HEAD"} if "GET" in methods else set()))


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return f"Status {status}"


def _shorten(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "…"
