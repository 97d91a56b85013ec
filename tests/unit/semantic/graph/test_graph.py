"""The graph over log and vault: what is in it, how names are found, paths and explanations.

Covers BH30, BH31, BH32, BH33, BH34, BH35, BH36 and behaviours 26, 27 and 28.
"""

from __future__ import annotations

import json
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from semantic.errors import AmbiguousName, UnknownNode
from semantic.graph.model import Edge, Graph, Node
from semantic.graph.nodelink import node_link
from semantic.graph.path import find_path
from semantic.log.ids import note_id
from semantic.store import SemanticStore
from semantic.testing import open_store
from semantic.writing.recording import NewDecision, Recorded


def vault(tmp_path: Path, **notes: str) -> SemanticStore:
    """Return a store over a vault; in the names ``__`` stands for a slash."""
    for name, text in notes.items():
        put(tmp_path, name.replace("__", "/"), text)
    (tmp_path / "v").mkdir(exist_ok=True)
    store = open_store(tmp_path / "m", vaults={"v": tmp_path / "v"})
    store.reconcile()
    return store


def put(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / "v" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def decide(store: SemanticStore, title: str, *mutations: Any, **fields: Any) -> Recorded:
    return store.decide(NewDecision(title, "because", mutations, **fields))


def tool(name: str, **fields: Any) -> dict[str, Any]:
    return {"op": "put_element", "kind": "tool", "name": name, **fields}


def edges(store: SemanticStore, relation: str | None = None) -> set[tuple[str, str, str, str]]:
    graph = store.graph.now().graph
    return {
        (graph.nodes[edge.source].name, edge.relation, graph.nodes[edge.target].name, edge.confidence)
        for edge in graph.edges
        if relation is None or edge.relation == relation
    }


# What is in it


def test_links_tags_and_waiting_links_are_edges_with_their_lines(tmp_path: Path) -> None:
    store = vault(tmp_path, a="---\ntags: [tool/x]\n---\n# A\n\nSee [[b]] and [[nowhere]].\n", b="# B\n")
    assert edges(store) >= {
        ("A", "links_to", "B", "EXTRACTED"),
        ("A", "links_to", "nowhere", "EXTRACTED"),
        ("A", "tagged", "tool/x", "EXTRACTED"),
    }
    (edge,) = (edge for edge in store.graph.now().graph.edges if edge.target == note_id("v", "b.md"))
    assert (edge.source_path, edge.lines) == ("v:a.md", (6, 6))


def test_a_forward_link_finds_its_note_later(tmp_path: Path) -> None:
    """BH30."""
    store = vault(tmp_path, A="- relates_to [[Note B]]\n")
    assert edges(store, "links_to") == {("A", "links_to", "Note B", "EXTRACTED")}
    store.refresh([put(tmp_path, "Note B", "hello\n")])
    graph = store.graph.now().graph
    assert note_id("v", "Note B.md") in {edge.target for edge in graph.edges}
    assert not [node for node in graph.nodes.values() if node.kind == "missing"]


def test_prose_before_a_link_is_no_relation(tmp_path: Path) -> None:
    """BH31, BH32: a link at the start of a line, or behind long prose, is a plain link; a task is no fact."""
    text = f"- **Lorem** {'word ' * 52}documented in [[Some Note]] for context\n[[Some Note]] is popular\n- [ ] todo\n"
    store = vault(tmp_path, lg=text, **{"Some Note": "x"})
    assert edges(store, "links_to") == {("lg", "links_to", "Some Note", "EXTRACTED")}
    assert not [node for node in store.graph.now().graph.nodes.values() if node.name in {"todo", "Lorem"}]


def test_both_unicode_forms_are_one_node(tmp_path: Path) -> None:
    """BH33."""
    store = vault(tmp_path, other="[[grössen]]\n")
    store.refresh([put(tmp_path, unicodedata.normalize("NFD", "grössen"), "Tabelle\n")])
    picture = store.graph.now()
    names = [node for node in picture.graph.nodes.values() if "ssen" in node.name]
    assert len(names) == 1
    assert picture.find("grössen") == picture.find(unicodedata.normalize("NFD", "grössen")) == names[0]


def test_no_ghost_is_left_behind(tmp_path: Path) -> None:
    """BH34, BH35: after a removal and a rename the graph is that of a store which never knew the old."""
    store = vault(
        tmp_path, a="[[b]]\n", b="# B\n\n**Zebra**: a striped animal of the plains.\n", c="[[a]] `zebra_crossing`\n"
    )
    assert "b" in {node.name.lower() for node in store.graph.now().graph.nodes.values()}
    (tmp_path / "v" / "b.md").unlink()
    store.refresh([tmp_path / "v" / "b.md"])
    (tmp_path / "v" / "c.md").rename(tmp_path / "v" / "d.md")
    store.refresh([tmp_path / "v" / "d.md", tmp_path / "v" / "c.md"])
    kept = store.graph.now().graph
    assert {node.kind for node in kept.nodes.values() if node.name == "b"} == {"missing"}
    assert "Zebra" not in str(node_link(kept))
    fresh = open_store(tmp_path / "m", vaults={"v": tmp_path / "v"})
    fresh.reconcile()
    assert fresh.graph.now().graph.digest == kept.digest


def test_notes_of_one_name_in_two_folders_are_two_nodes(tmp_path: Path) -> None:
    """BH36, behaviour 28."""
    store = vault(tmp_path, a__README="# Booking\nalpha\n", b__README="# Booking\nbeta\n")
    graph = store.graph.now().graph
    assert len([node for node in graph.nodes.values() if node.name == "Booking"]) == 2
    assert not graph.edges


def test_an_alias_and_an_ambiguous_name_are_marked(tmp_path: Path) -> None:
    store = vault(tmp_path, a="[[Nick]] [[same]]\n", b="---\naliases: [Nick]\n---\n# B\n", x__same="x\n", y__same="y\n")
    by_confidence = {(target, confidence) for _, _, target, confidence in edges(store, "links_to")}
    assert by_confidence == {("B", "INFERRED"), ("same", "AMBIGUOUS")}
    reasons = [edge.reason for edge in store.graph.now().graph.edges if edge.confidence == "AMBIGUOUS"]
    assert "y/same.md" in str(reasons)


def test_an_element_and_its_note_are_one_node(tmp_path: Path) -> None:
    store = vault(tmp_path, other="[[queue]]\n")
    (queue,) = decide(store, "1", tool("Job queue", gist="Jobs wait here.")).elements
    store.refresh([put(tmp_path, "queue", f"---\nelement: {queue}\n---\n# The queue\n\n[[other]]\n")])
    picture = store.graph.now()
    note = note_id("v", "queue.md")
    assert note not in picture.graph.nodes
    assert picture.graph.nodes[queue].note == note
    assert picture.find(note).id == queue
    assert ("Job queue", "links_to", "other", "EXTRACTED") in edges(store)
    assert ("other", "links_to", "Job queue", "EXTRACTED") in edges(store)


def test_an_equal_name_only_proposes(tmp_path: Path) -> None:
    store = vault(tmp_path, queue="# Job queue\n\nHow it works.\n")
    (queue,) = decide(store, "1", tool("Job queue")).elements
    assert ("Job queue", "same_as", "Job queue", "AMBIGUOUS") in edges(store)
    decide(store, "2", {"op": "add_link", "from": queue, "rel": "same_as", "to": note_id("v", "queue.md")})
    assert not edges(store, "same_as")


def test_what_elements_touch_and_name_hangs_on_them(tmp_path: Path) -> None:
    store = vault(tmp_path, how="# How\n")
    decide(store, "1", tool("X", touches=["path:p-1:src/x.py"], notes=["v:how.md"]))
    assert edges(store) == {("X", "touches", "src/x.py", "EXTRACTED"), ("X", "has_note", "How", "EXTRACTED")}


def test_what_an_element_touches_cites_the_decision_that_said_it(tmp_path: Path) -> None:
    store = vault(tmp_path, how="x\n")
    first = decide(store, "1", tool("X", touches=["path:p-1:src/x.py"], notes=["v:how.md"]))
    decide(store, "2", tool("X", gist="newer"))
    third = decide(store, "3", tool("X", gist="newest", touches=["path:p-1:src/y.py"]))
    said = {edge.target: edge.decision for edge in store.graph.now().graph.edges if edge.source == first.elements[0]}
    assert said == {
        "path:p-1:src/x.py": first.id,
        "path:p-1:src/y.py": third.id,
        note_id("v", "how.md"): first.id,
    }


def test_a_scope_keeps_what_hangs_on_it(tmp_path: Path) -> None:
    store = vault(tmp_path, how="[[other]]\n", other="x\n")
    decide(store, "1", tool("X", touches=["path:p-1:src/x.py"]), scope="project", project="p")
    decide(store, "2", tool("Y"), scope="user")
    graph = store.graph.now().graph
    assert {node.name for node in graph.part(scope="project").nodes.values()} == {"X", "src/x.py"}
    assert {node.name for node in graph.part(scope="user").nodes.values()} == {"Y", "how", "other"}
    assert {node.name for node in graph.part({"note"}).nodes.values()} == {"how", "other"}


def test_as_of_shows_the_log_of_then_and_says_that_notes_have_no_past(tmp_path: Path) -> None:
    store = vault(tmp_path, how="x\n")
    decide(store, "1", tool("Old"))
    decide(store, "2", tool("New"))
    first, second = store.projection().decisions.values()
    then = store.graph.as_of(second.valid_at)
    assert {node.name for node in then.graph.nodes.values()} == {"Old", "how"}
    assert then.degraded
    assert first.valid_at < second.valid_at
    assert not store.graph.as_of(None).degraded


def test_the_same_graph_is_given_until_something_changes(tmp_path: Path) -> None:
    store = vault(tmp_path, how="x\n")
    first = store.graph.now()
    assert store.graph.now() is first
    assert store.graph.is_current
    decide(store, "1", tool("X"))
    assert not store.graph.is_current
    assert "X" in {node.name for node in store.graph.now().graph.nodes.values()}


def test_the_answer_is_node_link_that_networkx_reads(tmp_path: Path) -> None:
    store = vault(tmp_path, a="[[b]] [[b]]\n", b="[[a]] [[b]]\n")
    data = json.loads(json.dumps(node_link(store.graph.now().graph)))
    read = nx.node_link_graph(data, edges="links")
    assert (read.number_of_nodes(), read.number_of_edges()) == (2, 3)
    assert data["schema_version"] == 1
    assert data["links"][0].keys() >= {"source", "target", "relation", "confidence", "source_path", "lines"}


# Names


def test_a_name_is_found_with_a_slip_and_without_accents(tmp_path: Path) -> None:
    store = vault(tmp_path, Zürich="x\n", Warteschlange="x\n")
    find = store.graph.now().find
    assert find("zurich").name == "Zürich"
    assert find("Warteschalnge").name == find("v:Warteschlange.md").name == find("WARTESCHLANGE").name


def test_an_ambiguous_name_offers_its_candidates_and_an_unknown_one_the_nearest(tmp_path: Path) -> None:
    store = vault(tmp_path, a__Setup="x\n", b__Setup="x\n", Deployment="x\n")
    with pytest.raises(AmbiguousName) as clash:
        store.graph.now().find("setup")
    assert {one.id for one in clash.value.candidates} == {note_id("v", "a/Setup.md"), note_id("v", "b/Setup.md")}
    assert "v:a/Setup.md" in clash.value.candidates[0].reason
    assert store.graph.now().find("a/Setup").path == "v:a/Setup.md"
    with pytest.raises(UnknownNode) as unknown:
        store.graph.now().find("Deployment pipeline")
    assert [one.name for one in unknown.value.candidates] == ["Deployment"]


def test_v2_is_never_v3(tmp_path: Path) -> None:
    store = vault(tmp_path, **{"Release v2": "x\n"})
    with pytest.raises(UnknownNode):
        store.graph.now().find("Release v3")


def test_what_was_decided_goes_before_a_note_of_the_same_name(tmp_path: Path) -> None:
    store = vault(tmp_path, Queue="x\n")
    (queue,) = decide(store, "1", tool("Queue")).elements
    assert store.graph.now().find("queue").id == queue


# Paths


def graph_of(*triples: tuple[str, str, str], confidence: Any = "EXTRACTED") -> Graph:
    names = {name for source, _, target in triples for name in (source, target)}
    return Graph.of(
        (Node(name, "thing", "curated", name) for name in names),
        (Edge(source, target, relation, "curated", confidence) for source, relation, target in triples),
    )


def walked(graph: Graph, start: str, goal: str) -> list[str] | None:
    found = find_path(graph, start, goal)
    if found.steps is None:
        return None
    return [start, *(step.edge.target if step.is_forward else step.edge.source for step in found.steps)]


def test_a_path_goes_against_edges_too_and_tells_so() -> None:
    graph = graph_of(("a", "uses", "b"), ("c", "uses", "b"))
    assert walked(graph, "a", "c") == ["a", "b", "c"]
    assert [step.is_forward for step in find_path(graph, "a", "c").steps or ()] == [True, False]
    assert find_path(graph, "a", "a").steps == ()


def test_a_telling_way_beats_a_short_one_by_a_hub() -> None:
    spokes = [(f"s{n}", "uses", "hub") for n in range(300)]
    graph = graph_of(
        *spokes,
        ("a", "uses", "hub"),
        ("z", "uses", "hub"),
        ("a", "needs", "m"),
        ("m", "needs", "n"),
        ("n", "needs", "z"),
    )
    assert walked(graph, "a", "z") == ["a", "m", "n", "z"]


def test_a_shared_tag_is_the_last_resort() -> None:
    graph = graph_of(
        ("a", "tagged", "t"), ("z", "tagged", "t"), ("a", "uses", "m"), ("m", "uses", "n"), ("n", "uses", "z")
    )
    assert walked(graph, "a", "z") == ["a", "m", "n", "z"]
    assert walked(graph_of(("a", "tagged", "t"), ("z", "tagged", "t")), "a", "z") == ["a", "t", "z"]


def test_nothing_is_found_where_nothing_hangs_together() -> None:
    graph = graph_of(("a", "uses", "b"), ("c", "uses", "d"))
    found = find_path(graph, "a", "d")
    assert found.steps is None
    assert not found.is_cut


def test_a_hub_cycles_and_self_links_end(tmp_path: Path) -> None:
    """Behaviour 26: a hub of 5,000 links, links to itself, and circles."""
    del tmp_path
    triples = [(f"n{n}", "uses", "hub") for n in range(5000)]
    triples += [(f"n{n}", "next", f"n{(n + 1) % 5000}") for n in range(5000)]
    triples += [("hub", "is", "hub"), ("n1", "is", "n1")]
    graph = graph_of(*triples)
    assert find_path(graph, "n0", "n2500").steps is not None
    assert find_path(graph, "n0", "n2500", most_edges=10).is_cut
    assert graph.degree("hub") == 5001


def test_a_long_way_has_an_end() -> None:
    graph = graph_of(*((f"n{n}", "next", f"n{n + 1}") for n in range(40)))
    assert walked(graph, "n0", "n12") is not None
    assert walked(graph, "n0", "n13") is None


# Explanations


def test_an_explanation_says_what_it_is_why_and_what_speaks_of_it(tmp_path: Path) -> None:
    store = vault(
        tmp_path,
        how="---\nsummary: How jobs run.\n---\n# How\n\nThe [[Queue]] is used.\n",
        Queue="# Queue\n\nA place.\n",
    )
    episode = "ep_01ARZ3NDEKTSV4RRFFQ69G5FAV"
    (queue, base) = decide(
        store,
        "The queue is in Postgres",
        tool("Job queue", gist="Jobs wait in Postgres."),
        tool("Postgres"),
        {
            "op": "add_link",
            "from": {"kind": "tool", "name": "Job queue"},
            "rel": "runs_on",
            "to": {"kind": "tool", "name": "Postgres"},
        },
        evidence=(episode,),
    ).elements
    decide(store, "joined", {"op": "add_link", "from": queue, "rel": "same_as", "to": note_id("v", "Queue.md")})
    picture = store.graph.now()
    told = picture.explain(picture.find("Job queue"))
    assert told.node.about == "Jobs wait in Postgres."
    assert [one.other.id for one in told.hanging if one.edge.relation == "runs_on"] == [base]
    assert {one.title for one in told.decisions} == {"The queue is in Postgres", "joined"}
    assert {note.title for note in told.notes} == {"Queue", "How"}
    assert told.evidence == (episode,)
    assert told.relations["runs_on"] == 1


def test_the_explanation_of_a_hub_is_short_and_counts_the_rest() -> None:
    from semantic.graph.explain import MOST_HANGING, explain
    from semantic.projection.picture import Projection

    graph = graph_of(*((f"n{n}", "uses", "hub") for n in range(5000)), ("hub", "is", "hub"))
    told = explain(graph, graph.nodes["hub"], Projection(), {})
    assert len(told.hanging) == MOST_HANGING
    assert told.left_out == 5001 - MOST_HANGING


def test_dates_before_everything_give_an_empty_log(tmp_path: Path) -> None:
    store = vault(tmp_path)
    decide(store, "1", tool("X"))
    assert not store.graph.as_of(datetime(2000, 1, 1, tzinfo=UTC)).graph.nodes


def test_an_explanation_shows_some_of_each_relation_before_all_of_one(tmp_path: Path) -> None:
    notes = {f"n{n:02}": "[[Kafka]]\n" for n in range(60)}
    store = vault(tmp_path, Kafka="#queue\n\n[[n01]] https://example.org/kafka\n", **notes)
    seen = store.graph.now()
    told = seen.explain(seen.find("Kafka"))
    shown = {(one.edge.relation, one.is_forward) for one in told.hanging}
    assert shown == {("links_to", False), ("links_to", True), ("tagged", True), ("cites", True)}
    assert len(told.hanging) + told.left_out == sum(told.relations.values())


def test_a_name_means_a_term_before_a_heading(tmp_path: Path) -> None:
    store = vault(tmp_path, a="## Zeta Lake\n\nSee below.\n", b="**Zeta Lake** is a body of water on land.\n")
    assert store.graph.now().find("zeta lake").kind == "term"
