"""A mapping with pictures: what was seen once does not change, and all say what a dictionary would."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semantic.projection import layered
from semantic.projection.layered import Growing, Layered, changed_keys

steps = st.lists(st.tuples(st.sampled_from(["set", "drop", "picture"]), st.integers(0, 9), st.integers(0, 3)))


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layered, "FOLDED_AT", 4)


def same(one: Layered[int, int], plain: dict[int, int]) -> None:
    assert dict(one.items()) == plain
    assert len(one) == len(plain) == len(list(one.values()))
    assert set(one) == set(plain)
    for key in range(10):
        assert (key in one) == (key in plain)
        assert one.get(key) == plain.get(key)
        assert one.get(key, -1) == plain.get(key, -1)
        if key in plain:
            assert one[key] == plain[key]
        else:
            with pytest.raises(KeyError):
                one[key]


@given(steps)
def test_it_is_a_dictionary_and_its_pictures_stay(taken: list[tuple[str, int, int]]) -> None:
    growing: Growing[int, int] = Growing()
    plain: dict[int, int] = {}
    pictures: list[tuple[Layered[int, int], dict[int, int]]] = []
    for op, key, value in taken:
        match op:
            case "set":
                growing[key] = plain[key] = value
            case "drop":
                growing.drop(key)
                plain.pop(key, None)
            case _:
                pictures.append((growing.picture(), plain.copy()))
        same(growing, plain)
    for picture, then in pictures:
        same(picture, then)
        changed = {key for key in range(10) if then.get(key) is not plain.get(key)}
        assert changed_keys(picture, growing) == changed
        assert changed_keys(then, growing) == changed


def test_what_is_changed_keeps_its_place_and_what_is_new_comes_last() -> None:
    growing: Growing[str, int] = Growing()
    growing["a"] = growing["b"] = 1
    growing.picture()
    growing["c"] = growing["a"] = 2
    assert list(growing.picture().items()) == [("a", 2), ("b", 1), ("c", 2)]
