"""Taking in what was written elsewhere: files of another copy of the home, and what other programs knew."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from semantic.attention.merge import merge_records
from semantic.attention.record import Attention
from semantic.errors import WriteFailed
from semantic.log import ndjson
from semantic.log.merge import merge_shards
from semantic.projection.ledger import Ledger
from semantic.writing.offer import Offer, offers


class Taking:
    """Writes merged files while nothing else of this daemon writes them. May be called from any thread."""

    def __init__(self, memory: Path, ledger: Ledger, attention: Attention) -> None:
        self._memory = memory
        self._ledger = ledger
        self._attention = attention

    def take(self, files: Mapping[str, bytes]) -> list[str]:
        """Bring files (path below ``memory/`` to bytes) together with those that are here; return those that changed.

        What was written here since the bytes were merged stays. What was forgotten is purged once more.

        Raises:
            WriteFailed: A file could not be written; those done before stay done.
            ValueError: A path is neither of the log nor of the attention record.
        """
        with self._ledger.writing, self._attention.writing:
            changed = [path for path, data in sorted(files.items()) if self._bring(path, data)]
            self._ledger.refresh()
            self._attention.refresh()
        return changed

    def sessions_of(self, actor: str) -> frozenset[str]:
        """Return the sessions in whose name an actor recorded anything, also what was forgotten since.

        Whoever takes things in under a name for each can tell by it that one was here before.
        """
        return self._ledger.sessions_of(actor)

    def offers(self) -> list[Offer]:
        """Return the lines of the log that were changed by hand and are not recorded yet."""
        return offers(self._memory, self._ledger.projection())

    def _bring(self, path: str, data: bytes) -> bool:
        root, _, rest = path.partition("/")
        if root not in {"log", "attention"} or ".." in rest.split("/"):
            raise ValueError(f"{path} is no file of the log or the attention record")
        place = self._memory / path
        try:
            old = place.read_bytes() if place.exists() else b""
            ndjson.make_folder(place.parent)
        except OSError as error:
            raise WriteFailed(f"{place} cannot be used ({error.strerror}); it is as it was") from error
        new = merge_shards(old, data) if root == "log" else merge_records(old, data)
        if new == old:
            return False
        ndjson.replace(place, new)
        return True
