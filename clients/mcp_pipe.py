"""``memoryd-mcp``: a pipe between an agent that speaks MCP over stdin and stdout, and the daemon, which speaks HTTP.

It holds no memory, no tools and no state worth keeping: a line in becomes a POST to ``/mcp/``, the answer becomes a
line out. Nothing but JSON-RPC ever stands on stdout; whatever else is printed in this process goes to stderr. A daemon
that is absent is started, one that went away in between is waited for.
"""

# ruff: noqa: PTH100, PTH109, PTH111, PTH120 - as in clients.endpoint

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import os
import re
import sys
import threading
import time
from typing import IO, Any
from urllib.parse import quote, urlsplit

if __name__ == "__main__":  # Run as a file by an isolated interpreter, which knows no packages.
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from clients.connection import open_socket
from clients.endpoint import DaemonUnreachable, Places, find_places, read_endpoint, read_token
from clients.start import ensure_started, is_down

PARSE_ERROR, INVALID_REQUEST, INTERNAL_ERROR = -32700, -32600, -32603
MOST_AT_ONCE = 32
START_S = 30.0
ANSWER_S = 300.0
LAST_WORDS_S = 30.0
"""How long answers under way are waited for once stdin has ended."""

_PAUSES_S = (0.0, 0.3, 1.0, 3.0)
"""How long to wait before a daemon that went away is asked again."""

_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_ONCE_ONLY = frozenset({"remember"})
"""Tools that must not be called again where nobody knows whether the first call arrived."""


class BrokenOff(Exception):
    """The connection ended after the request was sent: it may have been done."""


class Cancelled(Exception):
    """The agent wants no answer any more."""


