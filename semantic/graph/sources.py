"""The graph of now, kept up with log and notes, and that of another time.

The facade asks for a graph; it is built anew only where the log or a note changed, and what was read out of the text
of a note is kept as long as the note is the same.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from semantic.extract.code.projects import CodeProjects
from semantic.extract.corpus import Corpus
from semantic.extract.model.answer import Told
from semantic.extract.model.memo import Memo
from semantic.graph.asking import Answered, answer_from, starts_of, ways_between
from semantic.graph.build import Parts, build_graph, note_homes
from semantic.graph.explain import Explanation, explain
from semantic.graph.mentioned import Mentioned
from semantic.graph.model import Edge, Graph, Node
from semantic.graph.naming import NodeNames
from semantic.graph.path import Path, find_path
from semantic.graph.shape import Shape
from semantic.model import Note
from semantic.projection.picture import Projection

NOTES_HAVE_NO_PAST = "notes and code have no past: the graph of then holds those of now"


@dataclass(frozen=True)  # not slotted: what is derived from it is kept once asked for
class Picture:
    """A graph with what it was built from. It never changes.

    Attributes:
        degraded: What it lacks, in words.
        code: What the code of projects adds.
        memo_version: How much models had said by then.
    """

    graph: Graph
    projection: Projection
    notes: Mapping[str, Note]
    degraded: tuple[str, ...] = ()
    code: tuple[Parts, ...] = ()
    memo_version: int = 0

    @cached_property
    def names(self) -> NodeNames:
        """Who is called what."""
        return NodeNames(self.graph)

    @cached_property
    def shape(self) -> Shape:
        """Its communities, hubs and gaps. The first call takes seconds on a large graph."""
        from semantic.graph.survey import shape_of  # noqa: PLC0415 - networkx is loaded by whoever needs it

        return shape_of(self.graph)

    def find(self, written: str) -> Node:
        """Return the node that a name or an id means.

        Raises:
            UnknownNode: There is none.
            AmbiguousName: Several are called this.
        """
        return self.names.find(self.projection.shown(written))

    @cached_property
    def mentioned(self) -> Mentioned:
        """What a question names."""
        return Mentioned(self.graph)

    def ask(
        self,
        text: str,
        found: Sequence[str],
        budget: int,
        *,
        cost_of_node: Callable[[Node], int],
        cost_of_edge: Callable[[Edge], int],
    ) -> Answered:
        """Return the part of the graph that answers a question.

        Args:
            text: The question.
            found: Ids of elements and notes that the search found for it, best first.
            budget: What nodes and edges may cost together.
            cost_of_node: What showing a node costs.
            cost_of_edge: What showing an edge costs.
        """
        home_of = {node.note: id_ for id_, node in self.graph.nodes.items() if node.note is not None}
        homes = [home_of.get(id_, id_) for id_ in found]
        named = self.mentioned.find(text)
        return answer_from(
            self.graph,
            starts_of(self.graph, named, homes),
            budget,
            between=ways_between(self.graph, named),
            cost_of_node=cost_of_node,
            cost_of_edge=cost_of_edge,
        )

    def path(self, start: Node, goal: Node) -> Path:
        """Return how two nodes hang together."""
        return find_path(self.graph, start.id, goal.id)

    def explain(self, node: Node) -> Explanation:
        """Return what a node is and what it hangs on."""
        return explain(self.graph, node, self.projection, self.notes)


class Graphs:
    """Gives the graph. Every method may be called from any thread.

    Args:
        known: Returns the picture of the log, of now or as of an instant.
        notes: Returns the notes of now by id; the mapping never changes.
    """

    def __init__(self, known: Callable[[datetime | None], Projection], notes: Callable[[], Mapping[str, Note]]) -> None:
        self._known = known
        self._notes = notes
        self.code = CodeProjects()
        """The projects whose code is read; the composition root may set others before the first question."""
        self.memo = Memo()
        """What models read out of notes; the composition root may set another before the first question."""
        self._corpus = self._new_corpus()
        self._building = threading.Lock()
        self._now: Picture | None = None

    def now(self, check: Callable[[], None] = lambda: None) -> Picture:
        """Return the graph of now, built if something changed. ``check`` is called now and then; it may raise."""
        held = self._now
        if held is not None and self.is_current:
            return held
        with self._building:
            held = self._now
            if held is None or not self.is_current:
                held = self._now = self._built(self._known(None), self._notes(), check)
        return held

    def as_of(self, instant: datetime | None) -> Picture:
        """Return the graph of now, or with the log as it was before an instant."""
        if instant is None:
            return self.now()
        with self._building:
            return self._built(self._known(instant), self._notes(), lambda: None, (NOTES_HAVE_NO_PAST,))

    def renew(self, check: Callable[[], None] = lambda: None) -> Picture:
        """Return the graph of now, made from nothing: every note is read again. Errors are those of ``check``."""
        with self._building:
            held, self._corpus = self._corpus, self._new_corpus()
            try:
                self._now = self._built(self._known(None), self._notes(), check)
            except BaseException:
                self._corpus = held
                raise
            return self._now

    @property
    def held_digest(self) -> str | None:
        """The digest of the graph of now, brought up to date; ``None`` if nobody asked for one yet."""
        return None if self._now is None else self.now().graph.digest

    @property
    def is_wanted(self) -> bool:
        """Whether somebody asked for the graph before."""
        return self._now is not None

    @property
    def is_current(self) -> bool:
        """Whether the graph of now is built already."""
        held = self._now
        if held is None or held.code is not self.code.parts() or held.memo_version != self.memo.version:
            return False
        return held.projection is self._known(None) and held.notes is self._notes()

    def _built(
        self,
        known: Projection,
        notes: Mapping[str, Note],
        check: Callable[[], None],
        degraded: tuple[str, ...] = (),
    ) -> Picture:
        homes = note_homes(known, notes)
        said = self.memo.version
        extracted = self._corpus.read(notes, homes, known.elements, check)
        code = self.code.parts(check)
        graph = build_graph(known, notes, (extracted, *code), homes)
        return Picture(graph, known, notes, degraded, code, said)

    def _new_corpus(self) -> Corpus:
        return Corpus(self._said)

    def _said(self, text: str) -> tuple[str, Told] | None:
        return self.memo.of(text)  # of the memo that is set now
