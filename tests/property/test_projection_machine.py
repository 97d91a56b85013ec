"""Whatever is decided on two installs, in whatever order their files arrive: incremental equals replayed."""

from __future__ import annotations

import shutil
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from semantic.errors import SemanticError
from semantic.store import SemanticStore
from semantic.testing import START, SteppingClock, open_store
from semantic.writing.recording import NewDecision

INSTALLS = ("aaaaaaaaaaaa", "bbbbbbbbbbbb")
NAMES = ("Alpha", "Beta", "Gamma", "Delta")

installs = st.sampled_from([0, 1])
names = st.sampled_from(NAMES).map(lambda name: {"kind": "tool", "name": name})
words = st.sampled_from(["one", "two", "three"])
projects = st.sampled_from([None, "app"])
mutations = st.one_of(
    st.builds(lambda name: {"op": "put_element", **name}, names),
    st.builds(lambda name, gist: {"op": "put_element", **name, "gist": gist}, names, words),
    st.builds(lambda name, note: {"op": "put_element", **name, "notes": [note], "aliases": [note]}, names, words),
    st.builds(lambda name, value: {"op": "set_prop", "id": name, "key": "k", "value": value}, names, words | st.none()),
    st.builds(lambda a, rel, b: {"op": "add_link", "from": a, "rel": rel, "to": b}, names, words, names),
    st.builds(lambda a, rel, b: {"op": "retire_link", "from": a, "rel": rel, "to": b}, names, words, names),
    st.builds(lambda name, note: {"op": "drop", "id": name, "field": "notes", "value": note}, names, words),
    st.builds(lambda name, new: {"op": "rename", "id": name, "name": new}, names, st.sampled_from((*NAMES, "Omega"))),
    st.builds(lambda a, b: {"op": "merge", "ids": [a, b]}, names, names),
    st.builds(lambda name: {"op": "split", "id": name}, names),
)


class TwoInstalls(RuleBasedStateMachine):
    """Two homes that record, forget and exchange their shards at any time."""

    @initialize()
    def start(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.clocks = [
            SteppingClock(START, timedelta(milliseconds=7)),
            SteppingClock(START, timedelta(milliseconds=11)),
        ]
        self.stores = [self.opened(index) for index in (0, 1)]
        puts = [{"op": "put_element", "kind": "tool", "name": name} for name in NAMES]
        for project in (None, "app"):
            self.stores[0].decide(NewDecision("There are", "w", puts, project=project))
        self.copy_shards(0)

    def teardown(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def home(self, index: int) -> Path:
        return self.folder / str(index)

    def opened(self, index: int) -> SemanticStore:
        return open_store(self.home(index), INSTALLS[index], clock=self.clocks[index])

    @rule(
        index=installs,
        title=words,
        parts=st.lists(mutations, max_size=3),
        project=projects,
        days=st.sampled_from([None, 1, 3]),
    )
    def decide(
        self, index: int, title: str, parts: list[dict[str, Any]], project: str | None, days: int | None
    ) -> None:
        valid_at = None if days is None else START - timedelta(days=days)
        try:
            self.stores[index].decide(NewDecision(title, "why", parts, project=project, valid_at=valid_at))
        except SemanticError:
            return  # refused, and so recorded nowhere

    @rule(index=installs, place=st.integers(0, 30), element=st.booleans())
    def forget(self, index: int, place: int, *, element: bool) -> None:
        picture = self.stores[index].projection()
        known = sorted(picture.elements) if element else sorted(picture.decisions)
        if known:
            self.stores[index].forget([known[place % len(known)]])

    @rule(source=installs)
    def copy_shards(self, source: int) -> None:
        target = 1 - source
        for path in (self.home(source) / "log").rglob(f"{INSTALLS[source]}.ndjson"):
            copy = self.home(target) / path.relative_to(self.home(source))
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
        self.stores[target].reconcile()

    @rule(index=installs)
    def restart(self, index: int) -> None:
        before = self.stores[index].export()
        self.stores[index] = self.opened(index)
        assert self.stores[index].export() == before

    @invariant()
    def incremental_equals_replayed(self) -> None:
        for index, store in enumerate(getattr(self, "stores", [])):
            again = self.opened(index)
            assert again.export() == store.export()
            assert again.problems() == store.problems() == []

    @invariant()
    def heads_are_decisions_that_nothing_superseded(self) -> None:
        for store in getattr(self, "stores", []):
            picture = store.projection()
            for element in picture:
                assert set(element.heads) <= set(element.decisions) <= set(picture.decisions)
                assert all(picture.decisions[head].superseded_by is None for head in element.heads)
                for edge in element.links:
                    assert element.id in {edge.source, edge.target}
                    assert edge.source in picture.elements
                assert {edge for edge in element.links if edge.target in picture.elements} <= set(picture.links)

    @rule()
    def exchange_makes_them_equal(self) -> None:
        for source in (0, 1, 0):  # a purge may have to travel back
            self.copy_shards(source)
        one, other = self.stores
        assert one.export() == other.export()


TwoInstalls.TestCase.settings = settings(
    max_examples=25, stateful_step_count=15, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
test_two_installs = TwoInstalls.TestCase
