"""Reading an agent's session file, whose format is nobody's promise: what can be read is read, the rest is counted.

A file is lines of JSON that only grow. A line that is no JSON object is skipped; the last line, while it has no line
end, may be torn: :attr:`Lines.end` is the byte behind the last whole line, from which a later reading goes on. A file
that is one JSON document with ``loglines`` is read too. Nothing is ever written to a session file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path
from typing import Any, Literal

import orjson

from memoryd.capture.opening import open_regular
from memoryd.text.secrets import redact, redact_id

MAX_LINE_BYTES = 32 * 1024 * 1024
"""A longer line is skipped: no turn that a person or an agent wrote has one."""
MAX_READ_BYTES = 64 * 1024 * 1024
"""One reading ends behind the line in which it has taken so many bytes; the next goes on there."""

_DIALOGUE = frozenset({"user", "assistant"})
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Block:
    """One part of a message. Thinking has no block here: it is nobody's to keep.

    Attributes:
        kind: ``text``, ``call`` of a tool, its ``result``, or an ``image`` or other attachment that is not kept.
        text: The text; of a result all its texts; of an attachment its mark.
        id: Of a call, and of the call that a result belongs to.
        name: The tool that is called.
        values: What the tool is called with.
        is_error: Whether a result says that the call failed.
    """

    kind: Literal["text", "call", "result", "image"]
    text: str = ""
    id: str = ""
    name: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the dialogue, in the order of the file.

    Attributes:
        role: Who speaks.
        blocks: What is said, without thinking.
        start: The byte at which its line starts.
        uuid: Its id in the file; empty in files that have none.
        session: The session it says it is of.
        at: When, aware; ``None`` where the entry does not say.
        cwd: The agent's working folder.
        group: The id of the answer of which it is a part (one answer stands in several entries).
        origin: (session, uuid) of the entry that this one was copied from when the session was forked.
        prompt: The id that hooks give to the prompt it belongs to.
        sender: Who sent a user's entry, where it says so (``human``, or a part of the harness).
        is_meta: Written by the harness, not by a person.
        is_sidechain: Said to or by a sub-agent.
        is_summary: What a compaction left of the dialogue before.
        is_error: An error of the service in the place of an answer.
        is_queued: Typed while the agent was at work.
        is_last: The answer ends with it, as far as the service says.
    """

    role: Literal["user", "assistant"]
    blocks: tuple[Block, ...]
    start: int = 0
    uuid: str = ""
    session: str | None = None
    at: datetime | None = None
    cwd: str | None = None
    group: str = ""
    origin: tuple[str, str] | None = None
    prompt: str | None = None
    sender: str | None = None
    is_meta: bool = False
    is_sidechain: bool = False
    is_summary: bool = False
    is_error: bool = False
    is_queued: bool = False
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class Lines:
    """The messages of a file from some byte on, the byte behind the last whole line, and what was passed over.

    ``is_to_end``: nothing is left behind ``end`` but a torn line.
    """

    messages: tuple[Message, ...]
    end: int
    skipped: Counter[str]
    is_to_end: bool = True


def read_lines(path: Path, start: int = 0) -> Lines:
    """Read a session file from a byte on.

    A torn last line is left for the next reading; one that is whole but has no line end yet is read, and read again.
    An entry that stands in the file twice counts once.

    A file is read as far as it reached when it was opened, and not more than :data:`MAX_READ_BYTES` at once.

    Raises:
        OSError: The file cannot be read, or is none (``memoryd.capture.opening``).
    """
    skipped: Counter[str] = Counter()
    messages: list[Message] = []
    seen: set[str] = set()
    end = start
    is_to_end = True
    for offset, entry, is_whole in _entries(path, start, skipped):
        if offset < 0:
            end, is_to_end = -offset, False
            break
        if is_whole is not None:
            end = is_whole
        message = None if entry is None else _message(entry, offset, skipped)
        if message is None:
            continue
        if message.uuid and message.uuid in seen:
            skipped["said twice"] += 1
            continue
        seen.add(message.uuid)
        messages.append(message)
    return Lines(tuple(messages), end, skipped, is_to_end)


