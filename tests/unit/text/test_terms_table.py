"""Every line of the table in docs/terms.md holds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from memoryd.text.bm25 import document_weights, query_weights
from memoryd.text.terms import term_id, terms

PAGE = Path(__file__).parents[3] / "docs" / "terms.md"
SCRIPTS = {
    "Latin", "Cyrillic", "Greek", "Armenian", "Arabic", "Hebrew", "Devanagari", "Han", "Kana", "Hangul", "Thai",
    "Khmer",
}  # fmt: skip


def rows() -> list[tuple[str, str, str, str]]:
    found = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("| ") and not line.startswith(("| script ", "| --- ")):
            script, text, query, verdict = (cell.strip() for cell in line.strip("|").split("|"))
            found.append((script, text, query, verdict))
    return found


ROWS = rows()


def test_the_table_covers_ten_scripts_and_both_verdicts() -> None:
    assert {script.split(",")[0] for script, *_ in ROWS} >= SCRIPTS
    assert {verdict for *_, verdict in ROWS} == {"yes", "no"}
    assert len(ROWS) == len(set(ROWS)) >= 60


@pytest.mark.parametrize(("script", "text", "query", "verdict"), ROWS)
def test_line(script: str, text: str, query: str, verdict: str) -> None:
    corpus = [text, "nothing in common 0"]
    frequency = Counter(id_ for each in corpus for id_ in set(map(term_id, terms(each))))
    asked = query_weights(terms(query), frequency, len(corpus))
    stored = document_weights(terms(text))
    score = sum(weight * stored.get(id_, 0.0) for id_, weight in asked.items())
    assert (score > 0) == (verdict == "yes"), (script, terms(text), terms(query))
