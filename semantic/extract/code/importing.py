"""Imports as each language writes them, in one form."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from semantic.extract.code.source import Imported

WHOLE = "*"


def text_of(node: Node) -> str:
    """Return the text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def imports_of(node: Node, language: str, *, is_late: bool) -> list[Imported]:
    """Return the imports that a node makes; most nodes make none."""
    line = node.start_point[0] + 1
    read = {
        "python": _python,
        "javascript": _script,
        "typescript": _script,
        "go": _go,
        "rust": _rust,
        "java": _java,
        "c": _include,
        "cpp": _include,
    }[language]
    return [Imported(module, line, tuple(names), is_late) for module, names in read(node) if module]


_Found = Iterator[tuple[str, list[tuple[str, str]]]]


def _python(node: Node) -> _Found:
    if node.type == "import_statement":
        for named in node.children_by_field_name("name"):
            if named.type == "aliased_import":
                module, alias = named.child_by_field_name("name"), named.child_by_field_name("alias")
                if module is not None and alias is not None:
                    yield text_of(module), [(text_of(alias), WHOLE)]
            else:
                yield text_of(named), [(text_of(named), WHOLE)]
        return
    of = node.child_by_field_name("module_name")
    if of is None:
        return
    names = []
    for named in node.children_by_field_name("name"):
        inner, alias = named.child_by_field_name("name"), named.child_by_field_name("alias")
        if inner is not None and alias is not None:
            names.append((text_of(alias), text_of(inner)))
        else:
            names.append((text_of(named), text_of(named)))
    yield text_of(of).replace(" ", ""), names


def _script(node: Node) -> _Found:
    if node.type == "call_expression":
        called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if called is None or arguments is None or text_of(called) != "require" or len(arguments.named_children) != 1:
            return
        (argument,) = arguments.named_children
        if argument.type == "string":
            holder = node.parent
            name = holder.child_by_field_name("name") if holder and holder.type == "variable_declarator" else None
            whole = [(text_of(name), WHOLE)] if name is not None and name.type == "identifier" else []
            yield text_of(argument).strip("'\"`"), whole
        return
    source = node.child_by_field_name("source")
    if source is None:
        return
    names = []
    waiting = [child for child in node.named_children if child.type in {"import_clause", "export_clause"}]
    while waiting:
        part = waiting.pop()
        if part.type in {"import_specifier", "export_specifier"}:
            inner, alias = part.child_by_field_name("name"), part.child_by_field_name("alias")
            if inner is not None:
                names.append((text_of(alias or inner), text_of(inner)))
        elif part.type == "namespace_import" and part.named_children:
            names.append((text_of(part.named_children[0]), WHOLE))
        elif part.type == "identifier":
            names.append((text_of(part), "default"))
        else:
            waiting.extend(part.named_children)
    yield text_of(source).strip("'\"`"), names


def _go(node: Node) -> _Found:
    path, name = node.child_by_field_name("path"), node.child_by_field_name("name")
    if path is not None:
        module = text_of(path).strip('"`')
        yield module, [(text_of(name) if name is not None else module.rsplit("/", 1)[-1], WHOLE)]


def _java(node: Node) -> _Found:
    named = [child for child in node.named_children if child.type in {"scoped_identifier", "identifier"}]
    if named:
        module = text_of(named[0])
        is_whole = any(child.type == "asterisk" for child in node.children)
        yield module, [] if is_whole else [(module.rsplit(".", 1)[-1], WHOLE)]


def _include(node: Node) -> _Found:
    path = node.child_by_field_name("path")
    if path is not None:
        yield text_of(path).strip('"'), []  # one in angle brackets keeps them: it lies outside


def _rust(node: Node) -> _Found:
    argument = node.child_by_field_name("argument")
    waiting = [] if argument is None else [(argument, "")]
    while waiting:
        part, before = waiting.pop()
        match part.type:
            case "scoped_use_list":
                path, inner = part.child_by_field_name("path"), part.child_by_field_name("list")
                prefix = before + (text_of(path) + "::" if path is not None else "")
                if inner is not None:
                    waiting.extend((child, prefix) for child in inner.named_children)
            case "use_list":
                waiting.extend((child, before) for child in part.named_children)
            case "use_as_clause":
                path, alias = part.child_by_field_name("path"), part.child_by_field_name("alias")
                if path is not None and alias is not None:
                    whole = before + text_of(path)
                    yield whole, [(text_of(alias), whole.rsplit("::", 1)[-1])]
            case "use_wildcard":
                yield before + text_of(part).removesuffix("::*"), []
            case _:
                whole = before + text_of(part)
                name = whole.rsplit("::", 1)[-1]
                yield whole, [(name, name)]
