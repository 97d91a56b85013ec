"""The search follows log and vaults beside the questions: nobody waits, and nothing older undoes what is newer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from semantic.errors import UnknownElement
from semantic.fields import Document
from semantic.model import Decision, Element, Note
from semantic.projection.picture import Projection
from semantic.search import upkeep
from semantic.search.index import SemanticIndex
from semantic.search.query import SemanticQuery
from semantic.store import SemanticStore
from semantic.testing import open_store
from semantic.weighing import Weighed, weigh
from semantic.writing.recording import NewDecision

DEADLINE_S = 20
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
EL = "el_" + "1" * 20
NO_NOTES: Mapping[str, Note] = {}
LAG = ("semantic: what changed is not yet in the index", "semantic: no embedding model, found by words alone")


class Gate:
    """Holds up the weighing of documents whose text holds ``word``, until it is opened."""

    def __init__(self) -> None:
        self.word: str | None = None
        self.reached = threading.Event()
        self.opened = threading.Event()

    def weigh(self, document: Document, languages: tuple[str, ...]) -> Weighed:
        if self.word is not None and any(self.word in unit.body for unit in document.units):
            self.reached.set()
            assert self.opened.wait(DEADLINE_S)
        return weigh(document, languages)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate = Gate()
    monkeypatch.setattr(upkeep, "weigh", gate.weigh)
    yield gate
    gate.opened.set()


@pytest.fixture
def run() -> Iterator[Callable[..., Any]]:
    """Run something in another thread and return its result within the deadline."""
    pool = ThreadPoolExecutor(4)

    def in_time(call: Callable[[], Any]) -> Any:
        return pool.submit(call).result(DEADLINE_S)

    yield in_time
    pool.shutdown(wait=False, cancel_futures=True)


def element(gist: str) -> Projection:
    return Projection(elements={EL: Element(EL, "tool", "Milvus", gist, "user", None)})


def tool(name: str, **fields: Any) -> dict[str, Any]:
    return {"op": "put_element", "kind": "tool", "name": name, **fields}


def decide(store: SemanticStore, title: str, *mutations: Any) -> str:
    return store.decide(NewDecision(title, "because", mutations)).id


def with_vault(folder: Path, **notes: str) -> SemanticStore:
    vault = folder / "vault"
    vault.mkdir(parents=True)
    for name, text in notes.items():
        (vault / f"{name}.md").write_text(text)
    return open_store(folder / "memory", vaults={"v": vault})


def settled(store: SemanticStore) -> SemanticStore:
    store.close()
    assert store.pending() == 0
    return store


def ids(store: SemanticStore, text: str) -> set[str]:
    return {hit.id for hit in store.search(SemanticQuery(text), None).hits}


def test_a_question_waits_for_no_index_and_says_so(tmp_path: Path, gate: Gate, run: Callable[..., Any]) -> None:
    gate.word = "heavy"
    store = with_vault(tmp_path, a="light owl", b="heavy owl")
    scan = threading.Thread(target=store.reconcile)
    scan.start()
    assert gate.reached.wait(DEADLINE_S)
    found = run(lambda: store.search(SemanticQuery("owl"), None))
    assert found.degraded == LAG
    assert run(store.pending) > 0
    gate.opened.set()
    scan.join(DEADLINE_S)
    assert len(settled(store).search(SemanticQuery("owl"), None).hits) == 2
    assert store.search(SemanticQuery("owl"), None).degraded == LAG[1:]


def test_a_first_question_waits_no_more_than_others(tmp_path: Path, gate: Gate, run: Callable[..., Any]) -> None:
    decide(open_store(tmp_path), "A heavy decision", tool("Owl", gist="x", notes=["heavy"]))
    gate.word = "heavy"
    store = open_store(tmp_path)
    assert gate.reached.wait(DEADLINE_S)
    assert run(lambda: store.search(SemanticQuery("owl"), None)).degraded == LAG
    gate.opened.set()
    store.close()
    assert len(open_and_settle(tmp_path).search(SemanticQuery("owl"), None).hits) > 0


def open_and_settle(memory: Path) -> SemanticStore:
    store = open_store(memory)
    store.reconcile()
    return store


def test_a_decision_is_found_at_once_while_a_vault_is_taken_in(
    tmp_path: Path, gate: Gate, run: Callable[..., Any]
) -> None:
    gate.word = "heavy"
    store = with_vault(tmp_path, b="heavy owl")
    scan = threading.Thread(target=store.reconcile)
    scan.start()
    assert gate.reached.wait(DEADLINE_S)
    decision = run(lambda: decide(store, "Keep the fox", tool("Fox", gist="red")))
    assert decision in run(lambda: ids(store, "fox"))
    gate.opened.set()
    scan.join(DEADLINE_S)


def test_the_newest_decisions_come_first(tmp_path: Path, gate: Gate, run: Callable[..., Any]) -> None:
    first = open_store(tmp_path)
    for number in range(100):
        decide(first, f"Number {number}", tool(f"Thing {number:03} {'abcdefghij'[number % 10] * 9}", notes=["heavy"]))
    first.close()
    gate.word = "heavy"
    store = open_store(tmp_path)
    assert gate.reached.wait(DEADLINE_S)
    gate.word = None
    decision = run(lambda: decide(store, "Keep the fox", tool("Fox", gist="red")))
    assert decision in run(lambda: ids(store, "fox"))
    assert run(store.pending) > 0
    gate.opened.set()
    store.reconcile()
    assert store.pending() == 0


def test_what_was_made_of_an_older_picture_never_replaces_a_newer_one(gate: Gate) -> None:
    gate.word = "heavy"
    known = [Projection(elements={EL: Element(EL, "tool", "Milvus", "owl", "user", None, notes=("heavy",))})]
    index = SemanticIndex(lambda: (known[-1], NO_NOTES))
    worker = threading.Thread(target=index.upkeep.update)
    worker.start()
    assert gate.reached.wait(DEADLINE_S)
    known.append(element("fox"))
    index.upkeep.take_in_newest()
    gate.opened.set()
    worker.join(DEADLINE_S)
    assert not worker.is_alive()

    def found(text: str) -> list[str]:
        return [hit.id for hit in index.search(SemanticQuery(text, dense=False), known[-1], NO_NOTES, None).hits]

    assert (found("fox"), found("owl")) == ([EL], [])
    assert index.upkeep.failure is None


def test_what_was_forgotten_is_no_hit_even_before_the_index_knows() -> None:
    known = [element("owl")]
    index = SemanticIndex(lambda: (known[-1], NO_NOTES))
    index.upkeep.update()
    gone = Projection()
    assert index.search(SemanticQuery("owl", dense=False), gone, NO_NOTES, None).hits == ()
    index.upkeep.close()


def test_what_is_forgotten_or_merged_away_leaves_the_search_with_the_answer(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    decide(store, "Owls", tool("Owl", gist="feathers"))
    (owl,) = [one.id for one in store.elements()]
    decide(store, "Foxes", tool("Fox", gist="fur"))
    store.forget([owl])
    assert ids(store, "feathers owls") == set()
    assert len(ids(store, "fur foxes")) == 2
    with pytest.raises(UnknownElement):
        store.forget(["el_" + "9" * 20])
    assert store.search(SemanticQuery("fur"), None).degraded == LAG[1:]


def test_a_joined_notes_tags_are_its_elements_tags_as_they_come_and_go(tmp_path: Path) -> None:
    store = with_vault(tmp_path)
    decide(store, "Owls", tool("Owl", gist="feathers"))
    (owl,) = [one.id for one in store.elements()]
    note = tmp_path / "vault" / "n.md"

    def tagged() -> list[str]:
        store.refresh([note])
        return [hit.id for hit in store.search(SemanticQuery("feathers", tags=("tool/x",)), None).hits]

    note.write_text(f"---\nelement: {owl}\ntags: [tool/x]\n---\ntext\n")
    assert tagged() == [owl]
    note.write_text(f"---\nelement: {owl}\ntags: [tool/y]\n---\ntext\n")
    assert tagged() == []
    note.write_text(f"---\nelement: {owl}\ntags: [tool/x]\n---\ntext\n")
    assert tagged() == [owl]
    note.unlink()
    assert tagged() == []


def test_a_failing_worker_is_named_and_goes_on_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Weighed:
        raise RuntimeError("no words")

    store = open_store(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(upkeep, "weigh", broken)
        decision = decide(store, "Owls", tool("Owl", gist="feathers"))
        assert store.decision(decision).title == "Owls"
        assert any("RuntimeError: no words" in one for one in store.problems())
        assert any("RuntimeError" in one for one in store.search(SemanticQuery("owls"), None).degraded)
        store.close()
    store = open_and_settle(tmp_path)
    assert decision in ids(store, "owls")
    assert store.problems() == []


def test_the_worker_takes_in_what_a_question_found_missing() -> None:
    known = [element("owl")]
    index = SemanticIndex(lambda: (known[-1], NO_NOTES))
    query = SemanticQuery("owl", dense=False)
    assert index.search(query, known[-1], NO_NOTES, None).degraded == LAG[:1]
    deadline = time.monotonic() + DEADLINE_S
    while (found := index.search(query, known[-1], NO_NOTES, None)).degraded and time.monotonic() < deadline:
        time.sleep(0.01)
    assert ([hit.id for hit in found.hits], found.degraded) == ([EL], ())
    index.upkeep.close()


def test_units_are_counted_as_they_come_and_go() -> None:
    decision = Decision("de_" + "1" * 24, "t", "w", NOW, NOW, "person", None, "user", None, ())
    known = [Projection(decisions={decision.id: decision})]
    index = SemanticIndex(lambda: (known[-1], NO_NOTES))
    index.upkeep.update()
    assert index.counts("w") == (1, 0)
    assert index.count_wanting("w") == 1
    known.append(Projection(elements=element("owl").elements, decisions=known[0].decisions))
    index.upkeep.update()
    assert (index.counts("w"), index.count_wanting("w")) == ((2, 0), 2)
    known.append(element("owl"))
    index.upkeep.update()
    assert (index.counts("w"), index.count_wanting("w")) == ((1, 0), 1)
