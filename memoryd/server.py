"""Running the daemon as a process: own the memory, listen, open, serve until a signal, go down clean."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import socket
from collections.abc import Callable, Iterator

import structlog
import uvicorn

from memoryd.api.build import build_api
from memoryd.api.guard import Guard
from memoryd.app import VERSION, Daemon, compose
from memoryd.clock import find_zone, system_clock
from memoryd.paths import Paths
from memoryd.service.install import identify_machine, settle_install
from memoryd.service.lock import OwnerLock
from memoryd.service.logging import configure_logging
from memoryd.service.notify import Notifier
from memoryd.service.sockets import Listening, open_sockets, publish_endpoint, withdraw_endpoint
from memoryd.service.token import TokenFile, ensure_token
from memoryd.settings import Settings

log = structlog.get_logger("memoryd.server")

PRIVATE_UMASK = 0o077
GRACE_S = 5
"""How long requests under way may take when the daemon is told to stop."""
MOST_CONNECTIONS = 256


def serve(paths: Paths, settings: Settings, *, build: Callable[..., Daemon] = compose) -> int:
    """Run the daemon until SIGTERM or SIGINT; return the exit code.

    Args:
        paths: Where everything lies.
        settings: All options.
        build: Puts the daemon together; a benchmark may change a part of it.

    Raises:
        MemorydError: The memory is owned by another daemon, or a file or socket cannot be had. Nothing was served.
    """
    # What a library creates is private too: the engine's lock and database, SQLite's side files.
    os.umask(PRIVATE_UMASK)
    # pymilvus reads a .env of any folder above it into the environment of the process that imports it.
    os.environ["PYTHON_DOTENV_DISABLED"] = "1"
    configure_logging(paths.log, settings.service.log_level)
    zone = find_zone(settings.journal.zone)
    clock = system_clock(zone)
    with OwnerLock.acquire(paths.lock_file, version=VERSION, started=clock()) as lock:
        for warning in ensure_token(paths.token_file):
            log.warning("token", reason=warning)
        install = settle_install(
            paths.install_file, home=paths.memory, machine=identify_machine(), entropy=secrets.token_bytes
        )
        log.info("starting", version=VERSION, install=install.id, origin=install.origin)
        daemon = build(paths, settings, install=install.id, clock=clock, zone=zone)
        with contextlib.closing(open_sockets(paths, port=settings.service.port, lock=lock, environ=os.environ)) as ours:
            lock.publish(ours.url)
            try:
                asyncio.run(_run(paths, daemon, ours))
            finally:
                withdraw_endpoint(paths)
        paths.clear_runtime()
    log.info("stopped")
    return 0


async def _run(paths: Paths, daemon: Daemon, listening: Listening) -> None:
    tokens = TokenFile(paths.token_file)
    app = Guard(
        build_api(daemon.services),
        port=lambda: listening.port,
        accepts=tokens.accepts,
        mint=lambda: secrets.token_hex(8),
    )
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=GRACE_S,
    )
    server = _Server(config)
    notifier = Notifier()
    serving = asyncio.create_task(server.serve(listening.sockets))
    await server.wait_until_listening(serving)
    publish_endpoint(paths, listening, version=VERSION)
    opening = asyncio.create_task(asyncio.to_thread(daemon.open))
    opening.add_done_callback(lambda _: notifier.ready("serving"))
    await serving
    notifier.stopping()
    log.info("stopping")
    await opening
    await asyncio.to_thread(daemon.close)


class _Server(uvicorn.Server):
    """A server that sleeps between requests, and that a signal stops without ending the process."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._listening = asyncio.Event()
        self._told_to_stop = asyncio.Event()

    async def wait_until_listening(self, serving: asyncio.Task[None]) -> None:
        """Wait until connections are accepted; what ``serving`` failed with is raised here."""
        waiting = asyncio.create_task(self._listening.wait())
        await asyncio.wait({waiting, serving}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            waiting.cancel()
            await serving

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections."""
        await super().startup(sockets)
        self._listening.set()

    async def main_loop(self) -> None:
        """Wait for the signal. The library's own loop wakes ten times a second; a daemon at rest should rest."""
        await self._told_to_stop.wait()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Turn SIGTERM and SIGINT into a clean stop, and let the process go on to close its stores."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop)
        try:
            yield
        finally:
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(number)

    def _stop(self) -> None:
        if self.should_exit:
            # Told a second time: do not wait for requests under way.
            self.force_exit = True
        self.should_exit = True
        self._told_to_stop.set()
