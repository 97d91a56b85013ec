"""An engine that goes away is let alone, brought back by itself, and nobody waits for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest

from episodic.engine.deadline import is_over, remaining, within
from episodic.engine.exact import ExactEngine
from episodic.engine.port import Engine
from episodic.errors import EngineError, EngineUnavailable
from episodic.index.holding import EngineHold
from episodic.index.recovery import Recovery

SOON_S = 10.0


def soon(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + SOON_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


class Flaky(ExactEngine):
    """An engine that is away as long as it is told to be."""

    def __init__(self) -> None:
        super().__init__()
        self.is_away = False
        self.asked = 0
        self.revived = 0
        self.closed = 0

    def collections(self) -> set[str]:
        self.asked += 1
        if self.is_away:
            raise EngineUnavailable("gone fishing")
        return super().collections()

    def revive(self) -> None:
        self.revived += 1
        if self.is_away:
            raise EngineUnavailable("still fishing")

    def close(self) -> None:
        self.closed += 1
        super().close()


@pytest.fixture
def engine() -> Flaky:
    return Flaky()


@pytest.fixture
def caught_up() -> list[str]:
    return []


@pytest.fixture
def hold(engine: Flaky, caught_up: list[str]) -> Iterator[EngineHold]:
    made = EngineHold(
        lambda: engine,
        check=lambda _: caught_up.append("checked"),
        catch_up=lambda: caught_up.append("caught up"),
        lock=threading.RLock(),
        rests_s=(0.01,),
    )
    made.open()
    yield made
    made.close()


def collections(engine: Engine) -> set[str]:
    return engine.collections()


def test_an_engine_that_is_away_is_not_asked_until_it_is_back(
    hold: EngineHold, engine: Flaky, caught_up: list[str]
) -> None:
    engine.is_away = True
    with pytest.raises(EngineUnavailable, match="gone fishing"):
        hold.use(collections)
    assert soon(lambda: engine.revived > 2)
    with pytest.raises(EngineUnavailable, match="fishing"):
        hold.use(collections)
    assert engine.asked == 1
    assert hold.trouble == "still fishing"

    engine.is_away = False
    assert soon(lambda: caught_up[-1] == "caught up")
    assert caught_up == ["checked", "checked", "caught up"]
    assert hold.use(collections) == set()
    assert not hold.trouble


def test_what_the_engine_refuses_is_no_absence(hold: EngineHold, engine: Flaky) -> None:
    def refused(_: Engine) -> None:
        raise EngineError("bad row")

    with pytest.raises(EngineError, match="bad row"):
        hold.use(refused)
    assert hold.trouble == "bad row"
    assert hold.use(collections) == set()
    assert not hold.trouble
    assert engine.revived == 0


def test_an_engine_that_cannot_be_opened_is_tried_again(engine: Flaky) -> None:
    tries: list[int] = []

    def factory() -> Engine:
        tries.append(1)
        if len(tries) < 3:
            raise EngineUnavailable("not yet")
        return engine

    hold = EngineHold(factory, check=lambda _: None, catch_up=lambda: None, lock=threading.RLock(), rests_s=(0.01,))
    with pytest.raises(EngineUnavailable):
        hold.open()
    assert hold.name == "none"
    assert soon(lambda: hold.trouble is None)
    assert (len(tries), hold.name) == (3, "exact")
    hold.close()


def test_a_closed_hold_opens_nothing_and_may_be_opened_again(hold: EngineHold, engine: Flaky) -> None:
    hold.close()
    hold.close()
    with pytest.raises(EngineUnavailable, match="closed"):
        hold.use(collections)
    assert engine.closed == 1


def test_closing_ends_the_tries(hold: EngineHold, engine: Flaky) -> None:
    engine.is_away = True
    with pytest.raises(EngineUnavailable):
        hold.use(collections)
    assert soon(lambda: engine.revived > 0)
    hold.close()
    assert soon(lambda: all(one.name != "engine-recovery" for one in threading.enumerate()))
    tried = engine.revived
    with pytest.raises(EngineUnavailable):
        hold.use(collections)
    assert all(one.name != "engine-recovery" for one in threading.enumerate())
    assert engine.revived == tried


def test_whoever_asks_does_not_wait_for_an_engine_that_is_being_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("episodic.index.holding.QUERY_S", 0.2)
    gate, entered = threading.Event(), threading.Event()

    def factory() -> Engine:
        entered.set()
        gate.wait(SOON_S)
        return ExactEngine()

    hold = EngineHold(factory, check=lambda _: None, catch_up=lambda: None, lock=threading.RLock(), rests_s=(0.01,))
    opening = threading.Thread(target=hold.open)
    opening.start()
    assert entered.wait(SOON_S)
    with pytest.raises(EngineUnavailable, match="being opened"):
        hold.ask(collections)
    gate.set()
    opening.join(SOON_S)
    assert soon(lambda: hold.trouble is None)
    assert hold.ask(collections) == set()
    hold.close()


def test_recovery_tries_once_at_a_time_and_rests() -> None:
    tries: list[float] = []

    def attempt() -> None:
        tries.append(time.monotonic())
        if len(tries) < 3:
            raise EngineError("no")

    recovery = Recovery(attempt, rests_s=(0.0, 0.05))
    for _ in range(5):
        recovery.begin()
    assert soon(lambda: len(tries) == 3)
    assert all(later - earlier >= 0.04 for earlier, later in pairwise(tries))
    recovery.stop()
    recovery.begin()
    assert len(tries) == 3


def test_a_bound_holds_for_its_thread_and_its_block() -> None:
    assert (remaining(30.0), is_over()) == (30.0, False)
    with within(5.0):
        assert 4.0 < remaining(30.0) <= 5.0
        assert remaining(1.0) == 1.0
        with within(100.0):
            assert remaining(30.0) <= 5.0
        with within(None):
            assert remaining(30.0) <= 5.0
        elsewhere: list[float] = []
        thread = threading.Thread(target=lambda: elsewhere.append(remaining(30.0)))
        thread.start()
        thread.join()
        assert elsewhere == [30.0]
    assert remaining(30.0) == 30.0
    with within(0.0):
        assert is_over()
        with pytest.raises(EngineUnavailable, match="in time"):
            remaining(1.0)
