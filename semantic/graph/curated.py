"""The curated plane: what the decision log says, as nodes and edges."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from memoryd.text.canonical import fold_name
from semantic.fields import SAME_AS
from semantic.graph.model import Edge, Node
from semantic.log.ids import is_note, is_path_end, note_id
from semantic.model import Decision, Element
from semantic.projection.picture import Projection


def element_node(element: Element, note: str | None = None, path: str | None = None) -> Node:
    """Return an element as a node; ``note`` and ``path`` are those of the note that is one thing with it."""
    return Node(
        element.id,
        element.kind,
        "curated",
        element.name,
        path=path,
        about=element.gist,
        names=element.aliases,
        scope=element.scope,
        project=element.project,
        note=note,
    )


def path_node(end: str) -> Node:
    """Return ``path:<project>:<path>`` as a node."""
    _, project, path = end.split(":", 2)
    return Node(end, "path", "curated", path, scope="project" if project else None, project=project or None)


class PathEnds:
    """Gives the one id of a file, however an element or a link writes it: a file of code is a node under that id.

    A project may be named by its id, by one that was merged into it, or by its name if no other has that; the path may
    begin with ``./``.
    """

    def __init__(self, projection: Projection) -> None:
        self._shown = projection.shown
        named: defaultdict[str, set[str]] = defaultdict(set)
        for project in projection.projects.values():
            for name in (project.name, *project.aliases):
                named[fold_name(name)].add(projection.shown(project.id))
        self._ids = {name: min(ids) for name, ids in named.items() if len(ids) == 1}
        self._known = projection.projects.keys()

    def id_of(self, written: str, project: str | None = None) -> str:
        """Return ``path:<project id>:<path>`` of a path; one without a project is of the element's ``project``."""
        named, path = project or "", written
        if is_path_end(written):
            _, named, path = written.split(":", 2)
        named = self._shown(named)
        if named not in self._known:
            named = self._ids.get(fold_name(named), named)
        return f"path:{named}:{path.removeprefix('./') or path}"

    def end(self, id_: str) -> str:
        """Return the id of an end of a link, which may be no path at all."""
        return self.id_of(id_) if is_path_end(id_) else id_


def curated_edges(projection: Projection, homes: Mapping[str, str]) -> Iterator[Edge]:
    """Yield the links of the log, what elements touch and the notes they name.

    Args:
        projection: The picture of the log.
        homes: Note id to the id of the node that the note is, where that is another.
    """
    ends = PathEnds(projection)
    for link in projection.links:
        if link.relation == SAME_AS and _home(link.source, homes) == _home(link.target, homes):
            continue  # it says that the two are one node, and they are
        yield Edge(
            _home(ends.end(link.source), homes),
            _home(ends.end(link.target), homes),
            link.relation,
            "curated",
            "EXTRACTED",
            decision=link.decision,
        )
    said = _said_by(projection)
    for element in projection.elements.values():
        newest = element.decisions[-1] if element.decisions else None
        for touched in element.touches:
            end, said_by = ends.id_of(touched, element.project), said.get((element.id, "touches", touched), newest)
            yield Edge(element.id, end, "touches", "curated", "EXTRACTED", decision=said_by)
        for named in element.notes:
            note = _named_note(named)
            if note is not None and _home(note, homes) != element.id:
                said_by = said.get((element.id, "notes", named), newest)
                yield Edge(element.id, _home(note, homes), "has_note", "curated", "EXTRACTED", decision=said_by)


def _said_by(projection: Projection) -> dict[tuple[str, str, str], str]:
    """Return which decision says last that an element touches a file or has a note: (element, field, value) -> id."""
    said: dict[tuple[str, str, str], Decision] = {}
    for decision in projection.decisions.values():
        for mutation in decision.mutations:
            if mutation["op"] != "put_element":
                continue
            for field in ("touches", "notes"):
                for value in mutation.get(field, ()):
                    key = (projection.shown(mutation["id"]), field, value)
                    if key not in said or said[key].order < decision.order:
                        said[key] = decision
    return {key: decision.id for key, decision in said.items()}


def _named_note(named: str) -> str | None:
    """Return the id of a note that an element names by id or by ``<vault>:<path>``."""
    if is_note(named):
        return named
    vault, colon, path = named.partition("#")[0].partition(":")
    return note_id(vault, path) if colon and vault and path else None


def _home(id_: str, homes: Mapping[str, str]) -> str:
    return homes.get(id_, id_)
