"""Which model serves, which one is being built, and the change from one to the other in one step.

A model's vectors have a space of their own. While those of a new model are made in the background, the old one goes on
answering; once nothing wants a vector of the new one, it takes over, and what the old one gave is dropped. Words are
searched all the while. The choice stands in the settings and the serving model's name in ``state``, so that a change
survives a restart; without ``state`` there are no vectors either, and the chosen model serves from the start.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from pathlib import Path

import structlog

from memoryd.embedding.cache import VectorCache
from memoryd.embedding.catalog import NONE
from memoryd.embedding.errors import EmbeddingError, ModelUnavailable
from memoryd.embedding.lazy import LazyEmbedder
from memoryd.embedding.shelf import ModelState, Shelf, State
from memoryd.jobs.embed import EmbedQueue
from memoryd.jobs.leftover import Embedded, Leftovers
from memoryd.jobs.slot import ServingMemo, Slot

log = structlog.get_logger("memoryd.models")

LOAD_S = 300.0
"""How long a model may take to load before it is said not to."""
LINGER_S = 5.0
"""How long the old model's vectors stay after the change, for questions that began before it."""
_POLL_S, _SELDOM_S, _TROUBLE_S = 0.25, 5.0, 2.0


@dataclass(frozen=True, slots=True)
class _Wish:
    name: str
    done: Future[str]


