"""The YAML block at the very start of a note: its values, and the body that begins after it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.nodes import ScalarNode

from memoryd.text.flat_yaml import iso_text, read_flat

MAX_CHARACTERS = 65_536
"""A longer block is not read as YAML: no note needs it, and a parser is slow on what was made to slow it."""

MAX_ALIASES = 20
"""So few aliases cannot multiply a block beyond some thousand values, however they are nested."""

MAX_VALUES = 20_000
MAX_DEPTH = 40

BOM = "\ufeff"

_OPEN = re.compile(r"---[ \t]*\r?\n")
_SAYS_SOMETHING = re.compile(r"^[ \t]*[^\s#]", re.MULTILINE)
_HAS_STRUCTURE = re.compile(r"^[ \t]*(?:[{\[]|-(?:\s|$)|[^\s#][^\n]*:(?:\s|$))", re.MULTILINE)
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What stood before the body, and the body.

    Attributes:
        data: Keys as text, values as JSON has them (dates as ISO text); empty where there is no readable block.
        body: The text after the block, without a byte order mark.
        body_line: The line of the file, from 1, on which the body starts.
        raw: The text between the two marks, as stored.
        problem: In words, with its line, why the block could not be read; the body is given all the same.
    """

    data: Mapping[str, Any]
    body: str
    body_line: int
    raw: str
    problem: str | None = None


class _UnreadableError(Exception):
    """The block breaks a limit; the message is the problem."""


class _Constructor(SafeConstructor):
    """Plain data; timestamps stay text, since a zone or a precision that was written must not be lost."""

    def construct_timestamp_text(self, node: ScalarNode) -> str:
        return iso_text(str(node.value))


_Constructor.add_constructor("tag:yaml.org,2002:timestamp", _Constructor.construct_timestamp_text)


def find_front_matter(text: str) -> tuple[int, int, int] | None:
    """Return the offsets (start of the raw block, its end, start of the body), or None where there is no block."""
    start = 1 if text.startswith(BOM) else 0
    opening = _OPEN.match(text, start)
    if opening is None:
        return None
    closing = _CLOSE.search(text, opening.end())
    if closing is None:
        return None
    raw = text[opening.end() : closing.start()]
    if _is_prose(raw):
        return None
    return opening.end(), closing.start(), closing.end()


def split_front_matter(text: str) -> FrontMatter:
    """Split a note into front matter and body. Never raises: what cannot be read is a ``problem``."""
    span = find_front_matter(text)
    if span is None:
        return FrontMatter(MappingProxyType({}), text.removeprefix(BOM), 1, "")
    raw = text[span[0] : span[1]]
    body = text[span[2] :]
    body_line = text.count("\n", 0, span[2]) + 1
    data, problem = _read(raw)
    return FrontMatter(MappingProxyType(json.loads(data)), body, body_line, raw, problem)


def _is_prose(raw: str) -> bool:
    """Tell whether the block is text between two rules: it says something, and nothing in it is a key or a list."""
    return _SAYS_SOMETHING.search(raw) is not None and _HAS_STRUCTURE.search(raw) is None


@lru_cache(maxsize=512)
def _read(raw: str) -> tuple[str, str | None]:
    """Return the block's data as JSON text (safe to cache) and its problem."""
    if len(raw) > MAX_CHARACTERS:
        return "{}", f"line 1: front matter of {len(raw)} characters is not read; the limit is {MAX_CHARACTERS}"
    if not raw.strip():
        return "{}", None
    flat = read_flat(raw)
    if flat is not None:
        return json.dumps(flat, ensure_ascii=False), None
    return _parse(raw)


def _parse(raw: str) -> tuple[str, str | None]:
    try:
        loaded = _load(raw)
        if loaded is None:
            return "{}", None
        if not isinstance(loaded, Mapping):
            return "{}", "line 2: front matter is not a list of keys with values"
        plain = _plain(loaded, [0], 0)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 2 if mark is None else mark.line + 2
        words = _whole(" ".join(str(error.problem or error.context or "not YAML").split()))
        if words == "found unhashable key":
            words = "a mapping stands as a key; is it a {{template}} that nothing has filled in?"
        return "{}", f"line {line}: front matter is not valid YAML: {words}"
    except _UnreadableError as error:
        return "{}", f"line 2: {error}"
    except RecursionError:
        return "{}", "line 2: front matter is nested too deeply"
    except (YAMLError, ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError) as error:
        words = _whole(" ".join(str(error).split())[:160])
        return "{}", f"line 2: front matter is not valid YAML: {words or type(error).__name__}"
    return json.dumps(plain, ensure_ascii=False), None


def _load(raw: str) -> Any:
    if raw.lstrip().startswith("{"):
        try:
            return json.loads(raw)
        except ValueError:
            pass  # YAML's flow style allows more than JSON; if it is neither, YAML names the place
    if "*" in raw:
        aliases = sum(isinstance(event, AliasEvent) for event in YAML(typ="safe", pure=True).parse(raw))
        if aliases > MAX_ALIASES:
            raise _UnreadableError(f"front matter with {aliases} aliases is not read; the limit is {MAX_ALIASES}")
    yaml = YAML(typ="safe", pure=True)
    yaml.Constructor = _Constructor
    return yaml.load(raw)


def _plain(value: Any, seen: list[int], depth: int) -> Any:
    seen[0] += 1
    if seen[0] > MAX_VALUES:
        raise _UnreadableError(f"front matter with more than {MAX_VALUES} values is not read")
    if depth > MAX_DEPTH:
        raise _UnreadableError("front matter is nested too deeply")
    if isinstance(value, str):
        return _whole(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {_key(key): _plain(item, seen, depth + 1) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)  # a set has no order of its own that two runs would share
    if isinstance(value, list | tuple):
        return [_plain(item, seen, depth + 1) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


def _whole(text: str) -> str:
    """Return a text as Unicode can hold it: YAML writes a character as two halves, or half of one that nobody can."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _key(key: Any) -> str:
    if isinstance(key, str):
        return _whole(key)
    if key is None or isinstance(key, bool):
        return json.dumps(key)
    return str(key)
