"""Commands show names: what is linked, superseded or mentioned, with its id behind it, each asked for once."""

from __future__ import annotations

from typing import Any

import pytest

from clients.http import Answer
from memoryd.cli.called import Called
from memoryd.cli.frame import Frame
from tests.unit.memoryd.test_cli import DECISION, ELEMENT, FakeClient, daemon, problem, run

__all__ = ["daemon"]

FAISS = ELEMENT | {"id": "el_2", "name": "Faiss", "links": []}
LINKS = [
    {"from": "el_1", "rel": "replaces", "to": "el_2", "decision": "de_1"},
    {"from": "el_3", "rel": "uses", "to": "el_1", "decision": "de_1"},
    {"from": "el_1", "rel": "told_in", "to": "no_1", "decision": "de_1"},
    {"from": "el_1", "rel": "lies_in", "to": "path:p:a.py", "decision": "de_1"},
    {"from": "el_1", "rel": "uses", "to": "el_gone", "decision": "de_1"},
]
LINKED = ELEMENT | {"heads": ["de_1"], "links": LINKS}


def test_an_element_is_shown_with_the_names_of_what_it_is_linked_with(daemon: FakeClient) -> None:
    shop = FAISS | {"id": "el_3", "kind": "service", "name": "shop"}
    neighbors = [{"link": LINKS[0], "element": FAISS}, {"link": LINKS[1], "element": shop}]
    daemon.answers = {
        "GET /v1/elements/el_1": LINKED,
        "GET /v1/elements/el_1/neighbors": {"items": neighbors},
        "GET /v1/decisions/de_1": DECISION,
        "POST /v1/graph/explain": {"node": {"id": "no_1", "kind": "note", "name": "Vectors", "path": "vault:v.md"}},
    }
    gone = problem(404, "not-found")
    ask = daemon.call

    def call(method: str, path: str, **parts: Any) -> Any:
        if path.endswith("el_gone"):
            raise gone
        return ask(method, path, **parts)

    daemon.call = call  # type: ignore[method-assign] # this one answer is a problem
    for command in (("kg", "show"), ("show",)):
        told = run(*command, "el_1").stdout.splitlines()
        assert told[-6:] == [
            "  head: “T” (de_1)",
            "  -replaces-> tool Faiss (el_2)",
            "  <-uses- service shop (el_3)",
            "  -told_in-> note Vectors (no_1)",
            "  -lies_in-> path:p:a.py",
            "  -uses-> el_gone",
        ]


def test_a_history_names_what_superseded_what_without_asking_again(daemon: FakeClient) -> None:
    newer = DECISION | {"id": "de_2", "title": "Newer", "supersedes": ["de_1"]}
    older = DECISION | {"supersedes": [], "superseded_by": "de_2"}
    daemon.answers = {"GET /v1/elements/el_1/history": {"items": [older, newer]}}
    told = run("kg", "history", "el_1").stdout
    assert "    superseded by “Newer” (de_2)\n" in told
    assert "    supersedes “T” (de_1)\n" in told
    assert len(daemon.calls) == 1


def test_json_asks_for_no_name(daemon: FakeClient) -> None:
    daemon.answers = {"GET /v1/elements/el_1": LINKED}
    run("kg", "show", "el_1", "--json")
    assert [path for _, path, _ in daemon.calls] == ["/v1/elements/el_1"]


def test_a_hub_does_not_ask_without_end(daemon: FakeClient) -> None:
    daemon.answer = FAISS
    called = Called(Frame())
    named = [called.name(f"el_{number}") for number in range(100)]
    assert named[0] == "tool Faiss (el_0)"
    assert named[-1] == "el_99"
    assert called.name("el_0") == named[0]
    assert len(daemon.calls) == 40


def test_an_explanation_names_what_superseded_a_decision(daemon: FakeClient) -> None:
    node = {"id": "el_1", "kind": "tool", "name": "Milvus"}
    older, newer = DECISION | {"superseded_by": "de_2"}, DECISION | {"id": "de_2", "title": "Newer"}
    daemon.answer = {
        "node": node, "decisions": [older, newer], "hangs_on": [], "left_out": 0, "notes": [], "evidence": [],
        "degraded": [],
    }  # fmt: skip
    assert "    superseded by “Newer” (de_2)\n" in run("kg", "explain", "Milvus").stdout


def test_an_element_says_where_it_stands_and_why(daemon: FakeClient) -> None:
    standing = {"score": 0.5, "recency": 0.25, "connectedness": 0.625, "units": 120, "archived": False}
    for state, said in (
        ({"pinned": True, "graced": True}, "in the active set, pinned: "),
        ({"pinned": False, "graced": True}, "in the active set, new: "),
        ({"pinned": False, "graced": True, "archived": True}, "put away: "),
    ):
        daemon.answers = {"GET /v1/elements/el_2": FAISS | {"heads": [], "standing": standing | state}}
        told = run("kg", "show", "el_2").stdout
        assert f"  {said}score 0.50 of recency 0.25, connectedness 0.62; 120 units\n" in told
    assert daemon.calls[0][2]["query"] == {"explain": True}


def test_elements_are_put_away_brought_back_and_pinned_by_name(daemon: FakeClient) -> None:
    daemon.answers = {"GET /v1/elements": {"items": [ELEMENT]}, "POST /v1/attention": {"op": "x", "ids": ["el_1"]}}
    for op, said in (("archive", "put away"), ("restore", "back"), ("pin", "pinned"), ("unpin", "no longer pinned")):
        daemon.calls.clear()
        done = run("kg", op, "Milvus", "el_2", "el_1")
        assert done.exit_code == 0, done.output
        assert daemon.body == {"op": op, "ids": ["el_1", "el_2"]}
        assert f"el_1 is {said}" in done.stdout
    daemon.answers = {"GET /v1/elements": {"items": []}}
    assert run("kg", "archive", "Nix").exit_code == 4


@pytest.mark.parametrize("command", ["history", "neighbors"])
def test_a_long_list_is_shown_to_its_end(daemon: FakeClient, command: str) -> None:
    item: dict[str, Any] = DECISION if command == "history" else {"link": LINKS[0], "element": FAISS}
    pages = iter([{"items": [item], "next_cursor": "c1"}, {"items": [item], "next_cursor": "c2"}, {"items": [item]}])
    cursors = []

    def call(method: str, path: str, **parts: Any) -> Answer:
        assert (method, path) == ("GET", f"/v1/elements/el_1/{command}") or path == "/v1/decisions/de_0"
        cursors.append(parts.get("query", {}).get("cursor"))
        return Answer(200, {}, b"{}", next(pages))

    daemon.call = call  # type: ignore[method-assign] # a page after the other
    shown = run("kg", command, "el_1").stdout
    assert shown.count("“T” by person" if command == "history" else "-replaces-> tool Faiss") == 3
    assert cursors[:3] == [None, "c1", "c2"]
