"""Whoever may write a project's log reaches that project here, and nothing else. Behaviours of a trusted log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from semantic.errors import InvalidMutation
from semantic.log.event import Head, seal
from semantic.log.instant import write_instant
from semantic.log.reach import Reach, reach_in, reach_of
from semantic.store import SemanticStore
from semantic.testing import START, open_store
from semantic.writing.recording import NewDecision

OURS, THEIRS = "aaaaaaaaaaaa", "eeeeeeeeeeee"


class Stranger:
    """Somebody who writes what they like into the log of a project, one line after the other."""

    def __init__(self, memory: Path, project: str, *, lamport: int = 100) -> None:
        self._path = memory / "log/projects" / project / f"{THEIRS}.ndjson"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._project = project
        self._lamport = lamport
        self._seq = 0
        self._prev: str | None = None

    def write(self, kind: str, id_: str, body: dict[str, Any]) -> None:
        self._seq += 1
        place = (self._seq, self._lamport + self._seq, write_instant(START))
        head = Head(1, *place, THEIRS, "person", None, "project", self._project, kind, id_, "", self._prev)
        event, line = seal(head, body | {"nonce": "0" * 32})
        self._prev = event.hash
        with self._path.open("ab") as file:
            file.write(line)

    def decide(self, *mutations: dict[str, Any], supersedes: Sequence[str] = ()) -> str:
        id_ = f"de_{self._seq:024x}"
        body = {"title": f"theirs {self._seq}", "why": "w", "mutations": list(mutations), "evidence": [], "about": []}
        self.write("decision", id_, body | {"supersedes": list(supersedes)})
        return id_

    def forget(self, *ids: str) -> None:
        self.write("forget", f"fo_{self._seq:024x}", {"ids": sorted(ids)})


def put(name: str) -> dict[str, Any]:
    return {"op": "put_element", "kind": "tool", "name": name, "gist": f"gist of {name}"}


def decide(store: SemanticStore, name: str, project: str | None) -> tuple[str, str]:
    """Record an element; return its decision and its id."""
    done = store.decide(NewDecision(f"use {name}", "w", [put(name)], project=project))
    return done.id, done.elements[0]


@pytest.fixture
def store(tmp_path: Path) -> SemanticStore:
    return open_store(tmp_path, OURS)


def test_a_forget_reaches_its_project_and_nothing_else(tmp_path: Path, store: SemanticStore) -> None:
    ours, own = decide(store, "diary", None)
    other, others = decide(store, "gadget", "other")
    theirs, shared = decide(store, "ruff", "app")
    project = store.element(shared).project
    assert project is not None
    episode = "ep_" + "0" * 26
    Stranger(tmp_path, project).forget(ours, own, other, others, theirs, shared, episode)
    store.reconcile()
    for one in (store, open_store(tmp_path, OURS)):
        picture = one.projection()
        assert {ours, other} <= picture.decisions.keys()
        assert {own, others} <= picture.elements.keys()
        assert theirs not in picture.decisions
        assert shared not in picture.elements
        assert one.forgotten() == {theirs, shared}
        assert any("would have 5 id(s) forgotten that are none of its project's" in line for line in one.problems())
    files = b"".join(path.read_bytes() for path in tmp_path.rglob("*.ndjson"))
    assert b"gist of diary" in files
    assert b"gist of gadget" in files
    assert b"gist of ruff" not in files


def test_what_a_project_log_may_not_forget_the_person_still_can(tmp_path: Path, store: SemanticStore) -> None:
    ours, _ = decide(store, "diary", None)
    _, shared = decide(store, "ruff", "app")
    Stranger(tmp_path, store.element(shared).project or "").forget(ours)
    store.reconcile()
    store.forget([ours])
    assert ours not in store.projection().decisions
    assert store.problems() == []
    assert open_store(tmp_path, OURS).problems() == []


def test_a_mutation_changes_what_is_of_its_project_alone(tmp_path: Path, store: SemanticStore) -> None:
    first, own = decide(store, "diary", None)
    _, shared = decide(store, "ruff", "app")
    stranger = Stranger(tmp_path, store.element(shared).project or "")
    stranger.decide({"op": "set_prop", "id": own, "key": "k", "value": "v"}, {"op": "rename", "id": own, "name": "x"})
    stranger.decide({"op": "merge", "ids": [own, shared]}, {"op": "add_link", "from": own, "rel": "r", "to": shared})
    stranger.decide({"op": "set_prop", "id": shared, "key": "k", "value": "v"}, supersedes=[first])
    stranger.decide({"op": "rename", "id": "no_" + "0" * 20, "name": "vault:elsewhere.md"})
    stranger.decide({"op": "add_link", "from": shared, "rel": "used with", "to": own})
    store.reconcile()
    for one in (store, open_store(tmp_path, OURS)):
        element = one.element(own)
        assert (element.name, dict(element.props), element.heads) == ("diary", {}, (first,))
        assert [(link.source, link.relation) for link in element.links] == [(shared, "used with")]
        assert dict(one.element(shared).props) == {"k": "v"}
        assert one.projection().shown_as == {}
        assert sum("concern what is none of its project's" in line for line in one.problems()) == 4


def test_what_was_said_of_an_id_before_somebody_else_made_it_is_not_the_elements(tmp_path: Path) -> None:
    ours = open_store(tmp_path, OURS)
    _, own = decide(ours, "diary", None)
    _, shared = decide(ours, "ruff", "app")
    early = Stranger(tmp_path, ours.element(shared).project or "", lamport=0)
    early.decide({"op": "set_prop", "id": own, "key": "k", "value": "v"})
    early.decide({"op": "add_link", "from": own, "rel": "r", "to": shared})
    ours.reconcile()
    for one in (ours, open_store(tmp_path, OURS)):
        element = one.element(own)
        assert (dict(element.props), element.links, len(element.heads)) == ({}, (), 1)


def test_whose_an_element_is_its_id_tells_whoever_took_it_first(tmp_path: Path) -> None:
    ours = open_store(tmp_path, OURS)
    ids = {project: decide(ours, f"thing of {project}", project)[1] for project in (None, "other", "app")}
    early = Stranger(tmp_path, ours.element(ids["app"]).project or "", lamport=0)
    for project in (None, "other"):
        early.decide({"op": "put_element", "id": ids[project], "kind": "tool", "name": "x", "gist": "theirs"})
    early.decide({"op": "put_element", "id": ids["app"], "kind": "tool", "name": "x", "gist": "theirs"})
    early.decide({"op": "merge", "ids": list(ids.values())})
    ours.reconcile()
    for one in (ours, open_store(tmp_path, OURS)):
        for project in (None, "other"):
            element = one.element(ids[project])
            assert (element.name, element.gist) == (f"thing of {project}", f"gist of thing of {project}")
            assert (element.id, element.scope) == (ids[project], "user" if project is None else "project")
            assert len(element.heads) == 1
        assert one.element(ids["other"]).project != one.element(ids["app"]).project


def test_a_project_log_says_nothing_of_projects(tmp_path: Path, store: SemanticStore) -> None:
    _, shared = decide(store, "ruff", "app")
    _, others = decide(store, "gadget", "other")
    project, other = store.element(shared).project or "", store.element(others).project or ""
    stranger = Stranger(tmp_path, project)
    stranger.write("project_merge", "pm_" + "0" * 24, {"from": other, "into": project})
    stranger.write("project", other, {"name": "other", "remotes": ["example.org/x"], "roots": []})
    stranger.forget(others)
    store.reconcile()
    assert store.element(others).project == other
    assert all(one.remotes == () for one in store.projects())
    assert sum("does not say where projects lie" in line for line in store.problems()) == 2


def test_projects_that_the_person_made_one_are_one(tmp_path: Path, store: SemanticStore) -> None:
    _, former = decide(store, "gadget", "other")
    _, shared = decide(store, "ruff", "app")
    store.merge_projects("other", "app")
    store.forget([former])
    again = open_store(tmp_path, OURS)
    for one in (store, again):
        assert former not in one.projection().elements
        assert shared in one.projection().elements
        assert one.problems() == []


def test_a_note_is_not_moved_in_a_project(store: SemanticStore) -> None:
    rename = {"op": "rename", "id": "no_" + "0" * 20, "name": "vault:elsewhere.md"}
    with pytest.raises(InvalidMutation, match="belongs to no project"):
        store.decide(NewDecision("move", "w", [rename], project="app"))


def test_reach_is_read_from_bytes_as_from_events(tmp_path: Path, store: SemanticStore) -> None:
    ours, _ = decide(store, "diary", None)
    store.forget([ours])
    shards = [path.read_bytes() for path in tmp_path.rglob("*.ndjson")]
    assert reach_in(shards).everywhere >= {ours}
    assert reach_of([]) == Reach()
    assert not reach_of([])
