"""Lines of session files, as an agent writes them, for tests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def stamp(minute: float) -> str:
    """Return an instant so many minutes after the start, as a session file has it."""
    return (START + timedelta(minutes=minute)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def line(kind: str, uuid: str, minute: float, message: Any = None, **fields: Any) -> dict[str, Any]:
    """Return one entry."""
    body = {"type": kind, "uuid": uuid, "timestamp": stamp(minute), "sessionId": "s1", "cwd": "/code/shop"}
    return body | ({"message": message} if message is not None else {}) | fields


def prompt(uuid: str, minute: float, text: str, **fields: Any) -> dict[str, Any]:
    """Return what a person asked."""
    return line("user", uuid, minute, {"role": "user", "content": text}, **fields)


def said(uuid: str, minute: float, text: str, *, group: str = "", end: bool = False, **fields: Any) -> dict[str, Any]:
    """Return something that the agent said."""
    return answer(uuid, minute, [{"type": "text", "text": text}], group=group, end=end, **fields)


def used(uuid: str, minute: float, id: str, name: str, values: Mapping[str, Any], *, group: str = "") -> dict[str, Any]:  # noqa: A002 - the domain's word
    """Return a tool that the agent used."""
    return answer(uuid, minute, [{"type": "tool_use", "id": id, "name": name, "input": dict(values)}], group=group)


def answer(
    uuid: str, minute: float, content: list[Any], *, group: str = "", end: bool = False, **fields: Any
) -> dict[str, Any]:
    """Return a part of an answer."""
    message = {
        "id": group or f"msg_{uuid}",
        "role": "assistant",
        "content": content,
        "stop_reason": "end_turn" if end else None,
    }
    return line("assistant", uuid, minute, message, **fields)


def result(uuid: str, minute: float, id: str, text: str, *, failed: bool = False) -> dict[str, Any]:  # noqa: A002 - as above
    """Return what a tool gave back."""
    block = {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}
    return line("user", uuid, minute, {"role": "user", "content": [block]})


def fork(lines: Iterable[Mapping[str, Any]], session: str, *, tells: bool = True) -> list[dict[str, Any]]:
    """Return lines as a fork of the session has them: every id anew, the last instant anew."""
    copies = []
    for one in lines:
        copy = dict(one) | {"sessionId": session, "uuid": f"{session}-{one['uuid']}"}
        if tells:
            copy["forkedFrom"] = {"sessionId": one["sessionId"], "messageUuid": one["uuid"]}
        copies.append(copy)
    if copies:
        copies[-1]["timestamp"] = stamp(600)
    return copies


def write(path: Path, lines: Iterable[Mapping[str, Any]], tail: str = "") -> Path:
    """Write a session file; ``tail`` is what stands behind the last line end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines)
    path.write_text(text + tail, encoding="utf-8")
    return path
