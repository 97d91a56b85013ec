"""What makes two decisions the same: the intent, and the id that is made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memoryd.text.canonical import digest, fold_name


def intent_of(project: str | None, title: str, why: str, mutations: Sequence[Mapping[str, Any]]) -> str:
    """Return the hash of what a decision means: title and why without regard to case and spacing, resolved mutations.

    Raises:
        CanonicalError: A mutation has no canonical form.
    """
    scope = "user" if project is None else "project"
    return digest(scope, project, fold_name(title), fold_name(why), [dict(mutation) for mutation in mutations])


def decision_id(intent: str, supersedes: Iterable[str]) -> str:
    """Return the id of a decision: its intent and what it supersedes."""
    return "de_" + digest(intent, sorted(supersedes), length=24)
