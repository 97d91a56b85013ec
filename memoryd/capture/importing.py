"""Taking in session files that are there already, as often as one likes: what is known stays as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from episodic.errors import InvalidEpisode
from memoryd.capture.dialogue import read_transcript
from memoryd.capture.missed import changed_at, is_over, split
from memoryd.capture.record import Recorder
from memoryd.errors import ImportFailed

MOST_NAMED = 20
"""How many files that could not be read an answer names."""


@dataclass(slots=True)
class Imported:
    """What an import came to: files read, turns by what became of them, and what was passed over, by reason."""

    files: int
    turns: Counter[str]
    skipped: Counter[str]
    problems: list[str]

    def body(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        return {
            "files": self.files,
            "turns": dict(sorted(self.turns.items())),
            "skipped": dict(sorted(self.skipped.items())),
            "problems": self.problems[:MOST_NAMED],
        }


def session_files(path: Path) -> list[Path]:
    """Return the session files at a path: the file, or all below the folder but those of sub-agents.

    Raises:
        ImportFailed: There are none.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise ImportFailed(f"there is nothing at {path}")
    found = sorted(file for file in path.rglob("*.jsonl") if file.is_file() and not file.name.startswith("agent-"))
    if not found:
        raise ImportFailed(f"no session file (*.jsonl) lies below {path}")
    # The oldest first: a fork is then the copy, and its original the turn.
    return sorted(found, key=lambda file: (changed_at(file), str(file)))


def import_sessions(
    files: Iterable[Path],
    recorder: Recorder,
    *,
    clock: Callable[[], datetime],
    is_dry: bool = False,
    tell: Callable[[str, int], None] = lambda _text, _done: None,
) -> Imported:
    """Record the turns of session files that are over; ``is_dry`` only counts them.

    ``tell`` hears of each file before it is read: its name, and how many were read before.

    Raises:
        JournalUnwritable: A turn cannot be written; what was written before stays.
    """
    report = Imported(0, Counter(), Counter(), [])
    for file in files:
        tell(file.name, report.files)
        report.files += 1
        try:
            _import_one(file, recorder, report, clock=clock, is_dry=is_dry)
        except OSError as error:
            report.problems.append(f"{file}: {error.strerror or type(error).__name__}")
    recorder.flush()
    return report


def _import_one(
    file: Path, recorder: Recorder, report: Imported, *, clock: Callable[[], datetime], is_dry: bool
) -> None:
    reading = read_transcript(file, asked_at=changed_at(file))
    report.skipped.update(reading.skipped)
    over, _ = split(reading, is_final=is_over(reading, quiet=clock() - changed_at(file)))
    report.turns["not over"] += len(reading.turns) - len(over)
    for turn in over:
        try:
            outcome = (recorder.find(turn) or "recorded") if is_dry else recorder.record(turn)
        except InvalidEpisode as error:
            report.problems.append(f"{file}: {error}")
            continue
        report.turns[outcome] += 1
