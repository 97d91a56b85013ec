"""Two copies of a memory folder, made one: the rules for every kind of file in it, and nothing that touches a disk.

A tree is a mapping of paths below ``memory/`` to bytes. Shards of the log and attention records are united; days are
merged entry by entry; of anything else that both sides changed both are kept, one beside the other. What a forget
event on either side names is in no result. Merging is commutative, associative and idempotent.

``base`` is what the two had in common after they were last merged, as marks. It is what tells a file or an entry that
was removed on one side from one that is new on the other; without it nothing is taken as removed. Shards, attention
records and days are never removed for being absent, and of the rest nothing where a side misses more than half of it:
that looks like a folder that is not whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath

from episodic.errors import Unmergeable
from episodic.journal.merge import day_marks, merge_day, origin_of
from episodic.journal.primary import NAME as PRIMARY
from episodic.journal.primary import day_of
from memoryd.text.canonical import sha256_hex
from memoryd.text.report import Problem
from semantic.attention.merge import merge_records
from semantic.log.merge import merge_shards, without_bodies
from semantic.log.reach import reach_in

Tree = Mapping[str, bytes]
Marks = Mapping[str, tuple[str, ...]]
"""Path to the marks of a file: ``file <sha256>``, and those of a day's sections."""

FEW = 4
"""So few files of a folder may all be removed at once."""

_SHARD = re.compile(r"log/(?:user|projects/[^/]+)/[^/]+\.ndjson")
_RECORD = re.compile(r"attention/[^/]+\.ndjson")
_BESIDE = re.compile(r"(.*)\.conflict-[0-9a-f]{12}(\.[^./]*)?")
_EXCERPT_ID = re.compile(rb"\A## [^\n]*\n<!-- memoryd: id=(\S+) ")
_CLAIM = re.compile(rb"[0-9A-Za-z_-]+")


@dataclass(frozen=True, slots=True)
class MergedTree:
    """The files of the merged folder, and, in words, what both sides had changed."""

    files: Tree
    conflicts: tuple[Problem, ...] = ()


def is_synced(path: str) -> bool:
    """Tell whether a file below ``memory/`` is a part of what is shared: no hidden file, and nothing set aside."""
    if path == PRIMARY:
        return True
    if any(part.startswith(".") for part in path.split("/")):
        return False
    return not path.startswith("log/") or _SHARD.fullmatch(path) is not None


def marks_of(files: Tree) -> dict[str, tuple[str, ...]]:
    """Return what a later merge needs to know of these files."""
    found: dict[str, tuple[str, ...]] = {}
    for path, data in files.items():
        marks = [f"file {sha256_hex(data)}"]
        day = _day(path)
        if day is not None:
            try:
                marks += day_marks(data, file=path, day=day)
            except Unmergeable:
                marks = marks[:1]
        found[path] = tuple(marks)
    return found


def merge_trees(one: Tree, other: Tree, base: Marks | None = None) -> MergedTree:
    """Return the two trees made one."""
    base = base or {}
    files: dict[str, bytes] = {}
    problems: list[Problem] = []
    everywhere = sorted(one.keys() | other.keys())
    shards = {path: _united(one, other, path) for path in everywhere if _SHARD.fullmatch(path)}
    reach = reach_in(shards.values())
    forgotten = reach.everywhere
    for path, data in shards.items():
        files[path] = without_bodies(data, reach.covers)[0]
    swept = _swept(one, base) | _swept(other, base)
    for path in everywhere:
        if path in shards:
            continue
        if _RECORD.fullmatch(path):
            files[path] = merge_records(one.get(path, b""), other.get(path, b""))
        elif path == PRIMARY:
            files[path] = _claimed(one.get(path, b""), other.get(path, b""))
        elif _day(path) is not None:
            _put_day(files, problems, path, one, other, base, forgotten)
        else:
            _put_file(files, problems, path, one, other, base, keeps=path.split("/")[0] in swept)
    return MergedTree(
        {path: data for path, data in files.items() if not _is_forgotten_excerpt(path, data, forgotten)},
        tuple(problems),
    )


