"""However often and in whatever order a day is told of, each of its turns is in the journal once."""

from __future__ import annotations

import tempfile
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryd.capture.missed import changed_at
from tests.session_file import fork, prompt, result, said, used, write
from tests.unit.memoryd.capturing import Capturing

ASKED = ["Fix the cart", "continue", "continue", "Why is it slow?", "continue"]
MINUTES = [0, 10, 20, 30, 40]


def turn(number: int) -> list[dict[str, Any]]:
    at = MINUTES[number]
    return [
        prompt(f"u{number}", at, ASKED[number], promptId=f"p{number}"),
        used(f"c{number}", at + 1, f"t{number}", "Edit", {"file_path": f"/code/shop/{number}.py"}),
        result(f"r{number}", at + 2, f"t{number}", "ok"),
        said(f"a{number}", at + 3, f"Answer number {number}.", end=True),
    ]


LINES = [line for number in range(len(ASKED)) for line in turn(number)]
FORK = fork(LINES[:10], "s2")
RESUMED = fork(LINES[:11], "s3", tells=False)

EVENTS = st.one_of(
    st.tuples(st.just("live"), st.integers(0, len(ASKED) - 1)),
    st.tuples(st.just("stop again"), st.integers(0, len(ASKED) - 1)),
    st.tuples(st.just("import"), st.integers(0, len(LINES))),
    st.tuples(st.just("start"), st.integers(0, len(LINES))),
    st.tuples(st.just("compact"), st.integers(0, len(LINES))),
    st.tuples(st.sampled_from(["fork", "resumed", "lose", "reopen"]), st.just(0)),
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(EVENTS, max_size=10))
def test_each_turn_is_told_once(events: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        capturing = Capturing(folder / "home")
        try:
            for kind, number in [*events, ("import", len(LINES)), ("fork", 0), ("resumed", 0)]:
                _happen(capturing, folder, kind, number)
            said_once = Counter(entry.text.split("\n")[0] for entry in capturing.entries)
            assert said_once == Counter(f"Asked: {asked}" for asked in ASKED)
            answers = [entry.text.split("\n")[2] for entry in capturing.entries]
            assert answers == [f"Answered: Answer number {number}." for number in range(len(ASKED))]
            files = [entry.files for entry in capturing.entries]
            assert files == [(f"{number}.py",) for number in range(len(ASKED))]
        finally:
            capturing.close()


def _happen(capturing: Capturing, folder: Path, kind: str, number: int) -> None:
    live = folder / "s1.jsonl"
    if kind in {"live", "stop again"}:
        # The session as it is at the stop of this turn, in a file that may be older or newer than one seen before.
        write(live, LINES[: 4 * (number + 1)])
        if kind == "live":
            capturing.at(MINUTES[number])
            capturing.tell("UserPromptSubmit", live, prompt=ASKED[number], prompt_id=f"p{number}")
        capturing.at(MINUTES[number] + 3)
        capturing.tell("Stop", live, last_assistant_message=f"Answer number {number}.", prompt_id=f"p{number}")
    elif kind == "import":
        _take(capturing, write(folder / "copy" / "s1.jsonl", LINES[:number]))
    elif kind in {"start", "compact"}:
        write(live, LINES[:number])
        capturing.clock.now = changed_at(live) + timedelta(minutes=number % 3)
        if kind == "start":
            capturing.tell("SessionStart", live, source="resume")
        else:
            capturing.tell("PreCompact", live, trigger="auto")
    elif kind == "fork":
        _take(capturing, write(folder / "s2.jsonl", FORK))
    elif kind == "resumed":
        _take(capturing, write(folder / "s3.jsonl", RESUMED))
    elif kind == "lose":
        capturing.lose_state()
    else:
        capturing.store.close()
        capturing.store.open()


def _take(capturing: Capturing, file: Path) -> None:
    """Import a file that was quiet for as long as its last turn needs to be over, if that was answered to its end."""
    capturing.take(file, now=changed_at(file) + timedelta(minutes=2))
