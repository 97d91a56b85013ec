"""Which program text only tests other program text: it is read and searched like the rest, but is no hub of it."""

from __future__ import annotations

import posixpath
import re

from semantic.graph.model import Node

_FOLDERS = frozenset({"test", "tests", "spec", "specs", "__tests__", "testdata", "fixtures"})
_FILE = re.compile(
    r"test_.*|.*_tests?\.\w+|conftest\.py|.*\.(?:test|spec)\.\w+|.*_spec\.\w+|.*(?<=[a-z0-9])Tests?\.(?:java|kt)"
)


def is_test_path(path: str) -> bool:
    """Tell whether a file of a project is a test, or serves tests, by its path alone."""
    folder, name = posixpath.split(path)
    return any(part.casefold() in _FOLDERS for part in folder.split("/")) or _FILE.fullmatch(name) is not None


def is_test(node: Node) -> bool:
    """Tell whether a node is a file of tests or something defined in one."""
    if node.plane != "code" or not node.id.startswith("path:"):
        return False
    return is_test_path(node.id.split(":", 2)[2].partition("#")[0])
