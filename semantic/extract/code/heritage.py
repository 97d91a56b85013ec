"""What a class is made from: the names behind ``extends``, a colon, or in the brackets of a Python class."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from semantic.extract.code.importing import text_of

_CLAUSES = frozenset(
    {"class_heritage", "superclass", "super_interfaces", "extends_type_clause", "extends_interfaces"}
    | {"base_class_clause"}
)
_ARGUMENTS = re.compile(r"\[[^\[\]]*\]|<[^<>]*>|\([^()]*\)")
"""What a generic type is filled with, innermost first."""
_WORDS = re.compile(r"\b(?:extends|implements|public|private|protected|virtual)\b|^\s*:")
_NAME = re.compile(r"[\w.:]{1,120}")


def bases_of(node: Node) -> Iterator[tuple[str, str]]:
    """Yield what stands before the last dot of each name, and the name; none for a node that is no class."""
    clauses = [child for child in node.named_children if child.type in _CLAUSES]
    listed = node.child_by_field_name("superclasses")
    texts = [text_of(listed)[1:-1]] if listed is not None else [text_of(clause) for clause in clauses]
    for text in map(_plain, texts):
        for part in _WORDS.sub(",", text).split(","):
            name = part.strip()
            if _NAME.fullmatch(name):  # a keyword of Python's brackets has a sign of equality
                owner, _, last = name.replace("::", ".").rpartition(".")
                yield owner, last


def _plain(text: str) -> str:
    """Return a text without what generic types are filled with."""
    less = _ARGUMENTS.sub("", text)
    return text if less == text else _plain(less)
