"""Two memories of what is known that go by one name: the MCP memory server's file, and KG Memory's graph.

The server keeps entities with observations, and relations, one JSON object a line. KG Memory keeps nodes with a gist
and notes, and edges, in one JSON file a scope. Neither asks for a reason: what was observed, or noted, stands there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memoryd.errors import ImportFailed, SourceUnknown
from memoryd.jobs.importing.files import json_lines, list_of, peek, read_json
from memoryd.jobs.importing.item import Fact, Item
from memoryd.jobs.importing.report import Report
from memoryd.jobs.importing.sources.insights import is_graph, read_graph
from memoryd.text.fence import strip

_GIST = 600
_WHY = 8_000
_NAME = 200
_GRAPHS = ("user.json", "projects/*/graph.json")

Entity = tuple[str, str]
"""Its kind and its name."""


class KgMemory:
    """Takes the server's file, a graph of KG Memory, or the folder of its graphs."""

    name = "kg-memory"

    def recognises(self, path: Path) -> bool:
        """Tell whether such a file lies there."""
        if path.is_dir():
            return any(is_graph(file) for file in _graphs(path))
        return is_graph(path) or _holds_entities(path)

    def read(self, path: Path, report: Report) -> Iterator[Item]:
        """Yield things first, so that links have both ends."""
        if path.is_dir():
            graphs = _graphs(path)
            if not graphs:
                raise ImportFailed(f"no user.json or projects/*/graph.json lies below {path}; name the file itself")
            for file in graphs:
                report.files += 1
                yield from read_graph(read_json(file), report)
            return
        if not path.is_file():
            raise ImportFailed(f"there is no file at {path}")
        report.files += 1
        if is_graph(path):
            yield from read_graph(read_json(path), report)
            return
        yield from _read_lines(path, report)


def _read_lines(path: Path, report: Report) -> Iterator[Fact]:
    observations: dict[Entity, list[str]] = {}
    links: dict[str, list[tuple[str, str]]] = defaultdict(list)
    before = report.skipped.total()
    for one in json_lines(path, report):
        try:
            _sort_in(one, observations, links)
        except (ValueError, TypeError, KeyError):
            report.skipped["lines that are neither an entity nor a relation"] += 1
    if not observations and not links and report.skipped.total() > before:
        raise SourceUnknown(
            f"{path} holds neither entities nor relations, one JSON object a line, nor a graph of KG Memory"
        )
    yield from _things(observations)
    yield from _links(links, observations, report)


def _sort_in(
    one: dict[str, Any], observations: dict[Entity, list[str]], links: dict[str, list[tuple[str, str]]]
) -> None:
    if one["type"] == "entity":
        told = observations.setdefault((_name(one["entityType"]), _name(one["name"])), [])
        said = (strip(text).strip() for text in list_of(one.get("observations")) if isinstance(text, str))
        told += [text for text in said if text and text not in told]
    elif one["type"] == "relation":
        link = _name(one["relationType"]), _name(one["to"])
        own = links[_name(one["from"])]
        own += [link] if link not in own else []
    else:
        raise ValueError(one["type"])


def _things(observations: dict[Entity, list[str]]) -> Iterator[Fact]:
    for (kind, name), told in observations.items():
        gist = "; ".join(told)[:_GIST].strip()
        put: dict[str, Any] = {"op": "put_element", "kind": kind, "name": name, **({"gist": gist} if gist else {})}
        said = "\n".join(f"- {one}" for one in told)[:_WHY] or "Nothing was observed of it."
        yield Fact(title=f"Taken in: {name} ({kind})", why=said, mutations=(put,))


def _links(
    links: dict[str, list[tuple[str, str]]], observations: dict[Entity, list[str]], report: Report
) -> Iterator[Fact]:
    kinds: dict[str, str] = {}
    for kind, name in observations:
        kinds.setdefault(name, kind)
    for name, own in links.items():
        whole = [(rel, to) for rel, to in own if name in kinds and to in kinds]
        if missing := len(own) - len(whole):
            report.skipped["relations with an end that is no entity"] += missing
        if not whole:
            continue
        subject = {"kind": kinds[name], "name": name}
        mutations = [
            {"op": "add_link", "from": subject, "rel": rel, "to": {"kind": kinds[to], "name": to}} for rel, to in whole
        ]
        said = "\n".join(f"- {name} {rel} {to}" for rel, to in whole)[:_WHY]
        yield Fact(title=f"Taken in: links of {name} ({kinds[name]})", why=said, mutations=tuple(mutations))


def _graphs(folder: Path) -> list[Path]:
    return [file for pattern in _GRAPHS for file in sorted(folder.glob(pattern)) if file.is_file()]


def _holds_entities(path: Path) -> bool:
    first = peek(path).lstrip().split("\n", 1)[0]
    return '"entityType"' in first or '"relationType"' in first


def _name(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > _NAME:
        raise ValueError(value)
    return " ".join(strip(value).split())
