"""kgai: a log of decisions, one file a writer. Each is a decision here, with the reason and the time that it has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryd.errors import ImportFailed
from memoryd.jobs.importing.files import json_lines, list_of, peek, text_of
from memoryd.jobs.importing.item import Fact, Item
from memoryd.jobs.importing.report import Report

_FOLDER = ".kgai"
_LOGS = ("store/log", "log")
_UNFIT = re.compile(r"[^a-z0-9_.-]+")


class Kgai:
    """Takes a log, its folder, the store that holds it, or the repository that holds the store."""

    name = "kgai"

    def recognises(self, path: Path) -> bool:
        """Tell whether a log lies there."""
        return any(_is_log(file) for file in _files(path)[:1])

    def read(self, path: Path, report: Report) -> Iterator[Item]:
        """Yield the decisions in the order in which they were made."""
        files = _files(path)
        if not files:
            raise ImportFailed(f"no log (*.ndjson) lies at {path}; name the repository, or .kgai/store in it")
        lines: list[dict[str, Any]] = []
        for file in files:
            lines += json_lines(file, report)
            report.files += 1
        root = next((one.parent for one in (path, *path.parents) if one.name == _FOLDER), None)
        root = root or (path if (path / _FOLDER).is_dir() else None)
        elements: dict[str, dict[str, str]] = {}
        for line in sorted(lines, key=lambda one: (_number(one.get("lamport")), text_of(one.get("hash")))):
            decision = line.get("decision")
            if not isinstance(decision, dict) or not text_of(decision.get("id")):
                report.skipped["lines that are no decision"] += 1
                continue
            yield _fact(decision, line, elements, root, report)


def _fact(
    decision: Mapping[str, Any],
    line: Mapping[str, Any],
    elements: dict[str, dict[str, str]],
    root: Path | None,
    report: Report,
) -> Fact:
    mutations = [_mutation(one, elements) for one in list_of(decision.get("mutations")) if isinstance(one, dict)]
    if missing := mutations.count(None):
        report.skipped["changes of a kind that is not known here"] += missing
    author, at = text_of(decision.get("author")) or text_of(line.get("actor")), text_of(line.get("recorded_at"))
    said = ", ".join(filter(None, (author, at, text_of(decision.get("refs")))))
    return Fact(
        id=decision["id"],
        title=text_of(decision.get("title")),
        why="\n\n".join(
            filter(None, (text_of(decision.get("rationale")).strip(), f"Decided by {said}." if said else ""))
        ),
        mutations=tuple(one for one in mutations if one is not None),
        valid_at=_instant(at),
        cwd=root,
        supersedes=tuple(one for one in list_of(decision.get("supersedes")) if isinstance(one, str)),
    )


def _mutation(one: Mapping[str, Any], elements: dict[str, dict[str, str]]) -> dict[str, Any] | None:
    op, id_ = text_of(one.get("op")), text_of(one.get("element_id"))
    if op == "upsert_element":
        element = {"kind": text_of(one.get("kind")), "name": text_of(one.get("name"))}
        elements.setdefault(id_, element)
        props = one.get("props")
        fit = (
            {_key(key): value for key, value in props.items() if isinstance(value, str)}
            if isinstance(props, dict)
            else {}
        )
        return {"op": "put_element", **elements[id_], **({"props": fit} if fit else {})}
    if op in {"add_link", "retire_link"}:
        ends = elements.get(text_of(one.get("from_id"))), elements.get(text_of(one.get("to_id")))
        return (
            None if None in ends else {"op": op, "from": ends[0], "rel": text_of(one.get("link_kind")), "to": ends[1]}
        )
    if op == "set_prop" and id_ in elements:
        value = one.get("value")
        said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return {"op": op, "id": elements[id_], "key": _key(text_of(one.get("key"))), "value": said}
    return None


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    folders = [path, *(path / one for one in _LOGS), *(path / _FOLDER / one for one in _LOGS)]
    found = (sorted(one for one in folder.glob("*.ndjson") if one.is_file()) for folder in folders if folder.is_dir())
    return next(filter(None, found), [])


def _is_log(file: Path) -> bool:
    first = peek(file).split("\n", 1)[0]
    return '"install_id"' in first and '"decision"' in first


def _key(name: str) -> str:
    return _UNFIT.sub("_", name.lower())[:64] or "_"


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _instant(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else None
