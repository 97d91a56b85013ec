"""A decision as a replay holds it: its event, what later lines of the same id cite, and where it has authority."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, cast

from semantic.log.event import Event
from semantic.log.instant import read_instant
from semantic.model import Citation, Decision, Scope


class DecisionState:
    """One decision of a replay.

    ``touched`` says of each subject that it changed whether it did so with authority; ``elements`` are those of which
    it did, in order of mention, once all its mutations are applied.
    """

    __slots__ = ("_body", "_event", "about", "citations", "elements", "evidence", "touched")

    def __init__(self, event: Event, body: Mapping[str, Any]) -> None:
        self._event = event
        self._body = body
        self.evidence: tuple[str, ...] = tuple(body["evidence"])
        self.about: tuple[str, ...] = tuple(body["about"])
        self.citations: tuple[Citation, ...] = ()
        self.touched: dict[str, bool] = {}
        self.elements: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Return the decision's id."""
        return self._event.head.id

    @property
    def scope(self) -> Scope:
        """Return the scope that the decision was recorded in."""
        return cast("Literal['user', 'project']", self._event.head.scope)

    @property
    def project(self) -> str | None:
        """Return the project as written in the log."""
        return self._event.head.project

    @property
    def order(self) -> tuple[int, str, int, str]:
        """Return its place in the replay."""
        return self._event.order

    def settle(self) -> None:
        """Take the mutations as applied."""
        self.elements = tuple(subject for subject, authority in self.touched.items() if authority)

    def cite(self, event: Event, body: Mapping[str, Any]) -> None:
        """Unite what another line of the same id cites."""
        if added := tuple(one for one in body["evidence"] if one not in self.evidence):
            self.citations = (*self.citations, Citation(event.head.actor, event.head.session, added))
        self.evidence = (*self.evidence, *dict.fromkeys(added))
        self.about = tuple(dict.fromkeys((*self.about, *body["about"])))

    def read(self, superseded_by: str | None, project_of: Callable[[str], str]) -> Decision:
        """Return the decision as readers see it."""
        head, body = self._event.head, self._body
        at = read_instant(head.at)
        return Decision(
            id=head.id,
            title=body["title"],
            why=body["why"],
            at=at,
            valid_at=read_instant(body["valid_at"]) if "valid_at" in body else at,
            actor=head.actor,
            session=head.session,
            scope=self.scope,
            project=None if head.project is None else project_of(head.project),
            mutations=tuple(MappingProxyType(mutation) for mutation in body["mutations"]),
            evidence=self.evidence,
            about=self.about,
            supersedes=tuple(body["supersedes"]),
            superseded_by=superseded_by,
            elements=self.elements,
            order=(head.lamport, head.install, head.seq),
            citations=self.citations,
        )
