"""What this person's agents read, found useful, pinned, archived and restored: private, one file an install.

The record says what happened; the state is a pure function of all records: for each question (archived? pinned? last
read when?) the last operation on an id counts, by (at, install, seq). So two installs' files merge by lying side by
side.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace

import orjson

from memoryd.text.canonical import canonical_json
from semantic.log.instant import read_instant

VERSION = 1
OPS = ("read", "useful", "pin", "unpin", "archive", "restore", "promote", "swap")
"""``swap`` names two ids: the first came back, the second went out for it."""

MILLION = 1_000_000
"""Scores are kept as integers, in millionths."""


@dataclass(frozen=True, slots=True)
class Attended:
    """One record: an operation on ids, by whom and when; ``scores`` are those it was decided by, in millionths."""

    seq: int
    at: str
    install: str
    session: str | None
    actor: str
    op: str
    ids: tuple[str, ...]
    scores: Mapping[str, int] | None = None
    v: int = VERSION

    @property
    def order(self) -> tuple[str, str, int]:
        """Return its place among all records: (at, install, seq)."""
        return (self.at, self.install, self.seq)

    def line(self) -> bytes:
        """Return the record as its line, line end included; without scores the field is left out."""
        fields = asdict(replace(self, scores=None)) | {"scores": dict(self.scores or {})}
        if self.scores is None:
            del fields["scores"]
        return canonical_json(fields) + b"\n"


@dataclass(frozen=True, slots=True)
class Standing:
    """What the records say of one id. Instants in the log's form."""

    archived: bool = False
    pinned: bool = False
    read_at: str | None = None
    reads: int = 0
    useful_at: str | None = None
    useful: int = 0


UNATTENDED = Standing()


def standings(records: Iterable[Attended]) -> dict[str, Standing]:
    """Return the state of every id, whatever the order in which the records come, and however often each."""
    found: dict[str, Standing] = {}
    once = {(record.order, record.op, record.ids): record for record in records}
    for key in sorted(once):
        attend(found, once[key])
    return found


def attend(found: dict[str, Standing], record: Attended) -> None:
    """Apply one more record, later than all before, to a state."""
    for index, id_ in enumerate(record.ids):
        found[id_] = _after(found.get(id_, UNATTENDED), record, index)


def _after(state: Standing, record: Attended, index: int) -> Standing:
    match record.op:
        case "read":
            return replace(state, archived=False, read_at=record.at, reads=state.reads + 1)
        case "useful":
            return replace(state, useful_at=record.at, useful=state.useful + 1)
        case "pin":
            return replace(state, archived=False, pinned=True)
        case "unpin":
            return replace(state, pinned=False)
        case "archive":
            return replace(state, archived=True)
        case "swap":
            return replace(state, archived=index > 0)
        case _:
            return replace(state, archived=False)


def read_record(raw: bytes) -> Attended | None:
    """Return what a line (without its line end) says; ``None`` if it is of a later version or operation.

    Raises:
        ValueError: It is damaged.
    """
    fields = orjson.loads(raw)
    if not isinstance(fields, dict) or type(fields.get("v")) is not int:
        raise ValueError("it is no record")
    if fields["v"] != VERSION or fields.get("op") not in OPS:
        return None
    ids, scores = fields.get("ids"), fields.get("scores")
    texts = [fields.get(name) for name in ("at", "install", "actor", "op")]
    if not isinstance(ids, list) or not all(type(item) is str for item in (*ids, *texts)):
        raise ValueError("a field is missing or of the wrong type")
    if type(fields.get("seq")) is not int or not (fields.get("session") is None or type(fields["session"]) is str):
        raise ValueError("a field is missing or of the wrong type")
    if scores is not None and not (isinstance(scores, dict) and all(type(one) is int for one in scores.values())):
        raise ValueError("its scores are not integers")
    read_instant(fields["at"])
    return Attended(
        fields["seq"],
        fields["at"],
        fields["install"],
        fields["session"],
        fields["actor"],
        fields["op"],
        tuple(ids),
        scores,
    )
