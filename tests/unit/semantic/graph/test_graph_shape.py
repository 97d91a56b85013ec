"""The map: hubs, communities, bridges, orphans, what is unsure and what is surprising; the report and the page."""

from __future__ import annotations

import json
import re
from pathlib import Path

from semantic.graph.model import Edge, Graph, Node
from semantic.graph.page import MOST_DRAWN, graph_page, page_data
from semantic.graph.report import report
from semantic.graph.survey import shape_of
from tests.unit.semantic.graph.test_graph import vault


def cluster(name: str, size: int, plane: str = "curated") -> tuple[list[Node], list[Edge]]:
    nodes = [Node(f"{name}{n}", "tool", "curated", f"{name}{n}") for n in range(size)]
    del plane
    edges = [
        Edge(f"{name}{a}", f"{name}{b}", "uses", "curated", "EXTRACTED")
        for a in range(size)
        for b in range(a + 1, size)
    ]
    return nodes, edges


def two_clusters() -> Graph:
    (nodes, edges), (more, further) = cluster("a", 6), cluster("b", 6)
    return Graph.of([*nodes, *more], [*edges, *further, Edge("a0", "b0", "feeds", "curated", "EXTRACTED")])


def test_communities_are_found_named_and_stable() -> None:
    shape = shape_of(two_clusters())
    assert sorted(one.name for one in shape.communities) == ["a0", "b0"]
    assert {len(one.members) for one in shape.communities} == {6}
    shuffled = two_clusters()
    again = shape_of(Graph.of(reversed(list(shuffled.nodes.values())), reversed(shuffled.edges)))
    assert again == shape


def test_the_only_edge_between_two_parts_is_a_bridge() -> None:
    shape = shape_of(two_clusters())
    assert [(edge.source, edge.target) for edge in shape.bridges] == [("a0", "b0")]


def test_gods_are_things_and_neither_tags_nor_generic_names(tmp_path: Path) -> None:
    notes = {f"n{n}": "[[Kafka]] [[index]] #x https://example.org/page\n" for n in range(12)}
    store = vault(tmp_path, Kafka="x\n", index="x\n", **notes)
    gods = [node.name for node, _ in store.graph.now().shape.gods]
    assert gods[0] == "Kafka"
    assert not {"index", "x", "example.org/page"} & set(gods)


def test_what_points_at_everything_is_no_god_and_neither_is_a_front_page_or_a_day(tmp_path: Path) -> None:
    notes = {f"n{n}": "[[Kafka]] [[2026-01-01]] [[docs/README]]\n" for n in range(5)}
    journal = "".join(f"[[n{n}]] " for n in range(5)) + "".join(f"[[m{n}]] " for n in range(30))
    notes |= {f"m{n}": "x\n" for n in range(30)} | {"2026-01-01": "x\n", "docs__README": "# The Handbook\n"}
    store = vault(tmp_path, Kafka="x\n", Diary=journal, **notes)
    gods = [node.name for node, _ in store.graph.now().shape.gods]
    assert gods[0] == "Kafka"
    assert not {"2026-01-01", "The Handbook"} & set(gods)


def test_an_orphan_hangs_on_nothing_that_others_hang_on(tmp_path: Path) -> None:
    store = vault(tmp_path, a="#t1\n", b="#t2\n", c="#t2\n", d="[[nowhere]]\n", e="[[a2]]\n", a2="x\n")
    assert {node.name for node in store.graph.now().shape.orphans} == {"a", "d"}


def test_unsure_edges_are_listed_with_their_reason(tmp_path: Path) -> None:
    store = vault(tmp_path, a="[[same]]\n", x__same="x\n", y__same="y\n")
    (edge,) = store.graph.now().shape.unsure
    assert "could also be" in (edge.reason or "")


def test_a_connection_across_communities_and_folders_is_surprising(tmp_path: Path) -> None:
    def ring(folder: str) -> dict[str, str]:
        return {f"{folder}__{folder}{n}": "".join(f"[[{folder}{m}]] " for m in range(5) if m != n) for n in range(5)}

    notes = ring("p") | ring("q")
    notes["p__p0"] += "[[q0]]"
    (surprise,) = vault(tmp_path, **notes).graph.now().shape.surprises
    assert "q/q0" not in surprise.reasons
    assert any("communities" in reason for reason in surprise.reasons)
    assert any("folders p and q" in reason for reason in surprise.reasons)


def test_circles_of_imports_are_named() -> None:
    nodes = [Node(name, "file", "code", name) for name in "abcd"]
    edges = [Edge(a, b, "imports", "code", "EXTRACTED") for a, b in ("ab", "bc", "ca", "cd")]
    assert shape_of(Graph.of(nodes, edges)).cycles == (("a", "b", "c", "a"),)


def test_names_in_the_report_are_read_as_text(tmp_path: Path) -> None:
    store = vault(
        tmp_path, a="---\ntitle: '<img src=x onerror=alert(1)> [link](http://x) | `c`'\n---\n[[b]]\n", b="[[a]]\n"
    )
    picture = store.graph.now()
    told = report(picture.graph, picture.shape, ["notes have no past"])
    assert "\\<img" in told
    assert "\\[link\\](" in told
    assert re.search(r"(?<!\\)<img", told) is None
    assert "> notes have no past" in told


def test_an_empty_graph_has_a_report_and_a_page() -> None:
    graph = Graph()
    assert "0 nodes" in report(graph, shape_of(graph))
    assert "<canvas" in graph_page(graph, shape_of(graph))


def test_the_page_is_one_file_and_nothing_of_the_memory_is_markup() -> None:
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028/*SCRIPT*/ /*DATA*/"
    graph = Graph.of(
        [Node("a", "tool", "curated", evil, about=evil), Node("b", "tool", "curated", "b")],
        [Edge("a", "b", evil, "curated", "EXTRACTED")],
    )
    page = graph_page(graph, shape_of(graph))
    assert page.count("<script") == 2
    assert "<img" not in page
    assert not re.search(r"(?:src|href)\s*=\s*[\"']", page)
    data = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    assert json.loads(data[1])["nodes"][0]["n"] == evil[:200]
    assert "default-src 'none'" in page
    assert "unsafe-inline'; script" in page
    assert "script-src 'sha256-" in page


def test_what_hangs_on_one_note_only_is_no_dot_of_the_page() -> None:
    graph = Graph.of(
        [Node("n", "note", "note", "n"), Node("url:x", "url", "extracted", "x"), Node("m", "note", "note", "m")],
        [Edge("n", "url:x", "cites", "extracted", "EXTRACTED"), Edge("n", "m", "links_to", "note", "EXTRACTED")],
    )
    data = page_data(graph, shape_of(graph))
    assert [node["n"] for node in data["nodes"]] == ["m", "n"]
    assert data["most"] == MOST_DRAWN
    assert data["whole"] == [3, 2]
