"""Asking the daemon, with the standard library alone.

The Unix socket comes first: nobody else can be behind it. TCP by number is the way for systems without one.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from clients.endpoint import DaemonUnreachable, Endpoint, Places, find_places, is_owned, read_endpoint, read_token

__all__ = ["Answer", "Client", "DaemonUnreachable", "ProblemError"]

TIMEOUT_S = 30.0
CONNECT_TIMEOUT_S = 2.0


@dataclass(frozen=True)
class Answer:
    """What the daemon said: the body as sent (``raw``) and, where it is JSON, as a value (``body``)."""

    status: int
    headers: Mapping[str, str]
    raw: bytes
    body: Any


class ProblemError(Exception):
    """The daemon refused or failed. The message is fit for a person."""

    def __init__(self, answer: Answer) -> None:
        body = answer.body if isinstance(answer.body, dict) else {}
        self.status = answer.status
        self.title = str(body.get("title") or f"HTTP status {answer.status}")
        self.detail = str(body.get("detail") or "")
        self.slug = str(body.get("type") or "").rpartition(":")[2]
        self.body: dict[str, Any] = body
        self.raw = answer.raw
        super().__init__(f"{self.title}: {self.detail}" if self.detail else self.title)


class Client:
    """Calls of one daemon, each over a connection of its own.

    Args:
        endpoint: Where it listens.
        token: The bearer token.
        places: The memory's folders; with them, TCP is used only while that memory's daemon lives.
        actor: Who asks, as the header ``Memoryd-Actor`` has it.
        session: The agent's session.
        timeout_s: How long each step of a call may take.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        token: str,
        *,
        places: Places | None = None,
        actor: str = "person",
        session: str | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.endpoint = endpoint
        self.timeout_s = timeout_s
        self._places = places
        self._headers = {"Authorization": f"Bearer {token}", "Memoryd-Actor": actor, "Accept": "application/json"}
        if session is not None:
            self._headers["Memoryd-Session"] = session

    @classmethod
    def find(cls, places: Places | None = None, **options: Any) -> Client:
        """Return a client of this user's daemon.

        Raises:
            DaemonUnreachable: It does not run, or its token cannot be read.
        """
        places = places or find_places()
        return cls(read_endpoint(places), read_token(places), places=places, **options)

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> Answer:
        """Make one call; ``query`` values that are ``None`` are left out, lists are repeated, ``True`` is ``true``.

        Raises:
            DaemonUnreachable: Nobody answers, or not in time.
            ProblemError: The status is 400 or above.
        """
        if query:
            pairs = {key: _plain(value) for key, value in query.items() if value is not None}
            path = f"{path}?{urlencode(pairs, doseq=True)}" if pairs else path
        sent = {**self._headers, **(headers or {})}
        data = None
        if body is not None:
            data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
            sent["Content-Type"] = "application/json"
        answer = self._exchange(method, path, data, sent, self.timeout_s if timeout_s is None else timeout_s)
        if answer.status >= 400:
            raise ProblemError(answer)
        return answer

    def _exchange(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str], timeout_s: float
    ) -> Answer:
        connection, on_socket = self._connect(timeout_s)
        if on_socket:
            # Behind the socket may be a daemon that has just started and has another port than was read.
            headers["Host"] = "localhost"
        try:
            # Refused before all was sent: the answer is there to be read all the same.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, path, data, headers)
            response = connection.getresponse()
            raw = response.read()
        except TimeoutError as error:
            raise DaemonUnreachable(f"the daemon did not answer within {timeout_s:g} s") from error
        except (OSError, http.client.HTTPException) as error:
            raise DaemonUnreachable(
                f"the daemon broke off: {type(error).__name__}; `memoryd status` tells more"
            ) from error
        finally:
            connection.close()
        return Answer(response.status, dict(response.headers.items()), raw, _parsed(raw, response.headers))

    def _connect(self, timeout_s: float) -> tuple[http.client.HTTPConnection, bool]:
        address = urlsplit(self.endpoint.url)
        connection = http.client.HTTPConnection(address.hostname or "127.0.0.1", address.port, timeout=timeout_s)
        opened = self._open_unix() or self._open_tcp(address.hostname or "", address.port or 0)
        opened.settimeout(timeout_s)
        connection.sock = opened
        return connection, opened.family == socket.AF_UNIX

    def _open_unix(self) -> socket.socket | None:
        if not self.endpoint.socket:
            return None
        opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            opened.settimeout(CONNECT_TIMEOUT_S)
            opened.connect(self.endpoint.socket)
        except OSError:
            opened.close()
            return None
        return opened

    def _open_tcp(self, host: str, port: int) -> socket.socket:
        if self._places is not None and not is_owned(self._places):
            raise DaemonUnreachable("the daemon does not run, though it left its address; `memoryd up` starts it")
        try:
            return socket.create_connection((host, port), timeout=CONNECT_TIMEOUT_S)
        except OSError as error:
            raise DaemonUnreachable(f"nobody answers at {self.endpoint.url}; `memoryd doctor` tells more") from error


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _parsed(raw: bytes, headers: Any) -> Any:
    if "json" not in headers.get("Content-Type", ""):
        return None
    try:
        return json.loads(raw)
    except ValueError:
        return None
