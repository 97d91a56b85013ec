"""The lines of what is known: which come first, what they say of the rest, and that they cost no more than charged."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from memoryd.api.known import Known, map_part
from memoryd.api.outlook import Outlook
from memoryd.render.brief import cost_of, element_line, map_line
from memoryd.render.meter import utf16_units
from semantic.attention.active import LIMIT_UNITS, Pass
from semantic.attention.standing import Standing
from semantic.errors import WriteFailed
from semantic.model import Element, Link
from semantic.projection.picture import Projection

NOW = datetime(2026, 11, 30, tzinfo=UTC)
OUTLOOK = Outlook((), (), (), frozenset({("user", None), ("project", "p")}))


def element(name: str, gist: str = "", *, links: tuple[Link, ...] = (), touches: tuple[str, ...] = ()) -> Element:
    return Element(f"el_{name}", "tool", name, gist, "project", "p", links=links, touches=touches)


def uses(one: str, other: str) -> Link:
    return Link(f"el_{one}", "uses", f"el_{other}", "de_1")


class Semantic:
    """A store whose pass gives the elements in the order in which they are named."""

    def __init__(self, active: list[Element], standings: Mapping[str, Standing]) -> None:
        self.active, self.standings = active, standings
        self.is_full = False

    def settle_active(self, scope: str, project: str | None, **_: Any) -> Pass:
        if self.is_full:
            raise WriteFailed("no space")
        ids = tuple(one.id for one in self.active if (one.scope, one.project) == (scope, project))
        return Pass((), ids, sum(map(cost_of, self.active)), {})

    def attention(self) -> Mapping[str, Standing]:
        return self.standings


def lines(
    active: list[Element], *others: Element, unconfirmed: tuple[str, ...] = (), is_full: bool = False, **standings: str
) -> list[str]:
    state = {"archived": Standing(archived=True), "pinned": Standing(pinned=True)}
    semantic = Semantic(active, {f"el_{name}": state[what] for name, what in standings.items()})
    semantic.is_full = is_full
    services: Any = SimpleNamespace(
        semantic=semantic, zone=UTC, unconfirmed=lambda _: {f"el_{name}": NOW for name in unconfirmed}
    )
    picture = Projection(elements={one.id: one for one in (*active, *others)})
    ours, own = Known(services).parts(picture, OUTLOOK, ["p"], units=400)
    assert not own.lines
    return list(ours.lines)


def test_the_pinned_come_first_then_what_says_something_each_in_the_order_of_the_set() -> None:
    told = lines([element("a"), element("b", "says b"), element("c"), element("d", "says d")], c="pinned", d="pinned")
    assert [line[len("- tool ")] for line in told] == ["d", "c", "b", "a"]


def test_what_nobody_described_is_named_with_its_files() -> None:
    touches = ("path:p:src/a.py", "src/b.py", "c.py", "d.py")
    assert lines([element("a", touches=touches)]) == ["- tool a: src/a.py, src/b.py, c.py [el_a]"]


@pytest.mark.parametrize("links", [(), (uses("a", "out"),)])
def test_a_line_costs_no_more_than_was_charged_while_the_set_is_full(links: tuple[Link, ...]) -> None:
    """Behaviour 36: what is put away is named only as far as the limit has room, a stale file is charged beforehand."""
    wide = [element(f"a{number:03}", "x" * 300, links=links, touches=("f.py",)) for number in range(100)]
    wide = wide[: LIMIT_UNITS // cost_of(wide[0])]
    assert LIMIT_UNITS - sum(map(cost_of, wide)) < cost_of(wide[0])
    told = lines(wide, element("out"), unconfirmed=tuple(one.name for one in wide), out="archived")
    assert all("(unconfirmed since 2026-11-30)" in line for line in told)
    assert sum(utf16_units(line) + 1 for line in told) <= LIMIT_UNITS


def test_what_is_put_away_is_named_where_there_is_room() -> None:
    linked = element("a", "says a", links=(uses("a", "out"), uses("b", "a")))
    told = lines([linked, element("b")], element("out"), out="archived")
    assert told[0] == "- tool a: says a (leads to what is put away: out) [el_a]"


def test_a_full_disk_hides_nothing() -> None:
    assert lines([element("a", "says a")], is_full=True) == ["- tool a: says a [el_a]"]


def test_the_map_names_what_things_hang_together_with() -> None:
    hub = element("hub", links=(uses("hub", "x"), *(uses(name, "hub") for name in "abcd"), uses("hub", "hub")))
    picture = Projection(elements={one.id: one for one in (hub, *map(element, "abcdx"))})
    part = map_part(picture, Outlook((), (), (hub,), frozenset()), [])
    assert list(part.lines) == ["- tool hub: uses → x; uses ← a, b, c and 1 more [el_hub]"]


def test_of_a_hub_of_thousands_a_few_are_named_and_all_are_counted() -> None:
    hub = element("hub", links=tuple(uses(str(number), "hub") for number in range(5_000)))
    picture = Projection(elements={one.id: one for one in (hub, *(element(str(number)) for number in range(5_000)))})
    (line,) = map_part(picture, Outlook((), (), (hub,), frozenset()), []).lines
    assert line == "- tool hub: 5000 links, such as uses ← 0, 1, 2 [el_hub]"


def test_a_line_of_the_map_is_short_whatever_hangs_there() -> None:
    line = map_line(element("hub"), {f"relation {number} →": ["a name of some length"] * 9 for number in range(40)})
    assert utf16_units(line) < 200
    assert "relation 0 → a name" in line
    assert map_line(element("alone"), {}) == element_line(element("alone"))