def read_instant(value: object) -> datetime | None:
    """Return an instant of a session file, aware; ``None`` for what is none."""
    if not isinstance(value, str):
        return None
    try:
        at = datetime.fromisoformat(value)
        return (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def text_of(value: object) -> str:
    """Return a string that UTF-8 can hold; halves of characters become question marks, all else nothing."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _entries(
    path: Path, start: int, skipped: Counter[str]
) -> Iterator[tuple[int, Mapping[str, Any] | None, int | None]]:
    """Yield (byte at which it starts, entry, byte behind it where its line is whole) of each line.

    Where the reading ends before the file does, the last item is (minus the byte to go on from, ``None``, ``None``).
    """
    file, size = open_regular(path)
    with file:
        file.seek(start)
        offset = start
        while offset < size and (line := file.readline(min(MAX_LINE_BYTES, size - offset))):
            begin, offset = offset, offset + len(line)
            is_whole = line.endswith(b"\n")
            if not is_whole and len(line) == MAX_LINE_BYTES:
                # What is left of it is no entry either, so that the next reading may begin inside it.
                skipped["too long"] += 1
                yield begin, None, offset
            else:
                entry = yield from _entry(file, line, begin, offset if is_whole else None, skipped)
                if entry:
                    return
            if offset - start >= MAX_READ_BYTES and offset < size:
                yield -offset, None, None
                return


def _entry(
    file: BufferedReader, line: bytes, begin: int, end: int | None, skipped: Counter[str]
) -> Generator[tuple[int, Mapping[str, Any] | None, int | None], None, bool]:
    """Yield what a line holds; tell whether it began a document that was the whole file."""
    stripped = line.removeprefix(_BOM).strip() if begin == 0 else line.strip()
    if not stripped:
        yield begin, None, end
        return False
    entry = _parse(stripped)
    if entry is None and begin == 0 and (document := _document(file)) is not None:
        for number, one in enumerate(document):
            yield number, one if isinstance(one, dict) else None, None
        return True
    if not isinstance(entry, dict):
        skipped["unreadable" if end is not None or entry is not None else "torn"] += 1
        entry = None
    yield begin, entry, end
    return False


def _parse(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except ValueError:
        pass
    try:  # the library is strict where a careless writer is not: bad UTF-8, half characters, NaN
        return json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _document(file: BufferedReader) -> list[Any] | None:
    """Return the lines of a file that is one JSON document; the file is left where it was."""
    place = file.tell()
    file.seek(0)
    data = file.read(MAX_LINE_BYTES + 1)
    file.seek(place)
    whole = _parse(data.removeprefix(_BOM)) if len(data) <= MAX_LINE_BYTES else None
    lines = whole.get("loglines") if isinstance(whole, dict) else None
    return lines if isinstance(lines, list) else None


def _message(entry: Mapping[str, Any], start: int, skipped: Counter[str]) -> Message | None:
    kind = entry.get("type")
    if kind == "attachment":
        return _queued(entry, start, skipped)
    if kind not in _DIALOGUE:
        skipped[f"not dialogue: {text_of(kind)[:40] or 'no type'}"] += 1
        return None
    body = entry.get("message")
    blocks = _blocks(body.get("content")) if isinstance(body, dict) else None
    if blocks is None or not isinstance(body, dict):
        skipped["malformed"] += 1
        return None
    return Message(
        role="assistant" if kind == "assistant" else "user",
        blocks=blocks,
        start=start,
        group=text_of(body.get("id")),
        is_meta=entry.get("isMeta") is True or entry.get("isVisibleInTranscriptOnly") is True,
        is_sidechain=entry.get("isSidechain") is True,
        is_summary=entry.get("isCompactSummary") is True,
        is_error=entry.get("isApiErrorMessage") is True or body.get("model") == "<synthetic>",
        is_last=body.get("stop_reason") in {"end_turn", "stop_sequence"},
        **_stamps(entry),
    )


def _queued(entry: Mapping[str, Any], start: int, skipped: Counter[str]) -> Message | None:
    """Return what a person typed while the agent was at work; no other entry holds it."""
    attachment = entry.get("attachment")
    if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
        skipped["not dialogue: attachment"] += 1
        return None
    blocks = _blocks(attachment.get("prompt"))
    if not blocks or attachment.get("commandMode", "prompt") != "prompt":
        skipped["not dialogue: attachment"] += 1
        return None
    stamps = _stamps(entry) | {"sender": _sender(attachment)}
    return Message(
        role="user", blocks=blocks, start=start, is_queued=True, is_sidechain=entry.get("isSidechain") is True, **stamps
    )


def _stamps(entry: Mapping[str, Any]) -> dict[str, Any]:
    forked = entry.get("forkedFrom")
    origin = (_id_of(forked.get("sessionId")), _id_of(forked.get("messageUuid"))) if isinstance(forked, dict) else None
    return {
        "uuid": _id_of(entry.get("uuid")),
        "session": _id_of(entry.get("sessionId")) or None,
        "at": read_instant(entry.get("timestamp")),
        "cwd": text_of(entry.get("cwd")) or None,
        "origin": origin if origin and all(origin) else None,
        "prompt": _id_of(entry.get("promptId")) or None,
        "sender": _sender(entry),
    }


def _sender(entry: Mapping[str, Any]) -> str | None:
    origin = entry.get("origin")
    return text_of(origin.get("kind")) or None if isinstance(origin, dict) else None


def _id_of(value: object) -> str:
    """Return an id that may be stored: one that holds a secret is told by its hash."""
    return redact_id(text_of(value))


def _blocks(content: object) -> tuple[Block, ...] | None:
    """Return the parts of a message; ``None`` where its content is neither a text nor a list."""
    if isinstance(content, str):
        return (Block("text", text_of(content)),)
    if not isinstance(content, list):
        return None
    return tuple(block for one in content if isinstance(one, dict) and (block := _block(one)) is not None)


def _block(one: Mapping[str, Any]) -> Block | None:
    kind = one.get("type")
    if kind == "text":
        return Block("text", text_of(one.get("text")))
    if kind == "tool_use":
        values = one.get("input")
        return Block(
            "call",
            id=_id_of(one.get("id")),
            name=redact(text_of(one.get("name"))) or "a tool",
            values=values if isinstance(values, dict) else {},
        )
    if kind == "tool_result":
        parts = _blocks(one.get("content")) or ()
        return Block(
            "result",
            "\n".join(part.text for part in parts if part.text),
            id=_id_of(one.get("tool_use_id")),
            is_error=one.get("is_error") is True,
        )
    if kind in {"image", "document"}:
        return Block("image", f"[{kind}]")
    return None  # thinking, and kinds that are not known
