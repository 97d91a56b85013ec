"""Many listeners and one look: bounded, resumed, ended at once, and at rest without a listener."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from memoryd.api.broadcast import BEAT, MOST_KEPT, MOST_LISTENERS, MOST_WAITING, TOO_SLOW, Broadcast, Told
from memoryd.api.noticing import Event

pytestmark = pytest.mark.filterwarnings("error")


def event(number: int) -> Event:
    return Event("job", {"number": number})


def numbers(told: list[Told]) -> list[Any]:
    return [one.event.data["number"] if one.event else None for one in told]


class Source:
    """What ``look`` finds: whatever a test put there."""

    def __init__(self) -> None:
        self.found: list[Event] = []
        self.looks = 0

    def look(self) -> list[Event]:
        self.looks += 1
        found, self.found = self.found, []
        return found


async def take(stream: AsyncGenerator[Told], count: int) -> list[Told]:
    return [await asyncio.wait_for(anext(stream), 10) for _ in range(count)]


async def joined(broadcast: Broadcast, after: int = 0) -> tuple[AsyncGenerator[Told], asyncio.Task[Told]]:
    """Return a stream that listens, and its first event to come."""
    stream = broadcast.listen(after)
    before = broadcast.listeners
    first = asyncio.ensure_future(anext(stream))
    while broadcast.listeners == before and not first.done():  # noqa: ASYNC110 - nothing tells that it listens
        await asyncio.sleep(0)
    return stream, first


def test_everybody_hears_what_a_look_finds() -> None:
    async def run() -> None:
        source = Source()
        broadcast = Broadcast(source.look, look_s=0.01)
        streams = [await joined(broadcast) for _ in range(3)]
        source.found = [event(1), event(2)]
        for stream, first in streams:
            assert numbers([await asyncio.wait_for(first, 10), *await take(stream, 1)]) == [1, 2]
        for stream, _ in streams:
            await stream.aclose()

    asyncio.run(run())


def test_nobody_looks_while_nobody_listens() -> None:
    async def run() -> None:
        source = Source()
        broadcast = Broadcast(source.look, look_s=0.001)
        await asyncio.sleep(0.05)
        assert (source.looks, broadcast.is_looking) == (0, False)
        stream, first = await joined(broadcast)
        source.found = [event(1)]
        await first
        assert broadcast.is_looking
        await stream.aclose()
        assert (broadcast.listeners, broadcast.is_looking) == (0, False)
        looks = source.looks
        await asyncio.sleep(0.05)
        assert source.looks <= looks + 1

    asyncio.run(run())


def test_a_broken_connection_goes_on_where_it_was() -> None:
    async def run() -> None:
        broadcast = Broadcast(Source().look)
        for number in range(1, 6):
            broadcast.tell(event(number))
        assert await broadcast.begin(3) == (3, False)
        stream = broadcast.listen(3)
        assert numbers(await take(stream, 2)) == [4, 5]
        await stream.aclose()

    asyncio.run(run())


def test_who_comes_new_hears_only_what_comes_from_then_on() -> None:
    async def run() -> None:
        source = Source()
        source.found = [event(1)]
        broadcast = Broadcast(source.look)
        assert await broadcast.begin(None) == (1, False)
        stream, first = await joined(broadcast, 1)
        broadcast.tell(event(2))
        assert numbers([await first]) == [2]
        await stream.aclose()

    asyncio.run(run())


def test_what_a_look_found_for_one_who_left_is_kept_for_the_next() -> None:
    async def run() -> None:
        source = Source()
        is_begun, may_end = threading.Event(), threading.Event()

        def look() -> list[Event]:
            found = source.look()
            is_begun.set()
            assert may_end.wait(10)
            return found

        broadcast = Broadcast(look, look_s=0.001)
        source.found = [event(1)]
        stream, first = await joined(broadcast)
        assert await asyncio.to_thread(is_begun.wait, 10)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await stream.aclose()
        assert not broadcast.is_looking
        may_end.set()
        assert await broadcast.begin(0) == (0, False)
        again = broadcast.listen(0)
        assert numbers(await take(again, 1)) == [1]
        await again.aclose()

    asyncio.run(run())


@pytest.mark.parametrize("after", [-1, 2, MOST_KEPT + 100])
def test_what_is_not_kept_any_more_is_said_to_be_missed(after: int) -> None:
    async def run() -> None:
        broadcast = Broadcast(Source().look)
        for number in range(MOST_KEPT + 5):
            broadcast.tell(event(number))
        assert await broadcast.begin(after) == (MOST_KEPT + 5, True)

    asyncio.run(run())


def test_a_slow_reader_is_let_go_and_nobody_else() -> None:
    async def run() -> None:
        broadcast = Broadcast(Source().look)
        slow, first_of_slow = await joined(broadcast)
        quick, first_of_quick = await joined(broadcast)
        broadcast.tell(event(0))
        await first_of_slow
        await first_of_quick
        for number in range(1, MOST_WAITING + 2):
            broadcast.tell(event(number))
            assert numbers(await take(quick, 1)) == [number]
        assert broadcast.listeners == 1
        assert await take(slow, 1) == [TOO_SLOW]
        with pytest.raises(StopAsyncIteration):
            await anext(slow)
        broadcast.tell(event(999))
        assert numbers(await take(quick, 1)) == [999]
        await quick.aclose()

    asyncio.run(run())


def test_silence_is_broken_by_a_beat() -> None:
    async def run() -> None:
        broadcast = Broadcast(Source().look, beat_s=0.01)
        stream = broadcast.listen(0)
        assert await take(stream, 2) == [BEAT, BEAT]
        await stream.aclose()

    asyncio.run(run())


def test_the_end_ends_every_stream_from_any_thread() -> None:
    async def run() -> None:
        broadcast = Broadcast(Source().look)
        streams = [await joined(broadcast) for _ in range(MOST_LISTENERS)]
        assert broadcast.is_full
        closing = threading.Thread(target=broadcast.close)
        closing.start()
        for _, first in streams:
            with pytest.raises(StopAsyncIteration):
                await asyncio.wait_for(first, 10)
        closing.join()
        assert broadcast.listeners == 0
        assert [one async for one in broadcast.listen(0)] == []

    asyncio.run(run())


def test_a_look_that_fails_ends_no_stream() -> None:
    async def run() -> None:
        source = Source()
        fails = [True]

        def look() -> list[Event]:
            if fails:
                fails.clear()
                raise OSError("the disk is away")
            return source.look()

        broadcast = Broadcast(look, look_s=0.01)
        stream, first = await joined(broadcast)
        source.found = [event(1)]
        assert numbers([await asyncio.wait_for(first, 10)]) == [1]
        await stream.aclose()

    asyncio.run(run())
