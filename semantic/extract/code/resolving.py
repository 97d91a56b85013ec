"""Which file an import means. What lies outside the project is a package, and is not looked into."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable

_SCRIPT_ENDS = ("", ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", "/index.ts", "/index.tsx", "/index.js")


class Files:
    """The files of one project by path. It never changes.

    Args:
        paths: Relative to the project's folder, with ``/``.
        name: What that folder is called: it may be a package itself.
    """

    def __init__(self, paths: Iterable[str], name: str = "") -> None:
        self._name = name
        self._paths = frozenset(paths)
        self._ends: defaultdict[str, list[str]] = defaultdict(list)
        self._folders: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted(self._paths):
            self._ends[posixpath.basename(path)].append(path)
            self._folders[posixpath.dirname(path)].append(path)

    def resolve(self, source: str, language: str, module: str, name: str | None = None) -> list[str]:
        """Return the files that an import in a file means: one, or for Go those of a package; none if outside.

        Args:
            source: The importing file.
            language: Its language.
            module: As written.
            name: What is taken out of it: in Python and Rust that may be a module itself.
        """
        match language:
            case "python":
                found = self._python(source, module, name)
            case "javascript" | "typescript":
                found = self._script(source, module)
            case "go":
                return self._go(module)
            case "java":
                found = self._one_ending(module.replace(".", "/") + ".java")
            case "rust":
                found = self._rust(source, module)
            case _:
                found = self._include(source, module)
        return [] if found is None else [found]

    def _python(self, source: str, module: str, name: str | None) -> str | None:
        bare = module.lstrip(".")
        dots = len(module) - len(bare)
        parts = bare.split(".") if bare else []
        folder = posixpath.dirname(source)
        if dots:
            for _ in range(dots - 1):
                folder = posixpath.dirname(folder)
            return self._module(folder, parts, name)
        # From the root, from a folder of sources, then from the folders around the file, the outermost first.
        around = folder.split("/") if folder else []
        if parts and parts[0] == self._name and "__init__.py" in self._paths:
            return self._module("", parts[1:], name)
        roots = ["", "src", "lib", *("/".join(around[:count]) for count in range(1, len(around) + 1))]
        for root in dict.fromkeys(roots):
            # What lies in a package is imported by the package's name: a bare name means something outside.
            if parts and (f"{root}/__init__.py" if root else "__init__.py") in self._paths:
                continue
            found = self._module(root, parts, name)
            if found is not None:
                return found
        return None

    def _module(self, root: str, parts: list[str], name: str | None) -> str | None:
        path = "/".join([root, *parts]) if root else "/".join(parts)
        candidates = []
        if name is not None:
            inner = f"{path}/{name}" if path else name
            candidates += [f"{inner}.py", f"{inner}/__init__.py"]
        candidates += [f"{path}.py", f"{path}.pyi", f"{path}/__init__.py"] if parts or root else ["__init__.py"]
        return next((one for one in candidates if one in self._paths), None)

    def _script(self, source: str, module: str) -> str | None:
        if not module.startswith("."):
            return None
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), module))
        stem = path.removesuffix(".js")  # TypeScript names the file that will be made
        return next((one + end for one in (path, stem) for end in _SCRIPT_ENDS if one + end in self._paths), None)

    def _go(self, module: str) -> list[str]:
        parts = module.split("/")
        for first in range(len(parts)):
            folder = "/".join(parts[first:])
            held = [path for path in self._folders.get(folder, ()) if path.endswith(".go")]
            if held and "." in parts[0]:
                return [path for path in held if not path.endswith("_test.go")]
        return []

    def _rust(self, source: str, module: str) -> str | None:
        parts = module.split("::")
        folder = posixpath.dirname(source)
        own = folder if posixpath.basename(source) in {"mod.rs", "lib.rs", "main.rs"} else source.removesuffix(".rs")
        match parts[0]:
            case "crate":
                at = folder
                while at and not {f"{at}/lib.rs", f"{at}/main.rs"} & self._paths:
                    at = posixpath.dirname(at)
                base = at
            case "super":
                base = posixpath.dirname(own)
            case "self":
                base = own
            case _:
                return None
        inner = parts[1:]
        while inner and inner[0] == "super":
            base, inner = posixpath.dirname(base), inner[1:]
        for count in range(len(inner), 0, -1):
            path = "/".join([*([base] if base else []), *inner[:count]])
            for one in (f"{path}.rs", f"{path}/mod.rs"):
                if one in self._paths:
                    return one
        return None

    def _include(self, source: str, module: str) -> str | None:
        if module.startswith("<"):
            return None
        near = posixpath.normpath(posixpath.join(posixpath.dirname(source), module))
        return near if near in self._paths else self._one_ending(module)

    def _one_ending(self, path: str) -> str | None:
        found = [one for one in self._ends.get(posixpath.basename(path), ()) if f"/{one}".endswith(f"/{path}")]
        return found[0] if len(found) == 1 else None
