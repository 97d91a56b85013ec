"""A model's answer, checked: what is not in the text is dropped and counted, whatever else the answer holds."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from semantic.errors import BadAnswer
from semantic.extract.generic import is_generic

KINDS = ("person", "organisation", "tool", "concept", "place", "event", "work")
MOST_NAMES = 40
MOST_RELATIONS = 40
LONGEST_NAME = 80
SHORTEST_NAME = 2

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "entities": {
            "type": "array",
            "maxItems": MOST_NAMES,
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "kind": {"type": "string", "enum": list(KINDS)}},
                "required": ["name", "kind"],
            },
        },
        "relations": {
            "type": "array",
            "maxItems": MOST_RELATIONS,
            "items": {
                "type": "object",
                "properties": {
                    "from": {"type": "string"},
                    "relation": {"type": "string"},
                    "to": {"type": "string"},
                },
                "required": ["from", "relation", "to"],
            },
        },
    },
    "required": ["entities", "relations"],
}
"""What a model is asked to answer in."""

_RELATION = re.compile(r"[a-z][a-z_]{1,38}[a-z]")
_JOINING = re.compile(r"[\s-]+")
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Told:
    """What an answer holds after the check.

    Attributes:
        entities: (name as it stands in the text, kind).
        relations: (name, relation, name), both names among the entities.
        dropped: How many names and relations were not taken.
    """

    entities: tuple[tuple[str, str], ...] = ()
    relations: tuple[tuple[str, str, str], ...] = ()
    dropped: int = 0

    def packed(self) -> str:
        """Return it as a text that ``unpacked`` reads."""
        return json.dumps([self.entities, self.relations, self.dropped], ensure_ascii=False)


def unpacked(text: str) -> Told:
    """Return what ``packed`` wrote."""
    entities, relations, dropped = json.loads(text)
    return Told(tuple((name, kind) for name, kind in entities), tuple((a, r, b) for a, r, b in relations), int(dropped))


def checked(answer: str, text: str) -> Told:
    """Return what an answer says of a text, as far as the text bears it out.

    Raises:
        BadAnswer: It is no JSON, or not of the schema; nothing of it is taken.
    """
    try:
        said = json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise BadAnswer("no JSON") from error
    if not isinstance(said, Mapping):
        raise BadAnswer("another schema")
    named, related = said.get("entities"), said.get("relations")
    if not isinstance(named, list) or not isinstance(related, list):
        raise BadAnswer("another schema")
    plain = _folded(text)
    kept: dict[str, tuple[str, str]] = {}
    dropped = 0
    for one in named:
        name, kind = (one.get("name"), one.get("kind")) if isinstance(one, Mapping) else (None, None)
        if isinstance(name, str) and kind in KINDS and len(kept) < MOST_NAMES and _is_there(name, plain):
            kept.setdefault(_folded(name), (" ".join(name.split()), str(kind)))
        else:
            dropped += 1
    relations: dict[tuple[str, str, str], None] = {}
    for one in related:
        triple = _triple(one, kept)
        if triple is not None and len(relations) < MOST_RELATIONS:
            relations[triple] = None
        else:
            dropped += 1
    return Told(tuple(kept.values()), tuple(relations), dropped)


def _triple(one: Any, kept: Mapping[str, tuple[str, str]]) -> tuple[str, str, str] | None:
    if not isinstance(one, Mapping):
        return None
    parts = [one.get(key) for key in ("from", "relation", "to")]
    if not all(isinstance(part, str) for part in parts):
        return None
    source, relation, target = (str(part) for part in parts)
    ends = kept.get(_folded(source)), kept.get(_folded(target))
    slug = _JOINING.sub("_", relation.strip().lower())
    if ends[0] is None or ends[1] is None or ends[0] == ends[1] or not _RELATION.fullmatch(slug):
        return None
    return ends[0][0], slug, ends[1][0]


def _is_there(name: str, plain: str) -> bool:
    folded = _folded(name)
    if not SHORTEST_NAME <= len(folded) <= LONGEST_NAME or is_generic(name):
        return False
    at = plain.find(folded)
    while at >= 0:
        # Inside of another word it is not there; scripts without spaces have no such edge.
        before, after = plain[at - 1 : at], plain[at + len(folded) : at + len(folded) + 1]
        if not folded.isascii() or not (_is_letter(before) or _is_letter(after)):
            return True
        at = plain.find(folded, at + 1)
    return False


def _is_letter(letter: str) -> bool:
    return letter.isascii() and _WORD.match(letter) is not None


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
