"""KG Memory's graph: nodes with a gist, notes and the files that they touch; edges between nodes, or to a file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memoryd.errors import SourceDamaged
from memoryd.jobs.importing.files import peek, text_of
from memoryd.jobs.importing.item import Fact
from memoryd.jobs.importing.report import Report

KIND = "insight"
_UNREASONED = "KG Memory kept this without notes."


def is_graph(path: Path) -> bool:
    """Tell whether a file begins as such a graph does."""
    first = peek(path)
    return first.lstrip().startswith("{") and '"nodes"' in first and ('"gist"' in first or '"_meta"' in first)


def read_graph(graph: Any, report: Report) -> Iterator[Fact]:
    """Yield a fact for each node, then one for all edges that leave a node.

    Raises:
        SourceDamaged: It is no such graph.
    """
    nodes = graph.get("nodes") if isinstance(graph, dict) else None
    if not isinstance(nodes, dict):
        raise SourceDamaged("a graph of KG Memory holds `nodes` by their ids, and this one does not")
    meta = graph.get("_meta") if isinstance(graph.get("_meta"), dict) else {}
    folder = text_of(meta.get("project_path"))
    # A folder that is gone has no project any more: what was known of it is the user's.
    cwd = Path(folder) if folder and Path(folder).is_dir() else None
    scope = folder or "user"
    names = {id_: " ".join(id_.split()) for id_ in nodes if id_.strip()}
    for id_, name in names.items():
        if isinstance(nodes[id_], dict):
            yield _node(name, nodes[id_], scope, cwd)
    edges = graph.get("edges")
    leaving: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for edge in edges.values() if isinstance(edges, dict) else ():
        if isinstance(edge, dict) and _is_whole(edge, names):
            leaving[edge["from"]].append(edge)
        else:
            report.skipped["edges with an end that is no node"] += 1
    for id_, own in leaving.items():
        yield _edges(names, id_, own, scope, cwd)


def _node(name: str, node: Mapping[str, Any], scope: str, cwd: Path | None) -> Fact:
    notes, touches, gist = _texts(node.get("notes")), _texts(node.get("touches")), text_of(node.get("gist")).strip()
    put: dict[str, Any] = {"op": "put_element", "kind": KIND, "name": name}
    put |= {key: value for key, value in (("gist", gist), ("notes", notes), ("touches", touches)) if value}
    why = "\n".join(f"- {note}" for note in notes) or _UNREASONED
    return Fact(
        id=f"{scope}: {name}",
        title=f"{name}: {gist}" if gist else name,
        why=why,
        mutations=(put,),
        valid_at=_instant(node.get("_created_ts")),
        cwd=cwd,
    )


def _edges(names: Mapping[str, str], id_: str, own: list[Mapping[str, Any]], scope: str, cwd: Path | None) -> Fact:
    subject = {"kind": KIND, "name": names[id_]}
    mutations, said = [], []
    for edge in own:
        relation, other = " ".join(edge["rel"].split()), names[edge["to"]]
        mutations.append({"op": "add_link", "from": subject, "rel": relation, "to": {"kind": KIND, "name": other}})
        said.append(
            f"- {names[id_]} {relation} {other}" + "".join(f"\n  - {note}" for note in _texts(edge.get("notes")))
        )
    return Fact(
        id=f"{scope}: links of {names[id_]}",
        title=f"Links of {names[id_]}",
        why="\n".join(said),
        mutations=tuple(mutations),
        cwd=cwd,
    )


def _is_whole(edge: Mapping[str, Any], names: Mapping[str, str]) -> bool:
    ends = text_of(edge.get("from")), text_of(edge.get("to"))
    return all(end in names for end in ends) and bool(text_of(edge.get("rel")).strip())


def _instant(value: Any) -> datetime | None:
    if not isinstance(value, int | float):
        return None
    try:
        return datetime.fromtimestamp(value, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def _texts(value: Any) -> list[str]:
    return [one.strip() for one in value if isinstance(one, str) and one.strip()] if isinstance(value, list) else []
