"""Whatever is sent to whatever route, it is an answer or a problem of the sender's, and never a failure inside."""

from __future__ import annotations

import asyncio
import base64
import json
import secrets
import sqlite3
from collections.abc import Iterator, Mapping
from datetime import UTC
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryd.api.build import build_api
from memoryd.api.conventions import encode_cursor
from memoryd.api.guard import Guard
from memoryd.app import Daemon, compose
from memoryd.clock import system_clock
from memoryd.paths import find_paths
from memoryd.settings import Settings
from tests import asgi

TOKEN = "t" * 43
ROUNDS = settings(
    max_examples=250,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
METHODS = ("get", "put", "post", "delete", "patch")
MARK = "zyzzyva"


class Api:
    """The whole application on stores in a folder, asked without a socket."""

    def __init__(self, root: Path) -> None:
        paths = find_paths({"MEMORYD_HOME": str(root)})
        paths.make()
        chosen = Settings.model_validate({"engine": {"kind": "exact"}, "embedding": {"model": "none"}})
        self.daemon: Daemon = compose(paths, chosen, install="a" * 12, clock=system_clock(UTC), zone=UTC)
        self.daemon.services.semantic.open()
        self.daemon.services.episodic.open()
        self.daemon.services.readiness.set_ready()
        app = build_api(self.daemon.services)
        self.guarded = Guard(app, port=lambda: 1, accepts=lambda token: token == TOKEN, mint=lambda: "minted")
        document = json.loads(json.dumps(app.openapi()))
        self.schemas = document["components"]["schemas"]
        self.operations = [
            (method.upper(), path, operation)
            for path, item in sorted(document["paths"].items())
            for method, operation in sorted(item.items())
            if method in METHODS
        ]
        self.loop = asyncio.new_event_loop()

    def close(self) -> None:
        self.daemon.close()
        self.loop.close()

    def call(
        self, method: str, target: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request; return status, headers and body."""
        sent = {"host": "127.0.0.1:1", "authorization": f"Bearer {TOKEN}", **(headers or {})}
        if body is not None:
            sent = {"content-type": "application/json", "content-length": str(len(body)), **sent}
        return self.loop.run_until_complete(asgi.ask(self.guarded, method, target, sent, body or b""))


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    built = Api(tmp_path_factory.mktemp("api"))
    yield built
    built.close()


ODD_TEXTS = [
    "", " ", 'W/"x"', "\x00", "a\x00b", "\ud800", "x\udfffy", "/" * 5000, "/" + "a" * 300,
    "/etc/shadow/x", "../../etc/passwd",
    "/root/.ssh", "el_" + "0" * 20, "ep_" + "0" * 26, "ep_01JE0000000000000000000000", "de_" + "0" * 24,
    "no_" + "0" * 20,
    "2026-11-30", "2026-11-30T10:00:00", "0001-01-01", "9999-12-31", "9999-12-31T23:59:59-23:59", "999999y", "1w",
    "vault",
    "vault:x.md", "path:x:y", "true", "1e309", "\u202e\u200b", "e\u0301" * 40, "🦉" * 40, "'; DROP TABLE x; --",
    "%s%d{0}",
    '"]}', "*", "AND OR NOT (", "\n# x\n<!-- memoryd: id=x -->", "person", "agent:x", "job:", MARK,
]  # fmt: skip
texts = st.one_of(
    st.sampled_from(ODD_TEXTS),
    st.text(max_size=30),
    st.text(st.characters(categories=["Cs", "Cc", "Lo", "Mn"]), max_size=6),
)
numbers = st.one_of(
    st.integers(-3, 600), st.sampled_from([2**31, 2**53, 2**63, 2**64, 10**30, -(2**63), 1.5, -0.0, 1e308])
)
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=8
)
references = st.one_of(texts, st.fixed_dictionaries({"kind": texts, "name": texts}), anything)
OPS = ["put_element", "set_prop", "add_link", "retire_link", "drop", "rename", "merge", "split", "other"]
mutations = st.fixed_dictionaries(
    {"op": st.sampled_from(OPS)},
    optional={
        "id": references, "kind": texts, "name": texts, "gist": texts, "props": anything,
        "notes": st.lists(texts, max_size=2),
        "touches": st.lists(texts, max_size=2), "aliases": st.lists(texts, max_size=2), "key": texts, "value": anything,
        "from": references, "to": references, "rel": texts, "field": texts, "ids": st.lists(references, max_size=3),
    },
)  # fmt: skip
cursors = st.one_of(
    texts,
    st.binary(max_size=20).map(lambda raw: base64.urlsafe_b64encode(raw).decode().rstrip("=")),
    st.lists(st.one_of(texts, st.integers(), st.none()), max_size=3).map(
        lambda parts: base64.urlsafe_b64encode(
            json.dumps([1, *parts], ensure_ascii=False).encode("utf-8", "surrogatepass")
        ).decode()
    ),
    st.lists(st.sampled_from(["2026-11-30T10:00:00", "0001-01-01T00:00:00+14:00", "x", "2026-11-30"]), max_size=2).map(
        lambda parts: encode_cursor(*parts)
    ),
    anything.map(lambda value: base64.urlsafe_b64encode(json.dumps(value).encode()).decode()),
    st.dictionaries(texts, numbers, max_size=2).map(
        lambda value: base64.urlsafe_b64encode(json.dumps(value).encode()).decode()
    ),
    st.just(base64.urlsafe_b64encode(b"[" * 6000).decode()),
)


def values(api: Api, schema: Mapping[str, Any], name: str = "") -> st.SearchStrategy[Any]:
    """Return values that mostly fit a schema in form, so that they get past the edge."""
    if name == "mutations":
        return st.lists(mutations, max_size=3)
    if name == "cursor":
        return cursors
    if reference := schema.get("$ref"):
        return values(api, api.schemas[reference.rpartition("/")[2]])
    if options := schema.get("anyOf"):
        return st.one_of(*[values(api, option, name) for option in options])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    match schema.get("type"):
        case "string":
            return texts
        case "integer" | "number":
            return st.one_of(st.integers(1, 30), numbers)
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case "array":
            return st.lists(values(api, schema.get("items", {})), max_size=3)
        case "object" if "properties" in schema:
            fields = {key: values(api, one, key) for key, one in schema["properties"].items()}
            needed = {key: one for key, one in fields.items() if key in schema.get("required", ())}
            return st.fixed_dictionaries(needed, optional={k: v for k, v in fields.items() if k not in needed})
    return anything


def sent_of(value: str) -> str:
    return quote(value.encode("utf-8", "surrogatepass"), safe="")


@given(data=st.data())
@ROUNDS
def test_every_route_answers_anything_without_failing(api: Api, data: st.DataObject) -> None:
    method, path, operation = data.draw(st.sampled_from(api.operations))
    headers: dict[str, str] = {}
    query: list[tuple[str, str]] = []
    for one in operation.get("parameters", ()):
        name = one["name"]
        if not one.get("required") and data.draw(st.integers(0, 2)) == 0:
            continue
        value = data.draw(cursors if name == "cursor" else values(api, one.get("schema", {})))
        value = value if isinstance(value, str) else json.dumps(value)
        if one["in"] == "path":
            path = path.replace("{" + name + "}", sent_of(value or "x"))
        elif one["in"] == "query":
            query.append((name, value))
        else:
            headers[name] = value.replace("\n", " ").replace("\r", " ")
    body = None
    if "requestBody" in operation:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        wanted = data.draw(st.one_of(values(api, schema), values(api, schema), values(api, schema), anything))
        body = json.dumps(wanted, ensure_ascii=data.draw(st.booleans())).encode("utf-8", "surrogatepass")
    pairs = urlencode([(name, value.encode("utf-8", "surrogatepass")) for name, value in query])
    status, _, answer = api.call(method, f"{path}?{pairs}" if pairs else path, body, headers)
    assert status < 500, (method, path, query, body, headers, status, answer[:500])
    assert str(status) in operation["responses"], (method, path, status, answer[:300])
    if status == 404:
        assert MARK not in answer.decode(), (method, path, answer)


@given(cursor=cursors, index=st.integers(0, 50))
@ROUNDS
def test_no_cursor_of_another_list_is_more_than_wrong(api: Api, cursor: str, index: int) -> None:
    lists = [
        path
        for method, path, operation in api.operations
        if method == "GET"
        and "{" not in path
        and any(one["name"] == "cursor" for one in operation.get("parameters", ()))
    ]
    status, _, answer = api.call("GET", f"{lists[index % len(lists)]}?cursor={sent_of(cursor)}")
    assert status in {200, 422}, (cursor, status, answer[:300])


@pytest.mark.parametrize(
    "body",
    [
        b'{"query": "x", "query": "y"}',
        b'{"query": "x", "limit": true}',
        b'{"query": "x", "limit": 5.0}',
        b'{"query": "x", "limit": NaN}',
        b'{"query": "x", "limit": 1e999}',
        b'{"query": "x", "limit": ' + b"9" * 5000 + b"}",
        b'{"query": "x", "cwd": "\\udc00"}',
        b'{"query": "\\ud83e"}',
        b'{"query": "x\xed\xa0\x80"}',
        b"[" * 1_000_000 + b"]" * 1_000_000,
        b'{"query": ' * 900 + b"1" + b"}" * 900,
        '{"query": "x"}'.encode("utf-16"),
        '{"query": "x"}'.encode("utf-32-le"),
        b'\xef\xbb\xbf{"query": "x"}',
        b'{"query": "x"} {}',
    ],
)
@pytest.mark.parametrize("path", ["/v1/recall", "/v1/route", "/v1/episodes", "/v1/decisions", "/v1/forget"])
def test_a_body_that_is_not_plain_json_is_refused(api: Api, path: str, body: bytes) -> None:
    status, headers, answer = api.call("POST", path, body)
    assert status == 422, answer[:300]
    assert headers["content-type"] == "application/problem+json"
    assert json.loads(answer)["errors"]


@pytest.mark.parametrize("target", ["/v1/episodes/%ff", "/v1/elements?q=%ed%a0%80", "/v1/elements?q=%00", "/v1/%00"])
def test_an_address_that_is_not_text_is_refused(api: Api, target: str) -> None:
    assert api.call("GET", target)[0] == 422


@pytest.mark.parametrize(
    "cwd", ["/" + "a" * 300, "/a" * 3000, "/etc/passwd/x", "/proc/1/root/x", "/nowhere/at/all", "/dev/fd/999/x", "/"]
)
def test_a_folder_that_cannot_be_looked_at_keeps_no_entry_out(api: Api, cwd: str, monkeypatch: Any) -> None:
    stat = Path.stat

    def denied(self: Path, **options: Any) -> Any:
        if str(self).startswith("/proc/1/root"):
            raise PermissionError(13, "Permission denied")
        return stat(self, **options)

    monkeypatch.setattr(Path, "stat", denied)
    entry = {"text": "an entry", "cwd": cwd}
    status, _, answer = api.call("POST", "/v1/episodes", json.dumps(entry).encode())
    assert status == 201, answer
    for path, body in [
        ("/v1/recall", {"query": "entry", "cwd": cwd}),
        ("/v1/route", {"query": "entry", "cwd": cwd}),
        ("/v1/decisions", {"title": "t", "why": "w", "mutations": [], "cwd": cwd}),
    ]:
        assert api.call("POST", path, json.dumps(body).encode())[0] < 500
    assert api.call("GET", f"/v1/context?cwd={sent_of(cwd)}")[0] == 200


@pytest.mark.parametrize("cwd", ["here", "", ".", "/a\0b"])
@pytest.mark.parametrize("path", ["/v1/recall", "/v1/route"])
def test_a_folder_that_is_none_is_refused(api: Api, path: str, cwd: str) -> None:
    status, _, _ = api.call("POST", path, json.dumps({"query": "entry", "cwd": cwd}).encode())
    assert status == (422 if cwd else 200)


def test_head_is_answered_wherever_get_is_and_without_a_body(api: Api) -> None:
    for path in ("/v1/status", "/v1/episodes", "/healthz", "/readyz"):
        status, headers, body = api.call("HEAD", path)
        assert (status, body) == (200, b""), path
        assert int(headers["content-length"]) > 0
    assert api.call("HEAD", "/v1/status", headers={"authorization": ""})[0] == 401
    assert api.call("HEAD", "/v1/status", headers={"host": "evil.example"})[0] == 421
    assert api.call("HEAD", "/v1/recall")[0] == 405
    assert api.call("HEAD", f"/v1/episodes/{MARK}")[0] == 404


def test_a_method_that_is_not_offered_is_told_all_that_are(api: Api) -> None:
    for method in ("OPTIONS", "PATCH"):
        status, headers, _ = api.call(method, "/v1/episodes/x")
        assert (status, headers["allow"]) == (405, "DELETE, GET, HEAD")
    assert api.call("OPTIONS", "/v1/episodes/x", headers={"authorization": ""})[0] == 401


def test_what_was_sent_is_not_repeated_in_a_404(api: Api) -> None:
    odd = f"{MARK}-{secrets.token_hex(8)}"
    for method, path, body in [
        ("GET", f"/v1/{odd}", None),
        ("GET", f"/v1/episodes/{odd}", None),
        ("GET", f"/v1/elements/{odd}", None),
        ("GET", f"/v1/decisions/{odd}", None),
        ("GET", f"/v1/jobs/{odd}", None),
        ("GET", f"/v1/notes/vault/{odd}.md", None),
        ("GET", f"/v1/notes/{odd}/x.md", None),
        ("GET", f"/v1/episodes?project={odd}", None),
        ("POST", "/v1/attention", {"op": "pin", "ids": [f"el_{odd}"]}),
        ("POST", "/v1/projects/merge", {"from": odd, "into": odd}),
    ]:
        status, _, answer = api.call(method, path, None if body is None else json.dumps(body).encode())
        assert status == 404, (path, status, answer)
        assert odd not in answer.decode(), (path, answer)


def test_a_database_that_fails_is_named_with_the_way_out(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr(type(api.daemon.services.episodic), "list", fail)
    status, headers, answer = api.call("GET", "/v1/episodes")
    assert (status, headers["retry-after"]) == (503, "2")
    problem = json.loads(answer)
    assert problem["type"] == "urn:memoryd:problem:database"
    assert "state/" in problem["detail"]
