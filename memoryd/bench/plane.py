"""Does what was read out of the texts help to find what an author linked? Asked with and without the extracted plane.

The questions are those of ``memoryd.bench.wikilinks``: a sentence without its link; wanted is the note that the link
led to. Two things are asked: the search, with a walk over extracted edges as one arm more; and the graph, whose answer
to a question in words is read note by note, with that plane and without it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from pathlib import Path

from memoryd.bench.cutting import without_links
from memoryd.bench.interval import bootstrap_mean
from memoryd.bench.table import Table
from memoryd.bench.wikilinks import DEPTHS, LINK_OUT, SETTINGS, Cut, CutVault, open_cut
from memoryd.text.rrf import fuse
from semantic.graph.model import PLANES, Graph
from semantic.graph.sources import Graphs, Picture
from semantic.model import Note
from semantic.projection.picture import Projection

COLUMNS = ("vault", "cut", "way", "questions", *(f"hit@{depth}" for depth in DEPTHS), "95 % of hit@5")
SEEDS = 10
"""The walk starts from so many of the first hits."""
STARTS = 12
NODES = 60
"""A graph's answer is read so far: every node costs 1, no edge costs anything."""


def plane_table(
    vaults: Mapping[str, Path],
    gold: Path,
    *,
    most: int = 100,
    seed: int = 7,
    tell: Callable[[str], None] = lambda _: None,
) -> Table:
    """Return how often the wanted note stands among the first, way by way.

    Args:
        vaults: Name, as the questions have it, to folder.
        gold: The questions, as ``memoryd.bench.wikilinks`` reads them.
        most: So many questions of each vault are asked, spread evenly over all.
        seed: Of the intervals.
        tell: Told what is being done.

    Raises:
        BenchDataError: There is nothing to ask.
    """
    rows: list[Sequence[object]] = []
    for name, folder in vaults.items():
        vault, cuts = open_cut(name, folder, gold)
        cuts = cuts[:: max(1, len(cuts) // most)][:most]
        asked = _AskedGraph(vault)
        ranks: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for setting in SETTINGS:
            for number, cut in enumerate(cuts, 1):
                for way, found in asked.ways(cut, setting):
                    ranks[setting, way].append(_rank(found, vault.ids[cut.target], vault.ids[cut.source]))
                tell(f"{name}, {setting}: {number} of {len(cuts)} questions asked")
        for (setting, way), places in ranks.items():
            shares = [sum(0 < place <= depth for place in places) / len(places) for depth in DEPTHS]
            low, high = bootstrap_mean([float(0 < place <= 5) for place in places], seed=seed)
            rows.append((name, setting, way, len(places), *shares, f"{low:.3f} to {high:.3f}"))
    return Table("With and without what was read out of the texts", COLUMNS, rows, {"seed": seed, "model": "none"})


class _AskedGraph:
    """The search and the graph of one vault, of which a note or its links are missing in turn."""

    def __init__(self, vault: CutVault) -> None:
        self._vault = vault
        self._shown: Mapping[str, Note] = vault.notes
        known = Projection(elements={}, decisions={})
        self._graphs = Graphs(lambda _: known, lambda: self._shown)

    def ways(self, cut: Cut, setting: str) -> Iterator[tuple[str, Sequence[str]]]:
        """Yield each way of asking with the notes that it finds, best first."""
        vault, source = self._vault, self._vault.ids[cut.source]
        self._shown = {id_: note for id_, note in vault.notes.items() if id_ != source}
        if setting == LINK_OUT:
            self._shown = {**self._shown, source: without_links(vault.notes[source], vault.ids[cut.target])}
        with vault.cut(cut, setting):
            found = [hit.id for hit in vault.ask(cut, dense=False, spreads=True).hits]
        whole = self._graphs.now()
        yield "search", found
        walked = walk(whole.graph, found[:SEEDS], "extracted")
        yield "search + extracted", [one.id for one in fuse({"search": found, "extracted": walked})]
        without = replace(whole, graph=whole.graph.part(plane for plane in PLANES if plane != "extracted"))
        yield "graph without extracted", _asked(without, cut.sentence, found)
        yield "graph", _asked(whole, cut.sentence, found)


def walk(graph: Graph, seeds: Sequence[str], plane: str) -> list[str]:
    """Return the seeds and what two steps over the edges of a plane lead to, heaviest first.

    A step hands on a node's weight to its neighbours in equal parts; a hub takes the root of its ties less. A seed
    keeps its own, so that the walk moves up what several seeds lead to, and does not put strangers before them.
    """
    held = {id_: 1 / (at + 1) for at, id_ in enumerate(seeds) if id_ in graph.nodes}
    met = defaultdict(float, held)
    for _ in range(2):
        further: defaultdict[str, float] = defaultdict(float)
        for id_, weight in held.items():
            edges = [edge for edge in graph.around[id_] if edge.plane == plane and edge.relation != "has_heading"]
            for edge in edges:
                other = edge.target if edge.source == id_ else edge.source
                further[other] += weight / len(edges) / sqrt(graph.degree(other))
        for id_, weight in further.items():
            met[id_] += weight
        held = further
    notes = {id_: weight for id_, weight in met.items() if graph.nodes[id_].kind == "note"}
    return sorted(notes, key=lambda id_: (-notes[id_], id_))


def _asked(picture: Picture, text: str, found: Sequence[str]) -> list[str]:
    answered = picture.ask(text, found[:STARTS], NODES, cost_of_node=lambda _: 1, cost_of_edge=lambda _: 0)
    return [node.id for node in answered.nodes if node.kind == "note"]


def _rank(found: Sequence[str], wanted: str, source: str) -> int:
    """Return the place of what is wanted, from 1; 0 where it is not found. Where the sentence stands is no answer."""
    others = [id_ for id_ in found if id_ != source]
    return others.index(wanted) + 1 if wanted in others else 0
