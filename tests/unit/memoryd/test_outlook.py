"""What concerns a place, followed from picture to picture, is what a look at everything finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memoryd.api.briefing import Place
from memoryd.api.outlook import Outlook, Outlooks
from semantic.model import Decision, Element
from semantic.projection.picture import Projection
from semantic.store import SemanticStore
from semantic.testing import SteppingClock, open_store
from semantic.writing.recording import NewDecision


def put(name: str, gist: str = "g") -> dict[str, Any]:
    return {"op": "put_element", "kind": "tool", "name": name, "gist": gist}


def link(one: str, other: str) -> dict[str, Any]:
    return {
        "op": "add_link",
        "from": {"kind": "tool", "name": one},
        "rel": "uses",
        "to": {"kind": "tool", "name": other},
    }


def decide(store: SemanticStore, title: str, *mutations: dict[str, Any], project: str | None = None) -> str:
    return store.decide(NewDecision(title, "w", mutations, project=project)).id


def told(outlook: Outlook) -> tuple[list[Decision], list[Any], list[Element], frozenset[Any]]:
    return (
        list(outlook.heads),
        [(one, list(heads)) for one, heads in outlook.conflicts],
        list(outlook.linked),
        outlook.scopes,
    )


def looked(picture: Projection, place: Place) -> tuple[list[Decision], list[Any], list[Element], frozenset[Any]]:
    heads = sorted((one for one in picture.in_force if place.holds(one)), key=lambda one: one.scope == "user")
    split = [(one, list(heads)) for one, heads in picture.conflicts() if place.holds(one)]
    linked = [one for one in picture if place.holds(one) and len(one.links) > 1]
    linked.sort(key=lambda one: (-len(one.links), one.id))
    return heads, split, linked, frozenset((one.scope, one.project) for one in picture)


def test_it_follows_every_kind_of_change(tmp_path: Path) -> None:
    clock = SteppingClock()
    store, other = (open_store(tmp_path, install * 12, clock=clock) for install in "ab")
    outlooks = Outlooks()

    def check() -> None:
        store.reconcile()
        picture = store.projection()
        project = next((one for one in picture.projects.values() if one.name == "app"), None)
        for place in (Place(), Place(None, ()), Place(project, ("project/app",))):
            assert told(outlooks.of(picture, place)) == looked(picture, place)
            assert told(outlooks.of(picture, place, is_now=False)) == looked(picture, place)

    check()
    first = decide(store, "one", put("Alpha"), put("Bravo"), put("Charlie"))
    check()
    decide(store, "two", link("Alpha", "Bravo"), link("Bravo", "Charlie"))
    check()
    decide(store, "three", put("Delta"), project="app")
    check()
    other.reconcile()
    decide(other, "theirs", put("Alpha", "theirs"))
    decide(store, "ours", put("Alpha", "ours"))
    check()
    assert store.projection().conflicts()
    decide(store, "settled", put("Alpha", "both"))
    check()
    decide(
        store,
        "merged",
        {"op": "merge", "ids": [{"kind": "tool", "name": "Alpha"}, {"kind": "tool", "name": "Charlie"}]},
    )
    check()
    store.forget([first])
    check()


def test_an_outlook_stays_what_it_was(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    decide(store, "one", put("Alpha"))
    outlooks = Outlooks()
    before = outlooks.of(store.projection(), Place())
    then = told(before)
    decide(store, "two", put("Alpha", "new"))
    assert told(outlooks.of(store.projection(), Place())) != then
    assert told(before) == then
