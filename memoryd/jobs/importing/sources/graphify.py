"""Graphify: a graph of a folder's code and documents, with what a model and its comments say of them.

What it reads from code and headings is read here from the same files, and newer. What it has beside that becomes a note
for each community: the reasons that stand in comments, the concepts that a model found, how they hang together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memoryd.errors import ImportFailed, SourceDamaged
from memoryd.jobs.importing.files import peek, read_json, text_of
from memoryd.jobs.importing.item import Item, Page
from memoryd.jobs.importing.report import Report

_PLACES = ("graphify-out/graph.json", "graph.json")
_OUT = "graphify-out"
_REASON = "rationale"
_FROM_FILES = "ast"

Node = Mapping[str, Any]


class Graphify:
    """Takes graph.json, or a folder that holds it."""

    name = "graphify"

    def recognises(self, path: Path) -> bool:
        """Tell whether a graph of Graphify lies there."""
        file = _file(path)
        if file is None:
            return False
        text = peek(file)
        return '"nodes"' in text and (
            '"graphify_version"' in text or ('"file_type"' in text and '"source_file"' in text)
        )

    def read(self, path: Path, report: Report) -> Iterator[Item]:
        """Yield a page for each community that holds more than files say themselves."""
        file = _file(path)
        if file is None:
            raise ImportFailed(f"there is no graph.json at {path}; name the folder graphify-out")
        graph = read_json(file)
        nodes = graph.get("nodes") if isinstance(graph, dict) else None
        links = (graph.get("links") or graph.get("edges") or []) if isinstance(graph, dict) else None
        if not isinstance(nodes, list) or not isinstance(links, list):
            raise SourceDamaged(f"{file} is no node-link graph: `nodes` or `links` is missing; run graphify again")
        report.files += 1
        folder = file.absolute().parent
        project = (folder.parent if folder.name == _OUT else folder).name
        known = {text_of(one["id"]): one for one in nodes if isinstance(one, dict) and text_of(one.get("id"))}
        near: dict[str, list[str]] = defaultdict(list)
        for link in links:
            ends = (text_of(link.get("source")), text_of(link.get("target"))) if isinstance(link, dict) else ("", "")
            if ends[0] in known and ends[1] in known:
                said = text_of(link.get("relation"))
                near[ends[0]].append(_relation(link, f"{said} {_label(known[ends[1]])}"))
                near[ends[1]].append(_relation(link, f"is what {_label(known[ends[0]])} {said}"))
        communities: dict[str, list[Node]] = defaultdict(list)
        for node in known.values():
            if _says_more(node):
                communities[str(node.get("community"))].append(node)
            else:
                report.skipped["nodes that memoryd reads from the files itself"] += 1
        titles = Counter(_title(members) for members in communities.values())
        for number, members in communities.items():
            title = _title(members)
            name = title if titles[title] == 1 else f"{title} {number}"
            yield Page(id=f"{project}/{name}", path=(project, name), text=_page(name, members, near))


def _file(path: Path) -> Path | None:
    return path if path.is_file() else next((path / one for one in _PLACES if (path / one).is_file()), None)


def _says_more(node: Node) -> bool:
    return node.get("file_type") == _REASON or (node.get("_origin") != _FROM_FILES and node.get("file_type") != "code")


def _title(members: list[Node]) -> str:
    return next((name for one in members if (name := _one_line(one.get("community_name")))), "Without a community")


def _label(node: Node) -> str:
    return _one_line(node.get("label")) or text_of(node.get("id"))


def _page(name: str, members: list[Node], near: Mapping[str, list[str]]) -> str:
    parts = [f"# {name}", "", "What Graphify kept of it beside what the files say themselves.", ""]
    for node in members:
        place = ":".join(filter(None, (text_of(node.get("source_file")), text_of(node.get("source_location")))))
        kind = text_of(node.get("file_type"))
        parts.append(f"- {_label(node)} ({', '.join(filter(None, (kind, place)))})")
        if reason := _one_line(node.get("rationale")):
            parts.append(f"  - because: {reason}")
        parts += [f"  - {one}" for one in dict.fromkeys(near.get(text_of(node.get("id")), []))]
    return "\n".join(parts) + "\n"


def _relation(link: Mapping[str, Any], said: str) -> str:
    sure = text_of(link.get("confidence"))
    return said if sure in {"", "EXTRACTED"} else f"{said} ({sure.lower()})"


def _one_line(value: Any) -> str:
    return " ".join(text_of(value).split())
