"""A question of a project is one of all that was merged into it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from semantic.search.query import SemanticQuery
from semantic.store import SemanticStore
from semantic.testing import open_store
from semantic.writing.recording import NewDecision


def put(name: str) -> dict[str, Any]:
    return {"op": "put_element", "kind": "bird", "name": name, "gist": "an owl"}


def found(store: SemanticStore, **asked: Any) -> list[str]:
    while store.pending():
        store.reconcile()
    hits = store.search(SemanticQuery("owl", kinds=("element", "note"), **asked), None).hits
    return [hit.title for hit in hits]


def test_either_name_of_merged_projects_means_both(tmp_path: Path) -> None:
    note = tmp_path / "notes/owl.md"
    note.parent.mkdir()
    note.write_text("---\ntags: [project/old]\n---\n# Night owl\n\nAn owl.\n")
    store = open_store(tmp_path / "memory", vaults={"vault": note.parent})
    ids = {}
    for name, project in (("Barn owl", "old"), ("Snowy owl", "new"), ("Eagle owl", "other")):
        done = store.decide(NewDecision(f"see {name}", "w", [put(name)], project=project))
        ids[project] = store.element(done.elements[0]).project
    store.reconcile()
    apart = found(store, project=ids["new"])
    store.merge_projects("old", "new")
    assert len(apart) == 1
    for one in (ids["old"], ids["new"]):
        assert len(found(store, project=one)) == 3
        asked = SemanticQuery("owl", near_project=one).joined(store.projection())
        assert {asked.near_project, *asked.near_also} == {ids["old"], ids["new"]}


def test_a_question_of_no_project_stays_as_it_is(tmp_path: Path) -> None:
    asked = SemanticQuery("owl")
    assert asked.joined(open_store(tmp_path).projection()) is asked
