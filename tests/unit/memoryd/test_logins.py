"""Codes work once and briefly; sessions end with the token, the clock and disuse; nothing is kept as it was given."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memoryd.errors import CodeRefused
from memoryd.service.logins import CODE_LIFE, IDLE, MOST_CODES, MOST_SESSIONS, Logins


class Machine:
    """A clock and a token file that a test sets."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 12, tzinfo=UTC)
        self.token = 1
        self.logins = Logins(lambda: self.now, secrets.token_bytes, lambda: self.token)

    def later(self, by: timedelta) -> None:
        self.now += by


@pytest.fixture
def machine() -> Machine:
    return Machine()


def test_a_code_has_256_bits_and_works_once(machine: Machine) -> None:
    code = machine.logins.issue()
    assert len(code) == 43
    token = machine.logins.exchange(code)
    assert token != code
    assert machine.logins.accepts(token)
    with pytest.raises(CodeRefused, match="memoryd open"):
        machine.logins.exchange(code)
    assert machine.logins.accepts(token)


def test_a_code_is_no_token_and_a_token_no_code(machine: Machine) -> None:
    code = machine.logins.issue()
    assert not machine.logins.accepts(code)
    token = machine.logins.exchange(code)
    with pytest.raises(CodeRefused):
        machine.logins.exchange(token)


@pytest.mark.parametrize("wrong", ["", "x", "ä" * 43, "\ud800", "A" * 100_000])
def test_what_was_never_given_lets_nobody_in(machine: Machine, wrong: str) -> None:
    machine.logins.issue()
    with pytest.raises(CodeRefused):
        machine.logins.exchange(wrong)
    assert not machine.logins.accepts(wrong)


def test_a_code_lives_for_sixty_seconds(machine: Machine) -> None:
    first, second = machine.logins.issue(), machine.logins.issue()
    machine.later(CODE_LIFE - timedelta(milliseconds=1))
    assert machine.logins.exchange(first)
    machine.later(timedelta(milliseconds=1))
    with pytest.raises(CodeRefused):
        machine.logins.exchange(second)


def test_a_clock_that_is_set_back_lengthens_nothing(machine: Machine) -> None:
    code = machine.logins.issue()
    machine.later(-timedelta(hours=1))
    with pytest.raises(CodeRefused):
        machine.logins.exchange(code)


def test_a_session_ends_by_disuse_alone(machine: Machine) -> None:
    token = machine.logins.exchange(machine.logins.issue())
    for _ in range(4):
        machine.later(IDLE - timedelta(seconds=1))
        assert machine.logins.accepts(token)
    machine.later(IDLE)
    assert not machine.logins.accepts(token)


def test_another_token_of_the_memory_ends_codes_and_sessions(machine: Machine) -> None:
    code, token = machine.logins.issue(), machine.logins.exchange(machine.logins.issue())
    machine.token = 2
    assert not machine.logins.accepts(token)
    with pytest.raises(CodeRefused):
        machine.logins.exchange(code)


def test_only_so_many_are_open_at_once(machine: Machine) -> None:
    codes = [machine.logins.issue() for _ in range(MOST_CODES + 1)]
    with pytest.raises(CodeRefused):
        machine.logins.exchange(codes[0])
    assert machine.logins.exchange(codes[1])
    tokens = [machine.logins.exchange(machine.logins.issue()) for _ in range(MOST_SESSIONS)]
    assert machine.logins.accepts(tokens[0])
    machine.logins.exchange(machine.logins.issue())
    # The one that was used longest ago went, not the one that was made first.
    assert machine.logins.accepts(tokens[0])
    assert not machine.logins.accepts(tokens[1])


def test_neither_codes_nor_tokens_are_held(machine: Machine) -> None:
    code = machine.logins.issue()
    token = machine.logins.exchange(machine.logins.issue())

    def held(value: Any) -> str:
        return repr([getattr(value, name) for name in ("_codes", "_sessions")])

    assert code not in held(machine.logins)
    assert token not in held(machine.logins)
