"""What other programs know: taken in once, with the reasons that they have and none that they have not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memoryd.errors import ImportFailed, SourceDamaged, SourceUnknown
from semantic.writing.recording import NewDecision
from tests.unit.memoryd.importing import Home, home, write

__all__ = ["home"]

ANA = {"type": "entity", "name": "Ana", "entityType": "person", "observations": ["Works on billing", "Lives in Graz"]}
BILLING = {"type": "entity", "name": "Billing", "entityType": "service", "observations": []}
WORKS = {"type": "relation", "from": "Ana", "to": "Billing", "relationType": "works_on"}

GRAPH: dict[str, Any] = {
    "nodes": {
        "silent-order": {"id": "silent-order", "gist": "load order fails late", "touches": ["db/init.py"],
                         "notes": ["seen three times"]},
        "retry": {"id": "retry", "gist": "three tries, since the bank drops one in ten", "_created_ts": 1790000000.5},
    },
    "edges": {
        "a": {"from": "silent-order", "to": "retry", "rel": "hides-behind", "notes": ["in March"]},
        "b": {"from": "silent-order", "to": "db/init.py", "rel": "defined-in"},
    },
    "_meta": {"versions": {}, "namespace": {"kind": "user", "owner": None}},
}  # fmt: skip


def lines(folder: Path, *wanted: Any) -> Path:
    return write(folder / "memory.json", "\n".join(one if isinstance(one, str) else json.dumps(one) for one in wanted))


def test_entities_become_elements_and_relations_links(home: Home) -> None:
    file = lines(home.peers, ANA, BILLING, WORKS)
    assert (home.take(file, is_dry=True)["turns"], home.decisions) == ({"recorded": 3}, [])
    assert home.take(file)["kinds"] == {"decision": {"recorded": 3}}
    assert (home.elements["Ana"].kind, home.elements["Ana"].gist) == ("person", "Works on billing; Lives in Graz")
    (link,) = home.elements["Ana"].links
    assert (link.relation, link.target) == ("works_on", home.elements["Billing"].id)
    assert {one.actor for one in home.decisions} == {"job:import"}


def test_a_second_run_records_nothing_and_undoes_nothing(home: Home) -> None:
    file = lines(home.peers, ANA, BILLING, WORKS)
    home.take(file)
    moved = {"op": "put_element", "kind": "person", "name": "Ana", "gist": "Lives in Linz"}
    home.semantic.decide(NewDecision("Ana moved", "She said so.", [moved], scope="user"))
    again = home.take(file)
    assert (again["turns"], again["problems"]) == ({"known": 3}, [])
    assert home.elements["Ana"].gist == "Lives in Linz"
    more = {**ANA, "observations": [*ANA["observations"], "Plays chess"]}
    assert home.take(lines(home.peers, more))["turns"] == {"recorded": 1}


def test_what_cannot_be_taken_in_is_named_and_the_rest_is_taken(home: Home) -> None:
    near = {"type": "entity", "name": "billing!", "entityType": "service", "observations": ["A slip"]}
    lost = {**WORKS, "to": "Nobody"}
    odd = ["{", "7", '{"type": "entity"}', json.dumps({**ANA, "name": " "}), json.dumps({"type": "dream"})]
    done = home.take(lines(home.peers, BILLING, near, ANA, lost, *odd), "kg-memory")
    assert done["turns"] == {"recorded": 2, "refused": 1}
    assert done["skipped"] == {
        "lines that are no JSON object": 2,
        "lines that are neither an entity nor a relation": 3,
        "relations with an end that is no entity": 1,
    }
    assert [one for one in done["problems"] if one.startswith("Taken in: billing! (service): ")]


def test_a_graph_of_kg_memory(home: Home) -> None:
    folder = home.peers / ".knowledge-graph"
    write(folder / "user.json", json.dumps(GRAPH))
    project = {**GRAPH, "edges": {}, "_meta": {"project_path": str(home.peers / "gone")}}
    project["nodes"] = {"cart": {"id": "cart", "gist": "follows the customer"}}
    write(folder / "projects" / "shop-1" / "graph.json", json.dumps(project))
    done = home.take(folder)
    assert (done["source"], done["files"], done["turns"]) == ("kg-memory", 2, {"recorded": 4})
    assert done["skipped"] == {"edges with an end that is no node": 1}
    first = home.elements["silent-order"]
    assert (first.kind, first.gist, first.notes, first.touches) == (
        "insight", "load order fails late", ("seen three times",), ("db/init.py",),
    )  # fmt: skip
    assert [link.relation for link in first.links] == ["hides-behind"]
    dates = [f"{one.valid_at:%Y-%m-%d}" for one in home.decisions if one.title.startswith("retry")]
    assert dates == ["2026-09-21"]
    whys = {one.title: one.why for one in home.decisions}
    assert whys["silent-order: load order fails late"].startswith("- seen three times\n\nTaken in from kg-memory user")
    assert whys["cart: follows the customer"].startswith("KG Memory kept this without notes.")
    assert "- in March" in whys["Links of silent-order"]
    assert home.take(folder / "user.json")["turns"] == {"known": 3}


def test_a_node_that_changed_is_named_and_left_alone(home: Home) -> None:
    file = write(home.peers / "user.json", json.dumps(GRAPH))
    home.take(file)
    changed = GRAPH | {"nodes": GRAPH["nodes"] | {"retry": {"gist": "five tries"}}}
    done = home.take(write(file, json.dumps(changed)))
    assert done["turns"] == {"known": 2, "differs": 1}
    assert done["differs"][0].startswith("retry: five tries: de_")
    assert home.elements["retry"].gist.startswith("three tries")


def kgai_line(number: int, id_: str, mutations: list[Any], **fields: Any) -> str:
    decision = {"id": id_, "title": f"Title {id_}", "rationale": f"Because {id_}.", "author": "ana"}
    return json.dumps(
        {
            "hash": f"sha256:{number}",
            "op": "assert",
            "actor": "ana",
            "install_id": "i-ana",
            "lamport": number,
            "recorded_at": f"2026-02-0{number}T09:00:00Z",
            "decision": decision | {"mutations": mutations} | fields,
        }
    )


CART, REDIS = {"element_id": "el_1"}, {"element_id": "el_2"}
IN_REDIS = {"op": "add_link", **CART, "from_id": "el_1", "to_id": "el_2", "link_kind": "STORES_IN"}


def test_a_log_of_kgai_keeps_reasons_times_and_what_replaced_what(home: Home) -> None:
    log = home.peers / "shop" / ".kgai" / "store" / "log"
    put = {"op": "upsert_element", **CART, "kind": "feature", "name": "Cart", "props": {"Paths!": "src/*", "n": 1}}
    other = {"op": "upsert_element", **REDIS, "kind": "infra", "name": "Redis"}
    write(
        log / "i-ben.ndjson",
        "\n".join([
            kgai_line(2, "d_2", [{**IN_REDIS, "op": "retire_link"}, {"op": "dream"},
                                 {"op": "set_prop", **CART, "key": "ttl", "value": 30}], supersedes=["d_1", "d_0"]),
            "{", '{"op": "assert"}',
        ]),
    )  # fmt: skip
    write(log / "i-ana.ndjson", kgai_line(1, "d_1", [put, other, IN_REDIS]))
    done = home.take(home.peers / "shop")
    assert (done["source"], done["files"], done["turns"]) == ("kgai", 2, {"recorded": 2})
    assert done["skipped"] == {
        "changes of a kind that is not known here": 1,
        "lines that are no JSON object": 1,
        "lines that are no decision": 1,
    }
    first, second = home.decisions
    assert first.why == "Because d_1.\n\nDecided by ana, 2026-02-01T09:00:00Z.\n\nTaken in from kgai d_1."
    assert (f"{first.valid_at:%Y-%m-%d}", second.supersedes) == ("2026-02-01", (first.id,))
    cart = home.elements["Cart"]
    assert (cart.links, dict(cart.props)) == ((), {"paths_": "src/*", "ttl": "30"})
    assert home.take(log)["turns"] == {"known": 2}


def test_half_a_character_fails_nothing(home: Home) -> None:
    half = {"type": "entity", "name": "Heron\ud83d", "entityType": "bird", "observations": ["cut \ud83d off"]}
    link = {"type": "relation", "from": "Heron\ud83d", "to": "Ana", "relationType": "bit\ud83d"}
    file = lines(home.peers, half, ANA, link)
    assert [home.take(file)["turns"] for _ in range(2)] == [{"recorded": 3}, {"known": 3}]
    assert home.elements["Heron?"].gist == "cut ? off"
    put = {"op": "upsert_element", **CART, "kind": "feature", "name": "Cart"}
    file = write(home.peers / "x.ndjson", kgai_line(1, "d_1", [put], rationale="cut \ud83d off"))
    assert home.take(file)["turns"] == {"recorded": 1}
    assert "cut ? off" in home.decisions[-1].why


def test_secrets_in_reasons_are_redacted(home: Home) -> None:
    token = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
    put = {"op": "upsert_element", **CART, "kind": "feature", "name": "Cart"}
    file = write(home.peers / "x.ndjson", kgai_line(1, "d_1", [put], rationale=f"The token {token} leaked."))
    assert home.take(file)["turns"] == {"recorded": 1}
    assert token.encode() not in b"".join(home.truth().values())


@pytest.mark.parametrize(("source", "said"), [("kgai", "no log"), ("kg-memory", "no user.json")])
def test_where_there_is_nothing_that_is_said(home: Home, source: str, said: str) -> None:
    with pytest.raises(ImportFailed, match=said):
        home.take(home.peers, source)


def test_a_file_of_something_else_is_refused(home: Home) -> None:
    with pytest.raises(SourceUnknown, match="neither entities nor relations"):
        home.take(write(home.peers / "a.json", '{"a": 1}\n'), "kg-memory")
    with pytest.raises(SourceDamaged, match="no whole JSON file"):
        home.take(write(home.peers / "user.json", '{"nodes": {"a": {"gist": "cut o'), "kg-memory")
    with pytest.raises(ImportFailed, match="there is no file"):
        home.take(home.peers / "nothing.json", "kg-memory")
