"""Ids of episodes."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from episodic.journal.identity import is_episode_id, key_digest, random_part, random_part_of, written_id
from episodic.testing import CountingEntropy
from memoryd.text.canonical import digest

AT = datetime(2026, 11, 30, 14, 5, 12, 345000, tzinfo=UTC)
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def decoded(id_: str) -> int:
    value = 0
    for letter in id_.removeprefix("ep_"):
        value = value * 32 + CROCKFORD.index(letter)
    return value


def test_a_turns_id_is_its_time_and_the_hash_of_session_and_turn() -> None:
    id_ = written_id(AT, session="s", turn="t", key="k", entropy=CountingEntropy())

    assert re.fullmatch(r"ep_[0-9A-HJKMNP-TV-Z]{26}", id_)
    assert decoded(id_) >> 80 == int(AT.timestamp() * 1000)
    assert decoded(id_) & (2**80 - 1) == int(digest("s", "t")[:20], 16)


def test_without_a_turn_the_key_decides_and_without_a_key_entropy() -> None:
    keyed = written_id(AT, session="s", turn=None, key="k", entropy=CountingEntropy())
    assert decoded(keyed) & (2**80 - 1) == int(digest("k")[:20], 16)

    entropy = CountingEntropy()
    free = [written_id(AT, session="s", turn=None, key=None, entropy=entropy) for _ in range(3)]
    assert len(set(free)) == 3


def test_a_retry_at_another_time_has_the_same_random_part() -> None:
    first = written_id(AT, session="s", turn="t", key=None, entropy=CountingEntropy())
    later = written_id(AT + timedelta(hours=3), session="s", turn="t", key=None, entropy=CountingEntropy())

    assert first != later
    assert random_part_of(first) == random_part_of(later) == random_part(session="s", turn="t", key=None)
    assert random_part(session="s", turn=None, key=None) is None
    assert random_part_of("ep_0123456789abcdef0123") is None


def test_times_before_1970_still_give_an_id() -> None:
    assert written_id(datetime(1950, 1, 1, tzinfo=UTC), session="s", turn="t", key=None, entropy=bytes).startswith(
        "ep_0000000000"
    )


def test_ids_sort_by_time() -> None:
    ids = [written_id(AT + timedelta(seconds=n), session="s", turn=str(n), key=None, entropy=bytes) for n in range(5)]
    assert ids == sorted(ids)


def test_key_digest_is_sixteen_hex() -> None:
    assert key_digest("k") == digest("k")[:16]


def test_what_could_be_an_id() -> None:
    assert is_episode_id("ep_01KBA5ZJYCAMS1T9VQG8Z5N3E4")
    assert is_episode_id("ep_0123456789abcdef0123")
    assert not any(map(is_episode_id, ["ep_", "de_1", "ep_a/b", "ep_a b", "ep_" + "a" * 65]))
