"""The eight ways in which a decision changes the graph, and what each must hold.

A mutation has two forms of one shape. As **sent**, an element may be ``{kind, name}``; as **logged**, every element is
an id. This module checks fields and types of both; which element a name means is settled by
``semantic.writing.resolution``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memoryd.text.canonical import CanonicalError, canonical_json
from semantic.errors import InvalidMutation
from semantic.log.ids import is_element, is_note, is_path_end

MAX_MUTATIONS = 1000
MAX_NAME = 300
MAX_WORD = 64
"""Longest kind, relation and key, in characters."""

LISTS = ("notes", "touches", "aliases")
"""Fields that only grow, until a value is dropped."""

_KEY = re.compile(r"[a-z0-9_.-]{1,64}")

Check = Callable[[Any], str | None]
"""Returns what is wrong with a value and what is allowed, or nothing."""


@dataclass(frozen=True, slots=True)
class Operation:
    """The fields of one operation: those it must have, and those it may have."""

    required: Mapping[str, Check]
    optional: Mapping[str, Check]
    every: Mapping[str, Check] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "every", {"op": _nothing, **self.required, **self.optional})

    @property
    def fields(self) -> str:
        """Return the names of the fields, for an error."""
        return ", ".join((*self.required, *(f"{name}?" for name in self.optional)))


def check_logged(mutation: Any, place: str) -> None:
    """Check a mutation as the log holds it.

    Raises:
        InvalidMutation: A field is missing, unknown or of the wrong type.
    """
    _check(mutation, place, LOGGED)


def check_sent(mutation: Any, place: str) -> None:
    """Check a mutation as a caller sends it, in which an element may be ``{kind, name}``.

    Raises:
        InvalidMutation: A field is missing, unknown or of the wrong type.
    """
    _check(mutation, place, SENT)
    if mutation["op"] == "put_element" and "id" not in mutation:
        for name in ("kind", "name"):
            if name not in mutation:
                raise InvalidMutation(f"{place}.{name}", "is missing: name the element by kind and name, or by id")


def _check(mutation: Any, place: str, operations: Mapping[str, Operation]) -> None:
    if not isinstance(mutation, Mapping):
        raise InvalidMutation(place, "must be an object with an op")
    op = mutation.get("op")
    operation = operations.get(op) if isinstance(op, str) else None
    if operation is None:
        raise InvalidMutation(f"{place}.op", f"must be one of {', '.join(operations)}")
    every = operation.every
    for name, value in mutation.items():
        check = every.get(name)
        if check is None:
            raise InvalidMutation(place, f"{op} takes no other fields than {operation.fields}")
        wrong = check(value)
        if wrong is not None:
            raise InvalidMutation(f"{place}.{name}", wrong)
    if not operation.required.keys() <= mutation.keys():
        missing = next(name for name in operation.required if name not in mutation)
        raise InvalidMutation(f"{place}.{missing}", f"is missing: {op} needs {operation.fields}")


def _nothing(_: Any) -> str | None:
    return None


def _text(value: Any) -> str | None:
    return None if isinstance(value, str) else "must be a text"


def _filled(value: Any) -> str | None:
    return None if isinstance(value, str) and value.strip() else "must be a text that is not blank"


def _name(value: Any) -> str | None:
    return _filled(value) or (f"must have at most {MAX_NAME} characters" if len(value) > MAX_NAME else None)


def _word(value: Any) -> str | None:
    return _filled(value) or (f"must have at most {MAX_WORD} characters" if len(value) > MAX_WORD else None)


def _texts(value: Any) -> str | None:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return "must be a list of texts"
    wrong = ((index, _filled(item)) for index, item in enumerate(value))
    return next((f"item {index} {reason}" for index, reason in wrong if reason is not None), None)


def _key(value: Any) -> str | None:
    if isinstance(value, str) and _KEY.fullmatch(value) is not None:
        return None
    return "a key must match [a-z0-9_.-]+ and have at most 64 characters"


def _value(value: Any) -> str | None:
    if value is None or type(value) in (str, bool):
        return None
    try:
        canonical_json(value)
    except CanonicalError as error:
        return f"has no canonical form ({error})"
    return None


def _props(value: Any) -> str | None:
    if not isinstance(value, Mapping):
        return "must be an object"
    for key, item in value.items():
        reason = _key(key) or _value(item)
        if reason is not None:
            return f"holds a pair that cannot be kept: {reason}"
    return None


def _list_field(value: Any) -> str | None:
    return None if value in LISTS else f"must be one of {', '.join(LISTS)}"


def _element_id(value: Any) -> str | None:
    return None if is_element(value) else "must be an element id (el_ and 20 hex digits)"


def _subject_id(value: Any) -> str | None:
    return None if is_element(value) or is_note(value) else "must be an element id (el_…) or a note id (no_…)"


def _end_id(value: Any) -> str | None:
    if is_element(value) or is_note(value) or is_path_end(value):
        return None
    return "must be an element id (el_…), a note id (no_…) or path:<project>:<path>"


def _or_named(check: Check) -> Check:
    def either(value: Any) -> str | None:
        if not isinstance(value, Mapping):
            wrong = check(value)
            return None if wrong is None else f"{wrong}, or an object of kind and name"
        if value.keys() != {"kind", "name"}:
            return "must be an id, or an object of kind and name and nothing else"
        kind, name = _word(value["kind"]), _name(value["name"])
        return f"kind {kind}" if kind else f"name {name}" if name else None

    return either


def _sent_end(value: Any) -> str | None:
    if isinstance(value, Mapping) and value.keys() == {"path"}:
        wrong = _filled(value["path"])
        return None if wrong is None else f"path {wrong}"
    return _or_named(_end_id)(value)


def _several(check: Check) -> Check:
    def all_of(value: Any) -> str | None:
        if not isinstance(value, Sequence) or isinstance(value, str | bytes) or len(value) < 2:
            return "must be a list of two elements or more"
        wrong = ((index, check(item)) for index, item in enumerate(value))
        return next((f"item {index} {reason}" for index, reason in wrong if reason is not None), None)

    return all_of


def _operations(element: Check, subject: Check, end: Check, *, named_put: bool) -> dict[str, Operation]:
    put: dict[str, Check] = {"gist": _text, "props": _props, "notes": _texts, "touches": _texts, "aliases": _texts}
    identity: dict[str, Check] = {"kind": _word, "name": _name}
    return {
        "put_element": Operation({}, {"id": element, **identity, **put})
        if named_put
        else Operation({"id": element, **identity}, put),
        "set_prop": Operation({"id": element, "key": _key, "value": _value}, {}),
        "add_link": Operation({"from": end, "rel": _word, "to": end}, {}),
        "retire_link": Operation({"from": end, "rel": _word, "to": end}, {}),
        "drop": Operation({"id": element, "field": _list_field, "value": _filled}, {}),
        "rename": Operation({"id": subject, "name": _name}, {}),
        "merge": Operation({"ids": _several(element)}, {}),
        "split": Operation({"id": element}, {}),
    }


LOGGED = _operations(_element_id, _subject_id, _end_id, named_put=False)
SENT = _operations(_or_named(_element_id), _or_named(_subject_id), _sent_end, named_put=True)
OPS = tuple(LOGGED)
