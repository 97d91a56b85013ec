"""Whatever is edited, decided, renamed and removed: the graph kept up to date is the graph made from nothing.

Covers behaviour 27, BH34, BH35.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from semantic.errors import SemanticError
from semantic.graph.sources import Graphs
from semantic.log.ids import note_id
from semantic.testing import open_store
from semantic.writing.recording import NewDecision

PATHS = ["Alpha Beta.md", "x/Alpha Beta.md", "Kafka2.md", "x/Gamma.md", "数据仓库.md", "Glossary.md"]
PIECES = st.sampled_from(
    [
        "[[Gamma]]",
        "[[Alpha Beta|shown]]",
        "Alpha beta is here",
        "we use Kafka2 and Zeta",
        "数据仓库是一种存储方式。",
        "**Zeta Lake**: a place where all of it is kept",
        "Zeta Lake is a place for things",
        "`my_function` and `x/Gamma.md`",
        "https://example.org/a?b=c",
        "@someone and Dr. Zeta Quill",
        "#topic/x",
        "- **Zeta Lake**: quite another thing it seems",
        "# Heading of Zeta",
        "## Zeta Lake",
        "the Long Term Store (LTS) holds LTS",
    ]
)
TEXTS = st.builds(
    lambda front, pieces: front + "\n\n".join(pieces) + "\n",
    st.sampled_from(
        ["", "---\naliases: [Zeta]\n---\n", "---\nauthor: Ada Lovelace\n---\n", "---\ntitle: Gamma Ray\n---\n"]
    ),
    st.lists(PIECES, max_size=6),
)


class Knowledge(RuleBasedStateMachine):
    """A small vault and a log that change under a graph which is looked at now and then."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        (self.root / "v").mkdir()
        self.store = open_store(self.root / "m", vaults={"v": self.root / "v"})

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.root)

    @initialize()
    def start(self) -> None:
        (self.root / "v" / "Kafka2.md").write_text("[[Gamma]] Alpha Beta\n")
        self.store.reconcile()

    @rule(path=st.sampled_from(PATHS), text=TEXTS)
    def write(self, path: str, text: str) -> None:
        file = self.root / "v" / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        self.store.refresh([file])

    @rule(path=st.sampled_from(PATHS))
    def remove(self, path: str) -> None:
        (self.root / "v" / path).unlink(missing_ok=True)
        self.store.refresh([self.root / "v" / path])

    @rule(path=st.sampled_from(PATHS), other=st.sampled_from(PATHS))
    def rename(self, path: str, other: str) -> None:
        file, goal = self.root / "v" / path, self.root / "v" / other
        if file.exists() and file != goal:
            goal.parent.mkdir(exist_ok=True)
            file.rename(goal)
            self.store.refresh([goal, file])

    @rule(name=st.sampled_from(["Zeta Lake", "Kafka2", "Something Else"]), path=st.sampled_from(PATHS))
    def decide(self, name: str, path: str) -> None:
        put = {"op": "put_element", "kind": "thing", "name": name, "touches": ["path:p:x.py"]}
        join = {"op": "add_link", "from": {"kind": "thing", "name": name}, "rel": "same_as", "to": note_id("v", path)}
        try:
            self.store.decide(NewDecision(f"{name} {path}", "because", (put, join)))
        except SemanticError:
            return

    @rule()
    def look(self) -> None:
        self.store.graph.now()

    @invariant()
    def incremental_equals_rebuilt(self) -> None:
        if self.store.graph.is_wanted:
            kept = self.store.graph.now().graph
            fresh = Graphs(self.store.projection, self.store.graph._notes).now().graph
            assert kept.digest == fresh.digest
            ends = {end for edge in kept.edges for end in (edge.source, edge.target)}
            assert ends <= kept.nodes.keys()
            named = {node.id for node in kept.nodes.values() if node.kind != "note" and node.plane != "curated"}
            assert named <= ends  # what nothing names is gone


TestKnowledge = Knowledge.TestCase
TestKnowledge.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
