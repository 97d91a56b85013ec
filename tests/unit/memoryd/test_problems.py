"""Failures become problems that never repeat what was sent."""

import json
from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from fastapi import APIRouter, Depends, FastAPI, HTTPException, Query
from fastapi.testclient import TestClient
from pydantic import BaseModel, ConfigDict, Field, field_validator

from memoryd.api.conventions import LIMIT_DEFAULT
from memoryd.api.errors import BadParameter
from memoryd.api.problems import BY_STATUS, Problem, Row, install_problems, problem_responses
from memoryd.api.request import Cursor, Limit, Session, Who, refuse_unknown_query

SECRET = "s3cret-value"


class NotHere(Exception):
    pass


class NotHereEither(NotHere):
    pass


class Twice(Exception):
    candidates = ("el_1",)


class Broken(Exception):
    pass


class Colour(Enum):
    RED = "red"


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    n: int = Field(ge=0)


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")
    text: str = Field(min_length=2, max_length=20)
    inner: list[Inner] = []
    kind: Literal["a", "b"] = "a"
    id: UUID | None = None
    colour: Colour = Colour.RED
    checked: str = ""

    @field_validator("checked")
    @classmethod
    def _check(cls, value: str) -> str:
        if value:
            raise ValueError(f"{value} is wrong")
        return value


class Filters(BaseModel):
    model_config = ConfigDict(extra="forbid")
    a: int = 0
    tags: list[str] = []


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    app = FastAPI()
    router = APIRouter(prefix="/v1", dependencies=[Depends(refuse_unknown_query)], responses=problem_responses(404))

    @router.post("/things")
    def make(body: Body) -> str:
        return body.text

    @router.get("/things")
    def things(
        who: Who,
        session: Session,
        limit: Limit = LIMIT_DEFAULT,
        cursor: Cursor = None,
        tag: Annotated[list[str] | None, Query()] = None,
    ) -> Any:
        return {"who": str(who), "session": session, "limit": limit, "cursor": cursor, "tag": tag}

    @router.get("/filtered")
    def filtered(query: Annotated[Filters, Query()]) -> Any:
        return query.model_dump()

    @router.get("/fail/{what}")
    def fail(what: str) -> None:
        errors: dict[str, Exception] = {
            "gone": NotHereEither("no such thing"),
            "twice": Twice("two of that name"),
            "broken": Broken("the disk is full"),
            "field": BadParameter("query/since", "instant", "not an instant"),
            "teapot": HTTPException(418),
            "stale": HTTPException(412, "changed", {"ETag": '"7"'}),
            "bug": RuntimeError(SECRET),
        }
        raise errors[what]

    app.include_router(router)
    install_problems(
        app,
        {
            NotHere: Row("not-found", 404, "Not found"),
            Twice: Row(
                "conflict",
                409,
                "In conflict",
                members=lambda error: {"candidates": list(error.candidates), "status": 1},
            ),
            Broken: Row("storage", 507, "No room", headers={"Retry-After": "5"}),
        },
    )
    with TestClient(app, raise_server_exceptions=False) as opened:
        yield opened


def problem(answer: Any, status: int) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    Problem.model_validate(body)
    assert body["status"] == status
    assert SECRET not in answer.text
    return dict(body)


def test_domain_errors_follow_the_table_and_its_nearest_base(client: TestClient) -> None:
    body = problem(client.get("/v1/fail/gone"), 404)
    assert body == {
        "type": "urn:memoryd:problem:not-found",
        "title": "Not found",
        "status": 404,
        "detail": "no such thing",
        "instance": "urn:memoryd:request:none",
    }


def test_members_are_added_and_cannot_change_the_fixed_ones(client: TestClient) -> None:
    assert problem(client.get("/v1/fail/twice"), 409)["candidates"] == ["el_1"]


def test_headers_are_sent(client: TestClient) -> None:
    answer = client.get("/v1/fail/broken")
    assert problem(answer, 507)["detail"] == "the disk is full"
    assert answer.headers["retry-after"] == "5"
    stale = client.get("/v1/fail/stale")
    assert problem(stale, 412)["detail"] == "changed"
    assert stale.headers["etag"] == '"7"'


def test_a_bug_tells_nothing(client: TestClient) -> None:
    assert problem(client.get("/v1/fail/bug"), 500)["detail"] == BY_STATUS[500][2]


def test_statuses_without_a_row_have_a_problem_too(client: TestClient) -> None:
    assert problem(client.get("/v1/fail/teapot"), 418)["title"] == "I'm a Teapot"
    assert problem(client.get(f"/{SECRET}"), 404)["type"] == "urn:memoryd:problem:not-found"
    answer = client.delete("/v1/things")
    problem(answer, 405)
    assert answer.headers["allow"]


