"""What every index engine must do, whatever it is made of."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest

from episodic.engine.exact import ExactEngine
from episodic.engine.milvus import MilvusEngine
from episodic.engine.port import (
    LEXICAL,
    SPARE_LEXICAL,
    DenseRow,
    Engine,
    Filter,
    FloatArray,
    LexicalRow,
    Row,
    dense_collection,
    fingerprints,
    weights_collection,
)
from episodic.errors import DimensionMismatch, EngineUnavailable, InvalidRow
from tests.milvus_server import MilvusServer

SPACE = "abc123def456"
VEC = dense_collection(SPACE)
SPW = weights_collection(SPACE)
NASTY = [
    'quo"te',
    "apo'strophe",
    "back\\slash",
    "new\nline",
    "tab\t",
    "per%cent",
    "日本語",
    "émoji 🦊",
    "x' or id != '",
    '"] or id like "%',
    "under_score",
    "",
    "ß" * 400,
]


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rt", numbered=True)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MilvusServer]:
    running = MilvusServer(tmp_path_factory.mktemp("server") / "milvus.db").start()
    yield running
    running.kill()


@pytest.fixture(params=["exact-memory", "exact-file", "milvus-lite", "milvus"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, runtime: Path) -> Iterator[Engine]:
    made: Engine
    if request.param == "exact-memory":
        made = ExactEngine()
    elif request.param == "exact-file":
        made = ExactEngine(tmp_path / "exact.db")
    elif request.param == "milvus-lite":
        made = MilvusEngine.local(tmp_path / "episodic.db", runtime=runtime)
    else:
        server: MilvusServer = request.getfixturevalue("server")
        made = MilvusEngine.remote(server.uri, token="root:Milvus", owner="contract")
        made.reset()
    yield made
    made.close()


def hex_id(number: int) -> str:
    return f"{number:032x}"


def words(number: int, weights: Mapping[int, float], **fields: object) -> LexicalRow:
    given: dict[str, object] = {"at_ms": number * 1000, **fields}
    return LexicalRow(id=hex_id(number), weights=weights, **given)  # type: ignore[arg-type]


def unit(*values: float) -> FloatArray:
    vector = np.asarray(values, np.float32)
    return vector / np.float32(np.linalg.norm(vector))


def vector(number: int, *values: float, **fields: object) -> DenseRow:
    given: dict[str, object] = {"at_ms": number * 1000, **fields}
    return DenseRow(id=hex_id(number), vector=unit(*values), **given)  # type: ignore[arg-type]


def found(engine: Engine, where: Filter | None = None, term: int = 7) -> list[str]:
    return [id_ for id_, _ in engine.search_lexical({term: 1.0}, where or Filter(), 100)]


def test_an_empty_engine_finds_nothing_and_holds_nothing(engine: Engine) -> None:
    assert engine.search_lexical({1: 1.0}, Filter(), 10) == []
    assert engine.search_lexical({}, Filter(), 10) == []
    assert engine.search_dense(SPACE, unit(1, 0), Filter(), 10) == []
    assert engine.ids(LEXICAL) == set()
    assert engine.count(VEC) == 0
    engine.drop([hex_id(1)])


def test_lexical_scores_are_inner_products_best_first(engine: Engine) -> None:
    engine.put_lexical([words(1, {7: 0.5, 9: 2.0}), words(2, {7: 1.5}), words(3, {4_294_967_294: 1.0})])

    scored = engine.search_lexical({7: 2.0, 9: 0.25}, Filter(), 10)

    assert [id_ for id_, _ in scored] == [hex_id(2), hex_id(1)]
    assert [score for _, score in scored] == pytest.approx([3.0, 1.5])
    assert engine.search_lexical({4_294_967_294: 1.0}, Filter(), 10)[0][0] == hex_id(3)


def test_equal_scores_stand_in_the_order_of_ids(engine: Engine) -> None:
    engine.put_lexical([words(n, {7: 1.0}) for n in (5, 3, 9, 1)])

    assert found(engine) == [hex_id(n) for n in (1, 3, 5, 9)]


def test_dense_scores_are_inner_products_best_first(engine: Engine) -> None:
    engine.put_dense(SPACE, 2, [vector(1, 1, 0), vector(2, 0, 1), vector(3, 1, 1)])

    scored = engine.search_dense(SPACE, unit(1, 0), Filter(), 2)

    assert [id_ for id_, _ in scored] == [hex_id(1), hex_id(3)]
    assert [score for _, score in scored] == pytest.approx([1.0, 0.7071], abs=1e-3)


def test_putting_again_replaces(engine: Engine) -> None:
    engine.put_lexical([words(1, {7: 1.0})])
    engine.put_lexical([words(1, {8: 1.0}, project="other")])
    engine.put_dense(SPACE, 2, [vector(1, 1, 0)])
    engine.put_dense(SPACE, 2, [vector(1, 0, 1), vector(1, 0, 1)])

    assert found(engine, term=7) == []
    assert found(engine, Filter(project="other"), term=8) == [hex_id(1)]
    ((id_, score),) = engine.search_dense(SPACE, unit(0, 1), Filter(), 5)
    assert id_ == hex_id(1)
    assert score == pytest.approx(1.0)
    assert engine.count(LEXICAL) == engine.count(VEC) == 1


def test_dropped_ids_are_gone_from_every_collection(engine: Engine) -> None:
    engine.put_lexical([words(n, {7: 1.0}) for n in range(1, 6)])
    engine.put_dense(SPACE, 2, [vector(n, 1, n) for n in range(1, 6)])

    engine.drop([hex_id(2), hex_id(4), hex_id(99)])

    left = {hex_id(n) for n in (1, 3, 5)}
    assert engine.ids(LEXICAL) == engine.ids(VEC) == set(found(engine)) == left
    assert {id_ for id_, _ in engine.search_dense(SPACE, unit(1, 1), Filter(), 9)} == left


def test_times_are_half_open(engine: Engine) -> None:
    engine.put_lexical([words(n, {7: 1.0}) for n in (1, 2, 3)])

    assert found(engine, Filter(since_ms=2000)) == [hex_id(2), hex_id(3)]
    assert found(engine, Filter(until_ms=2000)) == [hex_id(1)]
    assert found(engine, Filter(since_ms=2000, until_ms=3000)) == [hex_id(2)]
    assert found(engine, Filter(since_ms=3001)) == []


def test_filters_hold_in_both_arms(engine: Engine) -> None:
    fields: list[dict[str, object]] = [
        {"project": "p", "kind": "section"},
        {"project": "q", "session": "s"},
        {"tags": ("tool/a", "x")},
    ]
    engine.put_lexical([words(n, {7: 1.0}, **given) for n, given in enumerate(fields, 1)])
    engine.put_dense(SPACE, 2, [vector(n, 1, 0, **given) for n, given in enumerate(fields, 1)])

    for where, expected in [
        (Filter(project="p"), 1),
        (Filter(session="s", project="q"), 2),
        (Filter(kinds=("section",)), 1),
        (Filter(tags=("tool/a",)), 3),
        (Filter(tags=("x", "tool/a")), 3),
    ]:
        assert found(engine, where) == [hex_id(expected)]
        assert [id_ for id_, _ in engine.search_dense(SPACE, unit(1, 0), where, 9)] == [hex_id(expected)]
    assert found(engine, Filter(kinds=("section", "episode"))) == [hex_id(n) for n in (1, 2, 3)]
    assert found(engine, Filter(tags=("tool/b",))) == []
    merged = Filter(project="p", also=("q", 'quoted " name'))
    assert found(engine, merged) == [hex_id(n) for n in (1, 2)]
    assert {id_ for id_, _ in engine.search_dense(SPACE, unit(1, 0), merged, 9)} == {hex_id(n) for n in (1, 2)}


@pytest.mark.parametrize("name", NASTY)
def test_any_name_filters_as_itself(engine: Engine, name: str) -> None:
    engine.put_lexical([words(1, {7: 1.0}, project=name, tags=(name,)), words(2, {7: 1.0}, project="plain")])

    assert found(engine, Filter(project=name)) == [hex_id(1)]
    assert found(engine, Filter(tags=(name,))) == [hex_id(1)]
    assert found(engine, Filter(project="plain")) == [hex_id(2)]


@pytest.mark.parametrize("id_", ["", "x" * 32, "ABCDEF0123456789", "0' or '1'='1", "0" * 65])
def test_ids_that_are_not_hex_are_refused(engine: Engine, id_: str) -> None:
    engine.put_lexical([words(1, {7: 1.0})])

    with pytest.raises(InvalidRow):
        engine.put_lexical([LexicalRow(id=id_, at_ms=0, weights={7: 1.0})])
    with pytest.raises(InvalidRow):
        engine.drop([id_])
    assert engine.count(LEXICAL) == 1


@pytest.mark.parametrize("weights", [{}, {7: float("nan")}, {7: float("inf")}, {7: -1.0}, {-1: 1.0}, {2**32 - 1: 1.0}])
def test_bad_weights_are_refused_before_anything_is_stored(engine: Engine, weights: dict[int, float]) -> None:
    with pytest.raises(InvalidRow):
        engine.put_lexical([words(1, {7: 1.0}), words(2, weights)])
    assert engine.count(LEXICAL) == 0


def test_vectors_of_another_length_are_refused_by_both_sizes(engine: Engine) -> None:
    engine.put_dense(SPACE, 2, [vector(1, 1, 0)])

    with pytest.raises(DimensionMismatch, match=r"3.*2|2.*3"):
        engine.put_dense(SPACE, 3, [vector(2, 1, 0, 0)])
    with pytest.raises(DimensionMismatch):
        engine.put_dense(SPACE, 2, [vector(2, 1, 0, 0)])
    with pytest.raises(DimensionMismatch, match=r"3.*2|2.*3"):
        engine.search_dense(SPACE, unit(1, 0, 0), Filter(), 5)
    assert engine.ids(VEC) == {hex_id(1)}


def test_what_is_no_number_is_refused(engine: Engine) -> None:
    bad = DenseRow(id=hex_id(1), at_ms=0, vector=np.array([np.nan, 1], np.float32))
    with pytest.raises(InvalidRow):
        engine.put_dense(SPACE, 2, [bad])
    engine.put_dense(SPACE, 2, [vector(1, 1, 0)])
    with pytest.raises(InvalidRow):
        engine.search_dense(SPACE, np.array([np.nan, 1], np.float32), Filter(), 5)


def test_spaces_do_not_mix(engine: Engine) -> None:
    engine.put_dense(SPACE, 2, [vector(1, 1, 0)])
    engine.put_dense("otherspace", 3, [vector(2, 1, 0, 0)])

    assert engine.ids(VEC) == {hex_id(1)}
    assert engine.search_dense("otherspace", unit(1, 0, 0), Filter(), 5)[0][0] == hex_id(2)


def test_token_weights_are_a_collection_of_their_own(engine: Engine) -> None:
    engine.put_lexical([words(1, {7: 1.0}), words(2, {7: 2.0})])
    engine.put_weights(SPACE, [words(2, {7: 0.5, 9: 0.25}), words(3, {9: 1.0}, project="p")])
    engine.put_weights("otherspace", [words(4, {7: 9.0})])

    scored = engine.search_weights(SPACE, {7: 2.0, 9: 2.0}, Filter(), 9)
    assert [id_ for id_, _ in scored] == [hex_id(3), hex_id(2)]
    assert [score for _, score in scored] == pytest.approx([2.0, 1.5])
    assert [id_ for id_, _ in engine.search_weights(SPACE, {9: 1.0}, Filter(project="p"), 9)] == [hex_id(3)]
    assert found(engine) == [hex_id(2), hex_id(1)]
    assert engine.search_weights(SPACE, {}, Filter(), 9) == []
    assert engine.search_weights("unheard", {7: 1.0}, Filter(), 9) == []
    assert engine.ids(SPW) == {hex_id(2), hex_id(3)}


def test_token_weights_are_replaced_dropped_and_checked(engine: Engine) -> None:
    engine.put_weights(SPACE, [words(1, {7: 1.0}), words(2, {7: 1.0})])
    engine.put_weights(SPACE, [words(1, {8: 1.0})])
    engine.drop([hex_id(2)])

    assert engine.search_weights(SPACE, {7: 1.0}, Filter(), 9) == []
    assert engine.ids(SPW) == {hex_id(1)}
    with pytest.raises(InvalidRow):
        engine.put_weights(SPACE, [words(3, {})])
    with pytest.raises(InvalidRow):
        engine.put_weights("no good", [words(3, {7: 1.0})])


def test_collections_of_a_model_are_dropped_and_no_other(engine: Engine) -> None:
    engine.put_lexical([words(1, {7: 1.0})])
    engine.put_dense(SPACE, 2, [vector(1, 1, 0)])
    engine.put_weights(SPACE, [words(1, {7: 1.0})])
    engine.put_dense("otherspace", 2, [vector(1, 0, 1)])
    assert fingerprints(engine.collections()) == {SPACE, "otherspace"}

    for collection in (VEC, SPW, SPW):
        engine.drop_collection(collection)

    assert fingerprints(engine.collections()) == {"otherspace"}
    assert engine.search_dense(SPACE, unit(1, 0), Filter(), 9) == []
    assert engine.search_weights(SPACE, {7: 1.0}, Filter(), 9) == []
    assert [id_ for id_, _ in engine.search_dense("otherspace", unit(0, 1), Filter(), 9)] == [hex_id(1)]
    assert found(engine) == [hex_id(1)]


def test_a_dropped_space_may_come_back_in_another_size(engine: Engine) -> None:
    engine.put_dense(SPACE, 2, [vector(1, 1, 0)])
    engine.drop_collection(VEC)
    engine.put_dense(SPACE, 3, [vector(2, 1, 0, 0)])

    assert [id_ for id_, _ in engine.search_dense(SPACE, unit(1, 0, 0), Filter(), 9)] == [hex_id(2)]


def test_rows_are_read_back_as_they_are_stored(engine: Engine) -> None:
    engine.put_lexical([words(2, {7: 1.0}, project="p", session="s", kind="section", tags=("a", "b"), at_ms=12)])
    engine.put_dense(SPACE, 2, [vector(1, 1, 0, at_ms=11)])

    assert list(engine.rows(LEXICAL)) == [
        Row(id=hex_id(2), at_ms=12, project="p", session="s", kind="section", tags=("a", "b"))
    ]
    assert list(engine.rows(VEC)) == [Row(id=hex_id(1), at_ms=11)]
    assert list(engine.rows("vec_unheard")) == []
    assert engine.collections() == {LEXICAL, VEC}


def test_a_second_lexical_collection_is_filled_beside_the_first(engine: Engine) -> None:
    engine.put_lexical([words(1, {7: 1.0}), words(2, {7: 2.0})])
    engine.put_lexical([words(2, {7: 3.0})], SPARE_LEXICAL)
    assert found(engine) == [hex_id(2), hex_id(1)]
    assert dict(engine.search_lexical({7: 1.0}, Filter(), 9, SPARE_LEXICAL)) == pytest.approx({hex_id(2): 3.0})
    assert (engine.count(LEXICAL), engine.count(SPARE_LEXICAL)) == (2, 1)

    engine.drop_collection(LEXICAL)
    engine.drop_collection(LEXICAL)

    assert found(engine) == []
    assert engine.collections() == {SPARE_LEXICAL}
    engine.drop([hex_id(2)])
    assert engine.count(SPARE_LEXICAL) == 0


def test_a_reset_engine_is_empty_and_works(engine: Engine) -> None:
    engine.put_lexical([words(1, {7: 1.0})])
    engine.put_dense(SPACE, 2, [vector(1, 1, 0)])

    engine.reset()

    assert engine.collections() == set()
    assert found(engine) == []
    engine.put_lexical([words(2, {7: 1.0})])
    engine.put_dense(SPACE, 3, [vector(2, 1, 0, 0)])
    assert (found(engine), engine.count(VEC)) == ([hex_id(2)], 1)


def test_an_engine_that_works_is_only_looked_at(engine: Engine) -> None:
    engine.put_lexical([words(1, {7: 1.0})])
    engine.revive()
    assert found(engine) == [hex_id(1)]


def test_many_rows_are_all_there(engine: Engine) -> None:
    engine.put_lexical([words(n, {7: 1.0, 100 + n: 1.0}) for n in range(1, 1051)])

    assert engine.count(LEXICAL) == 1050
    assert found(engine, term=1150) == [hex_id(1050)]
    assert len(engine.search_lexical({7: 1.0}, Filter(), 100)) == 100


def test_threads_write_and_read_at_once(engine: Engine) -> None:
    failures: list[Exception] = []

    def work(base: int) -> None:
        try:
            for n in range(base, base + 10):
                engine.put_lexical([words(n, {7: 1.0})])
                engine.search_lexical({7: 1.0}, Filter(), 10)
        except Exception as error:  # noqa: BLE001 - whatever happens in a thread is shown below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(base,)) for base in (100, 200, 300, 400)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert engine.count(LEXICAL) == 40


def test_a_closed_engine_says_so(engine: Engine) -> None:
    engine.close()
    engine.close()

    with pytest.raises(EngineUnavailable):
        engine.search_lexical({7: 1.0}, Filter(), 10)
