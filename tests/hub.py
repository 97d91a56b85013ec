"""A model hub on loopback, with the addresses of the public one and the moods of a bad day."""

from __future__ import annotations

import hashlib
import http.server
import json
import shutil
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

LARGE_BYTES = 4_096
"""Files from this size on are listed with their sha256, smaller ones with their git hash, as the public hub does."""


def stand_in(data: Path, layout: str, target: Path) -> str:
    """Lay the small random model out as a public repository of bge-m3 is; return the catalogue's name of that one.

    ``data`` is the folder with the stand-in; ``layout`` is ``upstream``, ``int8``, ``hidden``, ``named`` or ``heads``.
    """
    names = {
        "upstream": ("bge-m3", "onnx", "onnx"),
        "int8": ("bge-m3-int8", "layouts/threehead", ""),
        "hidden": ("bge-m3-xenova", "layouts/hidden", "onnx"),
        "named": ("bge-m3-yuniko", "layouts/yuniko", ""),
        "heads": ("bge-m3-3head", "layouts/threehead", ""),
    }
    name, source, graphs = names[layout]
    (target / graphs).mkdir(parents=True, exist_ok=True)
    for file in (data / source).iterdir():
        if file.name.startswith(("model", "bge_m3_model")):
            wanted = "model_quantized.onnx" if layout in {"int8", "hidden"} else file.name
            wanted = "model.onnx" if layout == "heads" else wanted
            shutil.copyfile(file, target / graphs / wanted)
    shutil.copyfile(data / "tokenizer.json", target / "tokenizer.json")
    if layout in {"upstream", "hidden"}:
        shutil.copyfile(data / "sparse_linear.pt", target / "sparse_linear.pt")
    if layout == "upstream":
        (target / "onnx" / "Constant_7_attr__value").write_bytes(b"\0" * 64)
    return name


@dataclass
class Mood:
    """How the server behaves. A number of ``0`` or an empty set means: as it should.

    ``break_after`` ends each answer after so many bytes, ``breaks`` times in all; ``spoil`` flips a byte of these
    paths; ``status`` is the answer to these paths; ``ignores_ranges`` sends all of a file whatever was asked;
    ``redirects`` sends a client to another path once; ``gate`` holds every file back until it is set.
    """

    break_after: int = 0
    breaks: int = 0
    spoil: set[str] = field(default_factory=set)
    status: dict[str, int] = field(default_factory=dict)
    ignores_ranges: bool = False
    redirects: bool = False
    redirect_to: str = ""
    longer_by: int = 0
    shorter_by: int = 0
    has_no_list: bool = False
    gate: threading.Event | None = None
    gate_after: int = 0


class FakeHub:
    """Serves folders as repositories: ``{repo: folder}``."""

    def __init__(self, repos: dict[str, Path]) -> None:
        self.repos = repos
        self.mood = Mood()
        self.asked: list[tuple[str, str]] = []
        self.sent = Counter[str]()
        self.url = ""

    @property
    def paths(self) -> list[str]:
        """The paths that were asked for, in order."""
        return [path for path, _ in self.asked]

    def listing(self, repo: str) -> list[dict[str, object]]:
        """Return the list of a repository's files, as the public hub writes it."""
        return [
            {"type": "directory", "oid": "0" * 40, "size": 0, "path": "onnx"},
            *(_row(file, self.repos[repo]) for file in _files(self.repos[repo])),
        ]

    @contextmanager
    def serve(self) -> Iterator[FakeHub]:
        """Listen on a free port of loopback until the end."""
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        server.daemon_threads = True
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            if self.mood.gate is not None:
                self.mood.gate.set()
            server.shutdown()
            server.server_close()
            thread.join()


def _files(folder: Path) -> Iterable[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _row(file: Path, root: Path) -> dict[str, object]:
    data = file.read_bytes()
    git = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
    row: dict[str, object] = {
        "type": "file",
        "oid": git,
        "size": len(data),
        "path": file.relative_to(root).as_posix(),
    }
    if len(data) >= LARGE_BYTES:
        row["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 134}
    return row


def _handler(hub: FakeHub) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            address = urlsplit(self.path)
            path = unquote(address.path)
            hub.asked.append((path, self.headers.get("Range") or ""))
            if path.startswith("/api/models/"):
                self._list(path.removeprefix("/api/models/").partition("/tree/")[0])
                return
            repo, _, rest = path.removeprefix("/").removeprefix("stored/").partition("/resolve/")
            name = rest.partition("/")[2]
            mood = hub.mood
            if name in mood.status:
                self._say(mood.status[name], b"no")
            elif mood.redirect_to:
                self._redirect(mood.redirect_to)
            elif mood.redirects and not path.startswith("/stored/"):
                self._redirect("/stored" + address.path)
            elif repo in hub.repos and (hub.repos[repo] / name).is_file():
                self._file(name, (hub.repos[repo] / name).read_bytes())
            else:
                self._say(404, b"Entry not found")

        def _list(self, repo: str) -> None:
            if repo not in hub.repos or hub.mood.has_no_list:
                self._say(404, b"{}")
            else:
                self._say(200, json.dumps(hub.listing(repo)).encode())

        def _redirect(self, target: str) -> None:
            self.send_response(302)
            self.send_header("Location", target)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _say(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _file(self, name: str, data: bytes) -> None:
            mood = hub.mood
            if name in mood.spoil:
                data = bytes([data[0] ^ 1]) + data[1:]
            data = data[: len(data) - mood.shorter_by] + b"x" * mood.longer_by
            wanted = self.headers.get("Range")
            start = int(wanted.removeprefix("bytes=").partition("-")[0]) if wanted and not mood.ignores_ranges else 0
            if start >= len(data) > 0 and start:
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{len(data)}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            body = data[start:]
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self._send(name, body)

        def _send(self, name: str, body: bytes) -> None:
            mood = hub.mood
            if mood.gate is not None and not mood.gate.is_set():
                self.wfile.write(body[: mood.gate_after])
                self.wfile.flush()
                mood.gate.wait(30)
                body = body[mood.gate_after :]
            cut = mood.break_after and len(body) > mood.break_after and mood.breaks
            if cut:
                mood.breaks -= 1
                body = body[: mood.break_after]
                self.close_connection = True
            try:
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                return
            hub.sent[name] += len(body)

    return Handler
