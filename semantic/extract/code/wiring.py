"""The code plane of one project: files and definitions as nodes; who contains, imports and calls whom as edges.

A call is an edge only where it is certain what is called: a definition of the same file, one that was imported by
name, a method of the same class, something of an imported module. Whatever would have to be guessed is left out.
"""

from __future__ import annotations

import posixpath
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from semantic.extract.code.importing import WHOLE
from semantic.extract.code.resolving import Files
from semantic.extract.code.source import Called, Imported, Source
from semantic.graph.build import Parts
from semantic.graph.model import Edge, Node

_SELF = frozenset({"self", "this", "cls", "Self", "super"})
_MOST_HOPS = 4

_Meant = tuple[str, str]
"""What a name in a file stands for: a file and the name of a definition in it, empty for the file itself."""


class Wiring:
    """Puts the files of one project together.

    Args:
        project: Its id.
        sources: What each file says, by path.
        folder: What its folder is called.
    """

    def __init__(self, project: str, sources: Mapping[str, Source], folder: str = "") -> None:
        self._project = project
        self._sources = sources
        self._files = Files(sources, folder)
        self._defined = {path: {one.name for one in source.defined} for path, source in sources.items()}
        self._named: dict[str, dict[str, _Meant]] = {}
        self._imports: dict[str, list[tuple[Imported, list[str]]]] = {}
        self._all_of: defaultdict[str, list[str]] = defaultdict(list)
        """The files whose names a file takes in whole."""
        self._packages: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for path, source in sources.items():
            if source.language == "go":
                for name in self._defined[path]:
                    self._packages[posixpath.dirname(path)][name].append(path)
        for path, source in sources.items():
            self._read_imports(path, source)

    def parts(self) -> Parts:
        """Return all nodes and edges."""
        nodes: dict[str, Node] = {}
        edges: list[Edge] = []
        for path, source in self._sources.items():
            file = self._id(path)
            nodes[file] = Node(file, "file", "code", path, about=source.doc, scope="project", project=self._project)
            for one in source.defined:
                id_ = self._id(path, one.name)
                names = (one.name.rsplit(".", 1)[-1],) if "." in one.name else ()
                nodes.setdefault(
                    id_,
                    Node(id_, one.kind, "code", one.name, None, one.doc, names, "project", self._project),
                )
                owner = one.name.rpartition(".")[0]
                holder = self._id(path, owner) if owner in self._defined[path] else file
                edges.append(self._edge(holder, id_, "contains", path, one.lines))
            for edge, package in self._import_edges(path, source):
                edges.append(edge)
                if package is not None:
                    nodes.setdefault(package.id, package)
            for base in source.extended:
                meant = self._called(path, source, replace(base, inside=""))
                if meant is not None and meant != (path, base.inside):
                    lines = (base.line, base.line)
                    edges.append(self._edge(self._id(path, base.inside), self._id(*meant), "extends", path, lines))
            for call in source.called:
                meant = self._called(path, source, call)
                if meant is not None:
                    caller = self._id(path, call.inside if call.inside in self._defined[path] else "")
                    if caller != self._id(*meant):
                        edges.append(self._edge(caller, self._id(*meant), "calls", path, (call.line, call.line)))
        return Parts(tuple(nodes.values()), tuple(edges))

    def _id(self, path: str, name: str = "") -> str:
        return f"path:{self._project}:{path}#{name}" if name else f"path:{self._project}:{path}"

    def _edge(self, source: str, target: str, relation: str, path: str, lines: tuple[int, int]) -> Edge:
        return Edge(source, target, relation, "code", "EXTRACTED", f"{self._project}:{path}", lines)

    def _read_imports(self, path: str, source: Source) -> None:
        named = self._named[path] = {}
        found = self._imports[path] = []
        for one in source.imported:
            files: dict[str, None] = {}
            whole = self._files.resolve(path, source.language, one.module)
            for local, original in one.names or (("", WHOLE),):
                if original == WHOLE:
                    files.update(dict.fromkeys(whole))
                    if local and whole:
                        named[local] = (whole[0], "")
                    continue
                inner = self._files.resolve(path, source.language, one.module, original)
                files.update(dict.fromkeys(inner))
                if inner:
                    is_module = inner != whole and source.language == "python"
                    named[local] = (inner[0], "" if is_module else original)
            files.pop(path, None)
            if not one.names and source.language in {"python", "javascript", "typescript", "rust"}:
                self._all_of[path] += files
            found.append((one, list(files)))

    def _import_edges(self, path: str, source: Source) -> Iterator[tuple[Edge, Node | None]]:
        for one, files in self._imports[path]:
            lines = (one.line, one.line)
            relation = "imports_late" if one.is_late else "imports"
            for file in files:
                yield self._edge(self._id(path), self._id(file), relation, path, lines), None
            package = "" if files else _package_of(source.language, one.module)
            if package:
                id_ = f"package:{self._project}:{source.language}:{package}"
                node = Node(id_, "package", "code", package, scope="project", project=self._project)
                yield self._edge(self._id(path), id_, "uses_package", path, lines), node

    def _called(self, path: str, source: Source, call: Called) -> _Meant | None:
        own = self._defined[path]
        owner = call.owner.replace("::", ".")
        around = call.inside.rpartition(".")[0]
        if not owner:
            if call.name in own:
                return path, call.name
            if source.language in {"java", "cpp"} and f"{around}.{call.name}" in own:
                return path, f"{around}.{call.name}"
            if source.language == "go":
                found = self._packages[posixpath.dirname(path)].get(call.name, [])
                return (found[0], call.name) if len(found) == 1 else None
            return self._followed(self._named[path].get(call.name))
        if owner in _SELF:
            return (path, f"{around}.{call.name}") if around and f"{around}.{call.name}" in own else None
        if f"{owner}.{call.name}" in own:
            return path, f"{owner}.{call.name}"
        meant = self._named[path].get(owner)
        if meant is None:
            return None
        if source.language == "go":
            found = self._packages[posixpath.dirname(meant[0])].get(call.name, [])
            return (found[0], call.name) if len(found) == 1 else None
        if meant[1]:
            settled = self._followed(meant)
            return None if settled is None else self._followed((settled[0], f"{settled[1]}.{call.name}"))
        stem = posixpath.splitext(posixpath.basename(meant[0]))[0]
        inside = f"{stem}.{call.name}" if source.language == "java" else call.name
        return self._followed((meant[0], inside))

    def _followed(self, meant: _Meant | None) -> _Meant | None:
        """Return where a definition stands: a file may hand on what it imported itself."""
        waiting = [] if meant is None else [(meant, 0)]
        seen: set[_Meant] = set()
        while waiting:
            (path, name), hops = waiting.pop()
            if not name or hops > _MOST_HOPS or (path, name) in seen:
                continue
            seen.add((path, name))
            if name in self._defined[path]:
                return path, name
            waiting += [((file, name), hops + 1) for file in reversed(self._all_of.get(path, ()))]
            further = self._named[path].get(name)
            if further is not None:
                waiting.append((further, hops + 1))
        return None


def _package_of(language: str, module: str) -> str:
    """Return the name of the package that an import from outside means.

    Nothing for one that is merely not found, and for what Python brings with it: every file uses some of that.
    """
    match language:
        case "python":
            first = module.split(".", 1)[0]
            return "" if module.startswith(".") or first in sys.stdlib_module_names else first
        case "javascript" | "typescript":
            if module.startswith((".", "/")):
                return ""
            parts = module.split("/")
            return "/".join(parts[:2]) if module.startswith("@") else parts[0]
        case "java":
            return ".".join(module.split(".")[:2])
        case "rust":
            first = module.split("::", 1)[0]
            return "" if first in {"crate", "self", "super"} else first
        case "go":
            return module
        case _:
            return module.strip("<>") if module.startswith("<") else ""
