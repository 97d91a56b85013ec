"""Filling a home with a corpus: over REST, as agents do, or as day files that the daemon finds when it starts.

One write over REST is answered when it is on the disk, which takes a hundred times as long as the file itself; the
second way exists so that large sets can be measured at all. What is searched afterwards is the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from episodic.episode import NewEpisode
from episodic.journal.identity import written_id
from episodic.journal.text import day_heading, render_section
from memoryd.bench.corpus import Corpus, Dialogue, Turn
from memoryd.bench.daemon import OwnDaemon
from memoryd.errors import StartFailed

Progress = Callable[[str], None]

WITHOUT_MODEL = {"MEMORYD_EMBEDDING__MODEL": "none"}
_PAGE = 500


@dataclass(frozen=True, slots=True)
class Filled:
    """Where the turns of a corpus went: turn id to episode id, dialogue id to project id."""

    episodes: dict[str, str]
    projects: dict[str, str]


def fill_over_rest(daemon: OwnDaemon, corpus: Corpus, progress: Progress) -> Filled:
    """Write each turn with a call, in order."""
    episodes: dict[str, str] = {}
    projects: dict[str, str] = {}
    total = sum(len(dialogue.turns) for dialogue in corpus.dialogues)
    for dialogue in corpus.dialogues:
        for turn in dialogue.turns:
            episodes[turn.id] = _post(daemon, dialogue, turn)
            if len(episodes) % 50 == 0:
                progress(f"writing: {len(episodes)} of {total} turns")
        projects |= _project_of(daemon, dialogue, episodes)
    return Filled(episodes, projects)


def fill_day_files(home: Path, corpus: Corpus, progress: Progress) -> Filled:
    """Write the first turn of each dialogue with a call, which makes its project known, and all others as day files.

    Raises:
        StartFailed: The daemon does not start.
    """
    episodes: dict[str, str] = {}
    projects: dict[str, str] = {}
    with OwnDaemon(home, WITHOUT_MODEL) as daemon:
        for number, dialogue in enumerate(corpus.dialogues, start=1):
            episodes[dialogue.turns[0].id] = _post(daemon, dialogue, dialogue.turns[0])
            projects |= _project_of(daemon, dialogue, episodes)
            progress(f"writing: {number} of {len(corpus.dialogues)} projects")
    days: dict[date, list[str]] = {}
    for dialogue in corpus.dialogues:
        for turn in dialogue.turns[1:]:
            new = NewEpisode(
                turn.text, turn.at, project=projects[dialogue.id], session=_session(dialogue, turn), turn=turn.id
            )
            id_ = written_id(turn.at, session=new.session, turn=turn.id, key=None, entropy=os.urandom)
            episodes[turn.id] = id_
            days.setdefault(turn.at.date(), []).append(render_section(id_, new, key=None))
    for day, sections in days.items():
        file = home / "memory" / "journal" / f"{day.isoformat()}.md"
        head = "" if file.exists() else day_heading(day)
        with file.open("a", encoding="utf-8", newline="\n") as out:
            out.write(head + "".join(f"\n{section}" for section in sections))
    return Filled(episodes, projects)


def check_filled(daemon: OwnDaemon, filled: Filled) -> None:
    """Compare what the daemon lists with what was written.

    Raises:
        StartFailed: Something is missing.
    """
    missing = set(filled.episodes.values()) - set(_listed(daemon))
    if missing:
        raise StartFailed(
            f"{len(missing)} of {len(filled.episodes)} entries are not in the memory, such as {min(missing)}"
        )


def _listed(daemon: OwnDaemon) -> Iterator[str]:
    cursor: dict[str, Any] = {}
    while True:
        page = daemon.get("/v1/episodes", limit=_PAGE, **cursor)
        yield from (item["id"] for item in page["items"])
        if not page.get("next_cursor"):
            return
        cursor = {"cursor": page["next_cursor"]}


def _post(daemon: OwnDaemon, dialogue: Dialogue, turn: Turn) -> str:
    body = {
        "text": turn.text,
        "at": turn.at.isoformat(),
        "project": dialogue.id,
        "session": _session(dialogue, turn),
        "turn": turn.id,
    }
    return str(daemon.post("/v1/episodes", body)["id"])


def _session(dialogue: Dialogue, turn: Turn) -> str:
    """Return the turn's session; where there are none each turn has its own, so that no neighbour lends it anything."""
    return turn.session or f"{dialogue.id}-{turn.id}"


def _project_of(daemon: OwnDaemon, dialogue: Dialogue, episodes: dict[str, str]) -> dict[str, str]:
    entry = daemon.get(f"/v1/episodes/{episodes[dialogue.turns[0].id]}")
    return {dialogue.id: entry["project"]}
