"""How far a line of a project's log reaches. Others may write to that log: it may be shared in a repository.

What is recorded in user scope reaches everything. What stands in a project's log reaches that project and no more:

- a forget there covers the lines of the project's own log, so a decision that was recorded in it, and of an element
  what was said in it. It never covers an episode: whose it is, the log cannot say once the decisions that cited it are
  purged. Our own forgets of episodes stand in user scope.
- a mutation there changes the project's own elements; a link may lead elsewhere, and begins at one of these.
- a decision there supersedes what was decided about the project's own elements.
- it neither makes projects one nor says where one lies, and moves no note.

What reaches further is kept, is not applied, and is named. Projects that were merged are one here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from memoryd.text.report import Problem
from semantic.errors import BrokenLine
from semantic.log.event import Event, read_line
from semantic.log.ids import is_episode
from semantic.log.merge import forgotten_by
from semantic.log.ndjson import split_lines
from semantic.union import Moves


@dataclass(frozen=True, slots=True)
class Reach:
    """What was forgotten, and in whose logs.

    Attributes:
        logs: For each forgotten id the projects in whose logs it is, ``None`` for user scope.
        merged: For each project that was merged into another, that other.
    """

    logs: Mapping[str, frozenset[str | None]] = field(default_factory=dict)
    merged: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.logs)

    def one(self, project: str | None) -> str | None:
        """Return the project that stands for this one now."""
        return project if project is None else self.merged.get(project, project)

    def covers(self, id_: str, project: str | None) -> bool:
        """Tell whether a line of a project's log, or of user scope for ``None``, may not say anything of an id."""
        logs = self.logs.get(id_)
        if logs is None:
            return False
        if None in logs:
            return True
        return project is not None and not is_episode(id_) and self.one(project) in map(self.one, logs)

    @property
    def everywhere(self) -> frozenset[str]:
        """Return the ids that no log may speak of."""
        return frozenset(id_ for id_, logs in self.logs.items() if None in logs)

    @property
    def bounded(self) -> Mapping[str, frozenset[str | None]]:
        """Return the ids that only some projects' logs may not speak of, with these projects."""
        return {id_: logs for id_, logs in self.logs.items() if None not in logs}

    def beyond(self, is_there: Callable[[str], bool]) -> list[Problem]:
        """Name, for each project's log, what it would have forgotten and is there all the same."""
        found: dict[str, list[str]] = {}
        for id_, logs in self.bounded.items():
            if is_there(id_):
                for project in logs:
                    found.setdefault(project or "", []).append(id_)
        return [
            Problem(
                f"log/projects/{project}",
                f"it would have {len(ids)} id(s) forgotten that are none of its project's, the first "
                f"{min(ids)[:40]!r}; they are kept. To forget one here: `memoryd forget ID`",
            )
            for project, ids in sorted(found.items())
        ]


def reach_of(events: Iterable[Event]) -> Reach:
    """Return what the forget events among these cover; they come in replay order."""
    logs: dict[str, set[str | None]] = {}
    moves = Moves()
    for event in events:
        if event.head.kind == "forget":
            for id_ in forgotten_by(event):
                logs.setdefault(id_, set()).add(event.head.project)
        elif event.head.kind == "project_merge" and event.head.project is None and event.known and event.body:
            source, into = event.body.get("from"), event.body.get("into")
            if isinstance(source, str) and isinstance(into, str):
                moves.move(moves.of(source), moves.of(into))
    return Reach({id_: frozenset(found) for id_, found in logs.items()}, moves.shown())


def reach_in(shards: Iterable[bytes]) -> Reach:
    """Return what the forget events in these shards cover."""
    events = []
    for data in shards:
        if b'"forget"' in data or b'"project_merge"' in data:
            for raw in split_lines(data)[0]:
                if b'"forget"' in raw or b'"project_merge"' in raw:
                    with suppress(BrokenLine):
                        events.append(read_line(raw).event)
    return reach_of(sorted(events, key=lambda event: event.order))
