"""The comment under an entry's heading that makes it memoryd's: ``<!-- memoryd: id=… at=… … -->``.

Values are percent-encoded as JavaScript's ``encodeURIComponent`` does, so that none can hold a space or end the
comment. A list of files is each file encoded, joined by commas (an encoded value holds none).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from urllib.parse import quote, unquote

from memoryd.text.window import is_in_calendar

OPENING = "<!-- memoryd:"
KEYS = ("id", "at", "project", "session", "turn", "transcript", "key", "files")
"""The keys in the order in which they are written."""

_UNRESERVED = "!~*'()"  # beside the letters, digits and -_. that quote() never encodes
_ANCHOR = re.compile(r"<!-- memoryd:(.*)-->[ \t]*")
_PEER_ANCHOR = re.compile(r"[ \t]*<!--[ \t]*((?:session|turn|transcript):.*?)[ \t]*-->[ \t]*")
_PEER_VALUE = re.compile(r"(session|turn|transcript):(\S*)")


@dataclass(frozen=True, slots=True)
class Anchor:
    """The values of one anchor; ``problem`` says in words what in it could not be read."""

    id: str | None = None
    at: datetime | None = None
    project: str | None = None
    session: str | None = None
    turn: str | None = None
    transcript: str | None = None
    key: str | None = None
    files: tuple[str, ...] = ()
    problem: str | None = None


def render_anchor(anchor: Anchor) -> str:
    """Return the comment, without a line end. Keys without a value are left out."""
    values: dict[str, str] = {}
    for name in KEYS:
        value = getattr(anchor, name)
        if value is None or value == ():
            continue
        if name == "files":
            values[name] = ",".join(encoded(file) for file in anchor.files)
        else:
            values[name] = encoded(rfc3339(value) if isinstance(value, datetime) else value)
    pairs = " ".join(f"{name}={value}" for name, value in values.items())
    return f"{OPENING} {pairs} -->"


def is_anchor(line: str) -> bool:
    """Tell whether a line (without its end) is an anchor of ours."""
    return _ANCHOR.fullmatch(line) is not None


def is_torn_anchor(line: str) -> bool:
    """Tell whether a line begins as an anchor and does not end as one; for Markdown all below it would be a comment."""
    return line.startswith(OPENING) and "-->" not in line


def read_anchor(line: str) -> Anchor:
    """Return the values of an anchor line. Unknown keys are passed over: a newer writer may add some."""
    match = _ANCHOR.fullmatch(line)
    values = dict(part.split("=", 1) for part in (match.group(1) if match else "").split() if "=" in part)
    files = tuple(unquote(file) for file in values.pop("files", "").split(",") if file)
    texts = {name: unquote(value) for name, value in values.items() if name in KEYS and value}
    at, problem = _read_at(texts.get("at"))
    if "id" not in texts:
        problem = "its anchor has no id"
    return Anchor(
        id=texts.get("id"),
        at=at,
        project=texts.get("project"),
        session=texts.get("session"),
        turn=texts.get("turn"),
        transcript=texts.get("transcript"),
        key=texts.get("key"),
        files=files,
        problem=problem,
    )


def read_peer_anchor(line: str) -> Mapping[str, str] | None:
    """Return session, turn and transcript of a memsearch anchor, ``None`` where the line is none."""
    match = _PEER_ANCHOR.fullmatch(line)
    if match is None:
        return None
    return {name: value for name, value in _PEER_VALUE.findall(match.group(1)) if value}


def rfc3339(at: datetime) -> str:
    """Return an aware instant with its own offset, rounded to whole minutes, and no more digits than it has."""
    offset = at.utcoffset()
    if offset is None:
        raise ValueError("an instant needs a zone")
    if offset % timedelta(minutes=1):
        at = at.astimezone(timezone(timedelta(minutes=round(offset / timedelta(minutes=1)))))
    return at.isoformat()


def encoded(value: str) -> str:
    """Return a value as it stands in an anchor."""
    return quote(value, safe=_UNRESERVED)


def _read_at(text: str | None) -> tuple[datetime | None, str | None]:
    if text is None:
        return None, "its anchor has no time"
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None, f"its anchor has a time that cannot be read: {text[:40]!r}"
    if at.tzinfo is None:
        return None, "its anchor has a time without an offset"
    if not is_in_calendar(at):
        return None, f"its anchor has a time of the year {at.year}, which no calendar here reaches"
    return at, None
