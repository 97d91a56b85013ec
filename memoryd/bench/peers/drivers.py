"""The peers: how each is installed, filled and asked, and how what it returns differs from what was stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from memoryd.bench.footprint import children_of, disk_mib, resident_mib
from memoryd.bench.peers.environment import Environment, make_environment
from memoryd.bench.peers.errors import PeerUnavailable
from memoryd.bench.peers.talk import Talk, ToolTalk
from memoryd.bench.peers.weights import Weights, lay_for_chroma, lay_for_fastembed

INDEX_S = 3600.0
ASK_S = 120.0
START_S = 120.0
_INSIDE = Path(__file__).parent / "inside"
_MEMPALACE_QUESTION = 250
_ROWS = re.compile(r"Drawers filed:\s*(\d+)")


class Peer(Protocol):
    """A memory that can be filled with a folder of folders of files, and asked within one of these."""

    def index(self, folder: Path) -> int | None:
        """Take in every file; return the rows that it made of them, None where it does not tell."""
        ...

    def ask(self, scope: str, question: str, limit: int) -> Sequence[str]:
        """Return the names (without ending) of the best files, best first."""
        ...

    def cost(self) -> tuple[float, float]:
        """Return MiB of memory of its processes and MiB on disk."""
        ...

    def close(self) -> None:
        """End its processes."""
        ...


@dataclass(frozen=True, slots=True)
class Kind:
    """A peer that can be had: what is installed, and what has to be said beside its figures.

    One that ``takes_any_weights`` is measured with the peers' small model and with ours.
    """

    name: str
    package: str
    requirements: tuple[str, ...]
    differs: str
    open: Callable[[Environment, Path, Weights], Peer]
    least: tuple[int, int] = (3, 11)
    takes_any_weights: bool = False


@dataclass(slots=True)
class _Inside:
    """A peer that is called by a script of ours in its environment."""

    environment: Environment
    store: Path
    weights: Weights
    script: str
    _stack: ExitStack = field(default_factory=ExitStack)
    _talk: Talk | None = None

    def index(self, folder: Path) -> int | None:
        command = [self.environment.program("python"), "-I", str(_INSIDE / self.script)]
        talk = Talk(command, self.environment.environ(), self.store / "said.txt")
        self._stack.callback(talk.close)
        self._talk = talk
        told = {"do": "index", "folder": str(folder), "store": str(self.store), "weights": self.weights.as_json()}
        return int(talk.ask(told, INDEX_S)["rows"])

    def ask(self, scope: str, question: str, limit: int) -> Sequence[str]:
        assert self._talk is not None, "the peer was not filled"
        told = {"do": "ask", "scope": scope, "query": question, "limit": limit}
        return list(self._talk.ask(told, ASK_S)["found"])

    def cost(self) -> tuple[float, float]:
        return _cost(self._talk, self.store)

    def close(self) -> None:
        self._stack.close()


@dataclass(slots=True)
class _Tools:
    """A peer that is filled by its own command and asked by its tools, as an agent does."""

    environment: Environment
    store: Path
    variables: dict[str, str]
    server: tuple[str, ...]
    fill: Callable[[_Tools, Path], int | None]
    question: Callable[[_Tools, str, str, int], Sequence[str]]
    _stack: ExitStack = field(default_factory=ExitStack)
    _talk: Talk | None = None
    tools: ToolTalk | None = None

    def index(self, folder: Path) -> int | None:
        return self.fill(self, folder)

    def ask(self, scope: str, question: str, limit: int) -> Sequence[str]:
        if self.tools is None:
            command = [self.environment.program(self.server[0]), *self.server[1:]]
            self._talk = Talk(command, self.environment.environ(**self.variables), self.store / "said.txt")
            self._stack.callback(self._talk.close)
            self.tools = ToolTalk(self._talk, start_s=START_S)
        return self.question(self, scope, question, limit)

    def run(self, *command: str) -> str:
        return self.environment.run(command, INDEX_S, **self.variables)

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        assert self.tools is not None
        return self.tools.call(tool, arguments, ASK_S)

    def cost(self) -> tuple[float, float]:
        return _cost(self._talk, self.store)

    def close(self) -> None:
        self._stack.close()


def _cost(talk: Talk | None, store: Path) -> tuple[float, float]:
    if talk is None:
        return 0.0, disk_mib(store)
    return sum(resident_mib(pid) for pid in (talk.pid, *children_of(talk.pid))), disk_mib(store)


def _floor(environment: Environment, store: Path, weights: Weights) -> Peer:
    return _Inside(environment, store, weights, "ask_floor.py")


def _memsearch(environment: Environment, store: Path, weights: Weights) -> Peer:
    return _Inside(environment, store, weights, "ask_memsearch.py")


def _mempalace(environment: Environment, store: Path, weights: Weights) -> Peer:
    lay_for_chroma(weights, environment.home)
    palace = str(store / "palace")

    def fill(peer: _Tools, folder: Path) -> int | None:
        rows = 0
        for scope in sorted(folder.iterdir()):
            peer.run("mempalace", "--palace", palace, "init", "--yes", "--no-llm", str(scope))
            said = peer.run("mempalace", "--palace", palace, "mine", str(scope), "--wing", scope.name)
            rows += sum(map(int, _ROWS.findall(said)))
        return rows

    def question(peer: _Tools, scope: str, text: str, limit: int) -> Sequence[str]:
        asked = {"query": text[:_MEMPALACE_QUESTION], "wing": scope, "limit": limit}
        return [Path(hit["source_file"]).stem for hit in peer.call("mempalace_search", asked)["results"]]

    return _Tools(environment, store, {}, ("mempalace-mcp", "--palace", palace), fill, question)


def _basic_memory(environment: Environment, store: Path, weights: Weights) -> Peer:
    cache = environment.home / "fastembed"
    lay_for_fastembed(weights, cache)
    _give_extensions(environment)
    variables = {
        "FASTEMBED_CACHE_PATH": str(cache),
        "BASIC_MEMORY_CONFIG_DIR": str(store / "config"),
        "BASIC_MEMORY_HOME": str(store / "home"),
        "BASIC_MEMORY_SEMANTIC_EMBEDDING_MODEL": f"sentence-transformers/{weights.name}",
    }

    def fill(peer: _Tools, folder: Path) -> int | None:
        for scope in sorted(folder.iterdir()):
            peer.run("basic-memory", "project", "add", scope.name, str(scope), "--local")
        return None

    def question(peer: _Tools, scope: str, text: str, limit: int) -> Sequence[str]:
        asked = {
            "query": text,
            "project": scope,
            "page_size": limit,
            "search_type": "hybrid",
            "output_format": "json",
        }
        answer = peer.call("search_notes", asked)
        if "results" not in answer:
            raise PeerUnavailable(f"search_notes answered {str(answer)[:200]}")
        return [Path(hit["file_path"]).stem for hit in answer["results"]]

    return _Tools(environment, store, variables, ("basic-memory", "mcp"), fill, question)


def _give_extensions(environment: Environment) -> None:
    """Let it load its vector extension where this Python's SQLite was built without that, by another build of it."""
    probe = "import sqlite3, sys; sys.exit(not hasattr(sqlite3.Connection, 'enable_load_extension'))"
    try:
        environment.run(("python", "-c", probe), ASK_S)
    except PeerUnavailable:
        place = environment.run(("python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"), ASK_S)
        patch = "import sys\nimport pysqlite3\nfrom pysqlite3 import dbapi2\n"
        patch += "sys.modules['sqlite3'] = pysqlite3\nsys.modules['sqlite3.dbapi2'] = dbapi2\n"
        (Path(place.strip()) / "sitecustomize.py").write_text(patch, "utf-8")


