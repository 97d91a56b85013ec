"""What a question sounds like, where its words give no cue: a small classifier over its vector.

It is a logistic regression on the vectors of the questions in ``asked.tsv``, which ship with the project. Vectors of
two models have nothing in common, so it is fitted anew for each model, in the background at the first question that
needs it, and kept in a file by the model's fingerprint.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from pathlib import Path

import numpy as np
import numpy.typing as npt
import structlog

from memoryd.router.decide import Route, Route3
from memoryd.text.embedder import Embedder

log = structlog.get_logger("memoryd.router.likeness")

SURE = 0.85
"""From this probability on the classifier is heard."""
WEAK = 0.7
"""Below this confidence of the cues it may add the store that they left out."""
_DECAY, _STEPS, _RATE = 1e-3, 400, 4.0
_FORMAT = 1

Vector = npt.NDArray[np.float32]


class Likeness:
    """Tells how much a question sounds like one on events. May be called from any thread.

    Args:
        folder: Where fitted weights are kept; they can be deleted at any time. ``None`` keeps them in memory alone.
        background: Fit in a thread, and know nothing until it is done; else fit at once.
    """

    def __init__(self, folder: Path | None, *, background: bool = True) -> None:
        self._folder = folder
        self._background = background
        self._lock = threading.Lock()
        self._weights: dict[str, Vector | None] = {}

    def probability(self, question: str, embedder: Embedder) -> float | None:
        """Return the probability that a question asks for events, not for knowledge; ``None`` while it is not fitted.

        Whatever the model raises, nothing is known: the search that follows names what is broken.
        """
        try:
            weights = self._fitted(embedder)
            if weights is None:
                return None
            return float(_probabilities(embedder.embed_query(question)[None, :], weights)[0])
        except Exception as error:  # noqa: BLE001 - a hint that fails is no hint; see above
            log.warning("the likeness of a question is not known", error=str(error))
            return None

    def _fitted(self, embedder: Embedder) -> Vector | None:
        fingerprint = embedder.fingerprint
        with self._lock:
            if fingerprint in self._weights:
                return self._weights[fingerprint]
            kept = self._read(fingerprint, embedder.dimension)
            self._weights[fingerprint] = kept
        if kept is not None:
            return kept
        if self._background:
            threading.Thread(target=self._fit, args=(fingerprint, embedder), name="likeness", daemon=True).start()
            return None
        return self._fit(fingerprint, embedder)

    def _fit(self, fingerprint: str, embedder: Embedder) -> Vector | None:
        try:
            rows = shipped()
            vectors = np.stack([embedder.embed_query(question) for _, question in rows])
            weights = fit(vectors, np.array([store == "episodic" for store, _ in rows]))
            with self._lock:
                self._weights[fingerprint] = weights
            self._write(fingerprint, weights)
        except Exception as error:  # noqa: BLE001 - in a thread of its own; the cues go on without it
            log.warning("the classifier could not be fitted", error=str(error))
            with self._lock:
                self._weights.pop(fingerprint, None)
            return None
        return weights

    def _read(self, fingerprint: str, dimension: int) -> Vector | None:
        if self._folder is None:
            return None
        try:
            kept = json.loads((self._folder / f"{fingerprint}.json").read_text("utf-8"))
            weights = np.array(kept["weights"], dtype=np.float32)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return weights if kept.get("format") == _FORMAT and weights.shape == (dimension + 1,) else None

    def _write(self, fingerprint: str, weights: Vector) -> None:
        if self._folder is None:
            return
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = self._folder / f"{fingerprint}.json"
            file.write_text(json.dumps({"format": _FORMAT, "weights": [round(float(w), 6) for w in weights]}), "utf-8")
            file.chmod(0o600)
        except OSError as error:
            log.warning("the fitted classifier could not be kept", error=str(error))


def shipped() -> list[tuple[str, str]]:
    """Return the questions that ship with the project: store and question."""
    text = resources.files("memoryd.router").joinpath("asked.tsv").read_text("utf-8")
    rows = [line.split("\t") for line in text.splitlines()]
    return [(store, question) for store, _, question in rows]


def fit(vectors: Vector, is_episodic: npt.NDArray[np.bool_]) -> Vector:
    """Return weights of shape (dimension + 1,), the constant last: logistic regression by gradient descent."""
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    scale = float(np.linalg.norm(centred, axis=1).mean()) or 1.0
    centred = centred / scale
    wanted = is_episodic.astype(np.float64)
    slopes, constant = np.zeros(vectors.shape[1]), 0.0
    for _ in range(_STEPS):
        missed = 1 / (1 + np.exp(-(centred @ slopes + constant))) - wanted
        slopes -= _RATE * (centred.T @ missed / len(wanted) + _DECAY * slopes)
        constant -= missed.mean()
    slopes = slopes / scale
    return np.append(slopes, constant - mean @ slopes).astype(np.float32)


def _probabilities(vectors: Vector, weights: Vector) -> npt.NDArray[np.float64]:
    raw: npt.NDArray[np.float64] = 1 / (1 + np.exp(-(vectors @ weights[:-1] + weights[-1]).astype(np.float64)))
    return raw


def refined(route: Route, probability: Callable[[], float | None]) -> Route:
    """Settle a route that the cues left open, and widen one that they chose on little against a clear likeness.

    ``probability`` is called only for such a route: it may cost a vector.
    """
    is_open = route.is_thin and not route.is_key_words
    if not is_open and (route.store == "both" or route.confidence >= WEAK):
        return route
    episodic = probability()
    if episodic is None or max(episodic, 1 - episodic) < SURE:
        return route
    store: Route3 = "episodic" if episodic > 0.5 else "semantic"
    sure = max(episodic, 1 - episodic)
    what = "what happened" if store == "episodic" else "what is known"
    reason = f"it sounds like a question on {what} ({sure:.2f})"
    if is_open:
        return replace(route, store=store, confidence=round(0.6 * sure, 2), reasons=(reason, *route.reasons[:-1]))
    if store == route.store:
        return route
    return replace(route, store="both", confidence=0.4, reasons=(*route.reasons, f"but {reason}"), asks=())
