"""The note plane: notes, their tags and what they link to, as people wrote them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import replace

from memoryd.text.canonical import fold_name
from semantic.graph.model import Edge, Node
from semantic.model import Note, NoteLink


def note_node(note: Note) -> Node:
    """Return a note as a node that stands by itself."""
    stem = posixpath.basename(note.path)[: -len(".md")]
    names = tuple(dict.fromkeys(name for name in (*note.aliases, stem) if name and name != note.title))
    return Node(
        note.id,
        "note",
        "note",
        note.title,
        path=f"{note.vault}:{note.path}",
        about=note.summary or "",
        names=names,
    )


def tag_id(tag: str) -> str:
    """Return the id of a tag's node; a tag is one thing in all vaults."""
    return f"tag:{tag}"


def linked_things(note: Note, home: str) -> Iterator[tuple[Edge, Node | None]]:
    """Yield the edges of a note's own tags and links, each with the node at its end that is no note.

    Args:
        note: With its links resolved.
        home: The id of the node that the note is.
    """
    place = f"{note.vault}:{note.path}"
    for tag in note.tags:
        named = Node(tag_id(tag), "tag", "note", tag)
        yield Edge(home, named.id, "tagged", "note", "EXTRACTED", place), named
    for link in note.links:
        if not link.written:
            continue  # to a heading of the note itself
        node = _target_node(note, link)
        target = link.target or "" if node is None else node.id
        relation = "embeds" if link.embed else "links_to"
        lines = (link.line, link.line)
        if link.ambiguous:
            others = ", ".join(link.ambiguous[:3])
            reason = f"{link.written!r} could also be {others}"
            yield Edge(home, target, relation, "note", "AMBIGUOUS", place, lines, reason=reason), node
        elif link.inferred:
            reason = f"{link.written!r} is an alias"
            yield Edge(home, target, relation, "note", "INFERRED", place, lines, reason=reason), node
        else:
            yield Edge(home, target, relation, "note", "EXTRACTED", place, lines), node


def rehomed(edge: Edge, homes: Mapping[str, str]) -> Edge | None:
    """Return the edge with its target's home; ``None`` if a note would link to itself only because it was joined."""
    target = homes.get(edge.target, edge.target)
    if target == edge.target:
        return edge
    if target == edge.source:
        return None
    return replace(edge, target=target)


def _target_node(note: Note, link: NoteLink) -> Node | None:
    """Return what a link ends at where that is no note: a file of the vault, or a name that nothing has yet."""
    if link.target is None:
        name = link.written.removesuffix(".md")
        return Node(f"missing:{note.vault}:{fold_name(name)}", "missing", "note", name)
    if link.target.startswith("no_"):
        return None
    return Node(f"file:{link.target}", "file", "note", posixpath.basename(link.target), path=link.target)
