"""``bench hooks``: what is captured of sessions, with the gate at the stop and without it.

Recorded sessions are told again to a daemon of their own, once with the gate off and once with it on: the session's
file grows, and hooks tell of it. Of some turns nobody tells, as when the daemon was away. What was asked and done is
known from the files, so what the journal has of it can be counted.

What an agent does when it is held takes an agent: it is not measured, and nothing is put in its place.
"""

from __future__ import annotations

import re
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clients.http import ProblemError
from memoryd.bench.daemon import OwnDaemon
from memoryd.bench.replay import Asked, Talk, find_talks, read_talk
from memoryd.bench.table import Table
from memoryd.bench.talks import SESSIONS, made_up_talks

UNTOLD = 4
"""Of each turn of this number in a session nobody tells, but never of the first."""
NOT_MEASURED = "not measured: it takes a model"
_SETTINGS = {"MEMORYD_EMBEDDING__MODEL": "none", "MEMORYD_ENGINE__KIND": "exact"}
_INDEXED_S = 600.0
_PAGE = 500
_COMPARED = 160
_BEHIND = re.compile(r"(?: \[(?:image|document)\])*(?: (?:Added|Answered|Files|Commands|Sub-agents|Outcome): |\Z)")

Progress = Callable[[str], None]


@dataclass(slots=True)
class Seen:
    """What came of sessions that were told."""

    asked: int = 0
    untold: int = 0
    captured: int = 0
    filled: int = 0
    doubles: int = 0
    decisions: int = 0
    stops: int = 0
    held: int = 0
    rightly: int = 0
    early: int = 0
    passed: int = 0
    stop_ms: list[float] = field(default_factory=list)


def run_gate(place: Path | None, *, seed: int, progress: Progress, count: int = SESSIONS) -> Table:
    """Tell sessions to a daemon without the gate and to one with it; return the table.

    Args:
        place: A session file, or a folder of them; ``None``: those that are made up.
        seed: Of those that are made up.
        progress: Told in words how far it is.
        count: How many are made up.

    Raises:
        OSError: A file cannot be read.
        StartFailed: A daemon does not come up.
    """
    talks = made_up_talks(seed, count) if place is None else _recorded(place)
    changed = [talk for talk in talks if any(turn.changes_code for turn in talk.turns)]
    undecided = [talk for talk in changed if not any(turn.decides for turn in talk.turns)]
    off, on = (_tell(talks, is_on=is_on, progress=progress) for is_on in (False, True))
    rows: list[list[Any]] = [
        ["turns that nobody told of", off.untold, on.untold],
        ["turns captured", off.captured, on.captured],
        ["of them filled in from session files", off.filled, on.filled],
        ["turns written twice", off.doubles, on.doubles],
        ["decisions found recorded", off.decisions, on.decisions],
        ["stops", off.stops, on.stops],
        ["stops held", off.held, on.held],
        ["of them rightly: code changed, no decision recorded", off.rightly, on.rightly],
        ["of them early: the session recorded one later", off.early, on.early],
        ["sessions let go, though code changed and no decision was recorded", off.passed, on.passed],
        ["a stop at the daemon, ms, median", *(_median(one.stop_ms) for one in (off, on))],
        ["decisions recorded because a stop was held", NOT_MEASURED, NOT_MEASURED],
    ]
    facts = {
        "sessions": len(talks),
        "turns": off.asked,
        "sessions in which code changed": len(changed),
        "of them without a decision": len(undecided),
        "source": "made up" if place is None else "recorded",
        "seed": seed if place is None else "none",
    }
    return Table("What is captured, without the gate and with it", ("what", "gate off", "gate on"), rows, facts)


def _recorded(place: Path) -> list[Talk]:
    """Return the sessions of some files; one that stands in several files is told once."""
    talks: dict[str, Talk] = {}
    for file in find_talks(place):
        talk = read_talk(file.stem, file.read_bytes().splitlines(keepends=True))
        if talk.turns:
            talks.setdefault(talk.session, talk)
    return list(talks.values())


def _tell(talks: Sequence[Talk], *, is_on: bool, progress: Progress) -> Seen:
    seen = Seen()
    with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as folder:
        project = Path(folder) / "shop"
        (project / ".git").mkdir(parents=True)
        (Path(folder) / "sessions").mkdir()
        settings = {**_SETTINGS, "MEMORYD_CAPTURE__DECISION_GATE": str(is_on).lower()}
        with OwnDaemon(Path(folder) / "home", settings) as daemon:
            daemon.wait_until_indexed(_INDEXED_S)
            for number, talk in enumerate(talks):
                progress(f"gate {'on' if is_on else 'off'}: session {number + 1} of {len(talks)}")
                _Teller(daemon, talk, Path(folder) / "sessions" / f"{talk.session}.jsonl", project, seen).tell()
            daemon.wait_until_indexed(_INDEXED_S)
            _count(daemon, talks, seen)
    return seen


