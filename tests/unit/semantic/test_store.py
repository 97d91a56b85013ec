from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from semantic.errors import AmbiguousName, InvalidDecision, SemanticError, UnknownNote, UnknownProject, WriteFailed
from semantic.search.query import SemanticQuery
from semantic.store import SemanticStore
from semantic.testing import open_store
from semantic.writing.recording import NewDecision, Recorded

OURS, THEIRS = "aaaaaaaaaaaa", "bbbbbbbbbbbb"


def repository(folder: Path, origin: str | None = None) -> Path:
    for name in ("objects", "refs"):
        (folder / ".git" / name).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "config").write_text("" if origin is None else f'[remote "origin"]\n url = {origin}\n')
    return folder


def decide(store: SemanticStore, title: str, *mutations: Any, **fields: Any) -> Recorded:
    return store.decide(NewDecision(title, "because", mutations, **fields))


def tool(name: str, **fields: Any) -> dict[str, Any]:
    return {"op": "put_element", "kind": "tool", "name": name, **fields}


# Projects


def test_a_project_is_minted_on_a_write_and_only_then(tmp_path: Path) -> None:
    store = open_store(tmp_path / "memory")
    folder = repository(tmp_path / "myproject")
    assert store.project_for(folder, mint=False) is None
    assert store.log_seq() == 0
    project = store.project_for(folder / "src", mint=True)
    assert project is not None
    assert project.name == "myproject"
    assert store.project_for(folder, mint=True) == project
    assert store.log_seq() == 1
    line = orjson.loads((tmp_path / "memory/log/user" / f"{OURS}.ndjson").read_bytes())
    assert (line["head"]["kind"], line["head"]["id"]) == ("project", project.id)
    assert line["body"].keys() == {"nonce", "name", "remotes", "roots"}
    assert line["body"]["roots"] == [{"install": OURS, "path": str(folder / ".git")}]


def test_the_same_repository_on_two_machines_is_one_project(tmp_path: Path) -> None:
    ours = open_store(tmp_path / "one")
    theirs = open_store(tmp_path / "other", THEIRS)
    first = ours.project_for(repository(tmp_path / "a", "git@github.com:acme/widget.git"), mint=True)
    second = theirs.project_for(repository(tmp_path / "b", "https://github.com/acme/widget"), mint=True)
    assert first is not None
    assert second is not None
    assert first.id == second.id
    shutil.copy(tmp_path / "other/log/user" / f"{THEIRS}.ndjson", tmp_path / "one/log/user")
    ours.reconcile()
    (project,) = ours.projects()
    assert [root.install for root in project.roots] == [OURS, THEIRS]


def test_an_origin_that_comes_later_is_added_to_the_project(tmp_path: Path) -> None:
    store = open_store(tmp_path / "memory")
    folder = repository(tmp_path / "app")
    before = store.project_for(folder, mint=True)
    (folder / ".git" / "config").write_text('[remote "origin"]\n url = git@github.com:acme/app.git\n')
    after = store.project_for(folder, mint=True)
    assert before is not None
    assert after is not None
    assert (after.id, after.remotes) == (before.id, ("github.com/acme/app",))


def test_folders_of_near_names_never_merge(tmp_path: Path) -> None:
    store = open_store(tmp_path / "memory")
    found = [store.project_for(Path("/home/u/code") / name, mint=True) for name in ("mem-palace", "mem", "日记 app")]
    assert [one and one.name for one in found] == ["mem-palace", "mem", "日记 app"]
    assert len({one.id for one in found if one}) == 3
    assert [one.id.rpartition("-")[0] for one in found if one] == ["mem-palace", "mem", "日记-app"]


def test_a_bare_name_mints_once_and_two_of_one_name_are_a_question(tmp_path: Path) -> None:
    store = open_store(tmp_path / "memory")
    first = store.project_for(None, name_or_id="App", mint=True)
    assert first is not None
    assert store.project_for(None, name_or_id=" app", mint=True) == first
    assert store.project_for(None, name_or_id=first.id, mint=False) == first
    assert store.project_for(None, name_or_id="nothing", mint=False) is None
    store.project_for(repository(tmp_path / "app"), mint=True)
    with pytest.raises(AmbiguousName) as caught:
        decide(store, "x", project="app")
    assert len(caught.value.candidates) == 2
    assert decide(store, "x", project=first.id).created


