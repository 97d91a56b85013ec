"""A question to the semantic memory, and which documents it admits: one rule for every arm of the search."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from memoryd.text.window import Window
from semantic.fields import Document, project_names
from semantic.projection.picture import Projection
from semantic.tag import fold_tag, has_tags

ANY_TIME = Window()


@dataclass(frozen=True, slots=True)
class SemanticQuery:
    """What is asked, and within what.

    Attributes:
        text: The question; empty lists what the filters admit, newest first.
        window: Only what is from this span: notes by their date, elements by their last change, decisions by when
            they were recorded or from when they hold.
        as_of: Elements and decisions as they stood at this instant; the projection that is searched has to be of it.
        project: Only this project (an id or a name); a note belongs to the projects that its ``project/…`` tags name.
        near_project: Ranks this project's a little higher.
        also, near_also: Ids of what was merged into ``project``, and into ``near_project``.
        scope: ``user``, ``project`` or ``all``.
        tags: Each has to be there, itself or something below it.
        kinds: Of ``note``, ``element`` and ``decision``; ``None`` for all.
        limit: The most hits.
        spreads: Follow links: let what lines say that link to a note count for it, and what links lead to.
        quotes: Let the passage that the question quotes, if it quotes one, lead to what hangs beside it. Only where the
            question ``spreads``.
        priors: Let hubs, the project and supersession change the order a little. A superseded decision stands below
            what superseded it all the same.
    """

    text: str
    window: Window = ANY_TIME
    as_of: datetime | None = None
    project: str | None = None
    near_project: str | None = None
    also: tuple[str, ...] = ()
    near_also: tuple[str, ...] = ()
    scope: Literal["user", "project", "all"] = "all"
    tags: tuple[str, ...] = ()
    kinds: Collection[str] | None = None
    limit: int = 10
    dense: bool = True
    lexical: bool = True
    priors: bool = True
    spreads: bool = True
    quotes: bool = True

    def admits(self, document: Document, kind: str) -> bool:
        """Tell whether a document may be a hit of this kind (a note joined to an element is a hit of the element)."""
        return (
            (self.kinds is None or kind in self.kinds)
            and (self.scope in {"all", document.scope})
            and (self.project is None or is_of_project(document, self.project, *self.also))
            and (not self.tags or has_tags(self.tags, document.tags))
            and (not self.window or instant_in(document, self.window) is not None)
        )

    def joined(self, picture: Projection) -> SemanticQuery:
        """Return the question of projects as they were merged since."""
        if self.project is None and self.near_project is None:
            return self
        project, near = (None if one is None else picture.shown(one) for one in (self.project, self.near_project))
        known = picture.projects
        also, near_also = (known[one].merged if one is not None and one in known else () for one in (project, near))
        return replace(self, project=project, near_project=near, also=also, near_also=near_also)


def is_of_project(document: Document, *projects: str) -> bool:
    """Tell whether a document belongs to one of some projects given by id or name."""
    if document.kind != "note":
        return any(one in document.projects for one in projects)
    names = {name for one in projects for name in project_names(one)}
    return any(fold_tag(one) in names for one in document.projects)


def instant_in(document: Document, window: Window) -> datetime | None:
    """Return the instant for which a document lies in a window: when it was recorded, else from when it holds."""
    for instant in (document.at, document.valid_at):
        if instant is not None and window.holds(instant):
            return instant
    return None
