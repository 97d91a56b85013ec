"""The benchmark of graphs: what it counts, and that a sample is the same for the same seed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memoryd.bench.edge_sample import drawn
from memoryd.bench.errors import BenchDataError
from memoryd.bench.graph import isolated, measure, run_graph
from memoryd.bench.plane import walk
from semantic.graph.model import Edge, Graph, Node


@pytest.fixture(scope="module")
def garden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "garden"
    folder.mkdir()
    (folder / "Job Queue.md").write_text("**Job Queue** is where work waits.\n", "utf-8")
    (folder / "linked.md").write_text("See [[Job Queue]].\n", "utf-8")
    (folder / "named.md").write_text("All of it goes to the job queue at night.\n", "utf-8")
    (folder / "alone.md").write_text("Nothing.\n", "utf-8")
    return folder


def test_it_counts_notes_edges_and_what_hangs_on_nothing(garden: Path) -> None:
    report = run_graph([garden], sample=5, seed=1)
    sizes, kinds, gods, sample = (table.as_object()["rows"] for table in report.tables)
    assert (sizes[0]["notes"], sizes[0]["isolated by links and tags"]) == (4, "50.0%")
    assert sizes[0]["isolated with the text"] == "25.0%"
    counted = {(row["relation"], row["INFERRED"]) for row in kinds}
    assert ("mentions", 1) in counted
    assert gods[0]["things, with the number of their ties"].startswith("Job Queue (2)")
    (shown,) = (row for row in sample if row["relation"] == "mentions")
    assert (shown["from"], shown["place"]) == ("named", "named.md:1")
    assert shown["lines"] == [">     1 All of it goes to the job queue at night.", "      2 "]
    assert "`named` -mentions-> `Job Queue` (named without a link), named.md:1" in report.as_markdown()
    assert report.as_markdown().count("###") == 4


def test_questions_are_asked_with_and_without_what_the_texts_say(garden: Path) -> None:
    row = {"vault": "garden", "source": "linked.md", "target": "Job Queue.md", "query_link_removed": "where work waits"}
    gold = garden.parent / "gold.jsonl"
    gold.write_text(json.dumps(row), "utf-8")
    report = run_graph([garden], gold=gold, most=1)
    rows = report.tables[-1].as_object()["rows"]
    assert {(row["cut"], row["way"]) for row in rows} == {
        (cut, way)
        for cut in ("link out", "source out")
        for way in ("search", "search + extracted", "graph without extracted", "graph")
    }
    assert {row["hit@5"] for row in rows if row["way"] == "search"} == {1.0}
    gold.write_text(json.dumps(row | {"source": "gone.md"}), "utf-8")
    with pytest.raises(BenchDataError, match="none of the notes"):
        run_graph([garden], gold=gold)


def test_a_walk_moves_up_what_several_lead_to_and_puts_no_stranger_before_the_first() -> None:
    nodes = [Node(name, "note", "note", name) for name in "abcdx"] + [Node("t", "term", "extracted", "t")]
    pairs = (("a", "t"), ("b", "t"), ("d", "t"), ("c", "x"))
    edges = [Edge(one, other, "mentions", "extracted", "INFERRED", "v:n.md") for one, other in pairs]
    met = walk(Graph.of(nodes, edges), ["a", "b", "c"], "extracted")
    assert met[0] == "a"
    assert set(met) == {"a", "b", "c", "d", "x"}
    assert walk(Graph.of(nodes, edges), ["a"], "note") == ["a"]


def test_a_folder_without_notes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchDataError, match="no notes"):
        measure(tmp_path)


def test_a_sample_is_drawn_of_each_confidence_and_the_same_for_a_seed() -> None:
    nodes = [Node(f"n{number:02}", "note", "note", str(number)) for number in range(40)]
    edges = [Edge("n00", node.id, "mentions", "extracted", "EXTRACTED", "v:a.md") for node in nodes[1:20]]
    edges += [Edge("n00", node.id, "mentions", "extracted", "INFERRED", "v:a.md") for node in nodes[20:]]
    edges.append(Edge("n01", "n02", "links_to", "note", "EXTRACTED", "v:a.md"))
    graph = Graph.of(nodes, edges)
    first = list(drawn(graph, 5, 1))
    assert first == list(drawn(graph, 5, 1))
    assert first != list(drawn(graph, 5, 2))
    assert [edge.confidence for edge in first] == ["EXTRACTED"] * 5 + ["INFERRED"] * 5
    assert {edge.relation for edge in first} == {"mentions"}
    assert isolated(Graph.of(nodes[:1], ()), with_text=True) == 1.0
