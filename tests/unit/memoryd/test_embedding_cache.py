"""The cache of vectors: what is kept, what goes, and what happens to a damaged file."""

from __future__ import annotations

import sqlite3
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memoryd.embedding.cache import VectorCache, as_stored, weights_as_stored
from memoryd.text.embedder import Vectors

F, G = "f" * 16, "0" * 16


def unit(count: int, seed: int = 0, dimension: int = 24) -> Vectors:
    vectors = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


@pytest.fixture(autouse=True)
def all_closed_afterwards(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Later Pythons warn of a database that nobody closed."""
    made: list[VectorCache] = []
    make = VectorCache.__init__

    def recorded(self: VectorCache, path: Path, *, max_rows: int = 200_000) -> None:
        made.append(self)
        make(self, path, max_rows=max_rows)

    monkeypatch.setattr(VectorCache, "__init__", recorded)
    yield
    for cache in made:
        cache.close()


@pytest.fixture
def cache(tmp_path: Path) -> VectorCache:
    return VectorCache(tmp_path / "vectors.sqlite")


def test_finds_by_exact_text_and_fingerprint(cache: VectorCache) -> None:
    (vector,) = unit(1)
    cache.put_many(F, {"a text": vector})
    assert set(cache.get_many(F, ["a text", "a text "])) == {"a text"}
    assert cache.get_many(G, ["a text"]) == {}
    assert cache.get_many(F, []) == {}
    assert cache.problem is None


def test_what_comes_back_is_what_as_stored_says(cache: VectorCache) -> None:
    vectors = unit(5)
    cache.put_many(F, dict(zip("abcde", vectors, strict=True)))
    found = cache.get_many(F, list("abcde"))
    rounded = as_stored(vectors)
    np.testing.assert_array_equal(np.stack([found[it] for it in "abcde"]), rounded)
    np.testing.assert_allclose(np.linalg.norm(rounded, axis=1), 1, atol=1e-6)
    assert ((vectors * rounded).sum(1) > 0.999999).all()
    # Rounding what was rounded changes nothing: cached and fresh stay the same however often they pass.
    np.testing.assert_array_equal(as_stored(rounded).astype(np.float16), rounded.astype(np.float16))


def test_survives_closing(tmp_path: Path) -> None:
    first = VectorCache(tmp_path / "v.sqlite")
    first.put_many(F, {"x": unit(1)[0]})
    first.close()
    assert set(VectorCache(tmp_path / "v.sqlite").get_many(F, ["x"])) == {"x"}


def test_a_call_after_close_opens_again(cache: VectorCache) -> None:
    cache.close()
    cache.put_many(F, {"x": unit(1)[0]})
    assert len(cache) == 1


def test_more_texts_than_one_question_can_hold(cache: VectorCache) -> None:
    texts = [str(number) for number in range(1234)]
    cache.put_many(F, dict(zip(texts, unit(1234), strict=True)))
    assert len(cache.get_many(F, texts)) == 1234


def test_the_longest_unused_go_first(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "v.sqlite", max_rows=20)
    for number in range(20):
        cache.put_many(F, {str(number): unit(1)[0]})
    cache.get_many(F, ["0"])
    cache.put_many(F, {"new": unit(1)[0]})
    kept = cache.get_many(F, [*map(str, range(20)), "new"])
    assert {"0", "new", "19"} <= set(kept)
    assert "1" not in kept
    assert len(cache) <= 20


def test_the_order_of_use_survives_closing(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "v.sqlite", max_rows=10)
    for number in range(10):
        cache.put_many(F, {str(number): unit(1)[0]})
    cache.close()
    again = VectorCache(tmp_path / "v.sqlite", max_rows=10)
    again.put_many(F, {"new": unit(1)[0]})
    kept = again.get_many(F, ["0", "9", "new"])
    assert set(kept) == {"9", "new"}


def test_writing_again_replaces(cache: VectorCache) -> None:
    first, second = unit(2)
    cache.put_many(F, {"x": first})
    cache.put_many(F, {"x": second})
    np.testing.assert_array_equal(cache.get_many(F, ["x"])["x"], as_stored(second[None])[0])
    assert len(cache) == 1


def test_a_forgotten_text_is_gone_under_every_fingerprint(cache: VectorCache, tmp_path: Path) -> None:
    for fingerprint in (F, G):
        cache.put_many(fingerprint, {"x": unit(1)[0], "y": unit(1)[0]})
    cache.forget(["x"])
    assert [set(cache.get_many(it, ["x", "y"])) for it in (F, G)] == [{"y"}, {"y"}]


def test_a_lone_surrogate_is_a_text_like_another(cache: VectorCache) -> None:
    cache.put_many(F, {"a\ud800": unit(1)[0]})
    assert set(cache.get_many(F, ["a\ud800", "a\ufffd"])) == {"a\ud800"}


@pytest.mark.parametrize("content", [b"no database at all, just text" * 50, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_set_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "v.sqlite"
    path.write_bytes(content)
    cache = VectorCache(path)
    cache.put_many(F, {"x": unit(1)[0]})
    assert set(cache.get_many(F, ["x"])) == {"x"}
    assert (tmp_path / "v.sqlite.broken").read_bytes() == content
    assert cache.problem is None


def test_damage_under_way_is_survived(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    cache = VectorCache(path)
    cache.put_many(F, {str(number): vector for number, vector in enumerate(unit(400))})
    cache.close()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xee" * (size - 4096))
    again = VectorCache(path)
    again.get_many(F, [str(number) for number in range(400)])
    again.put_many(F, {"x": unit(1)[0]})
    assert set(again.get_many(F, ["x"])) == {"x"}


def test_a_file_of_another_version_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.execute("CREATE TABLE vectors (other TEXT)")
    database.commit()
    database.close()
    cache = VectorCache(path)
    cache.put_many(F, {"x": unit(1)[0]})
    assert len(cache) == 1
    assert (tmp_path / "v.sqlite.broken").exists()


def test_a_place_that_cannot_be_used_is_named_and_not_fatal(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where a folder should be")
    cache = VectorCache(tmp_path / "state" / "v.sqlite")
    cache.put_many(F, {"x": unit(1)[0]})
    assert cache.get_many(F, ["x"]) == {}
    assert cache.problem is not None
    assert "v.sqlite" in cache.problem


def test_a_full_disk_is_named_and_passes(cache: VectorCache) -> None:
    cache.put_many(F, {"x": unit(1)[0]})
    assert cache._database is not None
    pages = cache._database.execute("PRAGMA page_count").fetchone()[0]
    cache._database.execute(f"PRAGMA max_page_count = {pages}")
    cache.put_many(F, {str(number): vector for number, vector in enumerate(unit(900))})
    assert cache.problem is not None
    assert "full" in cache.problem
    assert set(cache.get_many(F, ["x"])) == {"x"}
    assert cache.problem is None


def test_the_file_is_private(tmp_path: Path) -> None:
    VectorCache(tmp_path / "v.sqlite").put_many(F, {"x": unit(1)[0]})
    assert {stat.S_IMODE(it.stat().st_mode) for it in tmp_path.iterdir()} == {0o600}


def test_threads_share_it(cache: VectorCache) -> None:
    def work(part: int) -> None:
        for number in range(30):
            cache.put_many(F, {f"{part}-{number}": unit(1)[0]})
            assert cache.get_many(F, [f"{part}-{number}"])

    threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cache) == 120


def test_token_weights_are_kept_rounded_beside_the_vectors(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "v.sqlite")
    weights = {"one": {5: 0.123456, 4_294_967_294: 2.5, 9: 1e-12}, "none": {}}
    cache.put_weights(F, weights)
    cache.close()

    found = VectorCache(tmp_path / "v.sqlite").get_weights(F, ["one", "none", "unknown"])

    assert found == {"one": weights_as_stored(weights["one"]), "none": {}}
    assert found["one"] == pytest.approx({5: 0.123456, 4_294_967_294: 2.5}, rel=1e-3)
    assert VectorCache(tmp_path / "v.sqlite").get_weights(G, ["one"]) == {}


def test_forgotten_texts_leave_no_weights(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "v.sqlite")
    cache.put_weights(F, {"one": {1: 1.0}, "two": {2: 1.0}})
    cache.forget(["one"])
    assert set(cache.get_weights(F, ["one", "two"])) == {"two"}


def test_weights_go_with_their_vectors(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "v.sqlite", max_rows=4)
    for number in range(8):
        cache.put_many(F, {str(number): unit(1)[0]})
        cache.put_weights(F, {str(number): {1: 1.0}})
    names = [str(number) for number in range(8)]
    kept = set(cache.get_many(F, names))
    assert 0 < len(kept) <= 5
    # Those of the last text may have come after the last that went.
    assert set(cache.get_weights(F, names)) == kept
