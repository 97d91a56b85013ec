"""How a tool asks: it calls the daemon's own routes inside the process, as an agent, and gets their answer or reason.

There is no second logic for agents. What REST refuses, a tool refuses, in the words of the tool's arguments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias
from urllib.parse import unquote, urlencode

import orjson

from memoryd.api.conventions import ACTOR_HEADER, SESSION_HEADER
from memoryd.api.mcp.refusal import Refused, explain

Message: TypeAlias = MutableMapping[str, Any]
App: TypeAlias = Callable[..., Awaitable[None]]


class NotesPort(Protocol):
    """Where notes lie."""

    @property
    def default_vault(self) -> str:
        """The vault that new notes go to."""
        ...

    def place_of(self, id_: str) -> tuple[str, str] | None:
        """Return the vault and the path of a note by its id; ``None`` where there is none. It may wait for files."""
        ...


CWD_HEADER = "Memoryd-Cwd"
"""The agent's working folder, percent-encoded: what a tool takes where it is told no other."""

_AGENT = re.compile(r"agent(:[A-Za-z0-9._-]{1,64})?")


@dataclass(frozen=True, slots=True)
class Caller:
    """An agent that calls. ``session`` and ``cwd`` are what its connection says of itself, if anything."""

    app: App
    notes: NotesPort
    actor: str = "agent"
    session: str | None = None
    cwd: str | None = None

    @classmethod
    def of(cls, app: App, notes: NotesPort, headers: Mapping[str, str]) -> Caller:
        """Return the caller that a request's headers describe; whoever comes this way is an agent."""
        named = headers.get(ACTOR_HEADER, "")
        cwd = headers.get(CWD_HEADER)
        return cls(
            app,
            notes,
            named if _AGENT.fullmatch(named) else "agent",
            headers.get(SESSION_HEADER) or None,
            unquote(cwd) if cwd else None,
        )

    async def ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        session: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, Any]:
        """Make a call; values that are ``None`` are left out. Returns the status and the body.

        Raises:
            Refused: The route answered with a problem.
        """
        named = {ACTOR_HEADER: self.actor, "Host": "localhost", **(headers or {})}
        if settled := session or self.session:
            named[SESSION_HEADER] = settled
        sent = b""
        if body is not None:
            sent = orjson.dumps({key: value for key, value in body.items() if value is not None})
            named |= {"Content-Type": "application/json", "Content-Length": str(len(sent))}
        pairs = {key: _plain(value) for key, value in (query or {}).items() if value is not None}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "root_path": "",
            "query_string": urlencode(pairs).encode("ascii"),
            "headers": [(key.lower().encode("ascii"), _header_bytes(value)) for key, value in named.items()],
            "client": None,
            "server": ("localhost", None),
            "state": {"request_id": "mcp"},
        }
        return await _exchange(self.app, scope, sent)


async def _exchange(app: App, scope: dict[str, Any], sent: bytes) -> tuple[int, Any]:
    waiting: list[Message] = [{"type": "http.request", "body": sent, "more_body": False}]
    status, received = 500, bytearray()

    async def receive() -> Message:
        return waiting.pop() if waiting else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        elif message["type"] == "http.response.body":
            received.extend(message.get("body", b""))

    try:
        await app(scope, receive, send)
    except Exception as error:
        # The framework answers first and raises again for the log of the server around it, which has it by then.
        if not received:
            raise Refused("something failed inside; the daemon's log says more", 500) from error
    body = json.loads(bytes(received)) if received else None
    if status >= 400:
        raise Refused(explain(body if isinstance(body, dict) else {}, status), status)
    return status, body


def _plain(value: Any) -> Any:
    return ("true" if value else "false") if isinstance(value, bool) else value


def _header_bytes(value: str) -> bytes:
    return value.encode("utf-8", "replace")
