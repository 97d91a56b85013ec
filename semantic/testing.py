"""Clocks, randomness and stores for tests: everything that the real ones take from outside, made repeatable."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from semantic.store import SemanticStore
from semantic.vault.contract import Contract

START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


class SteppingClock:
    """A clock that goes on by ``step`` each time it is read; ``now`` may be set."""

    def __init__(self, now: datetime = START, step: timedelta = timedelta(seconds=1)) -> None:
        self.now = now
        self.step = step

    def __call__(self) -> datetime:
        """Return the time, then go on."""
        now = self.now
        self.now += self.step
        return now


def counting_entropy() -> Callable[[int], bytes]:
    """Return a source of bytes that count up, so that lines are the same in each run."""
    count = 0

    def entropy(size: int) -> bytes:
        nonlocal count
        count += 1
        return count.to_bytes(size, "big")

    return entropy


def open_store(
    memory: Path,
    install: str = "aaaaaaaaaaaa",
    *,
    clock: Callable[[], datetime] | None = None,
    vaults: Mapping[str, Path] | None = None,
    no_projects: Collection[Path] = (),
    ends: Path | None = None,
    cache: Path | None = None,
) -> SemanticStore:
    """Return an opened store on a folder, with a stepping clock and counted randomness."""
    store = SemanticStore(
        memory=memory,
        install=install,
        clock=clock or SteppingClock(),
        entropy=counting_entropy(),
        zone=UTC,
        vaults=vaults or {},
        contract=Contract(),
        no_projects=no_projects,
        ends=ends,
        cache=cache,
    )
    store.open()
    return store
