"""Whether git has a file as it lies there, told from the repository's index: git is not run.

An entry of the index holds the hash of the file's bytes, the length of its path and the path. In version 4 of the
format the path is cut short by what it has in common with the one before.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

_MAX_BYTES = 256 * 2**20


def holds_file(git: Path, name: str, content: bytes) -> bool:
    """Tell whether the index below a git directory holds this file, at the top of the tree, with these bytes.

    Line ends that git changes on the way are allowed for. What cannot be read holds nothing.
    """
    try:
        index = git / "index"
        if index.stat().st_size > _MAX_BYTES:
            return False
        data = index.read_bytes()
    except OSError:
        return False
    if data[:4] != b"DIRC":
        return False
    hashes = _hashes(content) | _hashes(content.replace(b"\r\n", b"\n"))
    return any(_stands_before(data, place, hashes) for place in _places(data, name.encode()))


def _places(data: bytes, name: bytes) -> list[int]:
    """Return where the flags of entries begin whose path is as long as the name and ends as it does."""
    length = bytes([len(name)])
    plain = re.compile(b"[\x00\x80]" + re.escape(length + name) + b"\x00")
    tails = b"|".join(re.escape(name[cut:]) for cut in range(len(name)))
    cut_short = re.compile(b"[\x00\x80]" + re.escape(length) + b"[\x00-\xff]{1,3}?(?:" + tails + b")\x00")
    pattern = cut_short if data[7:8] == b"\x04" else plain
    return [found.start() for found in pattern.finditer(data)]


def _stands_before(data: bytes, place: int, hashes: set[bytes]) -> bool:
    return any(data[place - len(one) : place] == one for one in hashes)


def _hashes(content: bytes) -> set[bytes]:
    blob = b"blob %d\x00" % len(content) + content
    # SHA-1 is what git names files by; nothing here rests on its strength.
    return {hashlib.sha1(blob, usedforsecurity=False).digest(), hashlib.sha256(blob).digest()}
