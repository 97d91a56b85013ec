"""Ids of episodes: a ULID where memoryd wrote the entry, a hash of its place where a person did.

An id is taken from what the entry is, never from a model, a machine's paths or the cutting into pieces, so it
survives edits, moves between machines and the loss of everything derived.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from ulid import ULID

from memoryd.text.canonical import digest

_RANDOM_BYTES = 10
_RANDOM_CHARS = 16
_EPOCH = datetime.fromtimestamp(0, tz=UTC)
_WRITTEN = re.compile(r"ep_[0-9A-HJKMNP-TV-Z]{26}")
_ANY = re.compile(r"ep_[0-9A-Za-z]{1,64}")


def written_id(
    at: datetime, *, session: str | None, turn: str | None, key: str | None, entropy: Callable[[int], bytes]
) -> str:
    """Return the id of an entry that memoryd writes: ``ep_`` and a ULID.

    The time part is ``at``. The random part is the first 80 bits of ``H(session, turn)``, else of ``H(key)``, so that
    a retry has the same one; without either it is entropy.
    """
    return f"ep_{ULID.from_bytes(_time_bytes(at) + _random_bytes(session, turn, key, entropy))}"


def random_part(*, session: str | None, turn: str | None, key: str | None) -> str | None:
    """Return the last 16 characters that the entry's id has whatever its ``at``; ``None`` where entropy decides."""
    if (session is None or turn is None) and key is None:
        return None
    return str(ULID.from_bytes(bytes(6) + _random_bytes(session, turn, key, bytes)))[-_RANDOM_CHARS:]


def random_part_of(id: str) -> str | None:  # noqa: A002 - "id" is the word of the domain
    """Return the random part of a written id, ``None`` for a hand-written one."""
    return id[-_RANDOM_CHARS:] if _WRITTEN.fullmatch(id) else None


def hand_written_id(file: str, heading: str | None, occurrence: int) -> str:
    """Return the id of an entry that a person wrote: ``ep_`` and 20 hex digits of ``H(file, heading, occurrence)``.

    Args:
        file: The path as a hit shows it: relative to ``memory/`` with ``/``, or ``<vault>:<path>``.
        heading: The heading's text without its ``#`` signs, trimmed; ``None`` for text before the first heading.
        occurrence: How many entries under an equal heading stand above it in the file, from 0.
    """
    return f"ep_{digest(file, heading, occurrence, length=20)}"


def key_id(key: str) -> str:
    """Return the id that stands for all entries with a key (as it stands in an anchor) where one was forgotten.

    A copy of the turn in another session has another id; it has the same key.
    """
    return f"ep_{ULID.from_bytes(bytes(6) + bytes.fromhex(key) + bytes(2))}"


def key_digest(key: str) -> str:
    """Return how an Idempotency-Key stands in an anchor: 16 hex digits of ``H(key)``."""
    return digest(key, length=16)


def is_episode_id(text: str) -> bool:
    """Tell whether the text could be an episode's id."""
    return _ANY.fullmatch(text) is not None


def _time_bytes(at: datetime) -> bytes:
    ms = max(0, (at - _EPOCH) // timedelta(milliseconds=1))
    return min(ms, 2**48 - 1).to_bytes(6, "big")


def _random_bytes(session: str | None, turn: str | None, key: str | None, entropy: Callable[[int], bytes]) -> bytes:
    if session is not None and turn is not None:
        return bytes.fromhex(digest(session, turn, length=2 * _RANDOM_BYTES))
    if key is not None:
        return bytes.fromhex(digest(key, length=2 * _RANDOM_BYTES))
    return entropy(_RANDOM_BYTES)
