"""Which model serves: building beside it, the change in one step, giving up, restarts, and what does not work."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from memoryd.embedding.bge import UPSTREAM
from memoryd.embedding.cache import VectorCache
from memoryd.embedding.errors import EmbeddingError, ModelUnavailable, UnknownModel
from memoryd.embedding.lazy import LazyEmbedder
from memoryd.embedding.manifest import Manifest
from memoryd.embedding.shelf import Shelf
from memoryd.errors import SettingsUnusable
from memoryd.jobs.models import models_job, use_model
from memoryd.jobs.registry import Run
from memoryd.jobs.switch import ModelSwitch
from memoryd.text.embedder import Vectors

SOON_S = 20.0


class Model:
    dimension = 2

    def __init__(self, name: str, gate: threading.Event) -> None:
        self.fingerprint = f"of_{name}"
        self._gate = gate

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self._gate.wait(SOON_S)
        return np.tile(np.array([1, 0], np.float32), (len(texts), 1))

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        return np.array([1, 0], np.float32)


class FakeShelf(Shelf):
    """Models ``old``, ``new`` and ``third``; ``broken`` does not load, ``lost`` has no files."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.gates = {name: threading.Event() for name in ("old", "new", "third")}
        self.gates["old"].set()
        self.opened: list[LazyEmbedder] = []

    def __iter__(self) -> Iterator[Manifest]:
        return iter([UPSTREAM])

    def find(self, name: str) -> Manifest | None:
        if name not in {*self.gates, "broken", "lost", "none"}:
            raise UnknownModel(f"there is no model {name!r}")
        return None

    def open(self, name: str) -> LazyEmbedder | None:
        self.find(name)
        if name == "lost":
            raise ModelUnavailable("its files are not here")
        if name == "none":
            return None

        def load() -> Model:
            if name == "broken":
                raise EmbeddingError("the file is damaged")
            return Model(name, self.gates[name])

        self.opened.append(LazyEmbedder(load, fingerprint=f"of_{name}", dimension=2, idle_s=0))
        return self.opened[-1]


class Store:
    """Pieces and what has a vector of which model."""

    def __init__(self, *texts: str) -> None:
        self.pieces = {f"id-{number}": text for number, text in enumerate(texts)}
        self.held: dict[str, set[str]] = {}
        self.failures = 0

    def wanting_vectors(self, fingerprint: str, limit: int) -> list[tuple[str, str]]:
        return [one for one in self.pieces.items() if one[0] not in self.held.get(fingerprint, ())][:limit]

    def add_vectors(self, fingerprint: str, dimension: int, vectors: Mapping[str, npt.NDArray[np.float32]]) -> None:
        self.held.setdefault(fingerprint, set()).update(vectors)

    def fingerprints(self) -> set[str]:
        return {one for one, ids in self.held.items() if ids}

    def drop_vectors(self, fingerprint: str) -> None:
        if self.failures:
            self.failures -= 1
            raise OSError("the engine is away")
        self.held.pop(fingerprint, None)


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[FakeShelf]:
    shelf = FakeShelf(tmp_path)
    yield shelf
    for gate in shelf.gates.values():
        gate.set()


@pytest.fixture
def store() -> Store:
    return Store("a", "b", "c")


Make = Callable[..., ModelSwitch]


@pytest.fixture
def make(shelf: FakeShelf, store: Store, tmp_path: Path) -> Iterator[Make]:
    made: list[ModelSwitch] = []
    cache = VectorCache(tmp_path / "v.sqlite")

    def switch(wanted: str = "old", **how: Any) -> ModelSwitch:
        how = {"memo": tmp_path / "model.json", "choose": lambda _: None, "is_settled": lambda: True, **how}
        made.append(ModelSwitch(shelf, [store], cache, wanted=wanted, linger_s=0, **how))
        made[-1].open()
        return made[-1]

    yield switch
    for gate in shelf.gates.values():
        gate.set()
    for one in made:
        one.close()
    for embedder in shelf.opened:
        embedder.close()
    cache.close()


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + SOON_S
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_first_model_serves_at_once(make: Make, store: Store) -> None:
    switch = make()
    assert (switch.serving_name, switch.coming_name, switch.wanted) == ("old", None, "old")
    until(lambda: store.held == {"of_old": set(store.pieces)})
    assert switch.degraded() == []