def test_merged_projects_are_one(tmp_path: Path) -> None:
    store = open_store(tmp_path / "memory")
    old = decide(store, "old", tool("A"), project="old")
    new = decide(store, "new", tool("B"), project="new")
    merged = store.merge_projects("old", "new")
    assert [one.id for one in store.projects()] == [merged.id]
    for done in (old, new):
        assert store.element(done.elements[0]).project == merged.id
        assert store.decision(done.id).project == merged.id
    assert store.project_for(None, name_or_id="old", mint=True) == merged
    assert decide(store, "both", tool("A", gist="x"), project="old").elements == old.elements
    assert open_store(tmp_path / "memory").export() == store.export()
    with pytest.raises(InvalidDecision):
        store.merge_projects("old", "new")
    with pytest.raises(UnknownProject):
        store.merge_projects("old", "other")


def test_the_home_folder_is_no_project_of_all_below_it(tmp_path: Path) -> None:
    store = open_store(tmp_path / "memory", no_projects=[tmp_path])
    assert store.project_for(tmp_path, mint=True) is None
    one, other = (store.project_for(tmp_path / name, mint=True) for name in ("one", "other"))
    assert one != other


# Reading


def test_elements_are_filtered(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    mine = decide(store, "1", tool("Qdrant", gist="vectors", touches=["src/db/", "*.sql"], aliases=["QD"]), tool("Zed"))
    theirs = decide(store, "2", {"op": "put_element", "kind": "person", "name": "Ada"}, project="p")
    link = {"op": "add_link", "from": mine.elements[0], "rel": "uses", "to": mine.elements[1]}
    decide(store, "3", link)
    qdrant, zed, ada = *mine.elements, *theirs.elements

    def ids(**filters: Any) -> list[str]:
        return [one.id for one in store.elements(**filters)]

    assert ids() == [ada, qdrant, zed]
    assert ids(q="vec") == ids(q="qd") == [qdrant]
    assert ids(kind="TOOL") == [qdrant, zed]
    assert ids(scope="project") == ids(project="P") == [ada]
    assert ids(scope="all") == ids()
    assert ids(near=zed) == [qdrant]
    assert ids(near="src/db/a.py") == ids(near="x/y.sql") == [qdrant]
    assert ids(near="src/dbx.py") == []
    assert ids(near="qdrnat") == ids(near="q-d") == [qdrant]
    assert ids(project="unknown") == []


def test_notes_and_log_are_searched_together(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "a.md").write_text("---\nsummary: Why we chose it\ntags: [tool/qdrant]\n---\n# Qdrant\n\nIt is quick.\n")
    store = open_store(tmp_path / "memory", vaults={"vault": vault})
    report = store.reconcile()
    assert report.files == 1
    decide(store, "Use Qdrant", tool("Qdrant", gist="vector store"))
    found = store.search(SemanticQuery("qdrant"), None)
    assert {hit.kind for hit in found.hits} == {"note", "element", "decision"}
    assert store.note("vault", "a.md").title == "Qdrant"
    with pytest.raises(UnknownNote):
        store.note("vault", "b.md")
    counts = store.counts()
    assert (counts.elements, counts.decisions, counts.notes) == (1, 1, 1)
    assert vault in store.watched()
    assert {tmp_path / "memory" / name for name in ("log", "attention")} <= set(store.watched())


def test_a_corrected_fact_is_first_and_the_old_one_not_current(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    first = decide(store, "Database is PostgreSQL", tool("Stack", gist="FastAPI + PostgreSQL database"))
    second = decide(store, "Database is MySQL", tool("Stack", gist="FastAPI + MySQL database"))
    found = store.search(SemanticQuery("which database do we use"), None).hits
    assert "MySQL" in found[0].title + found[0].text
    by_id = {hit.id: hit for hit in found}
    assert by_id[first.id].superseded_by == second.id
    assert "PostgreSQL" not in store.element(first.elements[0]).gist


def test_a_search_as_of_sees_the_log_of_then(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    first = decide(store, "The store is Milvus", tool("Store", gist="Milvus"))
    at = store.decision(decide(store, "The store is Qdrant", tool("Store", gist="Qdrant")).id).valid_at
    found = store.search(SemanticQuery("which store do we use", as_of=at), None)
    assert [hit.id for hit in found.hits if hit.kind == "decision"] == [first.id]


def test_attention_is_recorded_and_survives(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    (x,) = decide(store, "x", tool("X")).elements
    before = store.export()
    store.attend("pin", [x], actor="person")
    store.attend("read", [x], actor="agent:claude", session="s1")
    store.close()
    again = open_store(tmp_path)
    assert again.attention()[x].pinned
    assert again.attention()[x].reads == 1
    assert again.export() == before


def test_a_folder_that_cannot_be_written_is_opened_and_named_on_a_write(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("a file where a folder should be")
    store = open_store(tmp_path)
    assert store.projection().elements == {}
    with pytest.raises(WriteFailed, match="nothing was recorded"):
        decide(store, "x", tool("X"))


def test_damage_is_named_by_file(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    decide(store, "x", tool("X"))
    path = tmp_path / "log/user" / f"{OURS}.ndjson"
    path.write_bytes(path.read_bytes().replace(b'"X"', b'"Y"'))
    (problem,) = open_store(tmp_path).problems()
    assert problem.startswith(f"log/user/{OURS}.ndjson: line 1: it was changed")


# What a refused decision leaves behind: nothing


def test_a_refused_decision_mints_no_project(tmp_path: Path) -> None:
    store = open_store(tmp_path / "memory")
    folder = repository(tmp_path / "app")
    refused: list[tuple[Any, dict[str, Any]]] = [
        ({"op": "nonsense"}, {}),
        (tool("X", gist="the token is ghp_" + "a1B2c3D4" * 5), {}),
        ({"op": "add_link", "from": {"kind": "tool", "name": "No"}, "rel": "uses", "to": "el_" + "0" * 20}, {}),
        (tool("X"), {"supersedes": ["de_" + "0" * 24]}),
        (tool("X"), {"title": " "}),
    ]
    for mutation, fields in refused:
        new = NewDecision(**{"title": "x", "why": "because", "mutations": [mutation], **fields})
        with pytest.raises(SemanticError):
            store.decide(new, cwd=folder)
        with pytest.raises(SemanticError):
            store.decide(replace(new, project="app"))
    assert store.log_seq() == 0
    assert store.projects() == []


def test_a_decision_mints_the_project_of_its_folder_in_the_writers_name(tmp_path: Path) -> None:
    store = open_store(tmp_path / "memory")
    folder = repository(tmp_path / "app")
    new = NewDecision("x", "because", [tool("X")], actor="agent:claude", session="s1")
    done = store.decide(new, cwd=folder / "src")
    (project,) = store.projects()
    assert (project.name, store.decision(done.id).project) == ("app", project.id)
    assert store.element(done.elements[0]).scope == "project"
    minted = orjson.loads((tmp_path / "memory/log/user" / f"{OURS}.ndjson").read_bytes())
    assert (minted["head"]["kind"], minted["head"]["actor"], minted["head"]["session"]) == (
        "project",
        "agent:claude",
        "s1",
    )
    again = store.decide(new, cwd=folder)
    assert (again.created, again.id, store.log_seq()) == (False, done.id, 2)
    assert store.decide(replace(new, title="y", scope="user"), cwd=folder).created
    with pytest.raises(InvalidDecision, match="scope project needs a project"):
        store.decide(replace(new, title="z", scope="project"))


def test_a_new_root_of_a_known_project_is_recorded_with_a_decision(tmp_path: Path) -> None:
    store = open_store(tmp_path / "memory")
    origin = "git@github.com:acme/app.git"
    for number, name in enumerate(("one", "two"), start=1):
        store.decide(NewDecision(f"in {name}", "because"), cwd=repository(tmp_path / name, origin))
        (project,) = store.projects()
        assert len(project.roots) == number


# What lies behind a link


def test_events_named_by_the_real_path_of_a_linked_home_are_taken_in(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    store = open_store(tmp_path / "link")
    theirs = open_store(tmp_path / "other", THEIRS)
    done = decide(theirs, "theirs", tool("X"))
    theirs.attend("pin", done.elements, actor="person")
    for name in ("log/user", "attention"):
        (real / name).mkdir(parents=True, exist_ok=True)
        shutil.copy(tmp_path / "other" / name / f"{THEIRS}.ndjson", real / name)
    store.refresh([real / "log/user" / f"{THEIRS}.ndjson"])
    assert store.decision(done.id).title == "theirs"
    assert not store.attention()
    store.refresh([real / "attention" / f"{THEIRS}.ndjson"])
    assert store.attention()[done.elements[0]].pinned


def test_a_decision_is_found_the_moment_it_is_recorded(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    for number in range(5):
        done = decide(store, f"Choice {number}", tool(f"{'abcde'[number] * 9}", gist="g"))
        found = store.search(SemanticQuery(f"choice {number}", dense=False), None)
        assert done.id == found.hits[0].id
        assert found.degraded == ()
        assert store.pending() == 0


def test_vectors_are_asked_for_and_counted_without_being_offered(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    decide(store, "Owls", tool("Owl", gist="feathers"))
    assert store.count_wanting("w") == 2
    offered = store.wanting_vectors("w", 9)
    assert store.count_wanting("w") == len(offered) == 2
    decide(store, "Owls fly", tool("Owl", gist="wings"))
    store.add_vectors("w", 1, {handle: np.ones(1, np.float32) for handle, _ in offered})
    # The element says something else by now: only the first decision's text is still what was embedded.
    assert store.counts("w").vectors == 1
    assert store.count_wanting("w") == 2
    assert {text.partition("\n")[0] for _, text in store.wanting_vectors("w", 9)} == {"tool: Owl", "Owls fly"}
