"""A model that is in use, and the note of which one serves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import structlog

from memoryd.embedding.lazy import LazyEmbedder
from memoryd.errors import MemorydError
from memoryd.jobs.embed import EmbedQueue
from memoryd.paths import write_private

log = structlog.get_logger("memoryd.models")


@dataclass(frozen=True, slots=True)
class Slot:
    """A model with the queue that gives each piece its vector."""

    name: str
    embedder: LazyEmbedder
    queue: EmbedQueue

    def end(self) -> None:
        """Stop giving vectors and give the memory back."""
        self.queue.stop()
        self.embedder.close()


class ServingMemo:
    """Remembers over restarts which model serves. The file may be deleted with all other state."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def read(self) -> str | None:
        """Return the name that was noted last, None where there is none."""
        try:
            memo: Mapping[str, object] = json.loads(self._file.read_bytes())
            name = memo["serving"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return name if isinstance(name, str) else None

    def write(self, name: str) -> None:
        """Note a name. Without the note the next start serves the chosen model at once, with what it has so far."""
        if self.read() == name:
            return
        try:
            write_private(self._file, json.dumps({"serving": name}).encode())
        except MemorydError as error:
            log.warning("serving_model_not_noted", reason=str(error))
