from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from memoryd.bench.cutting import without_links
from memoryd.bench.errors import BenchDataError
from memoryd.bench.semantic import run_semantic
from memoryd.bench.wikilinks import COLUMNS, CutVault, read_cuts, wikilink_table
from memoryd.text.embedder import Vectors

NOTES = {
    "Crane.md": "# Crane\n\nBird.\n",
    "Paper.md": "# Paper\n\nFolding paper is quiet work.\n",
    "Source.md": "# Source\n\nFold a [[Crane]] from one square sheet.\n",
    "Other.md": "# Other\n\nOne square sheet makes a [[Crane]].\n",
    "More.md": "# More\n\nPlums and pears.\n",
}


class Letters:
    """Vectors that count letters."""

    fingerprint = "letters"
    dimension = 26

    def embed_passages(self, texts: list[str]) -> Vectors:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        counts = np.array([1e-6 + text.lower().count(chr(97 + n)) for n in range(26)], np.float32)
        return counts / np.float32(np.linalg.norm(counts))


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "v"
    folder.mkdir()
    for path, text in NOTES.items():
        (folder / path).write_text(text)
    row = {
        "vault": "v",
        "source": "Source.md",
        "query_link_removed": "Fold from one square sheet.",
        "link_text": "",
        "target": "Crane.md",
    }
    (tmp_path / "gold.jsonl").write_text(json.dumps(row) + "\n")
    return folder


@pytest.mark.parametrize("setting", ["link out", "source out"])
def test_the_link_is_away_and_what_others_say_of_the_target_finds_it(vault: Path, setting: str) -> None:
    table = wikilink_table({"v": vault}, vault.parent / "gold.jsonl")
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in table.rows]
    found = {row["way"]: row for row in rows if (row["cut"], row["half"]) == (setting, "all")}
    assert found["BM25 alone"]["hit@10"] == 0.0  # the target says nothing of it, and the source is no answer
    assert found["lines that link, alone"]["hit@1"] == 1.0
    assert found["names + BM25 + links"]["hit@5"] == 1.0
    assert len(found) == 8
    assert [row["half"] for row in rows[:3]] == ["tuned on", "held out", "all"]


def test_a_cut_link_leads_nowhere_and_the_other_links_lead_where_they_did(tmp_path: Path) -> None:
    (tmp_path / "Crane.md").write_text("# Crane\n")
    (tmp_path / "Kite.md").write_text("# Kite\n")
    (tmp_path / "Source.md").write_text(
        "---\nup: '[[Crane]]'\n---\nA ![[Crane#Wings|bird]] and a [bird](Crane.md), no [[Kite]].\n\n`[[Crane]]`\n"
    )
    vault = CutVault(tmp_path)
    source, crane, kite = (vault.ids[path] for path in ("Source.md", "Crane.md", "Kite.md"))
    assert {link.target for link in vault.notes[source].links} == {crane, kite}
    cut = without_links(vault.notes[source], crane)
    assert cut.text == "---\nup: ''\n---\nA  and a , no [[Kite]].\n\n`[[Crane]]`\n"  # code is no link
    assert [link.target for link in cut.links] == [kite]
    assert (cut.id, cut.path) == (source, "Source.md")


def test_the_measurement_of_the_semantic_memory_holds_both_tables(vault: Path) -> None:
    report = run_semantic([], vault.parent / "gold.jsonl", [vault])
    assert [table.title for table in report.tables] == ["Finding what an author linked", "The log as it grows"]
    assert len(report.tables[0].rows) == 2 * 8 * 3
    assert [table.title for table in run_semantic([]).tables] == ["The log as it grows"]


def test_with_a_model_every_way_is_told(vault: Path) -> None:
    told: list[str] = []
    table = wikilink_table({"v": vault}, vault.parent / "gold.jsonl", embedder=Letters(), tell=told.append)  # type: ignore[arg-type]  # as good as one
    assert {row[3] for row in table.rows} >= {"vectors alone", "names + BM25 + vectors + links", "all"}
    assert told[-1] == "v, source out: 1 of 1 questions asked"


def test_what_cannot_be_asked_is_said(vault: Path) -> None:
    gold = vault.parent / "gold.jsonl"
    with pytest.raises(BenchDataError, match="no question for the vault w"):
        read_cuts(gold, "w")
    (vault / "Crane.md").unlink()
    with pytest.raises(BenchDataError, match="none of the notes"):
        wikilink_table({"v": vault}, gold)
    gold.write_text("no json\n")
    with pytest.raises(BenchDataError, match="cannot be read"):
        read_cuts(gold, "v")
