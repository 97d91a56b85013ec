"""What the body of each kind of event must hold. A body that does not is damage: it is named and not used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from semantic.errors import BrokenLine, InvalidMutation
from semantic.log.citation import is_evidence
from semantic.log.ids import fits_kind, is_decision, is_mentionable
from semantic.log.instant import read_instant
from semantic.log.mutation import check_logged


def read_body(kind: str, id_: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the body of a known kind once its fields have the types they must have, and its id that of its kind.

    Raises:
        BrokenLine: A field is missing or of the wrong type, or an id has not the form of one.
    """
    if not fits_kind(kind, id_):
        raise BrokenLine(f"its id is none of a {kind.replace('_', ' ')}")
    match kind:
        case "decision":
            _check_decision(body)
        case "project":
            _check_project(body)
        case "project_merge":
            _check_texts(body, ("from", "into"))
        case _:
            _check_lists(body, ("ids",))
    return body


def _check_decision(body: Mapping[str, Any]) -> None:
    _check_texts(body, ("title", "why"))
    _check_lists(body, ("evidence", "supersedes", "about"))
    if not all(map(is_decision, body["supersedes"])):
        raise BrokenLine("it supersedes what is no decision's id")
    if not all(map(is_mentionable, body["about"])):
        raise BrokenLine("it mentions what is no id")
    if not all(map(is_evidence, body["evidence"])):
        raise BrokenLine("its evidence is neither an episode nor a place in a note")
    if "valid_at" in body:
        try:
            read_instant(body["valid_at"])
        except (TypeError, ValueError) as error:
            raise BrokenLine("its valid_at cannot be read") from error
    mutations = body.get("mutations")
    if not isinstance(mutations, list):
        raise BrokenLine("its mutations are no list")
    try:
        for mutation in mutations:
            check_logged(mutation, "mutation")
    except InvalidMutation as error:
        raise BrokenLine(f"its {error}") from error


def _check_project(body: Mapping[str, Any]) -> None:
    _check_texts(body, ("name",))
    _check_lists(body, ("remotes",))
    roots = body.get("roots")
    if not isinstance(roots, list) or not all(isinstance(root, dict) for root in roots):
        raise BrokenLine("its roots are no list of objects")
    for root in roots:
        _check_texts(root, ("install", "path"))


def _check_texts(body: Mapping[str, Any], names: Sequence[str]) -> None:
    for name in names:
        if type(body.get(name)) is not str:
            raise BrokenLine(f"its {name} is no text")


def _check_lists(body: Mapping[str, Any], names: Sequence[str]) -> None:
    for name in names:
        value = body.get(name)
        if type(value) is not list or (value and any(type(item) is not str for item in value)):
            raise BrokenLine(f"its {name} is no list of texts")
