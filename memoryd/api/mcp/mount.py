"""``/mcp/``: the place of the protocol in the application. Nothing of its package is loaded before the first call."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable
from typing import Any

from fastapi import FastAPI
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route
from starlette.types import Receive, Scope, Send

from memoryd.api.mcp.caller import NotesPort
from memoryd.api.mcp.shown import shows_to
from memoryd.api.problems import MEDIA_TYPE, status_body
from memoryd.api.services import Services

PATH = "/mcp"


class McpMount:
    """The protocol as an ASGI application, which builds itself at the first call."""

    def __init__(self, build: Callable[[], Any], met: Callable[[], None] = lambda: None) -> None:
        """Begin without anything.

        Args:
            build: Returns the session manager of the protocol's package; called once, in a thread.
            met: Called once, when the first call came.
        """
        self._build = build
        self._met = met
        self._building = asyncio.Lock()
        self._manager: Any = None
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; without sessions there is no stream to open and none to end, so only POST is offered."""
        if scope["method"] != "POST":
            request_id = str(scope.get("state", {}).get("request_id", "none"))
            body = status_body(405, request_id, "Send JSON-RPC messages by POST; no stream is offered here.")
            await JSONResponse(body, 405, {"Allow": "POST"}, MEDIA_TYPE)(scope, receive, send)
            return
        await (await self._settled()).handle_request(scope, receive, send)

    async def _settled(self) -> Any:
        async with self._building:
            if self._manager is None:
                manager = await asyncio.to_thread(self._build)
                await asyncio.to_thread(self._met)
                begun = asyncio.Event()
                # Held by a task of its own: whoever made the first call may be gone before the second.
                self._running = asyncio.create_task(_hold(manager, begun), name="mcp")
                await begun.wait()
                self._manager = manager
            return self._manager


def mount_mcp(app: FastAPI, services: Services) -> None:
    """Offer the protocol at ``/mcp/``; ``/mcp`` is the same, for clients that drop the slash."""
    mount = McpMount(lambda: _build(app, _Notes(services), services), services.met_agent)
    app.router.routes.append(Route(PATH, mount, methods=None, include_in_schema=False))
    app.router.routes.append(Mount(PATH, mount))


class _Notes:
    """The notes of the daemon's vaults."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @property
    def default_vault(self) -> str:
        return self._services.semantic.desk.default_vault

    def place_of(self, id_: str) -> tuple[str, str] | None:
        note = self._services.notes_by_id().get(id_)
        return None if note is None else (note.vault, note.path)


def _build(app: FastAPI, notes: NotesPort, services: Services) -> Any:
    # Not before the first call: the package takes longer to load than everything else that answers.
    from memoryd.api.mcp.server import build_manager  # noqa: PLC0415

    return build_manager(app, notes, services.version, shows_to(services))


def load_protocol() -> None:
    """Load the package, so that the first call does not wait for it."""
    importlib.import_module("memoryd.api.mcp.server")


async def _hold(manager: Any, begun: asyncio.Event) -> None:
    async with manager.run():
        begun.set()
        await asyncio.Event().wait()
