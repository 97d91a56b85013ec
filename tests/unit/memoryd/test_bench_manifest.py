"""Which data sets lie in a folder: by a file that says so, else by names and shapes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memoryd.bench.errors import BenchDataError
from memoryd.bench.manifest import FILE, data_sets


def test_sets_are_known_by_their_names_and_shapes(tmp_path: Path) -> None:
    files = {
        "talks/locomo5.json": "[]",
        "talks/retrieval_gold.jsonl": json.dumps({"conv": "a", "category": 1, "question": "x", "evidence": []}),
        "chats/7/chat.json": "[]",
        "logs/til/a.md": "# A",
        "logs/til.dates.tsv": "a.md\t2024-01-01\n",
        "router/queries.jsonl": json.dumps({"query": "When?", "label": "episodic"}),
        "vaults/wikilink_gold.jsonl": json.dumps({"vault": "garden", "source": "a", "target": "b"}),
        "vaults/garden/a.md": "x",
        "other/notes.json": "{}",
        "other/broken.jsonl": "{",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")

    found = {one.name: one for one in data_sets(tmp_path)}
    assert {name: one.bench for name, one in found.items()} == {
        "locomo5": "episodic",
        "chats": "episodic",
        "til": "episodic",
        "router": "router",
        "semantic": "semantic",
    }
    assert found["locomo5"].gold == tmp_path / "talks" / "retrieval_gold.jsonl"
    assert found["til"].dates == tmp_path / "logs" / "til.dates.tsv"
    assert found["semantic"].vaults == (tmp_path / "vaults" / "garden",)
    assert {one.publish for one in found.values()} == {"numbers"}


def test_a_file_says_what_is_there_and_what_may_be_published(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text("", "utf-8")
    text = '[[set]]\nname = "asked"\nbench = "router"\npath = "q.jsonl"\nlicence = "MIT"\npublish = "nothing"\n'
    (tmp_path / FILE).write_text(text, "utf-8")
    (one,) = data_sets(tmp_path)
    assert (one.name, one.bench, one.path) == ("asked", "router", tmp_path / "q.jsonl")
    assert (one.licence, one.publish) == ("MIT", "nothing")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", r"no \[\[set\]\]"),
        ("x = ", "cannot be read"),
        ('[[set]]\nname = "a"\n', "bench, path is missing"),
        ('[[set]]\nname = "a"\nbench = "speed"\npath = "q"\n', "bench is 'speed'"),
        ('[[set]]\nname = "a"\nbench = "router"\npath = "no"\n', "does not exist"),
        ('[[set]]\nname = "A b"\nbench = "router"\npath = "q"\n', "name is"),
        ('[[set]]\nname = "a"\nbench = "router"\npath = "q"\npublish = "text"\n', "publish is 'text'"),
        ('[[set]]\nname = "a"\nbench = "router"\npath = "q"\ncolour = "red"\n', "colour is not known"),
        ('[[set]]\nname = "a"\nbench = "router"\npath = "q"\n' * 2, "two data sets"),
    ],
)
def test_an_entry_that_cannot_be_used_is_named(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "q").write_text("", "utf-8")
    (tmp_path / FILE).write_text(text, "utf-8")
    with pytest.raises(BenchDataError, match=what):
        data_sets(tmp_path)
