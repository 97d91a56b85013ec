from __future__ import annotations

import numpy as np
import pytest

from semantic.search.matrix import BLOCK_ROWS, Vector, VectorMatrix


def unit(*values: float) -> Vector:
    vector = np.array(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def test_ranks_by_cosine_then_id() -> None:
    space = VectorMatrix(2)
    space.put("b", "k", unit(1, 0))
    space.put("a", "k", unit(1, 0))
    space.put("c", "k", unit(0, 1))
    assert [(id_, round(score, 3)) for id_, _, score in space.ranking(unit(1, 0))] == [("a", 1), ("b", 1), ("c", 0)]
    assert list(space.ranking(unit(1, 0, 0))) == []


def test_rows_survive_growth_and_removal() -> None:
    space = VectorMatrix(3)
    vectors = {f"v{number:03}": unit(1, number, number % 5) for number in range(700)}
    for id_, vector in vectors.items():
        space.put(id_, "k", vector)
    space.drop([id_ for number, id_ in enumerate(vectors) if number % 3 == 0])
    space.drop(["nothing", "v000"])
    kept = {id_: vector for number, (id_, vector) in enumerate(vectors.items()) if number % 3}
    assert len(space) == len(kept)
    query = unit(1, 2, 3)
    found = {id_: score for id_, _, score in space.ranking(query)}
    assert found.keys() == kept.keys()
    for id_, vector in kept.items():
        assert found[id_] == pytest.approx(float(vector @ query), abs=1e-6)


def test_rows_of_several_blocks_are_found_and_blocks_are_given_back() -> None:
    space = VectorMatrix(2)
    for number in range(BLOCK_ROWS + 10):
        space.put(f"v{number:05}", "k", unit(1, number))
    assert len(list(space.ranking(unit(0, 1)))) == BLOCK_ROWS + 10
    space.drop([f"v{number:05}" for number in range(1, BLOCK_ROWS + 9)])
    assert [id_ for id_, _, _ in space.ranking(unit(0, 1))] == [f"v{BLOCK_ROWS + 9:05}", "v00000"]
    space.drop(["v00000", f"v{BLOCK_ROWS + 9:05}"])
    assert list(space.ranking(unit(0, 1))) == []
    space.put("again", "k", unit(1, 0))
    assert len(list(space.ranking(unit(0, 1)))) == 1


def test_a_new_vector_takes_the_place_and_key_of_the_old() -> None:
    space = VectorMatrix(2)
    space.put("a", "old", unit(1, 0))
    space.put("a", "new", unit(0, 1))
    assert (len(space), space.key("a"), space.key("b")) == (1, "new", None)


@pytest.mark.parametrize("vector", [np.ones(3, np.float32), np.array([np.nan, 1], np.float32)])
def test_refuses_what_is_no_vector_of_the_space(vector: Vector) -> None:
    with pytest.raises(ValueError, match="vector"):
        VectorMatrix(2).put("a", "k", vector)
