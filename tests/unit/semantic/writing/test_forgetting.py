from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import orjson
import pytest

from memoryd.text.canonical import digest
from semantic.errors import InvalidDecision, UnknownDecision, UnknownElement
from semantic.store import SemanticStore
from semantic.testing import open_store
from semantic.writing.recording import NewDecision, Recorded

OURS, THEIRS = "aaaaaaaaaaaa", "bbbbbbbbbbbb"


def person(name: str, **fields: Any) -> dict[str, Any]:
    return {"op": "put_element", "kind": "person", "name": name, **fields}


def decide(store: SemanticStore, title: str, *mutations: Any, **fields: Any) -> Recorded:
    return store.decide(NewDecision(title, "because", mutations, **fields))


def everything(memory: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(memory.rglob("*")) if path.is_file())


def test_a_forgotten_decision_is_gone_from_the_files_and_stays_gone(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    done = decide(store, "Tell Zebra", person("Quagga", gist="striped"))
    kept = decide(store, "Other", person("Okapi"))
    forgotten = store.forget([done.id])
    assert b"Zebra" not in everything(tmp_path)
    assert b"striped" not in everything(tmp_path)
    assert forgotten.unreached
    for one in (store, open_store(tmp_path)):
        with pytest.raises(UnknownDecision):
            one.decision(done.id)
        assert one.element(kept.elements[0]).name == "Okapi"
        assert one.problems() == []
        assert done.id in one.forgotten()


def test_the_event_is_a_hash_of_ids_and_instant(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    forgotten = store.forget(["ep_" + "0" * 20])
    line = orjson.loads((tmp_path / "log/user" / f"{OURS}.ndjson").read_bytes())
    assert line["body"]["ids"] == ["ep_" + "0" * 20]
    assert line["head"]["id"] == "fo_" + digest(line["body"]["ids"], line["head"]["at"], length=24)
    assert (line["head"]["id"],) == forgotten.events


def test_forgetting_an_element_keeps_what_the_same_decisions_said_of_others(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    link = {
        "op": "add_link",
        "from": {"kind": "person", "name": "Okapi"},
        "rel": "knows",
        "to": {"kind": "person", "name": "Giraffe"},
    }
    both = decide(
        store,
        "People",
        person("Quagga", gist="gone"),
        person("Okapi", gist="old", notes=["n"]),
        person("Giraffe"),
        link,
    )
    decide(store, "Okapi", person("Okapi", gist="new"))
    quagga, okapi, giraffe = both.elements
    store.forget([quagga])
    assert b"Quagga" not in everything(tmp_path)
    for one in (store, open_store(tmp_path)):
        with pytest.raises(UnknownElement):
            one.element(quagga)
        element = one.element(okapi)
        assert (element.name, element.gist, element.notes) == ("Okapi", "new", ("n",))
        assert [edge.target for edge in element.links] == [giraffe]
        assert one.element(giraffe).name == "Giraffe"
        assert one.problems() == []


def test_a_name_that_was_forgotten_may_be_used_for_something_new(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    old = decide(store, "There is", person("Bob"))
    store.forget(old.elements)
    new = decide(store, "There is another", person("Bob"))
    assert new.elements != old.elements
    assert store.element(new.elements[0]).name == "Bob"


def test_another_install_purges_its_own_copies_when_the_forget_arrives(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    ours = open_store(one, OURS)
    done = decide(ours, "Tell Zebra", person("Quagga"))
    shutil.copytree(one / "log", other / "log")
    theirs = open_store(other, THEIRS)
    again = decide(
        theirs, "They know Quagga", {"op": "set_prop", "id": done.elements[0], "key": "a", "value": "striped"}
    )
    (one / "log/user").joinpath(f"{THEIRS}.ndjson").write_bytes((other / "log/user" / f"{THEIRS}.ndjson").read_bytes())
    ours.reconcile()
    ours.forget([done.id, again.id])
    shutil.copy(one / "log/user" / f"{OURS}.ndjson", other / "log/user")
    theirs.reconcile()
    assert b"Zebra" not in everything(other)
    assert b"striped" not in everything(other)
    assert ours.export() == theirs.export()
    assert theirs.problems() == []


def test_a_missing_body_without_a_forget_is_damage(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    decide(store, "Here", person("Okapi"))
    path = tmp_path / "log/user" / f"{OURS}.ndjson"
    line = orjson.loads(path.read_bytes())
    path.write_bytes(orjson.dumps(line | {"body": None}, option=orjson.OPT_SORT_KEYS) + b"\n")
    again = open_store(tmp_path)
    assert again.projection().decisions == {}
    (problem,) = again.problems()
    assert "body is missing" in problem


def test_what_a_project_forgets_stands_in_its_log(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    done = decide(store, "In the project", person("Okapi"), project="zoo")
    store.forget(done.elements)
    project = store.projects()[0].id
    lines = (tmp_path / "log/projects" / project / f"{OURS}.ndjson").read_bytes().splitlines()
    assert [orjson.loads(line)["head"]["kind"] for line in lines] == ["decision", "forget"]


@pytest.mark.parametrize("ids", [[], ["no_" + "0" * 20], ["everything"]])
def test_only_elements_decisions_and_episodes_are_forgotten(tmp_path: Path, ids: list[str]) -> None:
    with pytest.raises(InvalidDecision):
        open_store(tmp_path).forget(ids)


@pytest.mark.parametrize(
    ("unknown", "error"), [("el_" + "9" * 20, UnknownElement), ("de_" + "9" * 24, UnknownDecision)]
)
def test_what_is_not_known_cannot_be_forgotten(tmp_path: Path, unknown: str, error: type[Exception]) -> None:
    store = open_store(tmp_path)
    done = decide(store, "Tell Zebra", person("Quagga"))
    before = store.log_seq()
    with pytest.raises(error, match=unknown):
        store.forget([done.elements[0], unknown])
    assert store.log_seq() == before
    assert store.element(done.elements[0]).name == "Quagga"
    assert unknown not in store.forgotten()


def test_forgetting_again_is_answered_and_recorded_no_second_time(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    done = decide(store, "Tell Zebra", person("Quagga"))
    first = store.forget(done.elements)
    before = store.log_seq()
    again = store.forget([*done.elements, done.id])
    assert set(again.ids) == set(first.ids)
    assert again.events == ()
    assert store.log_seq() == before


def test_an_id_that_was_merged_away_can_be_forgotten(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    both = [decide(store, name, person(name)).elements[0] for name in ("Quagga", "Okapi")]
    decide(store, "One", {"op": "merge", "ids": both})
    store.forget([max(both)])
    assert store.elements() == []
    assert set(both) <= store.forgotten()
