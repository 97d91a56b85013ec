"""What a question sounds like: fitted once a model, kept, and heard only where the cues are weak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from memoryd.router.decide import Route, decide
from memoryd.router.likeness import SURE, Likeness, fit, refined, shipped
from memoryd.text.embedder import Vectors

NOW = datetime(2026, 7, 15, tzinfo=UTC)
EVENTS = frozenset(question for store, question in shipped() if store == "episodic")


class Oracle:
    """Vectors that tell the shipped questions on events from the others; a new question is one on events."""

    dimension = 4

    def __init__(self, fingerprint: str = "aaaaaaaaaaaa", *, breaks: bool = False) -> None:
        self.fingerprint = fingerprint
        self.asked: list[str] = []
        self._breaks = breaks

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        if self._breaks:
            raise OSError("the model is gone")
        self.asked.append(text)
        is_event = text in EVENTS or text == "new"
        vector = np.array([1.0, 0.2, 0.1, len(text) % 5 / 50] if is_event else [0.2, 1.0, 0.1, 0.0], np.float32)
        return vector / np.float32(np.linalg.norm(vector))


def test_it_is_fitted_once_a_model_and_kept(tmp_path: Path) -> None:
    likeness = Likeness(tmp_path, background=False)
    first = Oracle()
    assert (likeness.probability("new", first) or 0) > SURE
    assert len(first.asked) == len(shipped()) + 1
    second = Oracle()
    assert Likeness(tmp_path, background=False).probability("new", second) == pytest.approx(
        likeness.probability("new", first), abs=1e-3
    )
    assert second.asked == ["new"]
    other = Oracle("bbbbbbbbbbbb")
    likeness.probability("old", other)
    assert len(other.asked) > len(shipped())


def test_a_broken_file_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "aaaaaaaaaaaa.json").write_text('{"format": 1, "weights": [1, 2]}')
    oracle = Oracle()
    assert (Likeness(tmp_path, background=False).probability("new", oracle) or 0) > SURE
    assert len(oracle.asked) > len(shipped())


def test_a_model_that_fails_leaves_the_cues_alone(tmp_path: Path) -> None:
    assert Likeness(tmp_path, background=False).probability("new", Oracle(breaks=True)) is None
    assert list(tmp_path.iterdir()) == []


def test_the_fit_separates_what_can_be_separated() -> None:
    vectors = np.array([[1, 0], [0.9, 0.1], [0, 1], [0.1, 0.9]], np.float32)
    weights = fit(vectors, np.array([True, True, False, False]))
    assert [float(one @ weights[:-1] + weights[-1]) > 0 for one in vectors] == [True, True, False, False]


def unknown() -> float | None:
    raise AssertionError("a route that the cues settled costs no vector")


def test_clear_cues_are_not_asked_about() -> None:
    for question in ("What did we decide last week?", "What is our retention period?", "redis ttl"):
        assert refined(decide(question, now=NOW), unknown) == decide(question, now=NOW)


OPEN = Route("both", 0.25, ("it says too little",), is_thin=True)


def test_an_open_question_goes_where_it_sounds_like() -> None:
    found = refined(OPEN, lambda: 0.95)
    assert (found.store, found.reasons) == ("episodic", ("it sounds like a question on what happened (0.95)",))
    assert refined(OPEN, lambda: 0.05).store == "semantic"
    assert refined(OPEN, lambda: 0.7) == OPEN
    assert refined(OPEN, lambda: None) == OPEN


def test_a_weak_choice_is_widened_and_never_turned() -> None:
    weak = Route("semantic", 0.6, ("no past tense",))
    found = refined(weak, lambda: 0.95)
    assert found.store == "both"
    assert found.reasons[-1] == "but it sounds like a question on what happened (0.95)"
    assert refined(weak, lambda: 0.05) == weak
    assert refined(replace(weak, confidence=0.8), unknown).store == "semantic"
