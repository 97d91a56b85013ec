"""One request to an application in this thread, without a socket: for tests that make many."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import unquote

App = Callable[..., Awaitable[None]]


async def ask(
    app: App, method: str, target: str, headers: Mapping[str, str], body: bytes = b""
) -> tuple[int, dict[str, str], bytes]:
    """Send a request to a path with its query; return status, headers and body."""
    path, _, query = target.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode("ascii"),
        "query_string": query.encode("ascii"),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in headers.items()],
        "client": None,
        "server": ("127.0.0.1", 1),
    }
    told = [{"type": "http.request", "body": body, "more_body": False}]
    answered: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if told:
            return told.pop()
        await asyncio.sleep(0.2)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        answered.append(dict(message))

    await app(scope, receive, send)
    start = answered[0]
    found = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
    return start["status"], found, b"".join(one.get("body", b"") for one in answered[1:])
