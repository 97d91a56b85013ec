"""Lines, hashes and shards hold for any text, and any damage is noticed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from semantic.errors import BrokenLine
from semantic.log.event import Event, Head, purged_line, read_line, seal
from semantic.log.instant import write_instant
from semantic.log.merge import merge_shards
from semantic.log.shard import ShardKey, read_shard
from semantic.testing import START

INSTALL = "aaaaaaaaaaaa"
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
values = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | texts
bodies = st.dictionaries(st.from_regex(r"\A[a-z0-9_.-]{1,8}\Z"), values | st.lists(values, max_size=3), max_size=5)


def chain(parts: list[dict[str, Any]]) -> tuple[list[Event], bytes]:
    events, lines, prev = [], b"", None
    for number, body in enumerate(parts, start=1):
        at = write_instant(START + timedelta(seconds=number))
        head = Head(
            1, number, number, at, INSTALL, "person", None, "user", None, "decision", f"de_{number:024x}", "", prev
        )
        event, line = seal(head, body)
        events.append(event)
        lines += line
        prev = event.hash
    return events, lines


@given(bodies)
def test_any_body_comes_back_and_a_purge_keeps_the_head(body: dict[str, Any]) -> None:
    (event,), line = chain([body])
    raw = line.rstrip(b"\n")
    assert b"\n" not in raw
    assert read_line(raw).event == event
    assert read_line(raw).canonical
    assert read_line(purged_line(raw)).event == Event(event.head, None, event.hash)


@given(bodies, st.data())
def test_any_changed_byte_is_noticed(body: dict[str, Any], data: st.DataObject) -> None:
    (event,), line = chain([body])
    raw = bytearray(line.rstrip(b"\n"))
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] ^= data.draw(st.integers(1, 255))
    try:
        read = read_line(bytes(raw)).event
    except BrokenLine:
        return
    assert read == event  # the other byte means the same text


@given(st.lists(bodies, min_size=1, max_size=6), st.data())
def test_every_cut_of_a_file_keeps_the_whole_lines_and_only_them(
    parts: list[dict[str, Any]], data: st.DataObject
) -> None:
    events, lines = chain(parts)
    cut = data.draw(st.integers(0, len(lines)))
    shard = read_shard(ShardKey(None, INSTALL), lines[:cut], START + timedelta(hours=1))
    whole = lines[:cut].count(b"\n")
    assert shard.events == events[:whole]
    assert shard.problems == []
    assert shard.seq == whole
    assert bool(shard.unfinished) == (cut > 0 and lines[cut - 1 : cut] != b"\n")


@given(st.lists(bodies, min_size=2, max_size=6), st.data())
def test_nothing_is_left_out_or_moved_without_a_word(parts: list[dict[str, Any]], data: st.DataObject) -> None:
    events, lines = chain(parts)
    rows = lines.splitlines(keepends=True)
    order = data.draw(st.lists(st.sampled_from(range(len(rows))), max_size=8))
    shard = read_shard(ShardKey(None, INSTALL), b"".join(rows[index] for index in order), START + timedelta(hours=1))
    assert {event.hash for event in shard.events} == {events[index].hash for index in order}
    if order != list(range(len(order))):
        assert shard.problems


@given(st.lists(bodies, min_size=1, max_size=5), st.data())
def test_merging_copies_is_a_union_in_any_order(parts: list[dict[str, Any]], data: st.DataObject) -> None:
    _, lines = chain(parts)
    rows = lines.splitlines(keepends=True)

    def copy() -> bytes:
        chosen = data.draw(st.lists(st.tuples(st.sampled_from(rows), st.booleans()), max_size=5))
        return b"".join(purged_line(row.rstrip(b"\n")) + b"\n" if purged else row for row, purged in chosen)

    a, b, c = copy(), copy(), copy()
    assert merge_shards(a, b) == merge_shards(b, a)
    assert merge_shards(merge_shards(a, b), c) == merge_shards(a, merge_shards(b, c))
    once = merge_shards(a, b)
    assert merge_shards(once, a) == once
