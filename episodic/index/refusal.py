"""Ids that were forgotten and are not taken back."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable

from episodic.errors import ManifestDamaged
from episodic.index.manifest import Manifest
from episodic.journal.identity import key_digest, key_id, random_part, random_part_of


class Refusals:
    """The refused ids: those that the decision log names, and those forgotten here since.

    The log is the truth; what is kept in the manifest only bridges the time until the log is read.
    """

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest
        self._lock = threading.Lock()
        self._ids: frozenset[str] = frozenset()
        self._parts: frozenset[str] = frozenset()

    def load(self) -> None:
        """Read the ids that were forgotten here, and keep those that were added before the manifest was open."""
        ids: list[str] = []
        # A manifest that is found damaged here is made anew, and the ids are read from the log.
        with contextlib.suppress(ManifestDamaged), self._manifest.reading() as connection:
            ids = [row[0] for row in connection.execute("SELECT id FROM refused")]
        self.add([*self._ids, *ids])

    def add(self, ids: Iterable[str]) -> None:
        """Refuse more ids, also after a restart."""
        new = list(ids)
        self._hold(new)
        if self._manifest.is_open:
            with self._manifest.writing() as connection:
                connection.executemany("INSERT OR IGNORE INTO refused VALUES (?)", [(id_,) for id_ in new])

    def __contains__(self, id: str) -> bool:  # noqa: A002 - the word of the domain
        return id in self._ids

    def refuses_turn(self, *, session: str | None, turn: str | None, key: str | None) -> bool:
        """Tell whether an entry of this turn or key was forgotten, whatever time it bore."""
        part = random_part(session=session, turn=turn, key=key)
        if key is not None and key_id(key_digest(key)) in self._ids:
            return True
        return part is not None and part in self._parts

    def _hold(self, ids: Iterable[str]) -> None:
        with self._lock:
            self._ids = self._ids | frozenset(ids)
            self._parts = frozenset(part for id_ in self._ids if (part := random_part_of(id_)) is not None)
