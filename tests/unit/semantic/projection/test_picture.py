"""What a replay makes of the log, through the store."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from semantic.errors import UnknownDecision, UnknownElement
from semantic.graph.build import build_graph
from semantic.graph.path import find_path
from semantic.log.ids import note_id
from semantic.store import SemanticStore
from semantic.testing import SteppingClock, open_store
from semantic.writing.recording import NewDecision, Recorded

OURS, THEIRS = "aaaaaaaaaaaa", "bbbbbbbbbbbb"


@pytest.fixture
def store(tmp_path: Path) -> SemanticStore:
    return open_store(tmp_path)


def tool(name: str, **fields: Any) -> dict[str, Any]:
    return {"op": "put_element", "kind": "tool", "name": name, **fields}


def link(source: Any, relation: str, target: Any, op: str = "add_link") -> dict[str, Any]:
    return {"op": op, "from": source, "rel": relation, "to": target}


def decide(store: SemanticStore, title: str, *mutations: Any, **fields: Any) -> Recorded:
    return store.decide(NewDecision(title, "because", mutations, **fields))


def ids(store: SemanticStore, *names: str) -> tuple[str, ...]:
    return decide(store, "There are some", *(tool(name) for name in names)).elements


def exchange(one: Path, other: Path) -> None:
    """Copy each home's shards to the other, as a sync does."""
    for source, target in ((one, other), (other, one)):
        for path in (source / "log").rglob("*.ndjson"):
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not copy.exists():
                shutil.copy(path, copy)


# Fields


def test_a_put_changes_only_what_it_says(store: SemanticStore) -> None:
    (x,) = decide(store, "1", tool("X", gist="g", props={"a": 1, "b": 2}, notes=["n"], touches=["a.py"])).elements
    decide(store, "2", tool("X", props={"b": 3, "a": None}, notes=["m", "n"]))
    element = store.element(x)
    assert (element.gist, element.props, element.notes, element.touches) == ("g", {"b": 3}, ("n", "m"), ("a.py",))


def test_drop_takes_out_one_value_which_may_come_again(store: SemanticStore) -> None:
    (x,) = decide(store, "1", tool("X", notes=["n", "m"], aliases=["Ex"])).elements
    decide(store, "2", {"op": "drop", "id": x, "field": "notes", "value": "n"})
    assert store.element(x).notes == ("m",)
    decide(store, "3", tool("X", notes=["n"]))
    assert store.element(x).notes == ("m", "n")


def test_evidence_is_what_the_elements_decisions_cite(store: SemanticStore) -> None:
    episode = "ep_" + "0" * 20
    (x,) = decide(store, "1", tool("X"), evidence=[episode]).elements
    decide(store, "2", tool("X", gist="g"), evidence=["vault:a.md#Top", episode])
    assert store.element(x).evidence == (episode, "vault:a.md#Top")


# Links


def test_a_retired_link_may_be_added_again(store: SemanticStore) -> None:
    a, b = ids(store, "A", "B")
    decide(store, "1", link(a, "uses", b))
    decide(store, "2", link(a, "uses", b, "retire_link"))
    assert store.element(a).links == store.element(b).links == ()
    again = decide(store, "3", link(a, "uses", b))
    assert [edge.decision for edge in store.element(b).links] == [again.id]


def test_neighbors_are_links_with_the_element_at_the_other_end(store: SemanticStore) -> None:
    a, b = ids(store, "A", "B")
    path, note = "path:p-00000000:src/a.py", note_id("vault", "a.md")
    decide(store, "1", link(a, "uses", b), link(a, "is in", path), link(note, "tells of", a))
    found = {edge.relation: other and other.id for edge, other in store.neighbors(a)}
    assert found == {"uses": b, "is in": None, "tells of": None}
    assert [other and other.id for _, other in store.neighbors(path)] == [a]
    assert [one.title for one in store.heads(note)] == ["1"]


def test_a_moved_note_keeps_its_links(store: SemanticStore) -> None:
    (a,) = ids(store, "A")
    old, new = note_id("vault", "a.md"), note_id("vault", "deep/b.md")
    decide(store, "1", link(old, "tells of", a))
    moved = decide(store, "moved", {"op": "rename", "id": old, "name": "vault:deep/b.md"})
    assert [edge.source for edge in store.element(a).links] == [new]
    assert [one.id for one in store.heads(new)] == [moved.id]
    decide(store, "2", link(new, "tells of", a, "retire_link"))
    assert store.element(a).links == ()


def test_a_hub_a_cycle_and_a_self_link_are_read(store: SemanticStore) -> None:
    a, *rest = ids(store, "hub", *(f"number {n}" for n in range(50)))
    decide(store, "1", *(link(one, "is of", a) for one in rest), link(a, "is", a), link(a, "has", rest[0]))
    assert len(store.neighbors(a)) == 52
    assert len(build_graph(store.projection(), {}).edges) == 52


