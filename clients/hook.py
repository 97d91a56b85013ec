"""What an agent's hooks run: the payload from stdin to the daemon, its answer to stdout, and never in the way.

Run as ``python -I -S …/clients/hook.py``, without an argument: the event stands in the payload. Whatever happens, the
exit code is 0 and the answer is JSON; with any trouble it is ``{}``, and a line in ``state/log/hook.log`` says which,
without a word of what the person or the agent wrote. A daemon that is absent is started in the background, unless
the user wants it down; this call does not wait for it.
"""

# ruff: noqa: PTH100, PTH105, PTH110, PTH118, PTH120 - as in clients.endpoint: pathlib would take too long

from __future__ import annotations

import time

_BEGAN = time.monotonic()

import os  # noqa: E402 - the clock starts before anything that takes time
import select  # noqa: E402
import sys  # noqa: E402

try:
    # The part in C is all that is needed; what is built on it takes longer to load than an answer to come.
    import _socket as socket
except ImportError:  # another Python
    import socket  # type: ignore[no-redef]

if __name__ == "__main__":
    # Isolated, Python looks neither beside this file nor in the environment; the standard library stays in front.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from clients.endpoint import (  # noqa: E402
    DaemonUnreachable,
    Places,
    find_places,
    is_owned,
    read_endpoint,
    read_token,
)
from clients.jsontext import read_json, write_json  # noqa: E402

DEADLINES_S = {"SessionStart": 0.8, "UserPromptSubmit": 0.5}
"""From the start of the process to the answer."""
DEADLINE_S = 0.3
"""For a stop, whose turn is to be on the disk; of other events nothing is awaited but that they were heard."""
STDIN_S = 0.25
"""How long the payload may be in coming; an agent writes it at once."""
LEAST_S = 0.1
"""What is left for the daemon, however late the payload came: a turn that was told of should be heard of."""
MOST_BYTES = 64 * 1024 * 1024
MOST_SENT = 8 * 1024 * 1024
"""What the daemon takes at once."""
LOG_BYTES = 64 * 1024
NOTHING = b"{}\n"

_CHILD_MARK = "MEMORYD_CHILD"
_PIECE = 1 << 20
# The results of tools can be huge; the daemon reads them from the session's file.
_UNREAD = ("tool_response", "tool_result")


class Trouble(Exception):
    """Why there is nothing to say. The message holds nothing of the payload."""


def main(event: str | None = None) -> None:
    """Run as a hook, and end the process with exit code 0.

    Args:
        event: The agent's name of the event; ``None``: as the payload says.
    """
    answer = NOTHING
    try:
        if not os.environ.get(_CHILD_MARK):
            answer = _answer(event)
    except BaseException:  # noqa: BLE001 - a memory that fails must not stop the work; what is known was logged
        answer = NOTHING
    try:
        while answer:
            answer = answer[os.write(1, answer) :]
    except OSError:
        pass
    # Nothing is left to be flushed, and a closed stdout would make an exit code of the interpreter's own.
    os._exit(0)


def _answer(event: str | None) -> bytes:
    places = find_places()
    name = event or ""
    try:
        payload = _read_payload()
        name = event or str(payload.get("hook_event_name") or "")
        if not name or len(name) > 64 or not name.replace("-", "").replace("_", "").isalnum():
            raise Trouble("the payload names no event")  # noqa: TRY301 - all troubles end in one place
        end = max(_BEGAN + DEADLINES_S.get(name, DEADLINE_S), time.monotonic() + LEAST_S)
        return _ask(places, name, payload, end)
    except DaemonUnreachable as error:
        reason = str(error)
        _start(places)
    except Trouble as error:
        reason = str(error)
    except OSError as error:
        reason = f"{type(error).__name__}: {error.strerror or ''}"
    except Exception as error:  # noqa: BLE001 - as above
        reason = type(error).__name__
    _log(places, name, reason)
    return NOTHING


def _read_payload() -> dict[str, object]:
    """Return what stands on stdin, which may never end."""
    end = _BEGAN + STDIN_S
    pieces: list[bytes] = []
    size = 0
    os.set_blocking(0, False)
    while True:
        left_s = end - time.monotonic()
        ready = select.select([0], [], [], left_s)[0] if left_s > 0 else []
        if not ready:
            if pieces and (payload := _parsed(b"".join(pieces))) is not None:
                return payload  # whole, though nobody closed the pipe
            raise Trouble("the payload did not come in time")
        try:
            piece = os.read(0, _PIECE)
        except BlockingIOError:
            continue
        if not piece:
            break
        size += len(piece)
        if size > MOST_BYTES:
            raise Trouble(f"the payload is larger than {MOST_BYTES} bytes")
        pieces.append(piece)
    payload = _parsed(b"".join(pieces))
    if payload is None:
        raise Trouble("the payload is no JSON object")
    return payload


