from __future__ import annotations

from itertools import permutations
from pathlib import Path

from semantic.log.event import purged_line
from semantic.log.merge import merge_shards
from semantic.testing import open_store
from semantic.writing.recording import NewDecision


def lines(tmp_path: Path) -> list[bytes]:
    store = open_store(tmp_path)
    for number in range(4):
        store.decide(NewDecision(f"t{number}", "w"))
    return (tmp_path / "log/user/aaaaaaaaaaaa.ndjson").read_bytes().splitlines(keepends=True)


def test_a_longer_copy_holds_the_shorter(tmp_path: Path) -> None:
    one = lines(tmp_path)
    assert merge_shards(b"".join(one[:2]), b"".join(one)) == b"".join(one)
    assert merge_shards(b"".join(one[:1] + one[2:]), b"".join(one[:2])) == b"".join(one)


def test_the_purged_copy_of_a_line_stays(tmp_path: Path) -> None:
    one = lines(tmp_path)
    purged = purged_line(one[1].rstrip(b"\n")) + b"\n"
    assert merge_shards(b"".join(one), purged) == b"".join([one[0], purged, *one[2:]])


def test_merging_is_commutative_associative_and_idempotent(tmp_path: Path) -> None:
    one = lines(tmp_path)
    reformatted = one[0].replace(b",", b", ", 1)
    copies = [
        b"".join(one[:3]),
        purged_line(one[1].rstrip(b"\n")) + b"\n" + b"damage\n",
        reformatted + one[3] + one[3][:20],
    ]
    results = {merge_shards(merge_shards(a, b), c) for a, b, c in permutations(copies)}
    results |= {merge_shards(a, merge_shards(b, c)) for a, b, c in permutations(copies)}
    (result,) = results
    assert merge_shards(result, result) == result
    assert b"damage\n" in result
    assert one[0] in result
    assert not result.endswith(one[3][:20])