def test_the_graph_view_can_be_walked(store: SemanticStore) -> None:
    a, b, c = ids(store, "A", "B", "C")
    decide(store, "1", link(a, "uses", b), link(b, "uses", c), link(c, "is in", "path:p-00000000:src/c.py"))
    graph = build_graph(store.projection(), {})
    found = find_path(graph, a, c)
    assert [step.edge.target for step in found.steps or ()] == [b, c]
    assert (graph.nodes[a].kind, graph.nodes[a].name, graph.nodes[a].plane) == ("tool", "A", "curated")
    assert graph.nodes["path:p-00000000:src/c.py"].name == "src/c.py"
    assert {edge.confidence for edge in graph.edges} == {"EXTRACTED"}


# Merges


def test_merged_elements_are_one_under_the_smallest_id(store: SemanticStore) -> None:
    a, b, c = ids(store, "Alpha", "Beta", "Gamma")
    decide(store, "b", tool("Beta", gist="later", props={"x": 1}, notes=["n"]), link(c, "uses", b))
    low, high = sorted((a, b))
    done = decide(store, "one", {"op": "merge", "ids": [a, b]})
    element = store.element(high)
    assert element.id == low == store.element(low).id
    assert element.gist == "later"
    assert {element.name, *element.aliases} == {"Alpha", "Beta"}
    assert element.heads == (done.id,)
    assert [edge.target for edge in store.element(c).links] == [low]
    assert len(store.projection().elements) == 2


def test_what_was_linked_between_merged_elements_is_no_self_link(store: SemanticStore) -> None:
    a, b = ids(store, "Alpha", "Beta")
    decide(store, "l", link(a, "same_as", b))
    decide(store, "one", {"op": "merge", "ids": [a, b]})
    assert store.element(a).links == ()
    assert store.projection().links == ()
    decide(store, "two", {"op": "split", "id": a})
    assert len(store.element(b).links) == 1


def test_a_split_undoes_the_merges_of_the_id(store: SemanticStore) -> None:
    a, b = ids(store, "Alpha", "Beta")
    decide(store, "g", tool("Beta", gist="b"))
    before = {one: store.element(one) for one in (a, b)}
    decide(store, "one", {"op": "merge", "ids": [a, b]})
    decide(store, "two", {"op": "split", "id": a})
    for one, was in before.items():
        now = store.element(one)
        assert (now.name, now.gist, now.aliases) == (was.name, was.gist, was.aliases)


def test_a_link_is_retired_by_the_id_that_stands_now(store: SemanticStore) -> None:
    a, b, c = ids(store, "Alpha", "Beta", "Gamma")
    decide(store, "l", link(max(a, b), "uses", c))
    decide(store, "one", {"op": "merge", "ids": [a, b]})
    decide(store, "r", link(min(a, b), "uses", c, "retire_link"))
    assert store.element(c).links == ()


def test_an_alias_that_is_a_merged_name_can_be_dropped(store: SemanticStore) -> None:
    a, b = ids(store, "Alpha", "Beta")
    decide(store, "one", {"op": "merge", "ids": [a, b]})
    (alias,) = store.element(a).aliases
    decide(store, "d", {"op": "drop", "id": a, "field": "aliases", "value": alias})
    assert store.element(a).aliases == ()


# Heads, conflicts, history