def test_the_old_model_serves_until_the_new_one_has_everything(make: Make, store: Store, shelf: FakeShelf) -> None:
    chosen: list[str] = []
    switch = make(choose=chosen.append)
    until(lambda: switch.pending() == 0)

    assert switch.use("new") == "building"
    assert (switch.serving_name, switch.coming_name, switch.wanted, chosen) == ("old", "new", "new", ["new"])
    assert switch.pending() == 3
    assert switch.serving is not None
    assert switch.serving.fingerprint == "of_old"
    store.pieces["id-9"] = "written meanwhile"
    switch.wake()
    until(lambda: "id-9" in store.held["of_old"])
    assert switch.use("new") == "building"

    shelf.gates["new"].set()
    until(lambda: switch.serving_name == "new")
    assert switch.coming_name is None
    assert store.held["of_new"] == set(store.pieces)
    until(lambda: "of_old" not in store.held)
    assert switch.degraded() == []


def test_nothing_changes_before_all_files_were_looked_at(make: Make, store: Store, shelf: FakeShelf) -> None:
    settled = threading.Event()
    switch = make(is_settled=settled.is_set)
    shelf.gates["new"].set()
    switch.use("new")
    until(lambda: store.held.get("of_new") == set(store.pieces))
    looks: list[None] = []

    def unsettled() -> bool:
        looks.append(None)
        return False

    switch._is_settled = unsettled
    until(lambda: len(looks) > 2)
    assert switch.serving_name == "old"

    switch._is_settled = lambda: True
    until(lambda: switch.serving_name == "new")


def test_a_change_is_given_up_for_another(make: Make, store: Store, shelf: FakeShelf) -> None:
    switch = make()
    switch.use("new")
    store.held.setdefault("of_new", set()).add("id-0")

    shelf.gates["new"].set()
    shelf.gates["third"].set()
    switch.use("third")
    until(lambda: switch.serving_name == "third")
    until(lambda: set(store.held) == {"of_third"})


def test_a_change_is_given_up_for_the_model_that_serves(make: Make, store: Store, shelf: FakeShelf) -> None:
    switch = make()
    until(lambda: "of_old" in store.held)
    switch.use("new")
    threading.Timer(0.05, shelf.gates["new"].set).start()

    assert switch.use("old") == "serving"
    assert (switch.serving_name, switch.coming_name, switch.wanted) == ("old", None, "old")
    until(lambda: "of_new" not in store.held)
    assert store.held["of_old"]


def test_back_again(make: Make, store: Store, shelf: FakeShelf) -> None:
    switch = make()
    shelf.gates["new"].set()
    switch.use("new")
    until(lambda: switch.serving_name == "new")
    switch.use("old")
    until(lambda: switch.serving_name == "old")
    until(lambda: store.held == {"of_old": set(store.pieces)})


@pytest.mark.parametrize(("name", "reason"), [("broken", "damaged"), ("lost", "files are not here")])
def test_a_model_that_does_not_work_changes_nothing_and_is_named(
    make: Make, store: Store, name: str, reason: str
) -> None:
    chosen: list[str] = []
    switch = make(choose=chosen.append)

    with pytest.raises(EmbeddingError, match=reason):
        switch.use(name)

    assert (switch.serving_name, switch.wanted, chosen) == ("old", "old", [])
    (said,) = switch.degraded()
    assert reason in said
    assert name in said
    assert said.endswith("old goes on answering")
    switch.use("old")
    assert switch.degraded() == []


def test_a_model_that_takes_too_long_to_load_is_refused(make: Make, shelf: FakeShelf) -> None:
    held = threading.Event()
    real = shelf.open

    def slow(name: str) -> LazyEmbedder | None:
        if name != "third":
            return real(name)
        shelf.opened.append(
            LazyEmbedder(lambda: (held.wait(SOON_S), Model("third", held))[1], fingerprint="of_third", dimension=2)
        )
        return shelf.opened[-1]

    switch = make(load_s=0.05)
    shelf.open = slow  # type: ignore[method-assign] # a model that hangs
    threading.Timer(1.0, held.set).start()
    with pytest.raises(ModelUnavailable, match="too long"):
        switch.use("third")
    assert switch.serving_name == "old"


def test_an_unknown_name_is_refused_by_name(make: Make) -> None:
    with pytest.raises(UnknownModel, match="gpt"):
        make().use("gpt")


