"""The curated plane: what the decision log says, as nodes and edges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from semantic.fields import SAME_AS
from semantic.graph.model import Edge, Node
from semantic.ids import is_note, is_path_end, note_id
from semantic.model import Element
from semantic.projection import Projection


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


def path_end(touched: str, project: str | None) -> str:
    """Return the id of a path as an element names it: whole, or relative to the element's project."""
    return touched if is_path_end(touched) else f"path:{project or ''}:{touched}"


def curated_edges(projection: Projection, homes: Mapping[str, str]) -> Iterator[Edge]:
    """Yield the links of the log, what elements touch and the notes they name.

    Args:
        projection: The picture of the log.
        homes: Note id to the id of the node that the note is, where that is another.
    """
    for link in projection.links:
        if link.relation == SAME_AS and _home(link.source, homes) == _home(link.target, homes):
            continue  # it says that the two are one node, and they are
        yield Edge(
            _home(link.source, homes),
            _home(link.target, homes),
            link.relation,
            "curated",
            "EXTRACTED",
            decision=link.decision,
        )
    for element in projection.elements.values():
        said_by = element.decisions[-1] if element.decisions else None
        for touched in element.touches:
            end = path_end(touched, element.project)
            yield Edge(element.id, end, "touches", "curated", "EXTRACTED", decision=said_by)
        for named in element.notes:
            note = _named_note(named)
            if note is not None and _home(note, homes) != element.id:
                yield Edge(element.id, _home(note, homes), "has_note", "curated", "EXTRACTED", decision=said_by)


def _named_note(named: str) -> str | None:
    """Return the id of a note that an element names by id or by ``<vault>:<path>``."""
    if is_note(named):
        return named
    vault, colon, path = named.partition("#")[0].partition(":")
    return note_id(vault, path) if colon and vault and path else None


def _home(id_: str, homes: Mapping[str, str]) -> str:
    return homes.get(id_, id_)
