"""A stand-in for an Ollama server, in whatever mood a test wants it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Mood = Callable[[str], Iterator[str] | Iterator[bytes] | int]
"""Gets what was asked about; returns the parts of the answer, bytes as they are, or the status of an error."""


def _line(model: str, message: dict[str, Any]) -> bytes:
    return json.dumps({"model": model, "message": message, "done": False}).encode() + b"\n"


class OllamaServer:
    """Answers ``POST /api/chat`` on a port of its own. ``asked`` holds each body that came."""

    def __init__(self, mood: Mood) -> None:
        self.mood = mood
        self.asked: list[dict[str, Any]] = []
        self.is_closing = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append(body)
                answer = outer.mood(body["messages"][-1]["content"])
                if isinstance(answer, int):
                    self.send_error(answer)
                    return
                self.send_response(200)
                self.send_header("Content-Type", "application/x-ndjson")
                self.end_headers()
                try:
                    for part in answer:
                        message = {"role": "assistant", "content": part}
                        line = part if isinstance(part, bytes) else _line(body["model"], message)
                        self.wfile.write(line)
                        self.wfile.flush()
                except (BrokenPipeError, ConnectionResetError):
                    pass  # the asker has heard enough

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def uri(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.is_closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