class _Teller:
    """Tells a daemon of one session."""

    def __init__(self, daemon: OwnDaemon, talk: Talk, file: Path, project: Path, seen: Seen) -> None:
        self._daemon = daemon
        self._talk = talk
        self._file = file
        self._project = project
        self._seen = seen
        self._was_held = False

    def tell(self) -> None:
        """Tell all of it."""
        self._write(self._talk.head)
        self._hook("SessionStart", source="startup")
        has_changed = has_decided = False
        for number, turn in enumerate(self._talk.turns):
            self._seen.asked += 1
            if is_untold(number):
                self._seen.untold += 1
                self._write(turn.lines)
                continue
            self._turn(turn)
            has_changed |= turn.changes_code
            has_decided |= turn.decides
            self._stop(turn, is_right=has_changed and not has_decided)
        self._hook("SessionEnd", reason="other")
        self._seen.early += self._was_held and has_decided
        self._seen.passed += has_changed and not has_decided and not self._was_held

    def _turn(self, turn: Asked) -> None:
        self._hook("UserPromptSubmit", prompt=turn.prompt)
        self._write(turn.lines)
        for use in turn.uses:
            values = {**use.values}
            if isinstance(path := values.get("file_path"), str) and not path.startswith("/"):
                values["file_path"] = str(self._project / path)
            fields = {"tool_name": use.name, "tool_use_id": use.id, "tool_input": values}
            self._hook("PreToolUse", **fields)
            if use.decides:
                self._decide(use.values)
            self._hook("PostToolUseFailure" if use.is_failed else "PostToolUse", **fields)

    def _stop(self, turn: Asked, *, is_right: bool) -> None:
        event = "StopFailure" if turn.error else "Stop"
        fields = {"error": turn.error} if turn.error else {"last_assistant_message": turn.answer}
        began = time.perf_counter()
        answer = self._hook(event, **fields)
        self._seen.stop_ms.append((time.perf_counter() - began) * 1000)
        self._seen.stops += 1
        if answer.get("decision") == "block":
            self._was_held = True
            self._seen.held += 1
            self._seen.rightly += is_right
            # The agent would go on; whatever it does, it stops once more.
            self._hook("Stop", stop_hook_active=True, **fields)

    def _decide(self, values: Any) -> None:
        body = {key: values[key] for key in ("title", "why", "mutations") if key in values}
        try:
            self._daemon.post("/v1/decisions", body | {"cwd": str(self._project), "session": self._talk.session})
        except ProblemError:
            return  # what a recorded session sent may rest on what is not here

    def _hook(self, event: str, **fields: Any) -> dict[str, Any]:
        body = {
            "session_id": self._talk.session,
            "transcript_path": str(self._file),
            "cwd": str(self._project),
            "hook_event_name": event,
        }
        answer: dict[str, Any] = self._daemon.post(f"/v1/hooks/{event}", body | fields)
        return answer

    def _write(self, lines: Sequence[bytes]) -> None:
        with self._file.open("ab") as file:
            file.write(b"".join(lines))


def is_untold(number: int) -> bool:
    """Tell whether nobody tells of a turn of this number."""
    return number % UNTOLD == UNTOLD - 1


def _count(daemon: OwnDaemon, talks: Sequence[Talk], seen: Seen) -> None:
    """Count what the journal has: an entry is a turn's where it begins with what was asked in its session."""
    entries = _all(daemon, "/v1/episodes")
    for talk in talks:
        texts = [" ".join(one["text"].split()) for one in entries if one["session"] == talk.session]
        asked = Counter(_plain(turn.prompt) for turn in talk.turns)
        untold = Counter(_plain(turn.prompt) for number, turn in enumerate(talk.turns) if is_untold(number))
        for prompt, times in asked.items():
            found = sum(_asks(text, prompt) for text in texts)
            seen.captured += min(found, times)
            seen.doubles += max(0, found - times)
            seen.filled += max(0, min(untold[prompt], found - (times - untold[prompt])))
    seen.decisions = daemon.get("/v1/status")["semantic"]["decisions"]


def _plain(prompt: str) -> str:
    return " ".join(prompt.split())[:_COMPARED]


def _asks(text: str, prompt: str) -> bool:
    """Tell whether an entry is of a turn in which this was asked, and nothing that only begins so."""
    head = f"Asked: {prompt}"
    return text.startswith(head) and (len(prompt) == _COMPARED or _BEHIND.match(text, len(head)) is not None)


def _all(daemon: OwnDaemon, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        page = daemon.get(path, limit=_PAGE, **({"cursor": cursor} if cursor else {}))
        found += page["items"]
        cursor = page.get("next_cursor")
        if cursor is None:
            return found


def _median(values: Sequence[float]) -> float | str:
    return statistics.median(values) if values else ""
