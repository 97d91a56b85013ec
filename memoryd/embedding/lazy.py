"""An embedder that loads its model when first used and gives the memory back when idle.

Loading takes seconds and hundreds of megabytes, so it never happens on the way of a request: one thread of the
embedder's own loads and later drops the model; callers wait as long as they choose to.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import numpy as np
import numpy.typing as npt
import structlog

from memoryd.embedding.errors import EmbeddingError, ModelUnavailable
from memoryd.text.embedder import Embedder, LexicalEmbedder, Vectors, Weights, lexical_of

log = structlog.get_logger("memoryd.embedding.lazy")

_REMEMBERED_QUERIES = 64

_Question = tuple[npt.NDArray[np.float32], Weights]
"""Its vector, and its token weights (none where the model gives none)."""


class LazyEmbedder:
    """An Embedder whose model is there only while it is used. Safe in several threads.

    ``load`` makes the real embedder; it is called in this object's thread, never twice at once. ``idle_s`` seconds
    after the last use the model is dropped (0: never). A load that failed is named by ``problem`` and tried again
    when a use comes ``retry_s`` or more later. The thread exists from the start: the system gives a new thread the
    priority of the one that makes it, and the runtime's threads must not be born from a background thread that has
    lowered its own.
    """

    def __init__(
        self,
        load: Callable[[], Embedder],
        *,
        fingerprint: str,
        dimension: int,
        idle_s: float = 600,
        retry_s: float = 60,
        has_lexical: bool = False,
    ) -> None:
        self._load = load
        self._has_lexical = has_lexical
        self._fingerprint = fingerprint
        self._dimension = dimension
        self._idle_s = idle_s
        self._retry_s = retry_s
        self._changed = threading.Condition()
        self._model: Embedder | None = None
        self._wanted = False
        self._closed = False
        self._users = 0
        self._last_use = 0.0
        self._problem: str | None = None
        self._failed_at = 0.0
        self._queries: OrderedDict[str, _Question] = OrderedDict()
        self._keeper = threading.Thread(target=self._keep, name="embedder", daemon=True)
        self._keeper.start()

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the model, known without loading it."""
        return self._fingerprint

    @property
    def dimension(self) -> int:
        """The length of a vector, known without loading the model."""
        return self._dimension

    @property
    def has_lexical(self) -> bool:
        """Whether the model also weighs tokens, known without loading it."""
        return self._has_lexical

    @property
    def ready(self) -> bool:
        """Whether the model is in memory."""
        with self._changed:
            return self._model is not None

    @property
    def problem(self) -> str | None:
        """Why the last load failed, in words; None before the first load and after one that worked."""
        with self._changed:
            return self._problem

    def warm(self) -> None:
        """Start loading, unless the model is there or a load failed a moment ago; do not wait."""
        with self._changed:
            self._want()

    def wait(self, timeout_s: float) -> bool:
        """Start loading and wait; tell whether the model is in memory. A recent failure is not waited for."""
        with self._changed:
            self._want()
            self._changed.wait_for(self._is_settled, timeout_s)
            return self._model is not None

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Return a question's unit vector, waiting for the model. Raises EmbeddingError."""
        return self._question(text)[0]

    def query_both(self, text: str) -> _Question:
        """Return a question's unit vector and token weights, waiting for the model. Raises EmbeddingError."""
        return self._question(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a stored text, waiting for the model. Raises EmbeddingError."""
        with self._borrow() as model:
            return model.embed_passages(texts)

    def embed_both(self, texts: Sequence[str]) -> tuple[Vectors, Sequence[Weights]]:
        """Return unit vectors and token weights of stored texts, waiting for the model. Raises EmbeddingError."""
        with self._borrow() as model:
            return self._weighing(model).embed_both(texts)

    def close(self, timeout_s: float = 10) -> None:
        """Give the memory back and end the thread; whoever waits gets ModelUnavailable.

        A load under way cannot be broken off; it is waited for up to ``timeout_s`` seconds.
        """
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._keeper.join(timeout_s)

    @contextmanager
    def _borrow(self) -> Iterator[Embedder]:
        with self._changed:
            self._want()
            self._changed.wait_for(self._is_settled)
            if self._model is None or self._closed:
                raise ModelUnavailable(self._why_not())
            model = self._model
            self._users += 1
        try:
            yield model
        finally:
            with self._changed:
                self._users -= 1
                self._last_use = time.monotonic()

    def _want(self) -> None:
        is_due = self._problem is None or time.monotonic() - self._failed_at >= self._retry_s
        if self._model is None and not self._wanted and not self._closed and is_due:
            self._wanted = True
            self._changed.notify_all()
        self._last_use = time.monotonic()

    def _is_settled(self) -> bool:
        return self._model is not None or not self._wanted or self._closed

    def _why_not(self) -> str:
        if self._closed:
            return "the embedder is closed"
        return self._problem or "the model is still loading"

    def _question(self, text: str) -> _Question:
        known = self._remembered(text)
        if known is None:
            with self._borrow() as model:
                known = self._ask(model, text)
            self._remember(text, known)
        return known

    def _ask(self, model: Embedder, text: str) -> _Question:
        return self._weighing(model).query_both(text) if self._has_lexical else (model.embed_query(text), {})

    @staticmethod
    def _weighing(model: Embedder) -> LexicalEmbedder:
        weighing = lexical_of(model)
        if weighing is None:
            raise ModelUnavailable("the model does not weigh tokens")
        return weighing

    def _remembered(self, text: str) -> _Question | None:
        with self._changed:
            if text in self._queries:
                self._queries.move_to_end(text)
            return self._queries.get(text)

    def _remember(self, text: str, question: _Question) -> None:
        with self._changed:
            self._queries[text] = question
            while len(self._queries) > _REMEMBERED_QUERIES:
                self._queries.popitem(last=False)

    def _keep(self) -> None:
        while self._next_task():
            if self._wanted:
                self._load_model()
            else:
                self._drop_model()
        self._drop_model()

    def _next_task(self) -> bool:
        """Wait until there is a model to load or to drop; False once closed."""
        with self._changed:
            while not self._closed and not self._wanted:
                if self._model is None or self._idle_s <= 0:
                    self._changed.wait()
                    continue
                left = self._idle_s if self._users else self._last_use + self._idle_s - time.monotonic()
                if left <= 0:
                    break
                self._changed.wait(left)
            return not self._closed

    def _load_model(self) -> None:
        started = time.monotonic()
        model, problem = None, None
        try:
            model = self._load()
            if model.fingerprint != self._fingerprint:
                model, problem = None, "the model's files changed since the start: restart the daemon"
            elif self._has_lexical and lexical_of(model) is None:
                model, problem = None, "the model's files give no token weights, though they should"
        except EmbeddingError as error:
            problem = str(error)
        except Exception as error:  # noqa: BLE001 - the thread must live on, and the reason must be told
            problem = f"the model cannot be loaded: {type(error).__name__}: {error}"
        with self._changed:
            self._model, self._problem, self._wanted = model, problem, False
            self._last_use = self._failed_at = time.monotonic()
            self._changed.notify_all()
        if problem is None:
            log.info("model loaded", seconds=round(time.monotonic() - started, 1))
        else:
            log.warning("model not loaded", reason=problem)

    def _drop_model(self) -> None:
        with self._changed:
            # A use that began since the look above keeps the model, unless all is closed: then it ends with its user.
            if self._model is None or (self._users and not self._closed):
                return
            self._model = None
        gc.collect()
        _return_free_memory()
        log.info("model dropped")


def _return_free_memory() -> None:
    """Hand freed pages back to the system: glibc keeps them otherwise, and an idle daemon would look loaded."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library has no malloc_trim, and needs none
            ctypes.CDLL(None).malloc_trim(0)