def _united(one: Tree, other: Tree, path: str) -> bytes:
    return merge_shards(one.get(path, b""), other.get(path, b""))


def _claimed(one: bytes, other: bytes) -> bytes:
    claims = {*_CLAIM.findall(one), *_CLAIM.findall(other)}
    return min(claims) + b"\n" if claims else b""


def _put_day(
    files: dict[str, bytes],
    problems: list[Problem],
    path: str,
    one: Tree,
    other: Tree,
    base: Marks,
    forgotten: Collection[str],
) -> None:
    day = _day(path)
    assert day is not None
    ours, theirs = one.get(path), other.get(path)
    # A day that one side lacks says nothing: days are never removed for being absent.
    left, right = (data if data is not None else (ours or theirs or b"") for data in (ours, theirs))
    marks = [mark for mark in base.get(path, ()) if not mark.startswith("file ")]
    if left == right and not _holds(left, forgotten):
        _put(files, path, left)
        return
    try:
        merged = merge_day(left, right, file=path, day=day, base=marks, forgotten=forgotten)
    except Unmergeable as error:
        _put(files, path, left)
        _put(files, path, right)
        if left != right:
            problems.append(Problem(path, f"{error}; both copies are kept, one beside the other"))
        return
    _put(files, path, merged.data)
    problems += [Problem(path, f"{id_} was changed on both sides; both texts are kept") for id_ in merged.conflicts]


def _put_file(
    files: dict[str, bytes],
    problems: list[Problem],
    path: str,
    one: Tree,
    other: Tree,
    base: Marks,
    *,
    keeps: bool,
) -> None:
    was = base.get(path)
    sides = [tree.get(path) for tree in (one, other)]
    fresh = {data for data in sides if data is not None and (was is None or f"file {sha256_hex(data)}" not in was)}
    if not fresh:
        if None in sides and not keeps:
            return  # one side removed it, the other left it as it was
        fresh = {data for data in sides if data is not None}
    for data in sorted(fresh, key=_weight):
        _put(files, path, data)
    if len(fresh) > 1:
        problems.append(Problem(path, "it was changed on both sides; both are kept, one beside the other"))


def _put(files: dict[str, bytes], path: str, data: bytes) -> None:
    """Keep a file under its path; of two the larger one stays there, the other gets a name made of its bytes."""
    held = files.get(path)
    if held is None or held == data:
        files[path] = data
        return
    smaller, larger = sorted((held, data), key=_weight)
    files[path] = larger
    # A name made of the bytes has one content only; where a person changed such a file, it counts as any other.
    _put(files, _beside(path, smaller), smaller)


def _beside(path: str, data: bytes) -> str:
    name = PurePosixPath(path)
    found = _BESIDE.fullmatch(name.name)
    stem, suffix = (found[1], found[2] or "") if found else (name.stem, name.suffix)
    return str(name.with_name(f"{stem}.conflict-{sha256_hex(data)[:12]}{suffix}"))


def _weight(data: bytes) -> tuple[int, bytes]:
    return (len(data), data)


def _swept(tree: Tree, base: Marks) -> set[str]:
    """Return the top folders of which a tree misses more than half."""
    known: dict[str, list[str]] = {}
    for path in base:
        known.setdefault(path.split("/")[0], []).append(path)
    return {
        root
        for root, paths in known.items()
        if len(paths) > FEW and 2 * sum(path not in tree for path in paths) > len(paths)
    }


def _is_forgotten_excerpt(path: str, data: bytes, forgotten: Collection[str]) -> bool:
    if not path.startswith("transcripts/"):
        return False
    found = _EXCERPT_ID.match(data)
    return found is not None and origin_of(found[1].decode("utf-8", "replace")) in forgotten


def _holds(data: bytes, ids: Iterable[str]) -> bool:
    return any(id_.encode() in data for id_ in ids)


def _day(path: str) -> date | None:
    return day_of(path.removeprefix("journal/")) if path.startswith("journal/") and path.count("/") == 1 else None