class Pipe:
    """One conversation. Requests are served each in a thread of its own, so that a slow one holds up no other."""

    def __init__(self, source: IO[bytes], wire: IO[bytes], places: Places, environ: dict[str, str]) -> None:
        """Begin with nothing said.

        Args:
            source: The agent's messages, a JSON text a line.
            wire: Where answers go; nobody else writes there.
            places: The memory's folders.
            environ: What the agent says of itself: its session and its project's folder.
        """
        self._source = source
        self._wire = wire
        self._places = places
        self._headers = _describe(environ)
        self._version: str | None = None
        self._writing = threading.Lock()
        self._room = threading.BoundedSemaphore(MOST_AT_ONCE)
        self._lock = threading.Lock()
        self._open: dict[Any, http.client.HTTPConnection | None] = {}
        self._cancelled: set[Any] = set()

    def run(self) -> None:
        """Serve until stdin ends, and then until the answers under way are out."""
        threads: list[threading.Thread] = []
        for line in self._source:
            if not line.strip():
                continue
            try:
                said = json.loads(line)
            except (ValueError, RecursionError):
                self._write(_error(None, PARSE_ERROR, "this line is not JSON; send one message a line, in UTF-8"))
                continue
            if isinstance(said, dict) and "id" not in said:
                self._hear(said)
                continue
            if isinstance(said, dict) and isinstance(said["id"], str | int):
                # Known before the next line is read, which may cancel it.
                self._open[said["id"]] = None
            threads = [one for one in threads if one.is_alive()]
            self._room.acquire()
            thread = threading.Thread(target=self._serve, args=(said,), daemon=True)
            thread.start()
            threads.append(thread)
        for thread in threads:
            thread.join(LAST_WORDS_S)

    def _serve(self, said: Any) -> None:
        try:
            if isinstance(said, list):
                self._serve_batch(said)
            elif (answer := self._answer(said)) is not None:
                self._write(answer)
        except BrokenPipeError:
            # Nobody listens any more.
            os._exit(0)
        finally:
            self._room.release()

    def _serve_batch(self, batch: list[Any]) -> None:
        if not batch:
            self._write(_error(None, INVALID_REQUEST, "an empty batch asks for nothing"))
            return
        answers = [answer for one in batch if (answer := self._answer(one)) is not None]
        if answers:
            self._write(b"[" + b",".join(answers) + b"]")

    def _answer(self, message: Any) -> bytes | None:
        """Return the answer to one message, ``None`` where none is due."""
        if not isinstance(message, dict):
            return _error(None, INVALID_REQUEST, "a message is a JSON object")
        if "id" not in message:
            self._hear(message)
            return None
        method = message.get("method")
        if not isinstance(method, str):
            # The answer to a question that the daemon never asks.
            return None if "result" in message or "error" in message else _no_request(message.get("id"))
        id_ = message["id"]
        if not isinstance(id_, str | int):
            return _error(None, INVALID_REQUEST, "an id is a text or a number")
        try:
            return self._ask(message, method)
        except Cancelled:
            return None
        except DaemonUnreachable as error:
            return _error(id_, INTERNAL_ERROR, f"memoryd cannot be reached: {error}")
        except BrokenOff as error:
            return _error(id_, INTERNAL_ERROR, str(error))
        except Exception as error:  # noqa: BLE001 - an agent that waits for an answer must get one
            sys.stderr.write(f"memoryd-mcp: {type(error).__name__}: {error}\n")
            return _error(id_, INTERNAL_ERROR, f"the pipe failed: {type(error).__name__}; its stderr says more")
        finally:
            with self._lock:
                self._open.pop(id_, None)
                self._cancelled.discard(id_)

    def _ask(self, message: dict[str, Any], method: str) -> bytes:
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        self._listen_to(method, params)
        body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        headers = {**self._headers, **self._route(method, params)}
        may_repeat = not (method == "tools/call" and params.get("name") in _ONCE_ONLY)
        for pause_s in (*_PAUSES_S, None):
            try:
                status, raw = self._exchange(message["id"], body, headers)
            except (DaemonUnreachable, BrokenOff) as error:
                if isinstance(error, BrokenOff) and not may_repeat:
                    raise BrokenOff(
                        "the daemon went away during this call, which may be done: recall it before you repeat it"
                    ) from error
                if pause_s is None:
                    raise
                # A daemon that is ending still takes connections for a moment.
                time.sleep(pause_s)
                if not ensure_started(deadline_s=START_S):
                    raise self._unreachable(error) from error
            else:
                return self._read(message["id"], method, status, raw)
        raise AssertionError("the last turn returns or raises")

    def _unreachable(self, error: Exception) -> DaemonUnreachable:
        if is_down(self._places):
            return DaemonUnreachable("it was stopped by `memoryd down`, and only `memoryd up` starts it again")
        return DaemonUnreachable(f"{error}; it could not be started: `memoryd up` says why")

    def _exchange(self, id_: Any, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        endpoint, token = read_endpoint(self._places), read_token(self._places)
        address = urlsplit(endpoint.url)
        connection = http.client.HTTPConnection(address.hostname or "127.0.0.1", address.port, timeout=ANSWER_S)
        connection.sock, is_unix = open_socket(endpoint, self._places, ANSWER_S)
        if is_unix:
            headers = {**headers, "Host": "localhost"}
        with self._lock:
            if id_ in self._cancelled:
                connection.close()
                raise Cancelled
            self._open[id_] = connection
        try:
            # Refused before all was sent: the answer is there to be read all the same.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.request("POST", "/mcp/", body, {**headers, "Authorization": f"Bearer {token}"})
            response = connection.getresponse()
            return response.status, response.read()
        except TimeoutError as error:
            raise DaemonUnreachable(f"no answer within {ANSWER_S:g} s") from error
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
            # A connection that another thread closed fails in any of these ways.
            if id_ in self._cancelled:
                raise Cancelled from error
            raise BrokenOff(f"the daemon broke off: {type(error).__name__}") from error
        finally:
            connection.close()

    def _read(self, id_: Any, method: str, status: int, raw: bytes) -> bytes:
        try:
            said = json.loads(raw)
        except ValueError:
            said = None
        if isinstance(said, dict) and said.get("jsonrpc") == "2.0":
            if method == "initialize":
                self._version = (said.get("result") or {}).get("protocolVersion") or self._version
            if said.get("id") != id_ or b"\n" in raw:
                raw = json.dumps({**said, "id": id_}, ensure_ascii=False).encode("utf-8", "replace")
            return raw
        if isinstance(said, dict) and "title" in said:
            return _error(id_, INTERNAL_ERROR, f"memoryd refused: {said.get('title')}: {said.get('detail', '')}")
        return _error(id_, INTERNAL_ERROR, f"the daemon gave no answer that can be read (status {status})")

    def _hear(self, notification: dict[str, Any]) -> None:
        """Take in a notification. The daemon keeps no session, so none but a cancellation means anything to it."""
        params = notification.get("params")
        if notification.get("method") == "notifications/cancelled" and isinstance(params, dict):
            self._cancel(params.get("requestId"))

    def _cancel(self, id_: Any) -> None:
        with self._lock:
            if not isinstance(id_, str | int) or id_ not in self._open:
                return
            self._cancelled.add(id_)
            connection = self._open[id_]
        if connection is not None and connection.sock is not None:
            with contextlib.suppress(OSError):
                connection.sock.shutdown(2)

    def _listen_to(self, method: str, params: dict[str, Any]) -> None:
        """Learn from a message who speaks."""
        meta = params.get("_meta")
        about = params.get("clientInfo") if method == "initialize" else (meta or {}).get(_CLIENT_KEY)
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", str((about or {}).get("name", ""))).strip("-")[:64]
        if name:
            self._headers["Memoryd-Actor"] = f"agent:{name}"

    def _route(self, method: str, params: dict[str, Any]) -> dict[str, str]:
        """Return the headers in which the protocol over HTTP repeats what its message says."""
        named = {"Mcp-Method": _header(method)}
        if (key := _NAMED.get(method)) and isinstance(params.get(key), str):
            named["Mcp-Name"] = _header(params[key])
        meta = params.get("_meta")
        version = (meta.get(_VERSION_KEY) if isinstance(meta, dict) else None) or self._version
        if version and method != "initialize":
            named["MCP-Protocol-Version"] = _header(str(version))
        return named

    def _write(self, message: bytes) -> None:
        with self._writing:
            self._wire.write(message + b"\n")
            self._wire.flush()


def main() -> None:
    """Serve stdin and stdout until stdin ends."""
    # The wire is taken out of everybody's reach: a print anywhere in this process, or in a child, goes to stderr.
    wire = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    pipe = Pipe(sys.stdin.buffer, wire, find_places(), dict(os.environ))
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        pipe.run()
    sys.stderr.flush()
    os._exit(0)


def _describe(environ: dict[str, str]) -> dict[str, str]:
    """Return the headers that say who asks, from what an agent tells the servers that it starts."""
    headers = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "Memoryd-Actor": "agent",
    }
    session = environ.get("CLAUDE_CODE_SESSION_ID", "").strip()
    if session and session.isascii() and session.isprintable():
        headers["Memoryd-Session"] = session[:200]
    folder = environ.get("CLAUDE_PROJECT_DIR", "").strip() or _working_folder()
    if folder:
        headers["Memoryd-Cwd"] = quote(folder)
    return headers


def _working_folder() -> str:
    """Return the folder that this was started in, unless it says nothing."""
    try:
        folder = os.getcwd()
    except OSError:
        return ""
    return "" if folder in {"/", os.path.expanduser("~")} else folder


def _no_request(id_: Any) -> bytes:
    return _error(id_ if isinstance(id_, str | int) else None, INVALID_REQUEST, "a request names its method")


def _error(id_: Any, code: int, message: str) -> bytes:
    body = {"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": message}}
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


def _header(value: str) -> str:
    """Return a text as a header's value: as it is where it survives, else in base64 as the protocol has it."""
    if re.fullmatch(r"[\x20-\x7e]*", value) and value == value.strip() and not value.startswith("=?base64?"):
        return value
    return f"=?base64?{base64.b64encode(value.encode('utf-8', 'replace')).decode('ascii')}?="


if __name__ == "__main__":
    main()
