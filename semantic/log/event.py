"""One line of the log: a head that is hashed and chained, and a body that can be purged without breaking the chain.

A line is the canonical JSON of ``{body, hash, head}``. ``hash`` is sha256 of the canonical head; the head holds
sha256 of the canonical body, so a body can be set to null later and the chain still proves all the rest.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from operator import itemgetter
from typing import Any, NamedTuple

import orjson

from memoryd.text.canonical import MAX_INTEGER, CanonicalError, canonical_json, sha256_hex
from semantic.errors import BrokenLine
from semantic.log.instant import read_instant

VERSION = 1
KINDS = frozenset({"decision", "project", "project_merge", "forget"})

_SORTED = orjson.OPT_SORT_KEYS
_LINE = ("body", "hash", "head")
_BODY_MARK, _HASH_MARK, _HEAD_MARK = b'{"body":', b',"hash":', b',"head":'


class Head(NamedTuple):
    """Who wrote what kind of event when, and where it stands in its shard.

    Attributes:
        v: The version of the format.
        seq: Place in the shard, from 1.
        lamport: One more than the highest that the writer had seen in any shard.
        at: When it was recorded, as ``semantic.log.instant`` writes it.
        project: ``None`` in user scope.
        body_sha256: Hash of the canonical body, also after the body was purged.
        prev: ``hash`` of the line before, ``None`` at first.
    """

    v: int
    seq: int
    lamport: int
    at: str
    install: str
    actor: str
    session: str | None
    scope: str
    project: str | None
    kind: str
    id: str
    body_sha256: str
    prev: str | None


_FIELDS = Head._fields
_values_of = itemgetter(*_FIELDS)
_FIELD_NAMES = frozenset(_FIELDS)
_COUNTS = ("v", "seq", "lamport")
_NULLABLE = ("session", "project", "prev")
_TEXTS = tuple(name for name in _FIELDS if name not in (*_COUNTS, *_NULLABLE))
_SHAPES = frozenset(
    product(*((int,) if name in _COUNTS else (str, type(None)) if name in _NULLABLE else (str,) for name in _FIELDS))
)
"""The types that the fields of a head may have, in order."""


@dataclass(frozen=True, slots=True)
class Event:
    """A verified line. ``body`` is ``None`` once it was purged.

    ``known`` tells whether this version of the program can read its body; other events are kept and chained only.
    """

    head: Head
    body: Mapping[str, Any] | None
    hash: str
    known: bool = True

    @property
    def order(self) -> tuple[int, str, int, str]:
        """Replay order: (lamport, install, seq). The hash only settles forks of one shard, which are damage."""
        head = self.head
        return (head.lamport, head.install, head.seq, self.hash)


@dataclass(frozen=True, slots=True)
class Line:
    """A line as read: the event, and whether its bytes were in canonical form."""

    event: Event
    canonical: bool


def seal(head: Head, body: Mapping[str, Any]) -> tuple[Event, bytes]:
    """Return the event of a head (whose ``body_sha256`` is filled in here) and its line, line end included.

    Raises:
        CanonicalError: The body has no canonical form.
    """
    body_bytes = canonical_json(body)
    head_bytes = canonical_json(head._asdict() | {"body_sha256": sha256_hex(body_bytes)})
    event = Event(Head(**orjson.loads(head_bytes)), orjson.loads(body_bytes), sha256_hex(head_bytes))
    return event, _joined(body_bytes, event.hash, head_bytes) + b"\n"


def line_of(event: Event) -> bytes | None:
    """Return the line (without its line end) of an event of this version; ``None`` where only a later one could."""
    head = orjson.dumps(event.head._asdict(), option=_SORTED)
    if sha256_hex(head) != event.hash:
        return None
    return _joined(orjson.dumps(event.body, option=_SORTED), event.hash, head)


def purged_line(raw: bytes) -> bytes:
    """Return the same line (without its line end) with its body set to null.

    Raises:
        BrokenLine: The line is not an object with a head and a hash.
    """
    line = _object(raw)
    return orjson.dumps({"body": None, "hash": line.get("hash"), "head": line.get("head")}, option=_SORTED)


def read_line(raw: bytes) -> Line:
    """Return what a line (without its line end) says, after checking it against its own hashes.

    A body that is null passes: whether a forget covers it is for the whole log to say.

    Raises:
        BrokenLine: The bytes do not give the hash that the line carries, or have no known form.
    """
    line = _object(raw)
    head, body, stated = line.get("head"), line.get("body"), line.get("hash")
    if "body" not in line or not isinstance(head, dict) or not isinstance(stated, str) or not _is_body(body):
        raise BrokenLine("it is not an object of head, body and hash")
    canonical = len(line) == len(_LINE) and raw == orjson.dumps(line, option=_SORTED) and _is_normal(raw)
    if canonical:
        # The bytes of the parts are those of the line. A head holds no object, so the last mark of one is its own:
        # inside a text the quotation marks would be escaped.
        at = raw.rfind(_HEAD_MARK) if head.get("v") == VERSION else -1 - len(orjson.dumps(head)) - len(_HEAD_MARK)
        head_bytes, body_bytes = raw[at + len(_HEAD_MARK) : -1], raw[len(_BODY_MARK) : raw.rfind(_HASH_MARK, 0, at)]
    else:
        head_bytes, body_bytes = _canonical(head), _canonical(body)
        head, body = orjson.loads(head_bytes), orjson.loads(body_bytes)
    if sha256_hex(head_bytes) != stated:
        raise BrokenLine("it was changed: its head does not give its hash")
    read = _read_head(head)
    if body is not None and sha256_hex(body_bytes) != read.body_sha256:
        raise BrokenLine("it was changed: its body does not give the hash in its head")
    return Line(Event(read, body, stated, known=read.v == VERSION and read.kind in KINDS), canonical)


def stated_hash(raw: bytes) -> str | None:
    """Return the hash that a broken line still claims to have, if it does."""
    try:
        stated = _object(raw).get("hash")
    except BrokenLine:
        return None
    return stated if isinstance(stated, str) else None


def _object(raw: bytes) -> dict[str, Any]:
    try:
        line = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise BrokenLine("it is not JSON") from error
    if not isinstance(line, dict):
        raise BrokenLine("it is not an object of head, body and hash")
    return line


def _is_body(body: Any) -> bool:
    return body is None or isinstance(body, dict)


def _joined(body: bytes, stated: str, head: bytes) -> bytes:
    return b"".join((b'{"body":', body, b',"hash":', orjson.dumps(stated), b',"head":', head, b"}"))


def _is_normal(raw: bytes) -> bool:
    return raw.isascii() or unicodedata.is_normalized("NFC", raw.decode())


def _canonical(value: Any) -> bytes:
    try:
        return canonical_json(value)
    except CanonicalError as error:
        raise BrokenLine(f"it has no canonical form: {error}") from error


def _read_head(stated: dict[str, Any]) -> Head:
    version = stated.get("v")
    if type(version) is not int:
        raise BrokenLine("its head has no version")
    if version != VERSION:
        # A later format may add fields and change others; only the place in the chain must be readable.
        stated = {name: stated.get(name) for name in _FIELDS}
        stated |= {name: str(stated[name]) for name in _TEXTS}
    elif stated.keys() != _FIELD_NAMES:
        raise BrokenLine("its head has other fields than this version of the format")
    values = _values_of(stated)
    if tuple(map(type, values)) not in _SHAPES:
        raise BrokenLine("its head holds a value of the wrong type")
    head = Head(*values)
    if not (0 < head.seq <= MAX_INTEGER and 0 < head.lamport <= MAX_INTEGER):
        raise BrokenLine("its seq or lamport is not a count from 1")
    if version == VERSION:
        if head.scope != ("user" if head.project is None else "project"):
            raise BrokenLine("its scope and its project contradict each other")
        try:
            read_instant(head.at)
        except ValueError as error:
            raise BrokenLine(f"its instant cannot be read: {error}") from error
    return head
