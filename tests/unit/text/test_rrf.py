from __future__ import annotations

import math

import pytest

from memoryd.text.rrf import fuse, min_max


def test_first_in_every_list_is_one() -> None:
    fused = fuse({"lexical": ["a", "b"], "dense": ["a", "c"]})
    assert fused[0].id == "a"
    assert fused[0].score == 1.0
    assert fused[0].ranks == {"lexical": 1, "dense": 1}


def test_score_is_the_sum_over_its_highest_value() -> None:
    fused = {hit.id: hit.score for hit in fuse({"x": ["a", "b"], "y": ["b"]}, k=10)}
    assert fused["a"] == pytest.approx((1 / 11) / (2 / 11))
    assert fused["b"] == pytest.approx((1 / 12 + 1 / 11) / (2 / 11))


def test_first_in_both_lists_is_clearly_above_first_in_one() -> None:
    fused = fuse({"x": ["both", "one"], "y": ["both", "other"]})
    assert fused[0].id == "both"
    assert fused[0].score - fused[1].score > 0.4
    assert all(0 < hit.score <= 1 for hit in fused)


def test_a_list_that_found_nothing_was_asked_too() -> None:
    assert fuse({"x": ["a"], "y": []})[0].score == pytest.approx(0.5)
    assert fuse({"x": ["a"]})[0].score == 1.0


def test_ties_go_to_the_better_rank_and_then_the_id() -> None:
    assert [hit.id for hit in fuse({"x": ["b"], "y": ["a"]})] == ["a", "b"]
    # The same two lists under other names give the same order.
    assert [hit.id for hit in fuse({"z": ["b"], "w": ["a"]})] == ["a", "b"]


def test_an_id_named_twice_counts_once_at_its_first_place() -> None:
    fused = fuse({"x": ["a", "b", "a"]})
    assert [(hit.id, hit.ranks["x"]) for hit in fused] == [("a", 1), ("b", 2)]


def test_weights() -> None:
    fused = fuse({"x": ["a"], "y": ["b"]}, weights={"x": 3.0})
    assert {hit.id: hit.score for hit in fused} == pytest.approx({"a": 0.75, "b": 0.25})
    assert [hit.id for hit in fuse({"x": ["a"], "y": ["b"]}, weights={"y": 0.0})] == ["a"]
    assert fuse({"x": ["a"]}, weights={"x": 0.0}) == []


def test_nothing_asked_finds_nothing() -> None:
    assert fuse({}) == []
    assert fuse({"x": []}) == []
    assert min_max({}) == []


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf])
def test_refuses_senseless_weights(weight: float) -> None:
    with pytest.raises(ValueError, match="weights"):
        fuse({"x": ["a"]}, weights={"x": weight})
    with pytest.raises(ValueError, match="weights"):
        min_max({"x": [("a", 1.0)]}, weights={"x": weight})


def test_refuses_a_negative_k() -> None:
    with pytest.raises(ValueError, match="negative"):
        fuse({"x": ["a"]}, k=-1)


def test_min_max_stretches_each_list() -> None:
    fused = {hit.id: hit.score for hit in min_max({"x": [("a", 9.0), ("b", 6.0), ("c", 3.0)], "y": [("b", 0.2)]})}
    assert fused == {"a": pytest.approx(0.5), "b": pytest.approx(0.75), "c": 0.0}


def test_min_max_keeps_the_first_of_an_id_named_twice() -> None:
    fused = min_max({"x": [("a", 2.0), ("b", 1.0), ("a", 0.0)]})
    assert [(hit.id, hit.score) for hit in fused] == [("a", 1.0), ("b", 0.5)]


def test_a_list_that_could_not_see_an_id_does_not_count_against_it() -> None:
    lists = {"words": ["fresh", "old"], "meaning": ["old"]}
    assert [one.id for one in fuse(lists)] == ["old", "fresh"]
    found = fuse(lists, blind={"meaning": {"fresh"}})
    assert [one.id for one in found] == ["fresh", "old"]
    assert found[0].score == pytest.approx(1.0)
    assert found[1].score == pytest.approx(fuse(lists)[0].score)


def test_a_list_that_ranked_an_id_was_not_blind_to_it() -> None:
    lists = {"words": ["a", "b"], "meaning": ["b", "a"]}
    assert fuse(lists, blind={"meaning": {"a", "b"}}) == fuse(lists)


def test_a_list_may_say_how_good_its_ranks_are() -> None:
    lists = {"words": ["a", "b"], "meaning": ["b", "a"]}
    found = fuse(lists, k=10, shares={"words": {"a": 1.0, "b": 0.5}})
    scores = {one.id: one.score for one in found}
    assert scores["a"] == pytest.approx((1 / 11 + 1 / 12) / (2 / 11))
    assert scores["b"] == pytest.approx((0.5 / 12 + 1 / 11) / (2 / 11))


def test_what_a_list_lacks_may_tie_behind_its_last() -> None:
    lists = {"words": ["a"], "meaning": ["b", "a", "c"]}
    assert [one.id for one in fuse(lists)] == ["a", "b", "c"]
    found = fuse(lists, k=10, tails={"words": 1.0})
    scores = {one.id: one.score for one in found}
    assert [one.id for one in found] == ["a", "b", "c"]
    assert scores["b"] == pytest.approx((1 / 11 + 1 / 12) / (2 / 11))
    assert all(one.score <= 1 for one in found)
    # Where the list has less weight than the other, standing in it alone is not enough.
    assert fuse(lists, tails={"words": 1.0}, weights={"words": 0.5})[0].id == "b"


def test_what_a_list_lacks_gets_no_more_than_its_last_however_little_that_gets() -> None:
    """A list whose last is a tenth as good as its first says of all others that they are no better."""
    lists = {"words": ["a", "b"], "meaning": ["a", "b", "c"]}
    found = {one.id: one.score for one in fuse(lists, k=10, shares={"words": {"b": 0.1}}, tails={"words": 1.0})}
    by_meaning = {one.id: one.score for one in fuse({"meaning": lists["meaning"]}, k=10)}
    assert found["c"] - by_meaning["c"] / 2 < found["b"] - by_meaning["b"] / 2


def test_a_list_gives_nothing_to_what_it_could_not_see() -> None:
    lists = {"words": ["a"], "meaning": ["b"]}
    plain = {one.id: one.score for one in fuse(lists, blind={"words": {"b"}})}
    assert {one.id: one.score for one in fuse(lists, blind={"words": {"b"}}, tails={"words": 1.0})} == plain
