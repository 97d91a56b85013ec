"""Sessions that were made up: what agents do in a shop's code, some of it with a decision recorded, some without."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from memoryd.bench.replay import Talk, read_talk

SESSIONS = 12
_START = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)
_THINGS = ("cart", "invoice", "discount", "customer", "stock", "parcel", "ledger", "refund")
_ASKED = (
    "Why is the {0} empty after a reload?", "Let the {0} keep its rows when the {1} changes.",
    "Where is the {0} read by the {1}?", "Write down in the README how the {0} works.", "Run the tests of the {0}.",
    "The {0} is slow with a thousand rows; make it faster.",
)  # fmt: skip
_ANSWERED = (
    "The {0} is read once now, and the {1} asks it.", "It was the {1}: it dropped the {0} with the session.",
    "The {0} holds its rows by id; the tests of the {1} pass.",
)  # fmt: skip


def made_up_talks(seed: int, count: int = SESSIONS) -> list[Talk]:
    """Return made-up sessions: in a third code is changed and a decision recorded, in a third only the one of both."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    return [read_talk(f"made-up-{number:02}", _lines(number, draw)) for number in range(count)]


def _lines(number: int, draw: random.Random) -> Iterator[bytes]:
    session = f"made-up-{number:02}"
    at = _START + timedelta(minutes=9 * number)
    turns = draw.randint(3, 7)
    changing, deciding = draw.randrange(turns), draw.randrange(3)
    for turn in range(turns):
        things = draw.sample(_THINGS, 2)
        uses: list[tuple[str, dict[str, Any], bool]] = [("Read", {"file_path": f"src/{things[0]}.py"}, False)]
        if number % 3 != 2 and turn == changing:
            uses.append(("Edit", {"file_path": f"src/{things[0]}.py"}, False))
        if number % 3 == 2:
            uses.append(("Edit", {"file_path": "README.md"}, False))
            uses.append(("Write", {"file_path": f"src/{things[1]}.py"}, True))
        if number % 3 == 0 and turn == deciding:
            element = {"op": "put_element", "kind": "component", "name": f"{things[0]} {number}", "gist": "It is kept."}
            title = f"The {things[0]} of session {number} is kept by id"
            uses.append(
                ("mcp__memoryd__decide", {"title": title, "why": "It is faster.", "mutations": [element]}, False)
            )
        entries = _turn(
            f"{session}-{turn}", draw.choice(_ASKED).format(*things), uses, draw.choice(_ANSWERED).format(*things)
        )
        for entry in entries:
            at += timedelta(seconds=draw.randint(4, 40))
            stamp = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
            yield json.dumps({"sessionId": session, "timestamp": stamp, "version": "made up", **entry}).encode() + b"\n"


def _turn(
    name: str, asked: str, uses: list[tuple[str, dict[str, Any], bool]], answered: str
) -> Iterator[dict[str, Any]]:
    yield _entry("user", f"{name}-u", asked)
    for number, (tool, values, is_failed) in enumerate(uses):
        id_ = f"{name}-t{number}"
        yield _entry("assistant", f"{id_}-a", [{"type": "tool_use", "id": id_, "name": tool, "input": values}])
        said = {"type": "tool_result", "tool_use_id": id_, "content": "done", "is_error": is_failed}
        yield _entry("user", f"{id_}-r", [said])
    yield _entry("assistant", f"{name}-s", [{"type": "text", "text": answered}], end=True)


def _entry(kind: str, uuid: str, content: Any, *, end: bool = False) -> dict[str, Any]:
    message = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {"id": f"msg_{uuid}", "stop_reason": "end_turn" if end else "tool_use"}
    return {"type": kind, "uuid": uuid, "message": message}