FLOOR = Kind(
    "numpy + bm25s",
    "bm25s",
    ("bm25s==0.3.16", "PyStemmer==3.1.0", "numpy", "onnxruntime", "tokenizers"),
    "the floor: no store, all in memory; stemmed BM25 and exact vectors, RRF k 10",
    _floor,
    takes_any_weights=True,
)
KINDS: tuple[Kind, ...] = (
    FLOOR,
    Kind(
        "memsearch",
        "memsearch",
        ("memsearch[onnx]==0.4.23",),
        "by its Python interface, in one process; returns chunks; its embedder is replaced by one over these weights",
        _memsearch,
        takes_any_weights=True,
    ),
    Kind(
        "MemPalace",
        "mempalace",
        ("mempalace==3.11.0",),
        "by its MCP tool; returns drawers; leaves texts under 50 characters out; questions cut at 250 characters",
        _mempalace,
    ),
    Kind(
        "basic-memory",
        "basic-memory",
        ("basic-memory==0.24.1", "pysqlite3-binary"),
        "by its MCP tool, hybrid; returns notes above a likeness, so at times fewer than ten; writes into the files",
        _basic_memory,
        least=(3, 12),
    ),
)


def environment_of(kind: Kind, environments: Path, home: Path) -> Environment:
    """Return a peer's environment, made where it is not there yet. Raises PeerUnavailable."""
    return make_environment(environments / kind.package, home, kind.requirements, least=kind.least)


def version_of(kind: Kind, environment: Environment) -> str:
    """Return the version that is installed, which a folder that was there already may have another of."""
    code = f"from importlib.metadata import version; print(version({kind.package!r}))"
    return environment.run(("python", "-c", code), ASK_S).strip()
