"""What a replay has found out about one id so far, and how several merged ones read as one element."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from semantic.model import NO_PROPS, Scope

_Stamped = tuple[int, Any]
"""A value with the step of the replay that set it: of two, the later stands."""


@dataclass(slots=True)
class ElementState:
    """The state of one id, merged or not. ``born`` is the step of its first put, 0 before any.

    notes, touches and aliases map a value to nothing and keep the order in which they came. ``hidden`` are names of
    merged members that were dropped as aliases.
    """

    id: str
    born: int = 0
    kind: str = ""
    name: str = ""
    scope: Scope = "user"
    project: str | None = None
    gist: _Stamped = (0, "")
    props: dict[str, _Stamped] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    touches: dict[str, None] = field(default_factory=dict)
    aliases: dict[str, None] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    heads: dict[str, None] = field(default_factory=dict)
    decisions: dict[str, None] = field(default_factory=dict)

    def put(self, mutation: Mapping[str, Any], step: int, scope: Scope, project: str | None) -> bool:
        """Apply a put; tell whether it carries authority: the element is new, or its gist or props are set."""
        new = not self.born
        if new:
            self.born, self.kind, self.name = step, mutation["kind"], mutation["name"]
            self.scope, self.project = scope, project
        if "gist" in mutation:
            self.gist = (step, mutation["gist"])
        for key, value in mutation.get("props", {}).items():
            self.props[key] = (step, value)
        for name in ("notes", "touches", "aliases"):
            values = mutation.get(name)
            if values:
                self.values(name).update(dict.fromkeys(values))
        if "aliases" in mutation:
            self.hidden.difference_update(mutation["aliases"])
        return new or "gist" in mutation or "props" in mutation

    def rename(self, name: str) -> None:
        """Give it a new name; the old one stays as an alias."""
        if self.name and name != self.name:
            self.aliases[self.name] = None
            self.aliases.pop(name, None)
        self.name = name

    def drop(self, name: str, value: str) -> None:
        """Remove a value from notes, touches or aliases."""
        self.values(name).pop(value, None)
        if name == "aliases":
            self.hidden.add(value)

    def values(self, name: str) -> dict[str, None]:
        """Return notes, touches or aliases."""
        return {"notes": self.notes, "touches": self.touches, "aliases": self.aliases}[name]


@dataclass(frozen=True, slots=True)
class Merged:
    """Several states read as one: the smallest id names it, the latest value of each field stands."""

    kind: str
    name: str
    scope: Scope
    project: str | None
    gist: str
    props: Mapping[str, Any]
    notes: tuple[str, ...]
    touches: tuple[str, ...]
    aliases: tuple[str, ...]


def merged(states: Sequence[ElementState]) -> Merged:
    """Read living states, smallest id first, as one element."""
    first = states[0]
    if len(states) == 1:
        return _alone(first)
    props: dict[str, _Stamped] = {}
    for state in states:
        for key, stamped in state.props.items():
            if key not in props or props[key][0] < stamped[0]:
                props[key] = stamped
    names = dict.fromkeys(state.name for state in states[1:] if state.name not in first.hidden)
    aliases = names | _union(state.aliases for state in states)
    aliases.pop(first.name, None)
    return Merged(
        kind=first.kind,
        name=first.name,
        scope=first.scope,
        project=first.project,
        gist=max((state.gist for state in states), key=lambda stamped: stamped[0])[1],
        props=_props((key, props[key]) for key in sorted(props)),
        notes=tuple(_union(state.notes for state in states)),
        touches=tuple(_union(state.touches for state in states)),
        aliases=tuple(aliases),
    )


def _alone(state: ElementState) -> Merged:
    """Read what nothing was merged with, as nearly all is: the same, without the work of uniting."""
    return Merged(
        kind=state.kind,
        name=state.name,
        scope=state.scope,
        project=state.project,
        gist=state.gist[1],
        props=_props((key, state.props[key]) for key in sorted(state.props)) if state.props else NO_PROPS,
        notes=tuple(state.notes),
        touches=tuple(state.touches),
        aliases=tuple(alias for alias in state.aliases if alias != state.name) if state.aliases else (),
    )


def _props(found: Iterable[tuple[str, _Stamped]]) -> Mapping[str, Any]:
    return MappingProxyType({key: value for key, (_, value) in found if value is not None})


def _union(parts: Iterable[dict[str, None]]) -> dict[str, None]:
    found: dict[str, None] = {}
    for part in parts:
        found.update(part)
    return found
