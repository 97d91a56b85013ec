"""Reading one file of program text into what it defines, imports and calls.

The tree is walked with a stack of our own: generated code is nested deeper than Python's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tree_sitter import Node, Parser

from semantic.extract.code.grammar import GRAMMARS, Grammar, grammar_of, load
from semantic.extract.code.heritage import bases_of
from semantic.extract.code.importing import imports_of, text_of
from semantic.extract.code.source import Called, Defined, Imported, Source

LARGEST_BYTES = 1_000_000
"""A larger file was made by a program and is read by none."""
LONGEST_DOC = 200
MOST_CALLS = 5_000

_FUNCTIONS = frozenset({"function", "method"})
_ONLY_WITH_BODY = frozenset({"struct_specifier", "class_specifier", "enum_specifier", "mod_item"})
_DECLARED = ("arrow_function", "function_expression", "function")
_COMMENT = re.compile(r"^(?:///?!?|//!|/\*\*?!?|\*/|\*|#)+\s?|\s*\*/$")
_SENTENCE = re.compile(r"[.!?](?=\s+[A-Z`:*_])|[。！？]")
_STRING = re.compile(r"^[a-zA-Z]{0,2}(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$")


def read_source(path: str, data: bytes) -> Source | None:
    """Return what a file says; ``None`` where it is no program text of a known language."""
    key = grammar_of(path)
    if key is None:
        return None
    grammar = GRAMMARS[key]
    if len(data) > LARGEST_BYTES:
        return Source(grammar.language, problem=f"is larger than {LARGEST_BYTES // 1_000_000} MB and was not read")
    root = Parser(load(key)).parse(data).root_node
    reader = _Reader(grammar)
    reader.walk(root)
    return Source(
        grammar.language,
        _file_doc(root, grammar),
        _package(root, grammar),
        tuple(reader.defined),
        tuple(reader.imported),
        tuple(reader.called),
        tuple(reader.extended),
        "some of it could not be parsed" if root.has_error else "",
    )


class _Reader:
    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self.defined: list[Defined] = []
        self.imported: list[Imported] = []
        self.called: list[Called] = []
        self.extended: list[Called] = []

    def walk(self, root: Node) -> None:
        # (node, qualified name of the scope, whether that is a function, the class around it)
        waiting: list[tuple[Node, str, bool]] = [(root, "", False)]
        while waiting:
            node, scope, is_inside = waiting.pop()
            if node.type in self._grammar.imports:
                late = is_inside or _is_for_types(node)
                self.imported += imports_of(node, self._grammar.language, is_late=late)
                if node.type != "export_statement":
                    continue
            elif node.type in self._grammar.calls and len(self.called) < MOST_CALLS:
                self._call(node, scope if is_inside else "")
                if self._grammar.language == "javascript":
                    self.imported += imports_of(node, "javascript", is_late=is_inside)
            found = self._definition(node, scope)
            if found is not None:
                # What stands inside a function belongs to it; only a class is looked into for more names.
                if not is_inside:
                    self.defined.append(found)
                    if found.kind not in _FUNCTIONS:
                        self.extended += [Called(found.name, *one, found.lines[0]) for one in bases_of(node)]
                    scope, is_inside = found.name, found.kind in _FUNCTIONS
            elif node.type in self._grammar.scopes and not is_inside:
                named = node.child_by_field_name(self._grammar.scopes[node.type])
                if named is not None:
                    scope = _joined(scope, _bare_type(text_of(named)))
            waiting.extend((child, scope, is_inside) for child in reversed(node.named_children))

    def _definition(self, node: Node, scope: str) -> Defined | None:
        kind = self._grammar.defines.get(node.type)
        name = None if kind is None else _name(node)
        if kind is None and node.type == "variable_declarator" and not scope:
            value = node.child_by_field_name("value")
            if value is not None and value.type in _DECLARED:
                kind, name = "function", _name(node)
        if kind is None or not name:
            return None
        if node.type in _ONLY_WITH_BODY and node.child_by_field_name("body") is None:
            return None  # it is only named here
        owner = _receiver(node) or scope
        if kind == "function" and owner and self._grammar.language in {"python", "rust"}:
            kind = "method"
        lines = (node.start_point[0] + 1, node.end_point[0] + 1)
        return Defined(_joined(owner, name), kind, lines, _doc(node, self._grammar))

    def _call(self, node: Node, inside: str) -> None:
        target = node.child_by_field_name(self._grammar.calls[node.type])
        if target is None:
            return
        owner, name = _called(node, target)
        if name:
            self.called.append(Called(inside, owner, name, node.start_point[0] + 1))


def _called(node: Node, target: Node) -> tuple[str, str]:
    """Return what stands before the last dot of a call, and the name; no name where it is no plain one."""
    if node.type == "method_invocation":
        before = node.child_by_field_name("object")
        return ("" if before is None else _plain(before)), text_of(target)
    if target.type == "identifier":
        return "", text_of(target)
    for owner, name in (
        ("object", "attribute"),
        ("object", "property"),
        ("operand", "field"),
        ("value", "field"),
        ("argument", "field"),
        ("path", "name"),
        ("scope", "name"),
    ):
        before, after = target.child_by_field_name(owner), target.child_by_field_name(name)
        if before is not None and after is not None:
            plain = _plain(before)
            return (plain, text_of(after)) if plain else ("", "")
    return "", ""


def _plain(node: Node) -> str:
    text = text_of(node)
    return text if re.fullmatch(r"[\w.:]{1,120}", text) else ""


def _name(node: Node) -> str:
    named = node.child_by_field_name("name")
    if named is not None:
        return text_of(named)
    # In C a name is wrapped in what it points to and takes.
    inner = node.child_by_field_name("declarator")
    while inner is not None and inner.type not in {"identifier", "field_identifier", "qualified_identifier"}:
        inner = inner.child_by_field_name("declarator")
    return "" if inner is None else text_of(inner).replace("::", ".")


def _receiver(node: Node) -> str:
    """Return the type that a Go method belongs to."""
    receiver = node.child_by_field_name("receiver")
    return "" if receiver is None else _bare_type(text_of(receiver).strip("()").split(" ")[-1])


def _bare_type(text: str) -> str:
    return re.split(r"[<\[]", text.lstrip("*&"))[0].strip().replace("::", ".")


def _joined(scope: str, name: str) -> str:
    return f"{scope}.{name}" if scope else name


def _is_for_types(node: Node) -> bool:
    """Tell whether an import is for a type checker only."""
    above = node.parent
    while above is not None and above.parent is not None:
        if above.type == "if_statement":
            condition = above.child_by_field_name("condition")
            return condition is not None and "TYPE_CHECKING" in text_of(condition)
        above = above.parent
    return text_of(node).startswith("import type")


def _doc(node: Node, grammar: Grammar) -> str:
    if grammar.language == "python":
        body = node.child_by_field_name("body")
        return "" if body is None else _string_doc(body)
    at: Node = node
    while at.parent is not None and at.parent.type in {"export_statement", "lexical_declaration", "type_declaration"}:
        at = at.parent
    rows: list[str] = []
    before, line = at.prev_sibling, at.start_point[0]
    while before is not None and before.type in {*grammar.comments, "attribute_item"}:
        if before.type != "attribute_item":
            if line - before.end_point[0] > 1:
                break
            rows = [*_comment_rows(text_of(before)), *rows]
        line = before.start_point[0]
        before = before.prev_sibling
    return _first(rows)


def _file_doc(root: Node, grammar: Grammar) -> str:
    if grammar.language == "python":
        return _string_doc(root)
    rows: list[str] = []
    for child in root.children:
        if child.type not in grammar.comments or (rows and child.start_point[0] > len(rows) + 40):
            break
        rows += _comment_rows(text_of(child))
    return _first(row for row in rows if not re.match(r"(?i)(?:copyright|spdx|licen[sc]e|!|eslint)", row))


def _string_doc(body: Node) -> str:
    first = next((child for child in body.named_children if child.type != "comment"), None)
    if first is None or first.type != "expression_statement" or not first.named_children:
        return ""
    string = first.named_children[0]
    return _first(_STRING.sub("", text_of(string)).split("\n")) if string.type == "string" else ""


def _comment_rows(text: str) -> list[str]:
    return [_COMMENT.sub("", row.strip()).strip() for row in text.split("\n")]


def _first(rows: Iterable[str]) -> str:
    """Return the first sentence: of the first paragraph, on however many lines it stands."""
    paragraph: list[str] = []
    for row in rows:
        if row.strip():
            paragraph.append(row.strip())
        elif paragraph:
            break
    text = " ".join(paragraph)
    end = _SENTENCE.search(text)
    return (text if end is None else text[: end.end()]).strip()[:LONGEST_DOC]


def _package(root: Node, grammar: Grammar) -> str:
    """Return the package that a Java or Go file says it belongs to."""
    if grammar.language not in {"java", "go"}:
        return ""
    for child in root.named_children:
        if child.type in {"package_declaration", "package_clause"} and child.named_children:
            return text_of(child.named_children[-1])
    return ""
