"""People's words for the daemon's: an option's name for a pointer into a request, a command for an address.

The daemon speaks to programs. What it says is shown to a person in one place, here; with ``--json`` it stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import click

from clients.http import ProblemError

PHRASES = {
    "GET /v1/projects lists them": "`memoryd project list` lists them",
    "send the id of a candidate, or new: true if it is another": (
        "write the name as it is known, or repeat with --new if it is another"
    ),
    "several elements are called this; send the id of one": "several elements are called this; name it by its id",
    "things are called this; send the id of one": "things are called this; name it by its id",
    "several projects have this name; send the id of one": "several projects have this name; name it by its id",
    "put it in the same decision, or send an id": "put it in the same decision, or name it by its id",
    "needs a project, or a cwd inside one": "needs --project, or to be run inside a project's folder",
    "needs a project; send one, or": "needs a project; name one with --project, or write",
    "or give since or until to read a span": "or give --since or --until to read a span",
    "until must not be before since": "--until must not be before --since",
    "; send force: true to choose": "; --force chooses",
    "or send create: true to have it made": "or repeat with --create to make it",
    "; send next_cursor as it was given": "; give it as it was shown",
    "read it, then change it with If-Match": (
        "`memoryd note show` prints its ETag, and `memoryd note put --if-match ETAG` changes it"
    ),
    "Send the token in the header Authorization: Bearer …": (
        "the daemon does not know the token of this memory; is MEMORYD_HOME that of the daemon?"
    ),
}
"""What the daemon says -> what a person reads."""

_RULES = (
    (re.compile(r"^String should have at least 1 character$"), "must not be empty"),
    (re.compile(r"^(?:Input|String|List|Tuple|Value) should "), "must "),
    (re.compile(r"^Field required$"), "is missing"),
    (re.compile(r"^there is no field of this name$"), "this daemon does not know it; is it of another version?"),
)
# Their titles say no more than their details.
_PLAIN = frozenset({"invalid-request", "not-found", "near-duplicate", "ambiguous-name", "exists"})
_POINTER = re.compile(r"/(?:body|query|path|header)(?:/[\w~.-]+)+")
_PLACE = re.compile(r"^([a-z_]+)((?:\[\d+\]|\.[a-z_]+)*)(?=: | has )")
_NO_NAME = re.compile(r"no element has this name: ((?:no|ep|fo|pl)_[0-9A-Za-z]+)(?=;|$)")
_SHOWN = 3


def names_of(command: click.Command | None) -> dict[str, str]:
    """Return what a command calls the fields that it sends: ``since`` -> ``--since``, ``query`` -> ``QUESTION``."""
    names = {}
    for one in command.params if command else ():
        if one.name:
            shown = one.opts[0] if isinstance(one, click.Option) else (one.metavar or one.name.upper())
            names[one.name.removesuffix("_")] = shown.removesuffix("...")
    return names


def explain(problem: ProblemError, names: Mapping[str, str]) -> str:
    """Return a problem as one line for a person.

    Args:
        problem: What the daemon answered.
        names: Field -> what the command calls it; ``mutations[0]`` and the like may be among them.
    """
    said = _faults(problem.body.get("errors"), names) or reword(problem.detail, names)
    if not said:
        said = problem.title
    elif problem.slug not in _PLAIN:
        said = f"{problem.title}: {said}"
    candidates = problem.body.get("candidates")
    if not isinstance(candidates, list) or not candidates:
        return said
    named = ", ".join(f"{one.get('id')} ({one.get('kind')} {one.get('name')!r})" for one in candidates[:5])
    return f"{said}; there is: {named}"


def reword(text: str, names: Mapping[str, str]) -> str:
    """Return what the daemon said with a person's words for its own."""
    for said, shown in PHRASES.items():
        text = text.replace(said, shown)
    text = _POINTER.sub(lambda found: _shown_place(found[0].split("/")[2:], names), text)
    return _PLACE.sub(lambda found: _shown_place(_parts(found[0]), names), text)


def point_to_show(message: str) -> str:
    """Return a failure of a search by name; where an id of another kind was given, it names the command that has it."""
    found = _NO_NAME.match(message)
    return f"{found[1]} is no element; `memoryd show {found[1]}` shows what it is" if found else message


def _faults(errors: Any, names: Mapping[str, str]) -> str:
    if not isinstance(errors, list):
        return ""
    told = []
    for one in errors[:_SHOWN]:
        parts = [part for part in str(one.get("pointer", "")).split("/")[2:] if part != "args"]
        message = str(one.get("message", ""))
        for rule, shown in _RULES:
            message = rule.sub(shown, message)
        message = reword(message, names)
        told.append(f"{_shown_place(parts, names)}: {message}" if parts else message)
    more = f" (and {len(errors) - _SHOWN} more)" if len(errors) > _SHOWN else ""
    return "; ".join(told) + more


def _parts(place: str) -> list[str]:
    """Return the parts of ``mutations[0].from``."""
    return [part for part in re.split(r"[\[\].]+", place) if part]


def _shown_place(parts: list[str], names: Mapping[str, str]) -> str:
    head, rest = parts[0], parts[1:]
    if rest and rest[0].isdecimal() and f"{head}[{rest[0]}]" in names:
        head, rest = f"{head}[{rest[0]}]", rest[1:]
    elif rest and rest[0].isdecimal() and head in names:
        # Options that may be repeated are counted by people from one, and the first is mostly the only one.
        head, rest = f"{names[head]} ({int(rest[0]) + 1})" if rest[0] != "0" else names[head], rest[1:]
    return ", ".join([names.get(head, head), *rest])