def test_two_installs_deciding_apart_are_a_conflict_in_a_fixed_order(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    ours = open_store(one, OURS)
    (x,) = ids(ours, "X")
    exchange(one, other)
    theirs = open_store(other, THEIRS)
    a, b = decide(ours, "A", tool("X", gist="a")), decide(theirs, "B", tool("X", gist="b"))
    shutil.copy(one / "log/user" / f"{OURS}.ndjson", other / "log/user")
    shutil.copy(other / "log/user" / f"{THEIRS}.ndjson", one / "log/user")
    ours.reconcile()
    theirs.reconcile()
    for store in (ours, theirs):
        ((element, heads),) = store.conflicts()
        assert (element.id, [head.id for head in heads]) == (x, [a.id, b.id])
        assert element.gist == "b"
    assert ours.export() == theirs.export()
    done = decide(ours, "C", tool("X", gist="c"))
    assert set(done.superseded) == {a.id, b.id}
    assert ours.conflicts() == ()


def test_history_shows_the_chain_in_order_with_what_superseded_by_name(store: SemanticStore) -> None:
    first = decide(store, "1", tool("X"))
    second = decide(store, "2", tool("X", gist="g"))
    third = decide(store, "3", supersedes=[second.id])
    assert [one.id for one in store.history(first.elements[0])] == [first.id, second.id, third.id]
    assert [one.id for one in store.history(second.id)] == [first.id, second.id, third.id]
    assert store.heads(first.elements[0]) == ()


def test_unknown_ids_are_errors(store: SemanticStore) -> None:
    for call in (store.element, store.history, store.heads, store.neighbors):
        with pytest.raises(UnknownElement):
            call("el_" + "0" * 20)
    with pytest.raises(UnknownDecision):
        store.decision("de_" + "0" * 24)


# As of


def test_as_of_is_half_open_over_elements_links_and_decisions(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    may, june = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 2, tzinfo=UTC)
    bot = {"kind": "bot", "name": "Bot"}
    first = decide(
        store,
        "Bot uses X",
        {"op": "put_element", **bot, "gist": "uses X"},
        tool("X"),
        link(bot, "uses_model", {"kind": "tool", "name": "X"}),
        valid_at=may,
    )
    second = decide(
        store,
        "Bot uses Y",
        {"op": "put_element", **bot, "gist": "uses Y"},
        tool("Y"),
        link(bot, "uses_model", {"kind": "tool", "name": "X"}, "retire_link"),
        link(bot, "uses_model", {"kind": "tool", "name": "Y"}),
        valid_at=june,
    )
    x, y = first.elements[1], second.elements[1]

    def models(at: datetime | None) -> list[str]:
        return [edge.target for edge in store.projection(at).elements[first.elements[0]].links]

    # At the instant itself a decision does not hold yet: "as of a day" is sent as the end of that day.
    assert models(june) == [x]
    assert models(june + timedelta(milliseconds=1)) == [y]
    assert models(None) == [y]
    assert store.projection(june).decisions[first.id].superseded_by is None
    assert second.id not in store.projection(june).decisions
    assert store.projection(may).elements == {}
    with pytest.raises(UnknownElement):
        store.element_as_of(first.elements[0], may)
    assert store.element_as_of(first.elements[0], june).gist == "uses X"


def test_a_past_picture_follows_what_is_recorded_later(store: SemanticStore) -> None:
    at = datetime(2026, 7, 1, tzinfo=UTC)
    (x,) = decide(store, "1", tool("X", gist="one"), valid_at=at - timedelta(days=2)).elements
    assert store.element_as_of(x, at).gist == "one"
    decide(store, "2", tool("X", gist="two"), valid_at=at - timedelta(days=1))
    assert store.element_as_of(x, at).gist == "two"


# One set of events, one picture


def test_a_picture_never_changes(store: SemanticStore) -> None:
    (x,) = ids(store, "X")
    picture = store.projection()
    decide(store, "g", tool("X", gist="g"), tool("Y"))
    assert picture.elements[x].gist == ""
    assert len(picture.elements) == 1


def test_two_lines_with_one_id_are_one_decision_and_unite_what_they_cite(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    ours, theirs = open_store(one, OURS), open_store(other, THEIRS, clock=SteppingClock())
    a = decide(ours, "Same", tool("X"), evidence=["ep_" + "0" * 20])
    b = decide(theirs, "Same", tool("X"), evidence=["ep_" + "1" * 20], about=["ep_" + "2" * 20])
    assert a.id == b.id
    exchange(one, other)
    ours.reconcile()
    theirs.reconcile()
    assert ours.decision(a.id).evidence == ("ep_" + "0" * 20, "ep_" + "1" * 20)
    assert ours.element(a.elements[0]).evidence == ours.decision(a.id).evidence
    assert ours.export() == theirs.export()
    assert len(ours.projection().decisions) == 1


EPISODES = tuple("ep_" + letter * 26 for letter in "ABC")


def test_an_episode_tells_which_decision_replaced_what_it_is_evidence_of(store: SemanticStore) -> None:
    old, new, both = EPISODES
    decide(store, "The queue is SQLite", tool("queue", gist="SQLite"), evidence=[old, both])
    assert store.projection().superseded_episodes == {}
    newer = decide(store, "The queue is Postgres", tool("queue", gist="Postgres"), evidence=[new, both])
    assert store.projection().superseded_episodes == {old: newer.id}
    before = store.decision(newer.id).at
    assert store.projection(before).superseded_episodes == {}
    picture = store.projection()
    assert picture.superseded_episodes is picture.superseded_episodes


def test_what_is_in_force_is_listed_newest_first(store: SemanticStore) -> None:
    decide(store, "The queue is SQLite", tool("queue", gist="SQLite"))
    other = decide(store, "Say please")
    newer = decide(store, "The queue is Postgres", tool("queue", gist="Postgres"))
    picture = store.projection()
    assert [one.id for one in picture.in_force] == [newer.id, other.id]
    assert picture.in_force is picture.in_force
