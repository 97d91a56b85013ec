"""Old lines are recognised by what the log says of the things they name, whatever was asked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memoryd.router.replaced import Replaced
from memoryd.text.hit import Hit
from semantic.store import SemanticStore
from semantic.testing import SteppingClock, open_store
from semantic.writing.recording import NewDecision

DAY = datetime(2026, 3, 1, tzinfo=UTC)
LONG = "API style of the interface for all partners"


class Log:
    """Decisions on named days."""

    def __init__(self, folder: Path) -> None:
        self.clock = SteppingClock(DAY)
        self.store: SemanticStore = open_store(folder, clock=self.clock)
        self.replaced = Replaced(self.store.projection)

    def decide(self, day: int, name: str, value: str, why: str = "Known.") -> str:
        self.clock.now = DAY + timedelta(days=day)
        put = {"op": "put_element", "kind": "component", "name": name, "gist": value}
        return self.store.decide(NewDecision(f"The {name} is {value}", why, (put,))).id

    def by(self, text: str, day: int = 5, as_of: datetime | None = None) -> str | None:
        entry = Hit("ep_1", "episodic", "episode", "", text, 0.5, at=DAY + timedelta(days=day))
        return self.replaced(as_of)(entry)


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path)


def test_an_old_line_is_marked_by_the_decision_that_replaced_it(log: Log) -> None:
    """BH39, also where neither decision is among the hits."""
    log.decide(0, "queue", "RabbitMQ")
    assert log.by("The queue is RabbitMQ here.") is None
    newer = log.decide(20, "queue", "NATS", "RabbitMQ wanted an upgrade.")
    assert log.by("The queue is RabbitMQ here.") == newer
    assert log.by("The queue is RabbitMQ here.", day=30) is None, "who says so afterwards says something new"
    assert log.by("The queue is NATS here.") is None
    assert log.by("RabbitMQ is a broker.") is None
    assert log.by("We moved the queue from RabbitMQ to NATS.") is None
    assert log.by("The queue is RabbitMQ here.", as_of=DAY + timedelta(days=10)) is None


def test_what_is_so_again_was_not_replaced(log: Log) -> None:
    log.decide(0, "queue", "RabbitMQ")
    log.decide(10, "queue", "NATS")
    log.decide(20, "queue", "RabbitMQ")
    assert log.by("The queue is RabbitMQ here.") is None
    assert log.by("The queue is NATS here.", day=15) is not None


def test_a_long_name_and_a_value_that_shares_a_word(log: Log) -> None:
    log.decide(0, LONG, "SOAP")
    newer = log.decide(20, LONG, "REST")
    assert log.by(f"The {LONG} is SOAP.") == newer
    log.decide(1, "rota", "weekly turns")
    newer = log.decide(21, "rota", "daily turns", "A week of nights was too much.")
    assert log.by("The rota is weekly turns.") == newer


def test_only_entries_are_judged(log: Log) -> None:
    log.decide(0, "queue", "RabbitMQ")
    log.decide(20, "queue", "NATS")
    note = Hit("no_1", "semantic", "note", "", "The queue is RabbitMQ.", 0.5, at=DAY + timedelta(days=5))
    assert log.replaced(None)(note) is None


def test_a_name_inside_a_line_without_spaces(log: Log) -> None:
    log.decide(0, "消息队列", "RabbitMQ")
    newer = log.decide(20, "消息队列", "NATS")
    assert log.by("我们的消息队列是 RabbitMQ") == newer
    assert log.by("我们的消息是 RabbitMQ") is None
