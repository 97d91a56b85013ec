"""Merging two memory folders is commutative, associative and idempotent, and keeps every file that anybody wrote."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.jobs.trees import is_synced, marks_of, merge_trees

PATHS = [
    "vault/a.md",
    "vault/b/c.md",
    "vault/no-suffix",
    "transcripts/s/1.md",
    ".primary",
    "attention/aaaaaaaaaaaa.ndjson",
]
contents = st.sampled_from([b"", b"one\n", b"two\n", b"three words here\n", "日記\n".encode(), b"\xff\xfe"])
trees = st.dictionaries(st.sampled_from(PATHS), contents, max_size=5)
kept = st.dictionaries(st.sampled_from(PATHS[:4]), contents, max_size=4)


@settings(max_examples=80, deadline=None)
@given(trees, trees, trees)
def test_a_join(one: dict[str, bytes], other: dict[str, bytes], third: dict[str, bytes]) -> None:
    both = merge_trees(one, other).files
    assert merge_trees(other, one).files == both
    assert merge_trees(both, both).files == both
    assert merge_trees(both, one).files == both
    assert merge_trees(both, third).files == merge_trees(one, merge_trees(other, third).files).files
    for tree in (one, other):
        assert {data for path, data in tree.items() if path in PATHS[:4]} <= set(both.values())


@settings(max_examples=80, deadline=None)
@given(kept, kept, kept)
def test_with_a_base(base: dict[str, bytes], one: dict[str, bytes], other: dict[str, bytes]) -> None:
    marks = marks_of(base)
    both = merge_trees(one, other, marks).files
    assert merge_trees(other, one, marks).files == both
    assert merge_trees(one, base, marks).files == one
    fresh = {data for tree in (one, other) for path, data in tree.items() if base.get(path) != data}
    assert fresh <= set(both.values())


def test_what_is_shared() -> None:
    shared = [
        "journal/2026-11-30.md",
        "log/user/aaaaaaaaaaaa.ndjson",
        "log/projects/x-1/a.ndjson",
        ".primary",
        "vault/a.md",
    ]
    own = ["log/set-aside/user.a.1.ndjson", "log/user/.a.ndjson.tmp", "journal/.x.memoryd-tmp", ".git/config", "log/x"]
    assert all(map(is_synced, shared))
    assert not any(map(is_synced, own))
