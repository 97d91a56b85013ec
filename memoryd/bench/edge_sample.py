"""Edges drawn by chance, printed beside the lines that they were read from: a person judges whether each is true."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memoryd.bench.table import Table
from semantic.graph.model import CONFIDENCES, Edge, Graph, Node
from semantic.graph.sources import Picture

JUDGED = frozenset({"defines", "mentions", "names_person", "co_mentioned"})
"""Relations whose truth is a matter of reading. A heading, an address or a link stands there or does not."""
AROUND = 2
"""So many lines before and after the place are shown with it."""
MOST_LINES = 12
"""Of a longer place, a whole section, only the lines that name one of the ends are shown."""
LONGEST_LINE = 700
"""Of a longer line the part about the name is shown."""
COLUMNS = ("confidence", "relation", "from", "to", "reason", "place", "lines")
_MARKS = re.compile(r"^[\W_]+")
"""Signs and pictures that a title begins with and that no sentence repeats."""


@dataclass(frozen=True, slots=True)
class EdgeSample(Table):
    """A table whose Markdown is a list, since what is to be read is longer than a cell."""

    def as_markdown(self) -> str:
        """Return each edge with its lines below it."""
        shown = [f"### {self.title}", ""]
        for number, (sure, relation, source, target, reason, place, lines) in enumerate(self.rows, 1):
            why = f" ({reason})" if reason else ""
            shown += [
                f"{number}. {sure} `{source}` -{relation}-> `{target}`{why}, {place}",
                "",
                "```",
                *lines,
                "```",
                "",
            ]
        return "\n".join(shown)


def sample_edges(vault: str, picture: Picture, count: int, seed: int) -> EdgeSample:
    """Return so many edges of each confidence with the lines around the places that they were read from."""
    graph = picture.graph
    texts = {f"{note.vault}:{note.path}": note.text.split("\n") for note in picture.notes.values()}
    rows = [
        (
            edge.confidence,
            edge.relation,
            graph.nodes[edge.source].name,
            graph.nodes[edge.target].name,
            edge.reason or "",
            _place(edge),
            list(_lines_around(edge, texts, [graph.nodes[edge.source], graph.nodes[edge.target]])),
        )
        for edge in drawn(graph, count, seed)
    ]
    return EdgeSample(f"A sample of {vault}", COLUMNS, rows)


def drawn(graph: Graph, count: int, seed: int) -> Iterator[Edge]:
    """Yield so many edges of each confidence, of relations that have to be read to be judged."""
    for confidence in CONFIDENCES:
        edges = [edge for edge in graph.edges if edge.confidence == confidence and edge.relation in JUDGED]
        chance = random.Random(f"{seed} {confidence}")  # noqa: S311 - a sample, no secret
        yield from chance.sample(edges, min(count, len(edges)))


def _place(edge: Edge) -> str:
    path = (edge.source_path or "").partition(":")[2]
    return f"{path}:{edge.lines[0]}" if edge.lines else path


def _lines_around(edge: Edge, texts: Mapping[str, Sequence[str]], ends: Sequence[Node]) -> Iterator[str]:
    """Yield the lines of the place with their numbers, those that the edge names marked with ``>``."""
    text = texts.get(edge.source_path or "", ())
    if edge.lines is None:
        return
    first, last = edge.lines
    names = [_MARKS.sub("", name).casefold() for end in ends for name in (end.name, *end.names)]
    is_section = last - first >= MOST_LINES
    for number in range(max(1, first - AROUND), min(len(text), last + AROUND) + 1):
        line = text[number - 1]
        at = [place for name in names if name and (place := line.casefold().find(name)) >= 0]
        if is_section and not at:
            continue
        begin = max(0, min(at) - LONGEST_LINE // 2) if at and len(line) > LONGEST_LINE else 0
        sign = ">" if first <= number <= last else " "
        yield f"{sign} {number:5} {line[begin : begin + LONGEST_LINE]}"
