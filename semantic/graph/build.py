"""Building the graph: a pure function of the log's picture, the notes, and what each note's text says.

Nothing is carried over from the graph before, so no ghost can be. What is kept between two builds are facts of single
notes, each bound to the very note that it was read from; ``semantic.graph.sources`` keeps them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from memoryd.text.canonical import fold_name
from semantic.graph.curated import curated_edges, element_node, path_node
from semantic.graph.model import Edge, Graph, Node
from semantic.graph.noted import linked_things, note_node, rehomed
from semantic.log.ids import is_path_end
from semantic.model import Note
from semantic.projection.picture import Projection
from semantic.search.joining import joined_notes


@dataclass(frozen=True, slots=True)
class Parts:
    """What one plane adds: nodes (of two with one id the first stands), edges, and what others are, by id."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    about: Mapping[str, str] = field(default_factory=dict)


def note_homes(projection: Projection, notes: Mapping[str, Note]) -> dict[str, str]:
    """Return note id to the id of the element that it is one thing with, for notes and elements that are there."""
    joined = joined_notes(projection, notes)
    return {note: element for note, element in joined.items() if element in projection.elements and note in notes}


def build_graph(
    projection: Projection,
    notes: Mapping[str, Note],
    further: Iterable[Parts] = (),
    homes: Mapping[str, str] | None = None,
) -> Graph:
    """Return the graph of what the log and the notes say.

    Args:
        projection: The picture of the log.
        notes: By id.
        further: What other planes add; their ends are homes already.
        homes: ``note_homes`` of the same, where the caller has it.
    """
    homes = note_homes(projection, notes) if homes is None else homes
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    joined: dict[str, Note] = {}
    for id_, home in sorted(homes.items()):
        joined.setdefault(home, notes[id_])
    for element in projection.elements.values():
        note = joined.get(element.id)
        place = None if note is None else f"{note.vault}:{note.path}"
        nodes[element.id] = element_node(element, None if note is None else note.id, place)
    for note in notes.values():
        if note.id not in homes:
            nodes[note.id] = note_node(note)
    edges += curated_edges(projection, homes)
    # What is only named, a tag say, is there as long as something names it; of two spellings the first stands.
    named: dict[str, Node] = {}
    for note in notes.values():
        for edge, node in linked_things(note, homes.get(note.id, note.id)):
            held = rehomed(edge, homes)
            if held is not None:
                edges.append(held)
            if node is not None:
                _put_first(named, node)
    for part in further:
        for node in part.nodes:
            _put_first(named, node)
            if node.plane == "code":
                nodes.setdefault(node.id, node)  # a file is there whether or not anything names it
        edges += part.edges
        for id_, about in part.about.items():
            if id_ in nodes and not nodes[id_].about:
                nodes[id_] = replace(nodes[id_], about=about)
    edges += _proposed(nodes)
    for edge in edges:
        for end in (edge.source, edge.target):
            if end not in nodes:
                found = named.get(end) or _plain_end(end)
                if found is not None:
                    nodes[end] = found
    return Graph.of(nodes.values(), edges)


def _put_first(named: dict[str, Node], node: Node) -> None:
    held = named.get(node.id)
    if held is None or (not held.about, held.name) > (not node.about, node.name):
        named[node.id] = node


def _plain_end(end: str) -> Node | None:
    """Return the node of an end that nothing else describes: a path, or a note that is away."""
    if is_path_end(end):
        return path_node(end)
    return Node(end, "missing", "note", end) if end.startswith("no_") else None


def _proposed(nodes: Mapping[str, Node]) -> Iterator[Edge]:
    """Yield ``same_as`` proposals: an element and a note that have one name, and that nobody joined."""
    elements: dict[str, list[Node]] = {}
    for node in nodes.values():
        if node.plane == "curated":
            for name in {fold_name(one) for one in (node.name, *node.names)}:
                elements.setdefault(name, []).append(node)
    for node in nodes.values():
        if node.kind == "note" and node.plane == "note":
            names = {fold_name(one) for one in (node.name, *node.names)}
            same = {one.id: one for name in names for one in elements.get(name, ())}
            for other in same.values():
                if other.note is None:
                    reason = "the same name; say same_as, or put the element's id in the note, if they are one thing"
                    yield Edge(other.id, node.id, "same_as", "note", "AMBIGUOUS", node.path, reason=reason)
