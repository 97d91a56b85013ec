"""Questions to the graph: where they start, what is shown within a budget, and what is left out.

Covers the question within a budget, with typos, and that a hub fills no answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from semantic.graph.asking import Answered, answer_from, starts_of, ways_between
from semantic.graph.mentioned import Mentioned
from semantic.graph.model import Edge, Graph, Node


def graph_of(ties: Iterable[tuple[str, str]], names: Iterable[str] = ()) -> Graph:
    pairs = list(ties)
    ids = {end for pair in pairs for end in pair} | set(names)
    nodes = [Node(id_, "note", "note", id_) for id_ in ids]
    return Graph.of(nodes, [Edge(one, other, "links_to", "note", "EXTRACTED", f"v:{one}.md") for one, other in pairs])


def ask(graph: Graph, text: str, budget: int = 1000, found: Sequence[str] = ()) -> Answered:
    named = Mentioned(graph).find(text)
    starts, between = starts_of(graph, named, found), ways_between(graph, named)
    return answer_from(graph, starts, budget, between=between, cost_of_node=lambda _: 3, cost_of_edge=lambda _: 2)


def test_what_lies_between_two_named_things_is_shown() -> None:
    graph = graph_of([("Kafka", "Broker"), ("Broker", "Imports"), ("Imports", "Elsewhere"), ("Far", "Away")])
    answered = ask(graph, "how does Kafka hang together with Imports?")
    assert {id_ for id_, _ in answered.starts} == {"Kafka", "Imports"}
    assert {"Kafka", "Broker", "Imports"} <= {node.id for node in answered.nodes}
    assert "Far" not in {node.id for node in answered.nodes}


def test_a_slip_of_the_pen_and_what_the_search_found_lead_in() -> None:
    graph = graph_of([("Kafka", "Broker")], ["Redis"])
    assert [id_ for id_, _ in ask(graph, "what is Kafak?").starts] == ["Kafka"]
    assert [id_ for id_, _ in ask(graph, "the in-memory store", found=["Redis", "gone"]).starts] == ["Redis"]
    assert ask(graph, "nothing of this kind").nodes == ()


def test_the_name_as_it_is_written_goes_before_one_that_sounds_alike() -> None:
    graph = graph_of([], ["Recall.answer", "RecallAnswer"])
    for written in ("Recall.answer", "RecallAnswer"):
        assert ask(graph, f"who uses {written}?").starts[0][0] == written


@pytest.mark.parametrize("budget", [0, 3, 8, 13, 20, 40])
def test_a_larger_budget_gives_all_of_a_smaller_one(budget: int) -> None:
    graph = graph_of([("Kafka", name) for name in "abcdef"] + [("a", "b"), ("b", "z")])
    less, more = ask(graph, "Kafka", budget), ask(graph, "Kafka", budget + 5)
    assert less.units <= budget
    assert more.nodes[: len(less.nodes)] == less.nodes
    assert more.edges[: len(less.edges)] == less.edges
    whole = ask(graph, "Kafka")
    assert len(less.nodes) + less.left_out_nodes == len(whole.nodes)
    assert len(less.edges) + less.left_out_edges == len(whole.edges)
    assert {end for edge in less.edges for end in (edge.source, edge.target)} <= {node.id for node in less.nodes}


def test_a_hub_fills_no_answer_and_says_what_it_has_beside() -> None:
    graph = graph_of([("Kafka", "Everything")] + [("Everything", f"n{number:03}") for number in range(300)])
    answered = ask(graph, "Kafka")
    assert len(answered.nodes) < 20
    assert answered.more_ties >= 280


def test_each_thing_that_a_long_question_names_is_found_and_the_way_between_comes_first() -> None:
    ties = [("Critical Expert in the Loop", f"e{number}") for number in range(9)]
    ties += [("teiCrafter", f"t{number}") for number in range(9)]
    ties += [("teiCrafter", "Workbench"), ("Workbench", "Checking"), ("Checking", "Critical Expert in the Loop")]
    graph = graph_of(ties)
    asked = "How does teiCraftr relate to the Critical Expert in the Loop, would you say?"
    named = Mentioned(graph).find(asked)
    assert [ids[0] for ids in named] == ["Critical Expert in the Loop", "teiCrafter"]
    answered = ask(graph, asked, budget=4 * 3 + 3 * 2)
    assert {node.id for node in answered.nodes} == {
        "teiCrafter",
        "Workbench",
        "Checking",
        "Critical Expert in the Loop",
    }
