"""A recorded session that is to be told again: what was asked in it, and the lines and tools that followed each time.

What a file holds is read here plainly, and not by the reader of the product: who counts turns must not ask whom it
counts for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memoryd.capture.noise import read_said

WRITERS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
DECIDE = "__decide"
"""The end of our tool's name, whatever the server is called."""
_PROSE = (".md", ".txt", ".rst", ".adoc", ".org")


@dataclass(frozen=True, slots=True)
class Use:
    """A tool that was used, and whether it failed."""

    id: str
    name: str
    values: Mapping[str, Any]
    is_failed: bool = False

    @property
    def changes_code(self) -> bool:
        """Whether it changed a file that is no prose."""
        path = str(self.values.get("file_path") or self.values.get("notebook_path") or "")
        return self.name in WRITERS and not self.is_failed and bool(path) and not path.lower().endswith(_PROSE)

    @property
    def decides(self) -> bool:
        """Whether it recorded a decision."""
        return self.name.endswith(DECIDE) and not self.is_failed


@dataclass(slots=True)
class Asked:
    """A prompt with what followed it: the lines of the file, the tools used, the last words of the agent."""

    prompt: str
    lines: list[bytes] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    answer: str = ""
    error: str = ""

    @property
    def changes_code(self) -> bool:
        """Whether code was changed."""
        return any(one.changes_code for one in self.uses)

    @property
    def decides(self) -> bool:
        """Whether a decision was recorded."""
        return any(one.decides for one in self.uses)


@dataclass(frozen=True, slots=True)
class Talk:
    """A session: the lines before the first prompt, and its turns."""

    session: str
    head: Sequence[bytes]
    turns: Sequence[Asked]


def find_talks(place: Path) -> list[Path]:
    """Return the session files at or below a place; those of sub-agents belong to the others."""
    files = [place] if place.is_file() else sorted(place.rglob("*.jsonl"))
    return [one for one in files if not one.name.startswith("agent-")]


def read_talk(name: str, lines: Iterable[bytes]) -> Talk:
    """Return a session as its file tells it; a line that is none is kept where it stands, and says nothing.

    ``name`` is the session's, where no line names it.
    """
    session: str | None = None
    head: list[bytes] = []
    turns: list[Asked] = []
    failed: set[str] = set()
    for line in lines:
        entry = _entry(line)
        if session is None and entry is not None and isinstance(entry.get("sessionId"), str):
            session = entry["sessionId"]
        blocks = [] if entry is None or entry.get("isSidechain") or entry.get("isMeta") else list(_blocks(entry))
        role = entry.get("type") if entry is not None else None
        text = "\n".join(one["text"] for one in blocks if one.get("type") == "text" and isinstance(one["text"], str))
        if role == "user" and entry is not None and not entry.get("isCompactSummary") and text.strip():
            said = read_said(text)
            if said.kind == "prompt":
                turns.append(Asked(text))
        (turns[-1].lines if turns else head).append(line)
        if turns and role == "assistant":
            turns[-1].answer = text.strip() or turns[-1].answer
            turns[-1].error = text if entry is not None and entry.get("isApiErrorMessage") else ""
            turns[-1].uses += [_use(one) for one in blocks if one.get("type") == "tool_use"]
        failed |= {str(one.get("tool_use_id")) for one in blocks if one.get("is_error") is True}
    for turn in turns:
        turn.uses = [Use(one.id, one.name, one.values, one.id in failed) for one in turn.uses]
    return Talk(session or name, head, turns)


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _blocks(entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        yield from (one for one in content if isinstance(one, dict) and (one.get("type") != "text" or "text" in one))


def _use(block: Mapping[str, Any]) -> Use:
    values = block.get("input")
    return Use(str(block.get("id")), str(block.get("name")), values if isinstance(values, dict) else {})