def _parsed(data: bytes) -> dict[str, object] | None:
    try:
        value = read_json(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _ask(places: Places, event: str, payload: dict[str, object], end: float) -> bytes:
    for name in _UNREAD:
        payload.pop(name, None)
    body = write_json(payload).encode("ascii")
    if len(body) > MOST_SENT:
        raise Trouble(f"the payload is larger than {MOST_SENT} bytes")
    endpoint = read_endpoint(places)
    head = (
        f"POST /v1/hooks/{event} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {read_token(places)}\r\n"
        f"Memoryd-Actor: agent\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    connection = _connect(places, endpoint.url, endpoint.socket, end)
    if connection.family != socket.AF_UNIX:
        # By number, as it is asked: whatever the address is called, no name is looked up.
        head = head.replace("Host: localhost", f"Host: 127.0.0.1:{_port(endpoint.url)}", 1)
    data = memoryview(head.encode("ascii") + body)
    try:
        while data:
            connection.settimeout(_left(end))
            data = data[connection.send(data) :]
        return _read_answer(connection, end)
    except TimeoutError as error:
        raise Trouble("the daemon did not answer in time") from error
    finally:
        connection.close()


def _connect(places: Places, url: str, path: str, end: float) -> socket.socket:
    """Return a connection: the socket first, since nobody else can be behind it; then the port, by number."""
    if path:
        opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        opened.settimeout(_left(end))
        try:
            opened.connect(path)
        except TimeoutError as error:
            opened.close()
            raise Trouble("the daemon does not take calls") from error
        except OSError:
            opened.close()
        else:
            return opened
    # A dead daemon's port may be anyone's by now: the token goes there only while ours holds its lock.
    if not is_owned(places):
        raise DaemonUnreachable("the daemon does not run, though it left its address")
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    opened.settimeout(_left(end))
    opened.connect(("127.0.0.1", _port(url)))
    return opened


def _port(url: str) -> int:
    return int(url.rpartition(":")[2].rstrip("/"))


def _read_answer(connection: socket.socket, end: float) -> bytes:
    """Return the body of the answer, which has to be a whole JSON object."""
    data = b""
    while len(data) < MOST_SENT:
        connection.settimeout(_left(end))
        piece = connection.recv(_PIECE)
        if not piece:
            break
        data += piece
        head, found, body = data.partition(b"\r\n\r\n")
        if found and len(body) >= _length(head):
            break
    head, _, body = data.partition(b"\r\n\r\n")
    status = head.split(b" ", 2)[1:2]
    if status != [b"200"]:
        # Of the status only digits are taken over: whoever answered may be no daemon.
        said = status[0].decode("ascii", "replace") if status else ""
        raise Trouble(f"the daemon answered with status {said if said.isdigit() else 'none'}")
    if _parsed(body[: _length(head)]) is None:
        raise Trouble("the daemon's answer is no JSON object")
    return body[: _length(head)] + b"\n"


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            return int(value)
    return MOST_SENT


def _left(end: float) -> float:
    left_s = end - time.monotonic()
    if left_s <= 0:
        raise TimeoutError
    return left_s


def _start(places: Places) -> None:
    """Have the daemon started by a process of its own: neither the agent nor this hook waits for it."""
    if os.path.exists(os.path.join(places.config, "down")) or is_owned(places):
        return
    if os.fork() > 0:
        return
    try:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        os.closerange(3, 256)
        from clients.start import ensure_started  # noqa: PLC0415 - only where there is no daemon

        ensure_started(deadline_s=0)
    finally:
        os._exit(0)


def _log(places: Places, event: str, reason: str) -> None:
    """Write a line to the log; a folder that is not there is not made, and a full disk is no trouble of the agent's."""
    path = os.path.join(places.state, "log", "hook.log")
    took_ms = (time.monotonic() - _BEGAN) * 1000
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    shown = event if event.replace("-", "").isalnum() and len(event) <= 64 else "?"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
        try:
            os.write(descriptor, f"{stamp} {shown} {took_ms:.0f} ms: {reason}\n".encode("utf-8", "replace"))
            if os.fstat(descriptor).st_size > LOG_BYTES:
                os.replace(path, f"{path}.1")
        finally:
            os.close(descriptor)
    except OSError:
        pass


if __name__ == "__main__":
    main()
