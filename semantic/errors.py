"""What can go wrong in the semantic memory.

::

    SemanticError
    ├── InvalidDecision         the words or parts of a decision cannot be recorded
    │   ├── InvalidMutation     one mutation is not well formed
    │   └── SecretFound         a text looks like a credential
    ├── UnknownName             nothing here has this id or name
    │   ├── UnknownElement
    │   ├── UnknownDecision
    │   ├── UnknownProject
    │   ├── UnknownNote
    │   ├── UnknownNode         nothing in the graph has this id or name
    │   └── UnknownPlan
    ├── Clash                   the store holds something else than the writer thinks
    │   ├── NearDuplicate       a new name is almost a known one
    │   ├── AmbiguousName       a name belongs to several
    │   ├── StaleHeads          the heads changed since the writer read them
    │   ├── PlanSettled         a plan is applied already, or is not
    │   ├── StaleNote           a note changed, or went, since the writer read it
    │   ├── NoteExists          a note that was to be made is there
    │   ├── NameTaken           a name is there that some systems cannot tell from the new one
    │   └── Purged              the id was forgotten and stays so
    ├── InvalidFolder           a working folder from which no project can be told
    ├── InvalidNote             a note cannot be written there, or not this text
    │   └── ContractBroken      an agent's note breaks the note contract
    ├── NoteUnwritable          a note file could not be written; it is as it was
    ├── ModelAway               a local model that was asked to read gives no answer
    ├── BadAnswer               what it answered is not in the form that was asked for
    └── LogDamage               a line, or its file, cannot be used
        ├── BrokenLine          the line is not what its hash says
        └── WriteFailed         the line could not be made durable; nothing was recorded
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class SemanticError(Exception):
    """The semantic memory cannot do this."""


class InvalidDecision(SemanticError):
    """The words or parts of a decision cannot be recorded as they are."""


class InvalidMutation(InvalidDecision):
    """One mutation is not well formed.

    Attributes:
        place: Where, such as ``mutations[2].gist``.
        reason: What is wrong and what is allowed there. Holds no text of the caller's values.
    """

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place = place
        self.reason = reason


class SecretFound(InvalidDecision):
    """A text looks like a credential. The message names the place and the kind, never the text."""

    def __init__(self, place: str, kind: str) -> None:
        super().__init__(
            f"{place} holds what looks like {kind}; nothing was recorded. Leave it out, or say where it is kept instead"
        )
        self.place = place
        self.kind = kind


class UnknownName(SemanticError):
    """Nothing here has this id or name."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something known that a name could have meant, and why it is offered."""

    id: str
    kind: str
    name: str
    reason: str


class UnknownElement(UnknownName):
    """No element has this id or name; ``candidates`` are those whose names are near."""

    def __init__(self, message: str, candidates: Sequence[Candidate] = ()) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)


class UnknownDecision(UnknownName):
    """No decision has this id."""


class UnknownProject(UnknownName):
    """No project has this id or name."""


class UnknownNote(UnknownName):
    """No note lies at this path."""


class Clash(SemanticError):
    """The store holds something else than the writer thinks; ``candidates`` are what the writer may have meant."""

    def __init__(self, message: str, candidates: Sequence[Candidate] = ()) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)


class NearDuplicate(Clash):
    """A new name is almost the name of a known element: use that one, or send ``new: true``."""


class AmbiguousName(Clash):
    """A name belongs to several: send the id of one."""


class StaleHeads(Clash):
    """The heads of an element changed since the writer read them: read it again, then decide."""


class StaleNote(Clash):
    """A note changed, or went, since the writer read it: read it again, then write."""


class NoteExists(Clash):
    """A note that was to be made is there already."""


class NameTaken(Clash):
    """A name is there that some systems cannot tell from the new one."""


class UnknownNode(UnknownName):
    """Nothing in the graph has this id or name; ``candidates`` are those whose names are nearest."""

    def __init__(self, message: str, candidates: Sequence[Candidate] = ()) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)


class UnknownPlan(UnknownName):
    """No plan has this id."""


class PlanSettled(Clash):
    """The plan is not in a state in which this can be done."""


class Purged(Clash):
    """The id was forgotten; what was purged stays purged."""


class InvalidFolder(SemanticError):
    """A working folder from which no project can be told."""


class InvalidNote(SemanticError):
    """A note cannot be written at this path, or not with this text; the message says what to do instead."""


class ContractBroken(InvalidNote):
    """An agent's note breaks the note contract; ``violations`` has each breach with its fix."""

    def __init__(self, violations: Sequence[str]) -> None:
        super().__init__("; ".join(violations))
        self.violations = tuple(violations)


class NoteUnwritable(SemanticError):
    """A note file could not be written; it is as it was."""


class ModelAway(SemanticError):
    """A model's server did not answer in time, or with an error; the message says which."""


class BadAnswer(SemanticError):
    """A model's answer is not in the form that was asked for; nothing of it is taken."""


class LogDamage(SemanticError):
    """A line of the log, or its file, cannot be used."""


class BrokenLine(LogDamage):
    """A line of the log is not what its hash says, or not in a known form."""


class WriteFailed(LogDamage):
    """A line could not be made durable; nothing was recorded."""
