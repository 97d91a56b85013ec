"""The active set: what stays in the budget, what goes, what comes back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semantic.attention.active import ActiveSet, Pass
from semantic.attention.ground import Ground
from semantic.attention.standing import Standing
from semantic.log.instant import write_instant
from semantic.model import Element, Link

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=100)


def element(number: int, *, size: int = 10, age_days: float = 100) -> Element:
    at = NOW - timedelta(days=age_days)
    return Element(f"el_{number:020x}", "thing", f"t{number}", "x" * size, "user", None, at=at)


def link(source: int, target: int | str) -> Link:
    end = target if isinstance(target, str) else f"el_{target:020x}"
    return Link(f"el_{source:020x}", "uses", end, "de_" + "0" * 24)


def settle(
    elements: Iterable[Element],
    links: Sequence[Link] = (),
    standings: dict[str, Standing] | None = None,
    limit: int = 100,
) -> Pass:
    ground = Ground.of(elements, links, {}, lambda one: len(one.gist))
    return ActiveSet(ground, standings=standings or {}, now=NOW, limit=limit).settle()


def archived(*numbers: int) -> dict[str, Standing]:
    return {f"el_{number:020x}": Standing(archived=True) for number in numbers}


def numbers(ids: Iterable[str]) -> list[int]:
    return [int(id_.removeprefix("el_"), 16) for id_ in ids]


def test_what_fits_stays_as_it_is() -> None:
    found = settle([element(n) for n in range(10)])
    assert found.steps == ()
    assert len(found.active) == 10
    assert found.units == 100


def test_over_the_limit_the_lowest_go_down_to_the_ceiling() -> None:
    found = settle([element(n, age_days=100 + n) for n in range(12)])
    assert [step.op for step in found.steps] == ["archive"] * 4
    assert numbers(step.ids[0] for step in found.steps) == [11, 10, 9, 8]
    assert found.units == 80
    assert all(step.scores[step.ids[0]] >= 0 for step in found.steps)


def test_what_is_connected_outlives_what_is_only_recent() -> None:
    hub = [link(n, 0) for n in range(1, 6)]
    found = settle([element(n, age_days=200 - n) for n in range(12)], hub)
    assert 0 in numbers(found.active)


def test_an_edge_to_an_archived_element_counts_a_fifth_and_to_an_orphan_nothing() -> None:
    elements = [element(n) for n in range(5)]
    links = [link(0, 1), link(2, 3), link(3, "path:p:a.py")]
    places = settle(elements, links, archived(1, 3), limit=30).places
    with_memory, with_orphan, alone = (places[f"el_{n:020x}"].connectedness for n in (2, 0, 4))
    assert with_memory > with_orphan
    assert with_orphan == alone


def test_new_elements_are_kept_within_their_share_newest_first() -> None:
    old = [element(n, age_days=50) for n in range(8)]
    new = [element(100 + n, age_days=1 + n / 10) for n in range(6)]
    hub = [link(n, m) for n in range(8) for m in range(8) if n != m]
    found = settle([*old, *new], hub)
    kept = [n for n in numbers(found.active) if n >= 100]
    assert {100, 101, 102} <= set(kept)
    assert sum(found.places[f"el_{100 + n:020x}"].graced for n in range(6)) == 3


def test_reading_is_recent_but_no_grace() -> None:
    standings = {element(5).id: Standing(read_at=write_instant(NOW), reads=1)}
    found = settle([element(n, age_days=100 - n) for n in range(12)], (), standings)
    place = found.places[element(5).id]
    assert not place.archived
    assert not place.graced
    assert place.recency == max(one.recency for one in found.places.values())


def test_pinned_elements_are_never_archived_and_count() -> None:
    standings = {element(n).id: Standing(pinned=True) for n in range(3)}
    found = settle([element(n, age_days=300 - n, size=20) for n in range(12)], (), standings)
    assert {0, 1, 2} <= set(numbers(found.active))
    assert found.units <= 80


def test_an_archived_element_that_is_better_comes_back_for_one_that_went() -> None:
    elements = [element(n, age_days=100 + n) for n in range(13)]
    links = [link(n, 12) for n in range(6)]
    found = settle(elements, links, archived(12))
    swaps = [step for step in found.steps if step.op == "swap"]
    assert numbers(swaps[0].ids)[0] == 12
    assert 12 in numbers(found.active)
    assert found.units <= 100


def test_below_the_ceiling_the_best_that_fits_is_promoted() -> None:
    elements = [element(0, size=50), element(1, size=40, age_days=10), element(2, size=30, age_days=20)]
    found = settle(elements, (), archived(1, 2))
    assert [(step.op, numbers(step.ids)) for step in found.steps] == [("promote", [2])]
    assert found.units == 80


def test_a_pass_that_archived_does_not_refill() -> None:
    found = settle([element(0, size=95), element(1, size=10, age_days=1)], (), archived())
    assert {step.op for step in found.steps} == {"archive"}


def test_one_element_over_the_whole_budget_is_archived_and_the_rest_is_not() -> None:
    found = settle(
        [element(0, size=500, age_days=10), *(element(n) for n in range(1, 6))], [link(n, 0) for n in range(1, 6)]
    )
    assert 0 not in numbers(found.active)
    assert found.units <= 100


def test_nothing_is_known() -> None:
    assert settle([]).active == ()


def test_a_hub_of_5000_links_and_10_000_elements_are_settled() -> None:
    elements = [element(n, size=40, age_days=10 + n % 400) for n in range(10_000)]
    found = settle(elements, [link(n, 0) for n in range(1, 5001)], limit=20_000)
    assert 0 in numbers(found.active)
    assert 15_900 < found.units <= 16_000


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Element], list[Link], dict[str, Standing]]:
    count = draw(st.integers(0, 25))
    elements = [element(n, size=draw(st.integers(1, 60)), age_days=draw(st.integers(0, 30))) for n in range(count)]
    ends = st.integers(0, max(count - 1, 0))
    links = draw(st.lists(st.builds(link, ends, ends), max_size=40)) if count else []
    standings = {
        one.id: Standing(archived=draw(st.booleans()), pinned=draw(st.integers(0, 9)) == 0) for one in elements
    }
    return (
        elements,
        links,
        {id_: Standing(archived=one.archived and not one.pinned, pinned=one.pinned) for id_, one in standings.items()},
    )


@given(worlds())
@settings(max_examples=150, deadline=None)
def test_a_pass_keeps_the_limit_and_settles(world: tuple[list[Element], list[Link], dict[str, Standing]]) -> None:
    elements, links, standings = world
    pinned = sum(len(one.gist) for one in elements if standings[one.id].pinned)
    archives = 0
    for _ in range(100):
        found = settle(elements, links, standings)
        assert found.units <= max(100, pinned + 30)
        archives += sum(step.op == "archive" for step in found.steps)
        standings = {
            id_: Standing(archived=place.archived, pinned=standings[id_].pinned) for id_, place in found.places.items()
        }
        if not found.steps:
            break
    assert settle(elements, links, standings).steps == ()
    assert archives <= len(elements)


@given(worlds())
@settings(max_examples=50, deadline=None)
def test_the_order_of_what_is_known_makes_no_difference(
    world: tuple[list[Element], list[Link], dict[str, Standing]],
) -> None:
    elements, links, standings = world
    assert settle(elements, links, standings) == settle(elements[::-1], links[::-1], standings)


@pytest.mark.parametrize("size", [1, 7, 33])
def test_refill_fills_up_to_the_ceiling(size: int) -> None:
    elements = [element(n, size=size) for n in range(200)]
    found = settle(elements, (), archived(*range(200)))
    assert 80 - size < found.units <= 80
