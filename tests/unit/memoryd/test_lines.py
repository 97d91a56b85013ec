"""Lines are made when they are looked at, and once."""

from __future__ import annotations

from dataclasses import dataclass

from memoryd.render.budget import Part, fit
from memoryd.render.lines import Lines


@dataclass(frozen=True)
class Thing:
    id: str


def test_only_what_is_looked_at_is_made_and_only_once() -> None:
    made: list[str] = []

    def line(one: Thing) -> str:
        made.append(one.id)
        return f"- {one.id}"

    lines = Lines([Thing(str(number)) for number in range(50_000)], line)
    assert (len(lines), lines[3], lines[-1], list(lines[3:5])) == (50_000, "- 3", "- 49999", ["- 3", "- 4"])
    assert lines.without({"0", "3"})[1] == "- 2"
    made.clear()
    fitted = fit([Part("heads", "Heads", lines)], 100)
    assert fitted.left_out["heads"] + len(fitted.parts[0].lines) == 50_000
    assert len(made) == len(set(made)) < 500


def test_one_line_that_is_too_long_hides_nothing() -> None:
    things = [Thing("a"), Thing("b" * 90), *(Thing("c" * 90) for _ in range(90)), Thing("d")]
    fitted = fit([Part("heads", "Heads", Lines(things, lambda one: f"- {one.id}"))], 40)
    assert fitted.parts[0].lines == ("- a", "- d")
