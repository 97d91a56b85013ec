"""The elements that touch a file are those that asking each of them would give."""

from __future__ import annotations

from fnmatch import fnmatchcase

from hypothesis import given
from hypothesis import strategies as st

from memoryd.api.briefing import Place
from memoryd.api.touched import Touched
from semantic.model import Element
from semantic.project.naming import Project
from semantic.projection.picture import Projection
from semantic.search.listing import holds_path

SHOP = Project("shop-1", "shop")
PARTS = st.lists(st.sampled_from(["src", "a.py", "b", "*", "?", "[ab]", "", "a*"]), min_size=1, max_size=4)
PATHS = PARTS.map("/".join)
PATTERNS = st.builds("{}{}".format, st.sampled_from(["", "path:shop-1:", "path:shop:", "/"]), PATHS)


def picture_of(touches: list[list[str]]) -> Projection:
    elements = [
        Element(f"el_{number:020x}", "component", f"part {number}", "", "project", "shop-1", touches=tuple(patterns))
        for number, patterns in enumerate(touches)
    ]
    return Projection(elements={one.id: one for one in elements})


@given(st.lists(st.lists(PATTERNS, max_size=3), max_size=6), st.lists(PATHS, min_size=1, max_size=2))
def test_every_pattern_is_found_by_the_paths_it_holds(touches: list[list[str]], names: list[str]) -> None:
    picture = picture_of(touches)
    bare = [[one.removeprefix("path:shop-1:").removeprefix("path:shop:") for one in patterns] for patterns in touches]
    expected = [
        element.id
        for element, patterns in zip(picture.elements.values(), bare, strict=True)
        if any(holds_path(pattern, name) for pattern in patterns for name in names)
    ]
    assert [one.id for one in Touched().of(picture, Place(SHOP, ()), names)] == expected


def test_another_picture_and_another_place_are_looked_at_afresh() -> None:
    touched, place = Touched(), Place(SHOP, ())
    first = picture_of([["src/"]])
    assert [one.name for one in touched.of(first, place, ["src/a.py"])] == ["part 0"]
    assert touched.of(picture_of([["lib/"]]), place, ["src/a.py"]) == []
    assert touched.of(first, Place(Project("bakery-2", "bakery"), ()), ["src/a.py"]) == []
    assert fnmatchcase("src/a.py", "src/*.py")
    assert [one.name for one in touched.of(picture_of([["src/*.py"]]), place, ["src/a.py"])] == ["part 0"]
