"""What a job may be told, and the reading of it: each thing that is wrong is named by its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memoryd.errors import ArgumentFault, InvalidArguments

_KINDS: Mapping[type, str] = {str: "a text", bool: "true or false", int: "a whole number"}
_LONGEST = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument of a job.

    Attributes:
        name: Its key in ``args``.
        kind: ``str``, ``bool`` or ``int``.
        meaning: What it does, in words.
        choices: The only texts that are allowed; empty where any is.
        default: Its value where it is not sent; ``None`` with ``is_required`` means that it must be.
        is_required: Whether it must be sent.
        least: The lowest number that is allowed.
    """

    name: str
    kind: type = str
    meaning: str = ""
    choices: tuple[str, ...] = ()
    default: Any = None
    is_required: bool = False
    least: int | None = None

    def fault(self, value: Any) -> tuple[str, str] | None:
        """Return the rule that a value breaks, and the rule in words; ``None`` where it may be used."""
        # True is an int in Python, and is none in JSON.
        if type(value) is not self.kind:
            return "type", f"must be {_KINDS[self.kind]}"
        if self.choices and value not in self.choices:
            return "choice", f"must be one of: {', '.join(self.choices)}"
        if isinstance(value, str) and not 0 < len(value) <= _LONGEST:
            return "length", f"must have 1 to {_LONGEST} characters"
        if isinstance(value, int) and self.least is not None and value < self.least:
            return "greater_than_equal", f"must be {self.least} or more"
        return None


def read_arguments(offered: Sequence[Argument], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of each argument that a job offers.

    Raises:
        InvalidArguments: Naming everything that is wrong, not only the first.
    """
    known = {one.name: one for one in offered}
    faults = [
        ArgumentFault(name, "unknown", f"there is no such argument; there are: {', '.join(sorted(known)) or 'none'}")
        for name in given
        if name not in known
    ]
    values: dict[str, Any] = {}
    for one in offered:
        if given.get(one.name) is None:
            values[one.name] = one.default
            if one.is_required:
                allowed = f", one of: {', '.join(one.choices)}" if one.choices else ""
                faults.append(ArgumentFault(one.name, "missing", f"is needed{allowed}"))
            continue
        values[one.name] = given[one.name]
        if (fault := one.fault(values[one.name])) is not None:
            faults.append(ArgumentFault(one.name, *fault))
    if faults:
        raise InvalidArguments(faults)
    return values
