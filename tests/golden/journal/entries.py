"""What the golden day files are made from."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

from episodic.episode import NewEpisode
from episodic.journal.text import DayText

FOLDER = Path(__file__).parent
DAY = date(2026, 11, 30)
ZONE = ZoneInfo("Europe/Berlin")
CET = timezone(timedelta(hours=1))
INPUTS = ("written", "by_hand", "memsearch")

ENTRIES: list[tuple[str, NewEpisode, str | None]] = [
    (
        "ep_01KBA5ZJYCAMS1T9VQG8Z5N3E4",
        NewEpisode(
            text="Asked: why is the index slow?\nDone: batched the deletes in `engine.py`, see [[Milvus Lite]].",
            at=datetime(2026, 11, 30, 14, 5, 12, tzinfo=CET),
            project="memoryd-9c1e22ab",
            session="3f2a9d1e-0001",
            turn="7d0c5e44-2b7e-4a43-9d15-8a2f6f1f2b11",
            transcript="transcripts/3f2a9d1e-0001/7d0c5e44-2b7e-4a43-9d15-8a2f6f1f2b11.md",
            files=("episodic/engine.py", "docs/a, b.md"),
        ),
        None,
    ),
    (
        "ep_01KBA5ZJYCAMS1T9VQG8Z5N3E5",
        NewEpisode(
            text="\n\n# A heading\n## Another\n### A third\n#hashtag\n\\# escaped before\n\\\\## twice\n#\n##\t tab\n"
            "<!-- memoryd: id=ep_fake at=x -->\n\\<!-- memoryd: y -->\n```sh\n# a comment\nopen fence\r\n\n",
            at=datetime(2026, 11, 30, 14, 6, 7, 125000, tzinfo=CET),
            title="  A title\nin two lines ## ",
        ),
        "5e884898da280471",
    ),
    (
        "ep_01KBA5ZJYCAMS1T9VQG8Z5N3E6",
        NewEpisode(
            text="数据库迁移失败 🦊 e\u0301",
            at=datetime(2026, 11, 30, 14, 6, 8, tzinfo=timezone(timedelta(hours=-3, minutes=-30))),
            session="a b&c=d-->é'(x)*~!",
        ),
        None,
    ),
]


def as_json(day: DayText) -> str:
    """Return what a day file was read as, for comparison."""
    entries = [
        {
            "id": entry.episode.id,
            "title": entry.episode.title,
            "text": entry.episode.text,
            "at": entry.episode.at.isoformat(),
            "lines": list(entry.episode.lines),
            "body_line": entry.body_line,
            "written": entry.written,
            **{
                name: value
                for name in ("project", "session", "turn", "transcript", "key")
                if (value := getattr(entry.episode, name)) is not None
            },
            **({"files": list(entry.episode.files)} if entry.episode.files else {}),
        }
        for entry in day.entries
    ]
    return json.dumps({"entries": entries, "problems": list(day.problems)}, ensure_ascii=False, indent=1) + "\n"
