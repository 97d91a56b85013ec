"""The entries of the last day, kept a second time beside the index.

An editor that held a day file open can save its older copy over entries written since. Each entry of the last 24
hours therefore also stands in ``recent.ndjson``; one that is missing from its file afterwards is appended again,
once. An entry that goes missing a second time was taken out on purpose.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import takewhile
from pathlib import Path

import orjson

from episodic.journal.dayfile import FILE_MODE, Stamp, stamp_of
from memoryd.text.durable import write_file

KEPT_FOR = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class RecentEntry:
    """A section as it was appended to ``path`` (relative to ``memory/``) at ``written_at``."""

    id: str
    path: str
    section: str
    written_at: datetime
    was_restored: bool = False


class RecentEntries:
    """The file of recent entries. All methods may be called from any thread."""

    def __init__(self, path: Path, *, clock: Callable[[], datetime]) -> None:
        self._path = path
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: dict[str, RecentEntry] = {}
        self._left: Stamp | None = None

    def load(self) -> None:
        """Read the file; lines that cannot be read are passed over, since the journal is the truth."""
        entries: dict[str, RecentEntry] = {}
        if self._path.is_symlink():
            self._path.unlink()  # the file is ours alone, and a link would have it written elsewhere
        try:
            lines = self._path.read_bytes().splitlines()
            self._left = stamp_of(self._path.stat())
        except (FileNotFoundError, IsADirectoryError):
            lines = []
        for line in lines:
            try:
                data = orjson.loads(line)
                entry = RecentEntry(
                    str(data["id"]),
                    str(data["path"]),
                    str(data["section"]),
                    datetime.fromisoformat(data["written_at"]),
                    bool(data.get("was_restored", False)),
                )
            except (ValueError, KeyError, TypeError):
                continue
            entries[entry.id] = entry
        with self._lock:
            self._entries = entries
            if self._drop_old():
                self._save()

    def add(self, id: str, path: str, section: str) -> None:  # noqa: A002 - the word of the domain
        """Keep an entry that was just appended."""
        entry = RecentEntry(id, path, section, self._clock())
        with self._lock:
            self._entries[id] = entry
            if self._drop_old() or not self._is_as_left():
                self._save()
            else:
                self._add_line(entry)

    def of(self, path: str) -> list[RecentEntry]:
        """Return the recent entries of a day file that were not restored before, oldest first."""
        since = self._clock() - KEPT_FOR
        with self._lock:
            entries = [entry for entry in self._entries.values() if entry.path == path and not entry.was_restored]
        return [entry for entry in entries if entry.written_at >= since]

    def mark_restored(self, id: str) -> None:  # noqa: A002 - the word of the domain
        """Remember that an entry was appended again."""
        with self._lock:
            if (entry := self._entries.get(id)) is not None:
                self._entries[id] = replace(entry, was_restored=True)
                self._save()

    def holds(self, ids: Iterable[str]) -> bool:
        """Tell whether one of these entries is kept."""
        with self._lock:
            return any(id_ in self._entries for id_ in ids)

    def remove(self, ids: Iterable[str]) -> None:
        """Forget entries; their text is gone from the file when this returns, whatever the file holds.

        Raises:
            OSError: The file can be neither written nor removed.
        """
        with self._lock:
            for id_ in ids:
                self._entries.pop(id_, None)
            try:
                self._save()
            except OSError:
                # A guard less is better than a text that should be gone.
                for path in (self._path, self._temporary):
                    path.unlink(missing_ok=True)

    def _drop_old(self) -> bool:
        since = self._clock() - KEPT_FOR
        # Entries stand in the order in which they were written, so only the first ones can be old.
        old = [id_ for id_, _ in takewhile(lambda item: item[1].written_at < since, self._entries.items())]
        for id_ in old:
            del self._entries[id_]
        return bool(old)

    def _add_line(self, entry: RecentEntry) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(self._path, flags, FILE_MODE)
        try:
            os.write(descriptor, _line(entry))
            self._left = stamp_of(os.fstat(descriptor))
        finally:
            os.close(descriptor)

    def _save(self) -> None:
        self._temporary.unlink(missing_ok=True)  # a link of this name would have it written elsewhere
        write_file(self._temporary, b"".join(map(_line, self._entries.values())))
        if self._path.is_dir():
            self._path.rmdir()
        self._temporary.replace(self._path)
        self._left = stamp_of(self._path.stat())

    def _is_as_left(self) -> bool:
        """Tell whether nobody removed, cut off or changed the file; what it lacks is written again."""
        try:
            return stamp_of(self._path.lstat()) == self._left
        except OSError:
            return not self._entries

    @property
    def _temporary(self) -> Path:
        return self._path.with_suffix(".tmp")


def _line(entry: RecentEntry) -> bytes:
    data = {
        "id": entry.id,
        "path": entry.path,
        "section": entry.section,
        "written_at": entry.written_at.isoformat(),
        "was_restored": entry.was_restored,
    }
    return orjson.dumps(data) + b"\n"
