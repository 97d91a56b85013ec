"""The grammars, and which of their nodes mean what. Each comes as a wheel of its own and is loaded when first used."""

from __future__ import annotations

import importlib
import posixpath
from dataclasses import dataclass, field
from functools import lru_cache

from tree_sitter import Language


@dataclass(frozen=True, slots=True)
class Grammar:
    """How a language writes definitions, imports and calls: node types of its grammar.

    Attributes:
        wheel: The module that carries it, and the function in it.
        defines: Node type to the kind of what it defines.
        scopes: Node types that only name a scope, with the field of the name.
        calls: Node types of calls, with the field of what is called.
        comments: Node types of comments.
    """

    language: str
    wheel: tuple[str, str]
    defines: dict[str, str]
    imports: frozenset[str]
    calls: dict[str, str]
    scopes: dict[str, str] = field(default_factory=dict)
    comments: frozenset[str] = frozenset({"comment"})


_SCRIPT = {
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "class_declaration": "class",
    "abstract_class_declaration": "class",
    "method_definition": "method",
    "interface_declaration": "interface",
    "type_alias_declaration": "type",
    "enum_declaration": "enum",
}
_SCRIPT_IMPORTS = frozenset({"import_statement", "export_statement"})
_C = {"function_definition": "function", "struct_specifier": "class", "enum_specifier": "enum"}

GRAMMARS = {
    "python": Grammar(
        "python",
        ("tree_sitter_python", "language"),
        {"function_definition": "function", "class_definition": "class"},
        frozenset({"import_statement", "import_from_statement"}),
        {"call": "function"},
    ),
    "javascript": Grammar(
        "javascript", ("tree_sitter_javascript", "language"), _SCRIPT, _SCRIPT_IMPORTS, {"call_expression": "function"}
    ),
    "typescript": Grammar(
        "typescript",
        ("tree_sitter_typescript", "language_typescript"),
        _SCRIPT,
        _SCRIPT_IMPORTS,
        {"call_expression": "function"},
    ),
    "tsx": Grammar(
        "typescript",
        ("tree_sitter_typescript", "language_tsx"),
        _SCRIPT,
        _SCRIPT_IMPORTS,
        {"call_expression": "function"},
    ),
    "go": Grammar(
        "go",
        ("tree_sitter_go", "language"),
        {"function_declaration": "function", "method_declaration": "method", "type_spec": "type"},
        frozenset({"import_spec"}),
        {"call_expression": "function"},
    ),
    "rust": Grammar(
        "rust",
        ("tree_sitter_rust", "language"),
        {
            "function_item": "function",
            "struct_item": "class",
            "enum_item": "enum",
            "trait_item": "interface",
            "type_item": "type",
            "mod_item": "module",
        },
        frozenset({"use_declaration"}),
        {"call_expression": "function"},
        {"impl_item": "type"},
        frozenset({"line_comment", "block_comment"}),
    ),
    "java": Grammar(
        "java",
        ("tree_sitter_java", "language"),
        {
            "class_declaration": "class",
            "record_declaration": "class",
            "interface_declaration": "interface",
            "enum_declaration": "enum",
            "method_declaration": "method",
            "constructor_declaration": "method",
        },
        frozenset({"import_declaration"}),
        {"method_invocation": "name"},
        {},
        frozenset({"line_comment", "block_comment"}),
    ),
    "c": Grammar(
        "c", ("tree_sitter_c", "language"), _C, frozenset({"preproc_include"}), {"call_expression": "function"}
    ),
    "cpp": Grammar(
        "cpp",
        ("tree_sitter_cpp", "language"),
        {**_C, "class_specifier": "class"},
        frozenset({"preproc_include"}),
        {"call_expression": "function"},
        {"namespace_definition": "name"},
    ),
}

_SUFFIXES = {
    ".py": "python",
    ".pyi": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    ".c": "c",
    ".h": "cpp",  # the grammar of C++ reads C headers too
    ".cc": "cpp",
    ".cpp": "cpp",
    ".cxx": "cpp",
    ".hh": "cpp",
    ".hpp": "cpp",
    ".hxx": "cpp",
}


def grammar_of(path: str) -> str | None:
    """Return the key of the grammar that reads a file, by its name; ``None`` for what is no program text here."""
    return _SUFFIXES.get(posixpath.splitext(path)[1].lower())


@lru_cache(maxsize=len(GRAMMARS))
def load(key: str) -> Language:
    """Return a grammar, loaded."""
    module, function = GRAMMARS[key].wheel
    return Language(getattr(importlib.import_module(module), function)())