def test_a_choice_that_cannot_be_written_changes_nothing(make: Make, store: Store, shelf: FakeShelf) -> None:
    def refuse(_: str) -> None:
        raise SettingsUnusable("the variable says otherwise")

    switch = make(choose=refuse)
    with pytest.raises(SettingsUnusable, match="otherwise"):
        switch.use("new")
    assert (switch.serving_name, switch.coming_name, switch.wanted) == ("old", None, "old")


def test_a_change_goes_on_after_a_restart(make: Make, store: Store, shelf: FakeShelf) -> None:
    switch = make()
    until(lambda: switch.pending() == 0)
    switch.use("new")
    shelf.gates["new"].set()
    switch.close()
    store.held.pop("of_new", None)
    shelf.gates["new"].clear()

    again = make("new")
    assert (again.serving_name, again.coming_name) == ("old", "new")
    shelf.gates["new"].set()
    until(lambda: again.serving_name == "new")
    until(lambda: set(store.held) == {"of_new"})


def test_without_vectors_of_the_remembered_model_the_chosen_one_serves(make: Make, store: Store) -> None:
    switch = make()
    switch.close()
    store.held.clear()

    assert make("new").serving_name == "new"


def test_a_chosen_model_that_is_not_here_leaves_the_remembered_one(make: Make, store: Store) -> None:
    switch = make()
    until(lambda: switch.pending() == 0)
    switch.close()

    again = make("lost")
    assert (again.serving_name, again.wanted) == ("old", "lost")
    assert again.degraded() == ["no embedding model: its files are not here; old goes on answering"]
    assert make("lost", memo=Path("/nowhere/model.json")).degraded() == [
        "no embedding model: its files are not here; searched by words alone"
    ]


def test_no_model_is_a_choice(make: Make, store: Store) -> None:
    switch = make()
    until(lambda: "of_old" in store.held)
    assert switch.use("none") == "serving"
    assert switch.serving is None
    assert switch.degraded() == ["no embedding model is set: search by words alone"]
    until(lambda: store.held == {})
    assert switch.use("old") == "serving"
    assert switch.serving_name == "old"


def test_what_others_left_is_dropped_once_the_serving_model_has_everything(make: Make, store: Store) -> None:
    store.held["of_another_year"] = {"id-0"}
    make()
    until(lambda: set(store.held) == {"of_old"})


def test_without_a_model_nothing_is_dropped(make: Make, store: Store) -> None:
    """A run without a model, for a while, must not cost the vectors."""
    store.held["of_old"] = {"id-0"}
    switch = make("none")
    switch.close()
    assert store.held == {"of_old": {"id-0"}}


def test_an_engine_that_is_away_loses_no_dropping(
    make: Make, store: Store, shelf: FakeShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memoryd.jobs import leftover

    monkeypatch.setattr(leftover, "RETRY_S", 0.05)
    switch = make()
    until(lambda: switch.pending() == 0)
    store.failures = 2
    shelf.gates["new"].set()
    switch.use("new")
    until(lambda: set(store.held) == {"of_new"})
    assert store.failures == 0


def test_a_closed_switch_refuses_and_hangs_nobody(make: Make) -> None:
    switch = make()
    switch.close()
    with pytest.raises(ModelUnavailable):
        switch.use("new")


def test_the_job_runs_until_the_model_serves(make: Make, shelf: FakeShelf) -> None:
    switch = make()
    shelf.gates["new"].set()
    found = use_model("new", Run(), switch=switch, waits=True)
    assert found == {"do": "use", "model": "new", "state": "serving"}


def test_the_job_need_not_wait(make: Make, shelf: FakeShelf) -> None:
    switch = make()
    until(lambda: switch.pending() == 0)
    found = use_model("new", Run(), switch=switch, waits=False)
    assert found["state"] == "building"
    assert switch.coming_name == "new"


def test_the_job_says_when_a_change_was_given_up(make: Make, shelf: FakeShelf) -> None:
    switch = make()

    class Changing(Run):
        def rest(self, seconds: float) -> None:
            switch.use("old")

    threading.Timer(0.1, shelf.gates["new"].set).start()
    assert use_model("new", Changing(), switch=switch, waits=True)["state"] in {"given up", "serving"}
    assert switch.wanted in {"old", "new"}


def test_the_job_names_its_arguments(make: Make, shelf: FakeShelf) -> None:
    from memoryd.embedding.hub import Hub

    job = models_job(make(), shelf, Hub("http://127.0.0.1:9"))
    assert [one.name for one in job.arguments] == ["do", "model", "wait"]
    assert job.run({"do": "use", "model": "none", "wait": True}, Run())["state"] == "serving"
