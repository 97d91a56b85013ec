from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from semantic.fields import Unit
from semantic.search.wanting import Wanting

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def unit(id_: str, text: str = "text") -> Unit:
    return Unit(id_, "", text, text)


def ids(wanting: Wanting, limit: int = 100) -> list[str]:
    return [one.id for one in wanting.newest(limit)]


def test_the_newest_come_first_and_those_without_an_instant_last() -> None:
    wanting = Wanting([(unit("none"), None), (unit("old"), NOW - timedelta(days=1))])
    wanting.put(unit("b"), NOW)
    wanting.put(unit("a"), NOW)
    assert ids(wanting) == ids(wanting) == ["a", "b", "old", "none"]
    assert ids(wanting, 2) == ["a", "b"]
    assert len(wanting) == 4


def test_what_is_dropped_is_not_offered_and_what_changed_is_offered_as_it_is_now() -> None:
    wanting = Wanting([(unit("a", "one"), NOW), (unit("b"), NOW)])
    wanting.put(unit("a", "two"), NOW + timedelta(days=1))
    wanting.drop("b")
    wanting.drop("nothing")
    assert [(one.id, one.body) for one in wanting.newest(9)] == [("a", "two")]
    wanting.put(unit("a", "one"), NOW)
    assert [one.body for one in wanting.newest(9)] == ["one"]


def test_a_text_that_changes_all_day_does_not_pile_up() -> None:
    wanting = Wanting()
    for number in range(5_000):
        wanting.put(unit("a", f"text {number}"), NOW + timedelta(seconds=number))
    assert len(wanting._heap) < 100
    assert [one.body for one in wanting.newest(9)] == ["text 4999"]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 3), st.booleans()), max_size=60), st.integers(0, 7))
def test_it_is_what_sorting_everything_would_give(steps: list[tuple[str, int, bool]], limit: int) -> None:
    wanting = Wanting()
    held: dict[str, int] = {}
    for id_, day, put in steps:
        if put:
            wanting.put(unit(id_, f"{day}"), NOW + timedelta(days=day))
            held[id_] = day
        else:
            wanting.drop(id_)
            held.pop(id_, None)
        expected = sorted(held, key=lambda one: (-held[one], one))
        assert ids(wanting, limit) == expected[:limit]
        assert len(wanting) == len(held)
