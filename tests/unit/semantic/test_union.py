from __future__ import annotations

from semantic.union import Moves, Unions


def test_a_group_is_known_by_its_smallest_id() -> None:
    unions = Unions()
    unions.merge(["c", "b"])
    unions.merge(["b", "d"])
    assert {unions.of(one) for one in "bcd"} == {"b"}
    assert unions.merge(["a", "d"]) == ["a", "b", "c", "d"]
    assert unions.shown() == {"b": "a", "c": "a", "d": "a"}
    assert unions.members("d") == ["a", "b", "c", "d"]


def test_a_split_undoes_the_merges_that_named_the_id_and_no_other() -> None:
    unions = Unions()
    unions.merge(["a", "b"])
    unions.merge(["b", "c"])
    assert unions.split("c") == ["a", "b", "c"]
    assert (unions.members("a"), unions.members("c")) == (["a", "b"], ["c"])
    unions.split("b")
    assert unions.shown() == {}


def test_merges_give_the_same_groups_in_any_order() -> None:
    one, other = Unions(), Unions()
    for pair in (["a", "b"], ["c", "d"], ["b", "c"]):
        one.merge(pair)
    for pair in (["b", "c"], ["d", "c"], ["b", "a"]):
        other.merge(pair)
    assert one.shown() == other.shown()


def test_moves_follow_their_chain_and_may_come_back() -> None:
    moves = Moves()
    moves.move("a", "b")
    moves.move("b", "c")
    assert moves.of("a") == "c"
    moves.move("c", "a")
    assert {moves.of(one) for one in "abc"} == {"a"}
    assert moves.shown() == {"b": "a", "c": "a"}