class ModelSwitch:
    """The models in use. Every method may be called from any thread once ``open`` has returned.

    One thread of its own opens models, watches the building and makes the change, so that two wishes never meet.
    """

    def __init__(
        self,
        shelf: Shelf,
        sources: Sequence[Embedded],
        cache: VectorCache,
        *,
        wanted: str,
        memo: Path,
        choose: Callable[[str], None],
        is_settled: Callable[[], bool],
        linger_s: float = LINGER_S,
        load_s: float = LOAD_S,
    ) -> None:
        """Open the models by name; nothing is loaded.

        Args:
            shelf: The models that there are.
            sources: The stores whose pieces get vectors.
            cache: Vectors that were made before.
            wanted: The model that the settings name.
            memo: The file that remembers which model serves.
            choose: Writes a name into the settings; what it raises refuses the change.
            is_settled: Says whether all files were looked at: before that, nobody knows what wants a vector.
            linger_s: How long the old model's vectors stay after a change.
            load_s: How long a model may take to load.
        """
        self._shelf = shelf
        self._sources = tuple(sources)
        self._cache = cache
        self._memo = ServingMemo(memo)
        self._choose = choose
        self._is_settled = is_settled
        self._linger_s = linger_s
        self._load_s = load_s
        self._lock = threading.Lock()
        self._wishes: queue.SimpleQueue[_Wish | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._wanted = wanted
        self._problem: str | None = None
        self._serving: Slot | None = None
        self._coming: Slot | None = None
        self._leftovers = Leftovers(self._sources)
        self._is_tidy = False
        self._begin()

    # -- asked by everybody -----------------------------------------------------------------------------------------

    @property
    def wanted(self) -> str:
        """The model that the settings name."""
        with self._lock:
            return self._wanted

    @property
    def serving(self) -> LazyEmbedder | None:
        """The model that answers questions."""
        with self._lock:
            return self._serving.embedder if self._serving else None

    @property
    def serving_name(self) -> str:
        """Its name, ``none`` where words are searched alone."""
        with self._lock:
            return self._serving.name if self._serving else NONE

    @property
    def coming_name(self) -> str | None:
        """The name of the model that is being built, if one is."""
        with self._lock:
            return self._coming.name if self._coming else None

    @property
    def problem(self) -> str | None:
        """Why the model that was wanted last does not serve; None while it does, or is on its way."""
        with self._lock:
            return self._problem

    def degraded(self) -> list[str]:
        """Return, in words, what does not work."""
        with self._lock:
            slots, problem, wanted = (self._serving, self._coming), self._problem, self._wanted
        serving = slots[0]
        reasons = list(self._shelf.problems)
        if problem:
            instead = f"{serving.name} goes on answering" if serving else "searched by words alone"
            reasons.append(f"{problem}; {instead}")
        elif wanted == NONE:
            reasons.append("no embedding model is set: search by words alone")
        for slot in filter(None, slots):
            if slot.embedder.problem:
                reasons.append(f"the embedding model {slot.name} could not be loaded: {slot.embedder.problem}")
            if slot.queue.problem:
                reasons.append(f"embedding by {slot.name} pauses: {slot.queue.problem}")
        return reasons

    def pending(self) -> int:
        """Return how many vectors are wanting, of the serving model and of the coming one."""
        return sum(slot.queue.pending() for slot in self._slots())

    def wake(self) -> None:
        """Say that something new may want a vector."""
        for slot in self._slots():
            slot.queue.wake()

    def models(self) -> list[ModelState]:
        """Return all models that are known, and how each of them is."""
        with self._lock:
            serving, coming, wanted, problem = self._serving, self._coming, self._wanted, self._problem
        found = []
        for manifest in self._shelf:
            slot = next((one for one in (serving, coming) if one and one.name == manifest.name), None)
            at_rest: State = "ready" if self._shelf.is_here(manifest) else "absent"
            found.append(
                ModelState(
                    name=manifest.name,
                    state=at_rest if slot is None else "serving" if slot is serving else "building",
                    is_wanted=manifest.name == wanted,
                    licence=manifest.licence,
                    dimension=manifest.dimension,
                    download_bytes=manifest.download_bytes,
                    has_lexical=manifest.gives_lexical if slot is None else slot.embedder.has_lexical,
                    is_loaded=slot is not None and slot.embedder.ready,
                    wanting=None if slot is None else slot.queue.pending(),
                    problem=problem if manifest.name == wanted else None,
                )
            )
        return found

    # -- the life cycle ---------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Begin to give vectors, and go on with a change that a stop cut off. The stores are open by now."""
        with self._lock:
            serving, coming = self._serving, self._coming
        if serving and coming and not self._holds(serving):
            # The remembered model has nothing to answer from: the other one serves with what it has so far.
            with self._lock:
                self._serving, self._coming = coming, None
            self._leftovers.add(serving.embedder.fingerprint, embedder=serving.embedder)
        self._memo.write(self.serving_name)
        for slot in self._slots():
            slot.queue.start()
        self._thread = threading.Thread(target=self._run, name="models", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the work and give the memory back. A change that is under way goes on at the next start."""
        self._stopping.set()
        self._wishes.put(None)
        for slot in self._slots():
            slot.queue.stop(0)
            slot.embedder.close()
        if self._thread is not None:
            self._thread.join(10)
        for slot in self._slots():
            slot.end()
        self._leftovers.close()

    def use(self, name: str) -> str:
        """Make a model the one that serves, and return ``serving`` or ``building``.

        It is loaded first: one that does not work is refused, and nothing has changed. A change under way is given up.

        Raises:
            EmbeddingError: There is no such model, its files are not here, or it does not work.
            MemorydError: The choice cannot be written.
        """
        manifest = self._shelf.find(name)
        if manifest is not None and not self._shelf.is_here(manifest):
            # Nothing was chosen, so there is nothing to be told of later.
            raise ModelUnavailable(
                f"the files of {name} are not on this machine: `memoryd models pull {name}` fetches them"
            )
        wish = _Wish(name, Future())
        self._wishes.put(wish)
        while not wish.done.done():
            if self._thread is None or not self._thread.is_alive():
                raise ModelUnavailable("the daemon does not run, or goes down")
            wait([wish.done], timeout=_POLL_S)
        return wish.done.result()

    # -- in the thread of its own -----------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                wish = self._wishes.get(timeout=self._rest_s())
            except queue.Empty:
                self._advance()
                continue
            if wish is None:
                continue
            try:
                wish.done.set_result(self._change(wish.name))
            except BaseException as error:  # noqa: BLE001 - whoever wished is told, and the thread lives on
                wish.done.set_exception(error)

    def _rest_s(self) -> float | None:
        """Return how long to wait for a wish: for ever, where nothing is to be watched."""
        if self._coming is not None or self._leftovers:
            return _POLL_S
        return None if self._is_tidy else _SELDOM_S

    def _advance(self) -> None:
        try:
            coming, serving = self._coming, self._serving
            if coming is not None:
                if self._is_complete(coming):
                    self._take_over(coming)
            elif serving is not None and not self._is_tidy and self._is_complete(serving):
                self._leftovers.tidy(self._in_use())
                self._is_tidy = True
            self._leftovers.let_go(self._in_use())
        except Exception as error:
            # An engine that is away comes back; this thread has to be there then.
            log.warning("models_wait", reason=type(error).__name__, exc_info=error)
            self._stopping.wait(_TROUBLE_S)

    def _is_complete(self, slot: Slot) -> bool:
        return self._is_settled() and slot.queue.is_done()

    def _change(self, name: str) -> str:
        serving, coming = self._serving, self._coming
        if serving is not None and serving.name == name:
            self._settle_choice(name)
            self._give_up(coming)
            return "serving"
        if coming is not None and coming.name == name:
            self._settle_choice(name)
            return "building"
        slot = self._loaded(name) if name != NONE else None
        try:
            self._settle_choice(name)
        except BaseException:
            if slot is not None:
                slot.embedder.close()
            raise
        self._give_up(coming)
        if slot is not None:
            slot.queue.start()
        if slot is None or serving is None:
            self._take_over(slot)
            return "serving"
        with self._lock:
            self._coming = slot
        log.info("model_building", model=name, serving=serving.name)
        return "building"

    def _loaded(self, name: str) -> Slot:
        """Open and load a model; one that does not load is named, and changes nothing."""
        try:
            slot = self._opened(name)
        except EmbeddingError as error:
            self._note_problem(f"the model {name} cannot be used: {error}")
            raise
        deadline = time.monotonic() + self._load_s
        while not slot.embedder.wait(_POLL_S):
            reason = slot.embedder.problem
            if self._stopping.is_set():
                reason = "the daemon goes down"
            elif reason is None and time.monotonic() < deadline:
                continue
            slot.embedder.close()
            problem = f"the model {name} cannot be used: {reason or 'it takes too long to load'}"
            self._note_problem(problem)
            raise ModelUnavailable(problem)
        return slot

    def _settle_choice(self, name: str) -> None:
        self._choose(name)
        with self._lock:
            self._wanted, self._problem = name, None

    def _note_problem(self, problem: str) -> None:
        with self._lock:
            self._problem = problem

    def _take_over(self, slot: Slot | None) -> None:
        """Let a model serve; from here on every question goes to it."""
        with self._lock:
            old, self._serving, self._coming = self._serving, slot, None
        self._is_tidy = slot is None
        self._memo.write(self.serving_name)
        log.info("model_serves", model=slot.name if slot else NONE, before=old.name if old else NONE)
        if old is not None:
            old.queue.stop()
            self._leftovers.add(old.embedder.fingerprint, linger_s=self._linger_s, embedder=old.embedder)

    def _give_up(self, slot: Slot | None) -> None:
        """Stop building a model; no question has ever been asked of it."""
        if slot is None:
            return
        with self._lock:
            self._coming = None
        slot.end()
        self._leftovers.add(slot.embedder.fingerprint)

    # -- opening ----------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        wanted, remembered = self._wanted, self._memo.read()
        slot = None
        try:
            slot = self._opened(wanted) if wanted != NONE else None
        except EmbeddingError as error:
            self._problem = f"no embedding model: {error}"
        old = None
        if wanted != NONE and remembered not in {None, NONE, wanted}:
            try:
                old = self._opened(remembered or "")
            except EmbeddingError as error:
                log.warning("serving_model_lost", model=remembered, reason=str(error))
        self._serving, self._coming = (slot, None) if old is None else (old, slot)
        self._is_tidy = self._serving is None

    def _opened(self, name: str) -> Slot:
        embedder = self._shelf.open(name)
        if embedder is None:
            raise ModelUnavailable(f"{name!r} is no model")
        return Slot(name, embedder, EmbedQueue(self._sources, embedder, self._cache))

    def _holds(self, slot: Slot) -> bool:
        fingerprint = slot.embedder.fingerprint
        try:
            return any(fingerprint in source.fingerprints() for source in self._sources)
        except Exception as error:  # noqa: BLE001 - an engine that is away still holds what it held
            log.warning("models_unknown", reason=type(error).__name__)
            return True

    def _slots(self) -> list[Slot]:
        with self._lock:
            return [slot for slot in (self._serving, self._coming) if slot is not None]

    def _in_use(self) -> set[str]:
        return {slot.embedder.fingerprint for slot in self._slots()}
