"""The page of the graph in a real browser: its script runs under the page's own policy, and it says what it shows."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from semantic.graph.model import Edge, Graph, Node
from semantic.graph.page import MOST_DRAWN, graph_page
from semantic.graph.survey import shape_of

BROWSER = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")


def ring(count: int, clubs: int) -> Graph:
    """Return so many notes in rings that do not touch."""
    nodes = [Node(f"no_{number}", "note", "note", f"Note {number}") for number in range(count)]
    size = count // clubs
    edges = [
        Edge(f"no_{at}", f"no_{at - at % size + (at + 1) % size}", "links_to", "note", "EXTRACTED")
        for at in range(count)
    ]
    return Graph.of(nodes, edges)


def seen(tmp_path: Path, graph: Graph) -> str:
    """Return what the browser made of the page of a graph."""
    page = tmp_path / "graph.html"
    page.write_text(graph_page(graph, shape_of(graph)), "utf-8")
    assert BROWSER is not None
    options = ["--headless", "--disable-gpu", "--virtual-time-budget=2000", f"--user-data-dir={tmp_path / 'profile'}"]
    if os.geteuid() == 0:
        options.append("--no-sandbox")  # it will not run as root otherwise
    shown = subprocess.run(
        [BROWSER, *options, "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=120, check=False
    )
    return shown.stdout


def test_a_graph_is_drawn_whole(tmp_path: Path) -> None:
    assert "60 nodes, 60 edges; 60 drawn" in seen(tmp_path, ring(60, 6))


def test_a_large_graph_is_drawn_by_its_communities(tmp_path: Path) -> None:
    count = MOST_DRAWN + 1000
    assert f"{count} nodes, {count} edges: shown by community, click one to open it" in seen(tmp_path, ring(count, 60))
