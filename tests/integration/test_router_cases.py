"""The router against a file of labelled questions that other people wrote."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memoryd.router.decide import decide

CASES = os.environ.get("MEMORYD_TEST_CASES")
REGEX_FLOOR = 0.745
"""What one regular expression (when, yesterday, last, ago, did, recent) reaches on these questions."""


@pytest.mark.skipif(not CASES, reason="MEMORYD_TEST_CASES names no folder of labelled questions")
def test_labelled_questions_reach_their_store() -> None:
    now = datetime(2026, 7, 15, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
    labelled = Path(CASES or "") / "router" / "queries.jsonl"
    rows = [json.loads(line) for line in labelled.read_text("utf-8").splitlines() if line.strip()]
    routes = [(row["label"], decide(row["query"], now=now).store) for row in rows]
    exact = sum(want == got for want, got in routes) / len(routes)
    no_loss = sum(got in {want, "both"} for want, got in routes) / len(routes)
    both = sum(got == "both" for _, got in routes) / len(routes)
    figures = f"{len(rows)} questions: exact {exact:.3f}, no loss {no_loss:.3f}, both {both:.3f}"
    assert exact >= max(0.92, REGEX_FLOOR + 0.1), figures
    assert no_loss >= 0.98, figures
    assert both <= 0.3, figures
