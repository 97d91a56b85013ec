"""Running the daemon as a process: own the memory, listen, open, serve until a signal, go down clean."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import secrets
import signal
import socket
from collections.abc import Callable, Iterator

import structlog
import uvicorn

from memoryd.api.build import build_api
from memoryd.api.connection import bounded_protocol
from memoryd.api.events import end_streams
from memoryd.api.guard import App, Guard, Receive, Scope, Send
from memoryd.api.metrics import count_request
from memoryd.app import VERSION, Daemon, compose
from memoryd.clock import find_zone, system_clock
from memoryd.errors import MemorydError
from memoryd.paths import Paths
from memoryd.service.install import identify_machine, settle_install
from memoryd.service.lock import OwnerLock
from memoryd.service.logging import configure_logging
from memoryd.service.notify import Notifier, keep_alive
from memoryd.service.presence import look, put_back
from memoryd.service.sockets import Listening, open_sockets, publish_endpoint, withdraw_endpoint
from memoryd.service.token import TokenFile, ensure_token
from memoryd.settings import Settings

log = structlog.get_logger("memoryd.server")

PRIVATE_UMASK = 0o077
GRACE_S = 5
"""How long requests under way may take when the daemon is told to stop."""
LOOK_S = 3.0
"""How often to see whether somebody deleted ``state``."""
OPEN_FILES = 4096
"""So many files may be open where the system lets us: connections, databases and a watch on each vault."""
STATE_DELETED = (
    "the folder state was deleted while memoryd ran: its databases are being made anew from the memory, "
    "of which nothing is lost"
)


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
    _allow_files()
    zone = find_zone(settings.journal.zone)
    clock = system_clock(zone)
    paths.require_writable()
    with OwnerLock.acquire(paths.lock_file, version=VERSION, started=clock(), truth=paths.memory) as lock:
        configure_logging(paths.log, settings.service.log_level)
        for warning in ensure_token(paths.token_file):
            log.warning("token", reason=warning)
        install = settle_install(
            paths.install_file, home=paths.memory, machine=identify_machine(), entropy=secrets.token_bytes
        )
        log.info("starting", version=VERSION, install=install.id, origin=install.origin)

        def make() -> Daemon:
            return build(paths, settings, install=install.id, clock=clock, zone=zone)

        daemon = make()
        ours = open_sockets(paths, port=settings.service.port, lock=lock, environ=os.environ)
        lock.publish(ours.url)
        running = _Running(paths, lock, ours, daemon, make, settings.service.log_level)
        try:
            asyncio.run(running.run())
        finally:
            running.listening.close()
            withdraw_endpoint(paths)
        paths.clear_runtime()
    log.info("stopped")
    return 0


def _allow_files() -> None:
    """Let this process have as many files open as its connections may need; macOS begins with 256."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class _Running:
    """The daemon from its first answer to its last, and what is put back meanwhile."""

    def __init__(
        self,
        paths: Paths,
        lock: OwnerLock,
        listening: Listening,
        daemon: Daemon,
        make: Callable[[], Daemon],
        log_level: str,
    ) -> None:
        self.listening = listening
        self._paths = paths
        self._lock = lock
        self._daemon = daemon
        self._make = make
        self._log_level = log_level
        self._app: App = build_api(daemon.services)
        self._problem: str | None = None

    async def run(self) -> None:
        """Serve until a signal, then close the stores."""
        tokens = TokenFile(self._paths.token_file)
        app = Guard(
            self._serve,
            port=lambda: self.listening.port,
            accepts=lambda token: tokens.accepts(token) or self._daemon.services.logins.accepts(token),
            mint=lambda: secrets.token_hex(8),
            served=lambda done: count_request(self._app, done),
        )
        config = uvicorn.Config(
            app,
            http=bounded_protocol(),
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=GRACE_S,
        )
        server = _Server(config)
        notifier = Notifier()
        serving = asyncio.create_task(server.serve(self.listening.sockets))
        await server.wait_until_listening(serving)
        publish_endpoint(self._paths, self.listening, version=VERSION)
        opening = asyncio.create_task(asyncio.to_thread(self._daemon.open))
        opening.add_done_callback(lambda _: notifier.ready(self._state()))
        watching = asyncio.create_task(self._keep_present(server, opening))
        guarding = asyncio.create_task(keep_alive(notifier, self._is_well))
        # Told to stop, the background work ends at once, while requests under way are still being answered.
        await asyncio.wait({asyncio.create_task(server.wait_until_told()), serving}, return_when="FIRST_COMPLETED")
        notifier.stopping()
        log.info("stopping")
        self._daemon.cancel()
        end_streams(self._app)
        await serving
        watching.cancel()
        guarding.cancel()
        await asyncio.wait({watching, guarding})
        await opening
        await asyncio.to_thread(self._daemon.close)

    def _state(self) -> str:
        """Say, for a service manager, what came of the opening."""
        if self._daemon.services.readiness.is_ready:
            return "serving"
        return "the stores could not be opened; `memoryd status` says why"

    def _is_well(self) -> bool:
        """Ask both stores something cheap; before they are open, and where they cannot be, there is nothing to ask."""
        services = self._daemon.services
        try:
            if services.readiness.is_ready:
                services.episodic.counts()
                services.semantic.log_seq()
        except Exception:
            log.exception("not_well")
            return False
        return True

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    async def _keep_present(self, server: _Server, opening: asyncio.Task[None]) -> None:
        await opening
        while True:
            await asyncio.sleep(LOOK_S)
            if STATE_DELETED in self._daemon.notices and self._daemon.scan.is_complete:
                self._daemon.notices.remove(STATE_DELETED)
            if missing := look(self._paths, self._lock, self.listening):
                try:
                    now = put_back(self._paths, self._lock, self.listening, missing, version=VERSION)
                    if now is not self.listening:
                        self.listening = now
                        await server.listen_also(now.unix)
                    if missing.state:
                        await self._begin_anew()
                except (MemorydError, OSError) as error:
                    self._tell(f"the folder state was deleted and cannot be made again: {error}")
                else:
                    self._tell(None)

    async def _begin_anew(self) -> None:
        """Put new stores in the place of those whose databases have no name any more. Calls wait meanwhile."""
        configure_logging(self._paths.log, self._log_level)
        log.warning("state_deleted")
        old, self._daemon = self._daemon, self._make()
        self._daemon.notices.append(STATE_DELETED)
        end_streams(self._app)
        self._app = build_api(self._daemon.services)
        # Shielded: told to stop meanwhile, the stores are whole first.
        await asyncio.shield(asyncio.to_thread(_replace, old, self._daemon))

    def _tell(self, problem: str | None) -> None:
        """Name a lasting problem once in the log and, while it lasts, in every answer."""
        if problem == self._problem:
            return
        notices = self._daemon.notices
        if self._problem in notices:
            notices.remove(self._problem)
        self._problem = problem
        if problem is not None:
            log.error("state_not_made_again")
            notices.append(problem)


def _replace(old: Daemon, new: Daemon) -> None:
    try:
        old.close()
    except Exception:
        # Its databases are gone; what it acknowledged is in the memory.
        log.exception("close_failed")
    new.open()


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

    async def wait_until_told(self) -> None:
        """Wait for the signal to stop."""
        await self._told_to_stop.wait()

    async def listen_also(self, opened: socket.socket) -> None:
        """Accept connections on one more socket, which is closed with the others."""

        def protocol() -> asyncio.Protocol:
            return self.config.http_protocol_class(  # type: ignore[call-arg] # as the library calls it
                config=self.config, server_state=self.server_state, app_state=self.lifespan.state
            )

        loop = asyncio.get_running_loop()
        self.servers.append(await loop.create_server(protocol, sock=opened, backlog=self.config.backlog))

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
