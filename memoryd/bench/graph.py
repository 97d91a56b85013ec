"""What the graph of a vault holds, what it costs, what its questions gain by it, and whether its edges are true.

All but the last are counted. That nobody but a reader can tell: a sample drawn with a seed is printed with the lines
that each edge was read from, and a person says of each whether the lines say it.
"""

from __future__ import annotations

import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from memoryd.bench.edge_sample import sample_edges
from memoryd.bench.errors import BenchDataError
from memoryd.bench.plane import plane_table
from memoryd.bench.table import Report, Table
from semantic.graph.model import CONFIDENCES, Graph
from semantic.graph.shape import is_orphan
from semantic.graph.sources import Graphs, Picture
from semantic.model import Note
from semantic.projection.picture import Projection
from semantic.vault.contract import Contract
from semantic.vault.library import Library

MIB = 2**20
TIMES = 3
"""Seconds are the median of so many builds from nothing."""
MOST_GODS = 8


@dataclass(frozen=True, slots=True)
class Measured:
    """The graph of one vault: what it is, the processor's seconds to make it, and the memory that it takes.

    ``memory_mib`` is what the graph, and what was read out of the texts, take beside the notes themselves.
    """

    vault: str
    picture: Picture
    seconds: float
    again_seconds: float
    memory_mib: float


def run_graph(
    folders: Sequence[Path],
    *,
    sample: int = 0,
    seed: int = 7,
    gold: Path | None = None,
    most: int = 50,
    tell: Callable[[str], None] = lambda _: None,
) -> Report:
    """Return tables on the graphs of vaults.

    Args:
        folders: Of the vaults.
        sample: So many edges of each confidence are drawn from each vault and shown with their lines.
        seed: Of the sample.
        gold: Questions that are asked with and without what was read out of the texts (``memoryd.bench.plane``).
        most: So many of them for each vault.
        tell: Told what is being done.

    Raises:
        BenchDataError: A folder has no notes, or there is nothing to ask of it.
    """
    measured = []
    for folder in folders:
        tell(f"{folder.name}: the graph is made")
        measured.append(measure(folder))
    tables: list[Table] = [_sizes(measured), _kinds(measured), _gods(measured)]
    if sample:
        tables += [sample_edges(one.vault, one.picture, sample, seed) for one in measured]
    if gold is not None:
        tables.append(plane_table({folder.name: folder for folder in folders}, gold, most=most, tell=tell))
    facts = {"builds": TIMES, "seconds": "of the processor, the median"}
    return Report("The graph of a vault", tables, facts | ({"sample": sample, "seed": seed} if sample else {}))


def measure(folder: Path) -> Measured:
    """Return the graph of the notes in a folder, made from nothing, and what it cost.

    Raises:
        BenchDataError: The folder has no notes.
    """
    library = Library({folder.name: folder}, Contract(), lambda: datetime.now(UTC), UTC)
    library.reconcile()
    notes = dict(library.snapshot())
    if not notes:
        raise BenchDataError(f"{folder} has no notes")
    known = Projection(elements={}, decisions={})
    seconds = []
    for _ in range(TIMES):
        graphs = Graphs(lambda _: known, lambda: notes)
        began = time.process_time()
        graphs.now()
        seconds.append(time.process_time() - began)
    # Measured on a build of its own: to watch every allocation makes all of it slower.
    tracemalloc.start()
    try:
        graphs = Graphs(lambda _: known, lambda: notes)
        picture = graphs.now()
        memory = tracemalloc.get_traced_memory()[0] / MIB
    finally:
        tracemalloc.stop()
    return Measured(folder.name, picture, sorted(seconds)[TIMES // 2], _after_one_edit(known, notes), memory)


def isolated(graph: Graph, *, with_text: bool) -> float:
    """Return the share of notes that hang on nothing that another note hangs on too."""
    seen = graph if with_text else graph.part(["note", "curated"])
    notes = [id_ for id_, node in seen.nodes.items() if node.kind == "note"]
    return sum(is_orphan(seen, id_) for id_ in notes) / (len(notes) or 1)


def _after_one_edit(known: Projection, notes: dict[str, Note]) -> float:
    """Return the seconds that the graph takes after a line was added to one note of many."""
    shown = notes
    graphs = Graphs(lambda _: known, lambda: shown)
    graphs.now()
    seconds = []
    for id_ in sorted(notes)[:TIMES]:
        edited = replace(notes[id_], text=f"{notes[id_].text}\nOne more line.\n", etag="edited")
        shown = {**notes, id_: edited}
        began = time.process_time()
        graphs.now()
        seconds.append(time.process_time() - began)
    return sorted(seconds)[len(seconds) // 2]


def _sizes(measured: Sequence[Measured]) -> Table:
    columns = (
        "vault",
        "notes",
        "nodes",
        "edges",
        "seconds",
        "after one edit",
        "MiB",
        "isolated by links and tags",
        "isolated with the text",
    )
    rows = [
        (
            one.vault,
            len(one.picture.notes),
            len(one.picture.graph.nodes),
            len(one.picture.graph.edges),
            f"{one.seconds:.1f}",
            f"{one.again_seconds:.2f}",
            f"{one.memory_mib:.0f}",
            f"{isolated(one.picture.graph, with_text=False):.1%}",
            f"{isolated(one.picture.graph, with_text=True):.1%}",
        )
        for one in measured
    ]
    return Table("Size and cost", columns, rows)


def _kinds(measured: Sequence[Measured]) -> Table:
    rows: list[Sequence[object]] = []
    for one in measured:
        counts = Counter((edge.relation, edge.confidence) for edge in one.picture.graph.edges)
        relations = sorted({relation for relation, _ in counts})
        rows += [(one.vault, relation, *(counts[relation, sure] for sure in CONFIDENCES)) for relation in relations]
    return Table("Edges by relation and confidence", ("vault", "relation", *CONFIDENCES), rows)


def _gods(measured: Sequence[Measured]) -> Table:
    rows = [
        (one.vault, ", ".join(f"{node.name} ({ties})" for node, ties in one.picture.shape.gods[:MOST_GODS]))
        for one in measured
    ]
    return Table("What most hangs on", ("vault", "things, with the number of their ties"), rows)
