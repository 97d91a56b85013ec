"""Taking in the file of an MCP memory server: entities with observations, and relations, one JSON object a line.

Each entity becomes a decision that puts an element, with its observations as the reason; the relations of each become
one that links it. What was taken in once is known by its words, so a second run records nothing, and what was decided
since stays in force.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memoryd.capture.importing import Imported, ImportFailed
from memoryd.text.fence import strip
from semantic.errors import SemanticError
from semantic.store import SemanticStore
from semantic.writing.recording import NewDecision

ACTOR = "job:import"
_MOST_BYTES = 256 * 1024 * 1024
_GIST = 600
_WHY = 8_000
_NAME = 200


@dataclass(slots=True)
class Entities:
    """What such a file holds: observations by (kind, name), links by the name they leave, and what is none."""

    observations: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    links: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    skipped: Counter[str] = field(default_factory=Counter)

    def kind_of(self, name: str) -> str | None:
        """Return the kind of the first entity of a name."""
        return next((kind for kind, one in self.observations if one == name), None)


def read_entities(path: Path) -> Entities:
    """Read such a file; a line that is none is counted and passed over.

    Raises:
        ImportFailed: There is no file, or it is too large to be one.
    """
    try:
        if not path.is_file():
            raise ImportFailed(f"there is no file at {path}")
        if path.stat().st_size > _MOST_BYTES:
            raise ImportFailed(f"{path} is larger than {_MOST_BYTES} bytes; it is no memory of this kind")
        text = path.read_text("utf-8-sig", "replace")
    except OSError as error:
        raise ImportFailed(f"{path} cannot be read: {error.strerror or type(error).__name__}") from error
    found = Entities()
    for line in filter(str.strip, text.split("\n")):
        try:
            _take(found, json.loads(line))
        except (ValueError, TypeError, KeyError, RecursionError):
            found.skipped["lines that are neither an entity nor a relation"] += 1
    return found


def import_entities(
    path: Path,
    semantic: SemanticStore,
    *,
    is_dry: bool = False,
    tell: Callable[[str, int, int], None] = lambda _text, _done, _total: None,
) -> Imported:
    """Record what such a file holds and is not recorded yet; ``is_dry`` only counts it.

    Raises:
        ImportFailed: As ``read_entities``.
    """
    entities = read_entities(path)
    report = Imported(1, Counter(), entities.skipped, [])
    wanted = [*_decisions(entities, report)]
    before = {
        (_plain(one.title), _plain(one.why)) for one in semantic.projection().decisions.values() if one.actor == ACTOR
    }
    for number, new in enumerate(wanted):
        tell(path.name, number, len(wanted))
        if (_plain(new.title), _plain(new.why)) in before:
            report.turns["known"] += 1
        elif is_dry:
            report.turns["recorded"] += 1
        else:
            try:
                recorded = semantic.decide(new)
            except SemanticError as error:
                report.problems.append(f"{new.title}: {error}")
            else:
                report.turns["recorded" if recorded.created else "known"] += 1
    return report


def _take(found: Entities, one: dict[str, Any]) -> None:
    if one["type"] == "entity":
        key = (_name(one["entityType"]), _name(one["name"]))
        observations = found.observations.setdefault(key, [])
        said = (strip(text).strip() for text in one.get("observations") or [] if isinstance(text, str))
        observations += [text for text in said if text and text not in observations]
    elif one["type"] == "relation":
        link = (_name(one["relationType"]), _name(one["to"]))
        links = found.links[_name(one["from"])]
        links += [link] if link not in links else []
    else:
        raise ValueError(one["type"])


def _name(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > _NAME:
        raise ValueError(value)
    return " ".join(strip(value).split())


def _plain(text: str) -> str:
    """Return a text as it is compared: the log may keep other white space and another form of accents."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _decisions(entities: Entities, report: Imported) -> Iterator[NewDecision]:
    """Yield what is to be recorded: things first, so that links have both ends."""
    for (kind, name), observations in entities.observations.items():
        gist = "; ".join(observations)[:_GIST].strip()
        put: dict[str, Any] = {"op": "put_element", "kind": kind, "name": name, **({"gist": gist} if gist else {})}
        said = "\n".join(f"- {one}" for one in observations)[:_WHY] or "Nothing was observed of it."
        yield NewDecision(f"Taken in: {name} ({kind})", said, [put], scope="user", actor=ACTOR)
    for name, links in entities.links.items():
        own = entities.kind_of(name)
        ends = [(rel, to, entities.kind_of(to)) for rel, to in links]
        whole = [(rel, to, other) for rel, to, other in ends if other is not None] if own is not None else []
        if missing := len(links) - len(whole):
            report.skipped["relations with an end that is no entity"] += missing
        if not whole:
            continue
        mutations = [
            {"op": "add_link", "from": {"kind": own, "name": name}, "rel": rel, "to": {"kind": other, "name": to}}
            for rel, to, other in whole
        ]
        said = "\n".join(f"- {name} {rel} {to}" for rel, to, _ in whole)[:_WHY]
        yield NewDecision(f"Taken in: links of {name} ({own})", said, mutations, scope="user", actor=ACTOR)
