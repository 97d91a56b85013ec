"""What all routes have in common: lists, cursors, limits, and who is asking.

Plain functions and values, without the web framework; ``request`` offers them to routes.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel

from memoryd.api.errors import BadParameter
from memoryd.text.secrets import redact_id

LIMIT_DEFAULT = 50
LIMIT_MOST = 500

LOG_SEQ_HEADER = "Memoryd-Log-Seq"
INDEX_SEQ_HEADER = "Memoryd-Index-Seq"
ACTOR_HEADER = "Memoryd-Actor"
SESSION_HEADER = "Memoryd-Session"

_CURSOR_VERSION = 1
_CURSOR_CHARACTERS = 1000
_NO_CURSOR = "not a cursor of this list; send next_cursor as it was given"
_GREATEST = 2**53
_ACTOR = re.compile(r"(person)|(agent)(?::([A-Za-z0-9._-]{1,64}))?|(job):([A-Za-z0-9._-]{1,64})")
_SESSION_CHARACTERS = 200

Item = TypeVar("Item")
Part = str | int | None


class Listing(BaseModel, Generic[Item]):
    """Part of a list, and the cursor of the next part; ``None`` at the end."""

    items: list[Item]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: a person, an agent or a job; an agent may have a name, a job has one."""

    kind: Literal["person", "agent", "job"]
    name: str | None = None

    def __str__(self) -> str:
        return self.kind if self.name is None else f"{self.kind}:{self.name}"


PERSON = Actor("person")


def encode_cursor(*parts: Part) -> str:
    """Return the place in a list (its sort key and id) as an opaque, URL-safe text."""
    packed = json.dumps([_CURSOR_VERSION, *parts], separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(packed.encode("utf-8", "surrogatepass")).decode().rstrip("=")


def decode_cursor(cursor: str, *kinds: type[str | int]) -> tuple[str | int, ...]:
    """Return the parts of a cursor, checked to be of these kinds.

    Raises:
        BadParameter: It was not made by :func:`encode_cursor` for such a list.
    """
    wrong = BadParameter("query/cursor", "cursor", _NO_CURSOR)
    if len(cursor) > _CURSOR_CHARACTERS:
        raise wrong
    try:
        packed = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        version, *parts = json.loads(packed)
    except (ValueError, TypeError, RecursionError, binascii.Error) as error:
        raise wrong from error
    if version != _CURSOR_VERSION or [type(part) for part in parts] != list(kinds):
        raise wrong
    if not all(_is_part(part) for part in parts):
        raise wrong
    return tuple(parts)


def decode_moment_cursor(cursor: str) -> tuple[datetime, str]:
    """Return the instant, aware, and the id of a list that is ordered by both.

    Raises:
        BadParameter: It is no cursor of such a list.
    """
    at, id_ = decode_cursor(cursor, str, str)
    wrong = BadParameter("query/cursor", "cursor", _NO_CURSOR)
    try:
        moment = datetime.fromisoformat(str(at))
        moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise wrong from error
    if moment.tzinfo is None:
        raise wrong
    return moment, str(id_)


def _is_part(part: str | int) -> bool:
    """Tell whether a text is one of characters, and a number one that every store can count to."""
    if isinstance(part, int):
        return -_GREATEST <= part <= _GREATEST
    return not any("\ud800" <= letter <= "\udfff" for letter in part)


def cut_page(items: Sequence[Item], limit: int, cursor: str | None) -> tuple[Sequence[Item], str | None]:
    """Return a part of a list whose order does not change, and the cursor of the next part; ``None`` at the end.

    For lists that only grow at their end, such as a history: the cursor is a position.

    Raises:
        BadParameter: The cursor is none of such a list.
    """
    start = int(decode_cursor(cursor, int)[0]) if cursor else 0
    if start < 0:
        raise BadParameter("query/cursor", "cursor", _NO_CURSOR)
    end = start + limit
    return items[start:end], encode_cursor(end) if end < len(items) else None


def parse_actor(text: str | None) -> Actor:
    """Return who acts, from the header; without it, a person.

    Raises:
        BadParameter: It is none of ``person``, ``agent``, ``agent:<name>`` and ``job:<name>``.
    """
    if text is None:
        return PERSON
    found = _ACTOR.fullmatch(text.strip())
    if found is None:
        raise BadParameter(
            f"header/{ACTOR_HEADER.lower()}",
            "actor",
            "must be person, agent, agent:<name> or job:<name>; a name has 1 to 64 letters, digits, dots, _ or -",
        )
    person, agent, agent_name, _, job_name = found.groups()
    if person:
        return PERSON
    # The name is written to files, and whoever calls may have taken a key for a name.
    return Actor("agent", agent_name and redact_id(agent_name)) if agent else Actor("job", job_name)


def settle_session(field: str | None, header: str | None, *, place: str = "body/session") -> str | None:
    """Return the session of a request as it may be stored; what stands in the body or query beats the header.

    Raises:
        BadParameter: It is empty, too long or holds control characters.
    """
    for value, where in ((field, place), (header, f"header/{SESSION_HEADER.lower()}")):
        if value is None:
            continue
        if not value.strip() or len(value) > _SESSION_CHARACTERS or not value.isprintable():
            raise BadParameter(where, "session", f"must be 1 to {_SESSION_CHARACTERS} printable characters")
        return redact_id(value)
    return None


def snapshot_headers(*, log_seq: int | None = None, index_seq: int | None = None) -> dict[str, str]:
    """Return the headers that name the state of memory which an answer was read from."""
    headers = {}
    if log_seq is not None:
        headers[LOG_SEQ_HEADER] = str(log_seq)
    if index_seq is not None:
        headers[INDEX_SEQ_HEADER] = str(index_seq)
    return headers
