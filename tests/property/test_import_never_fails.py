"""Whatever stands in the files of another program: it is read, or refused in words."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memoryd.errors import ImportFailed
from memoryd.jobs.importing.item import Entry, Fact, Folder, Page
from memoryd.jobs.importing.registry import all_sources
from memoryd.jobs.importing.report import Report

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SOURCES = all_sources(UTC, lambda: NOW)
WORDS = st.sampled_from(["a", "b", "", "entity", "relation", "add_link", "upsert_element", "set_prop", "2026-02-30"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)


def things(*keys: str) -> st.SearchStrategy[Any]:
    return VALUES | st.dictionaries(st.sampled_from(keys), VALUES, max_size=8)


NODES = things("id", "label", "gist", "notes", "touches", "community", "community_name", "file_type", "rationale")
EDGES = things("from", "to", "rel", "source", "target", "relation", "confidence", "notes")
GRAPHS = st.fixed_dictionaries(
    {
        "nodes": VALUES | st.lists(NODES, max_size=3) | st.dictionaries(WORDS, NODES, max_size=3),
        "edges": VALUES | st.dictionaries(WORDS, EDGES, max_size=3),
        "links": VALUES | st.lists(EDGES, max_size=3),
        "_meta": VALUES | st.fixed_dictionaries({"project_path": VALUES}),
    }
)
CHANGES = things("op", "element_id", "from_id", "to_id", "kind", "name", "props", "key", "value", "link_kind")
DECISIONS = st.fixed_dictionaries(
    {"id": WORDS, "mutations": VALUES | st.lists(CHANGES, max_size=3), "supersedes": VALUES, "title": VALUES}
)
LINES = st.fixed_dictionaries(
    {
        "type": VALUES, "entityType": VALUES, "relationType": VALUES, "name": VALUES, "observations": VALUES,
        "from": VALUES, "to": VALUES, "decision": VALUES | DECISIONS, "lamport": VALUES, "recorded_at": VALUES,
    }
)  # fmt: skip


def read(name: str, text: str, file: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, file)
        path.write_text(text, "utf-8")
        SOURCES[name].recognises(path)
        with suppress(ImportFailed):
            for item in SOURCES[name].read(path, Report(name)):
                assert isinstance(item, Entry | Page | Fact | Folder)


@given(GRAPHS)
def test_graphs(graph: dict[str, Any]) -> None:
    read("graphify", json.dumps(graph), "graph.json")
    read("kg-memory", json.dumps({"_meta": graph.pop("_meta"), **graph}), "user.json")


@given(st.lists(LINES, max_size=4))
def test_lines(lines: list[Any]) -> None:
    text = "\n".join(json.dumps(line) for line in lines)
    read("kg-memory", text, "memory.json")
    read("kgai", text, "i-a.ndjson")


@given(st.text(), VALUES)
def test_settings_and_days(text: str, value: Any) -> None:
    read("qmd", text, "index.yml")
    read("qmd", json.dumps({"collections": value}), "index.yml")
    read("memsearch", text.encode("utf-8", "replace").decode(), "2026-10-05.md")
