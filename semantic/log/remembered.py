"""Where each shard ended when it was last seen, kept beside the index so that a file that vanished is missed.

It is a memory aid and no truth: without it nothing is wrong, and a shard that is not there is simply not known.
One small file a shard, written without waiting for the disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from semantic.log import ndjson
from semantic.log.shard import Shard, ShardKey

_FORM = re.compile(r"(\d{1,15}) ([0-9a-f]{64})\n")


@dataclass(frozen=True, slots=True)
class End:
    """The seq and the hash of a shard's last line."""

    seq: int
    tip: str


class Remembered:
    """The ends of shards below a folder of the state; without a folder nothing is remembered."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._ends: dict[ShardKey, End] = {}

    def load(self) -> None:
        """Read what was noted; what cannot be read is passed over."""
        self._ends.clear()
        if self._folder is None:
            return
        for path in [*self._folder.glob("user/*"), *self._folder.glob("projects/*/*")]:
            with suppress(OSError, UnicodeDecodeError):
                found = _FORM.fullmatch(path.read_text("ascii"))
                if found is not None:
                    project = None if path.parent.parent == self._folder else path.parent.name
                    self._ends[ShardKey(project, path.name)] = End(int(found[1]), found[2])

    def note(self, shard: Shard) -> None:
        """Remember where a shard ends, unless it ended further on before."""
        known = self._ends.get(shard.key)
        if shard.tip is None or (known is not None and known.seq >= shard.seq):
            return
        end = self._ends[shard.key] = End(shard.seq, shard.tip)
        if self._folder is None:
            return
        parent = self._folder / "user" if shard.key.project is None else self._folder / "projects" / shard.key.project
        # A state that cannot be written costs the warning of a later start and nothing else.
        with suppress(OSError):
            ndjson.make_folder(parent)
            (parent / shard.key.install).write_text(f"{end.seq} {end.tip}\n", "ascii")

    def end(self, key: ShardKey) -> End | None:
        """Return where a shard was last seen to end."""
        return self._ends.get(key)

    def __iter__(self) -> Iterator[tuple[ShardKey, End]]:
        return iter(sorted(self._ends.items(), key=lambda pair: pair[0].shown))