@pytest.mark.parametrize(
    ("sent", "pointer", "code"),
    [
        ({}, "/body/text", "missing"),
        ({"text": "s"}, "/body/text", "string_too_short"),
        ({"text": SECRET * 3}, "/body/text", "string_too_long"),
        ({"text": "ok", "kind": SECRET}, "/body/kind", "literal_error"),
        ({"text": "ok", "id": SECRET}, "/body/id", "uuid_parsing"),
        ({"text": "ok", "colour": SECRET}, "/body/colour", "enum"),
        ({"text": "ok", "checked": SECRET}, "/body/checked", "value_error"),
        ({"text": "ok", "inner": [{"n": 1}, {"n": SECRET}]}, "/body/inner/1/n", "int_parsing"),
        ({"text": "ok", "inner": [{"n": 1, "a/b~": SECRET}]}, "/body/inner/0/a~1b~0", "extra_forbidden"),
        ({"text": "ok", "x": SECRET}, "/body/x", "extra_forbidden"),
        ([SECRET], "/body", "model_attributes_type"),
        (None, "/body", "model_attributes_type"),
    ],
)
def test_a_wrong_body_is_placed_and_not_repeated(client: TestClient, sent: Any, pointer: str, code: str) -> None:
    body = problem(
        client.post("/v1/things", content=json.dumps(sent), headers={"content-type": "application/json"}), 422
    )
    assert (body["errors"][0]["pointer"], body["errors"][0]["code"]) in {(pointer, code), ("/body", "missing")}
    assert set(body["errors"][0]) == {"pointer", "code", "message"}
    assert body["detail"].startswith(body["errors"][0]["pointer"])


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"s3cret-value",
        b"\xff\xfe\xfd",
        b'{"text": "\xff"}',
        b"[" * 100_000,
        b'{"text": ' + b"9" * 10_000 + b"}",
        b'{"text": "\\ud800x"}',
    ],
)
def test_what_is_no_json_is_422(client: TestClient, raw: bytes) -> None:
    body = problem(client.post("/v1/things", content=raw, headers={"content-type": "application/json"}), 422)
    assert body["errors"][0]["pointer"].startswith("/body")


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("limit=0", "/query/limit"),
        ("limit=501", "/query/limit"),
        ("limit=s3cret-value", "/query/limit"),
        ("s3cret-value=1", "/query"),
        ("limit=1&limit=2", "/query/limit"),
        ("Limit=1", "/query"),
    ],
)
def test_wrong_parameters(client: TestClient, query: str, pointer: str) -> None:
    body = problem(client.get(f"/v1/things?{query}"), 422)
    assert body["errors"][0]["pointer"] == pointer


def test_an_unknown_parameter_names_those_there_are(client: TestClient) -> None:
    assert "cursor, limit, tag" in problem(client.get("/v1/things?lmit=1"), 422)["detail"]
    assert "there are: none" in problem(client.get("/v1/fail/gone?x=1"), 422)["detail"]


def test_known_parameters_pass(client: TestClient) -> None:
    answer = client.get(
        "/v1/things?limit=500&tag=a&tag=b&cursor=", headers={"Memoryd-Actor": "agent:x", "Memoryd-Session": "s"}
    )
    assert answer.json() == {"who": "agent:x", "session": "s", "limit": 500, "cursor": "", "tag": ["a", "b"]}
    assert client.get("/v1/filtered?a=1&tags=x&tags=y").json() == {"a": 1, "tags": ["x", "y"]}
    problem(client.get("/v1/filtered?b=1"), 422)


def test_wrong_headers(client: TestClient) -> None:
    body = problem(client.get("/v1/things", headers={"Memoryd-Actor": SECRET}), 422)
    assert body["errors"][0]["pointer"] == "/header/memoryd-actor"
    problem(client.get("/v1/things", headers={"Memoryd-Session": " "}), 422)


def test_a_parameter_error_of_a_route_is_422(client: TestClient) -> None:
    body = problem(client.get("/v1/fail/field"), 422)
    assert body["errors"] == [{"pointer": "/query/since", "code": "instant", "message": "not an instant"}]
    assert body["detail"] == "/query/since: not an instant"


def test_every_route_documents_its_problems() -> None:
    responses = problem_responses(404, 409)
    assert {401, 403, 404, 409, 413, 415, 421, 422, 500, 503} <= set(responses)
