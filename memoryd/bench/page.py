"""A page whose tables are made and whose prose is kept by hand: neither overwrites the other.

A made block stands between two comments that name it. Writing replaces what is between them and nothing else; a block
that the page does not have yet goes to its end; one that was not made this time stays as it is.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from memoryd.bench.errors import BenchDataError

NAME = re.compile(r"[a-z0-9][a-z0-9.-]*")
HEAD = "# Benchmarks\n"
_OPEN = re.compile(r"^<!-- bench: (\S+)[^\n]*-->$", re.MULTILINE)
_CLOSE = "<!-- /bench: {name} -->"
_ANY = re.compile(r"^<!-- /?bench: [^\n]*-->$", re.MULTILINE)


def with_blocks(text: str, blocks: Mapping[str, str]) -> str:
    """Return a page with its made blocks replaced or added.

    Args:
        text: The page as it is.
        blocks: Markdown by name.

    Raises:
        BenchDataError: A mark on the page has no other end, stands twice or inside another; nothing may be replaced
            then.
    """
    spans = _spans(text)
    for name, block in blocks.items():
        if NAME.fullmatch(name) is None:
            raise BenchDataError(f"{name!r} cannot name a block: use small letters, digits, points and hyphens")
        if _ANY.search(block):
            raise BenchDataError(f"the block {name} holds a mark of a block itself")
    made = text
    for name in sorted(spans.keys() & blocks.keys(), key=lambda one: -spans[one][0]):
        start, end = spans[name]
        made = made[:start] + _marked(name, blocks[name]) + made[end:]
    for name, block in blocks.items():
        if name not in spans:
            made = f"{made.rstrip()}\n\n{_marked(name, block)}\n" if made.strip() else f"{_marked(name, block)}\n"
    return made


def write_blocks(path: Path, blocks: Mapping[str, str]) -> None:
    """Put blocks into a page, which need not exist, at one stroke.

    Raises:
        BenchDataError: The page's marks are damaged, or it cannot be written.
    """
    try:
        text = path.read_text("utf-8") if path.exists() else HEAD
        made = with_blocks(text, blocks)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as out:
                out.write(made)
            mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
            Path(name).chmod(mode)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise BenchDataError(f"{path} cannot be written: {error}") from error


def _marked(name: str, block: str) -> str:
    opening = f"<!-- bench: {name} (made by memoryd bench: what is changed up to the closing mark is lost) -->"
    return f"{opening}\n\n{block.strip()}\n\n{_CLOSE.format(name=name)}"


def _spans(text: str) -> dict[str, tuple[int, int]]:
    spans: dict[str, tuple[int, int]] = {}
    open_name, start = None, 0
    for mark in _ANY.finditer(text):
        line = text.count("\n", 0, mark.start()) + 1
        opening = _OPEN.fullmatch(mark.group())
        if opening is not None:
            if open_name is not None:
                raise BenchDataError(f"line {line} of the page opens a block inside {open_name}: close that one first")
            open_name, start = opening.group(1), mark.start()
            if open_name in spans:
                raise BenchDataError(f"line {line} of the page opens the block {open_name} a second time")
        elif open_name is None or mark.group() != _CLOSE.format(name=open_name):
            raise BenchDataError(f"line {line} of the page closes a block that is not open: {mark.group()}")
        else:
            spans[open_name] = (start, mark.end())
            open_name = None
    if open_name is not None:
        raise BenchDataError(f"the block {open_name} of the page is never closed")
    return spans
