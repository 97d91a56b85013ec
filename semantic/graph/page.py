"""The graph as one HTML file that needs nothing else: no script, style, font or image from anywhere.

Whatever the memory holds reaches the page as JSON inside a data block, and the screen as text on a canvas or by
``textContent``: nothing of it is ever read as markup. The page's own policy lets no other script run.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Any

import orjson

from semantic.graph.model import PLAIN_KINDS, Graph
from semantic.graph.nodelink import SCHEMA_VERSION
from semantic.graph.shape import Shape

MOST_DRAWN = 5_000
"""A larger graph is shown by its communities first; a click opens one."""
LONGEST_ABOUT = 240

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def graph_page(graph: Graph, shape: Shape) -> str:
    """Return the page."""
    folder = files("semantic.graph")
    script = "".join(folder.joinpath(name).read_text("utf-8") for name in ("page_layout.js", "page.js"))
    page = folder.joinpath("page.html").read_text("utf-8")
    # In this order: what is put in later is not looked at again.
    head, _, rest = page.partition("/*POLICY*/")
    before, _, rest = rest.partition("/*DATA*/")
    middle, _, end = rest.partition("/*SCRIPT*/")
    return f"{head}{_hash(script)}{before}{_embedded(page_data(graph, shape))}{middle}{script}{end}"


def page_data(graph: Graph, shape: Shape) -> dict[str, Any]:
    """Return what the page draws: short keys, ends by index."""
    # Addresses, headings and files that hang on one thing only are shown with that thing, not as dots.
    shown = [
        id_ for id_, node in graph.nodes.items() if node.kind not in PLAIN_KINDS - {"note"} or graph.degree(id_) > 1
    ]
    index = {id_: at for at, id_ in enumerate(shown)}
    communities = [one.name for one in shape.communities]
    number = {name: at for at, name in enumerate(communities)}
    nodes = []
    for id_ in shown:
        node = graph.nodes[id_]
        community = shape.community_of.get(id_)
        nodes.append(
            {
                "n": node.name[:200],
                "k": node.kind,
                "p": node.plane,
                "w": node.path or "",
                "a": node.about[:LONGEST_ABOUT],
                "c": -1 if community is None else number[community],
                "d": graph.degree(id_),
            }
        )
    paths: dict[str, int] = {}
    links = [
        [
            index[edge.source],
            index[edge.target],
            edge.relation,
            edge.confidence[0],
            edge.lines[0] if edge.lines else 0,
            -1 if edge.source_path is None else paths.setdefault(edge.source_path, len(paths)),
        ]
        for edge in graph.edges
        if edge.source in index and edge.target in index and edge.source != edge.target
    ]
    return {
        "schema_version": SCHEMA_VERSION,
        "nodes": nodes,
        "links": links,
        "paths": list(paths),
        "communities": communities,
        "most": MOST_DRAWN,
        "whole": [len(graph.nodes), len(graph.edges)],
    }


def _embedded(data: dict[str, Any]) -> str:
    text = orjson.dumps(data).decode("utf-8", "replace")
    for sign, escape in _ESCAPES.items():
        text = text.replace(sign, escape)
    return text


def _hash(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
