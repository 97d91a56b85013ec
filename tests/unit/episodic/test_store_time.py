"""Time, days and what stands around an entry."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from episodic.errors import (
    TranscriptMissing,
    UnknownEpisode,
)
from episodic.search.arms import EpisodicQuery
from episodic.store import EpisodicStore
from episodic.testing import AT, make_store, new
from memoryd.text.window import Window


def test_lists_are_paged_by_time_and_id(store: EpisodicStore) -> None:
    ids = [store.append(new(f"entry {n}", at=AT + timedelta(minutes=n // 2))).episode.id for n in range(7)]
    by_time = sorted(ids, key=lambda id_: (store.get(id_).at, id_), reverse=True)

    seen: list[str] = []
    after = None
    while page := store.list(after=after, limit=3):
        seen += [episode.id for episode in page]
        after = (page[-1].at, page[-1].id)
    assert seen == by_time
    assert next(e.id for e in store.list(newest_first=False, limit=50)) in ids[:2]


def test_windows_are_half_open_and_compare_instants(store: EpisodicStore) -> None:
    for n in range(3):
        store.append(new(f"entry {n}", at=AT + timedelta(microseconds=n)))
    at = AT.astimezone(UTC)

    def texts(since: datetime | None, until: datetime | None) -> list[str]:
        return [e.text for e in store.list(Window(since, until), newest_first=False)]

    step = timedelta(microseconds=1)
    assert texts(at, None) == ["entry 0", "entry 1", "entry 2"]
    assert texts(at + step, at + 2 * step) == ["entry 1"]
    hits = store.search(EpisodicQuery("entry", window=Window(at + step, at + 2 * step)), None).hits
    assert [hit.text for hit in hits] == ["entry 1"]


def test_a_window_without_words_is_read_in_order_to_its_end(store: EpisodicStore, journal: Path) -> None:
    lines = "".join(f"## Session {9 + n // 12:02}:{n % 12 * 5:02}\n- did thing {n}\n\n" for n in range(110))
    (journal / "2026-07-16.md").write_text(lines, "utf-8")
    (journal / "2026-07-17.md").write_text("## 09:00\n- another day\n", "utf-8")
    store.reconcile()
    day = Window(
        datetime(2026, 7, 16, tzinfo=ZoneInfo("Europe/Berlin")), datetime(2026, 7, 17, tzinfo=ZoneInfo("Europe/Berlin"))
    )

    answer = store.search(EpisodicQuery("", window=day, limit=500), None)
    assert [hit.text for hit in answer.hits] == [f"- did thing {n}" for n in range(110)]
    assert answer.degraded == ()
    cut = store.search(EpisodicQuery(" ", window=day, limit=10), None)
    assert (len(cut.hits), cut.degraded) == (10, ("100 later entries of this time are not shown",))
    empty = Window(datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 1, 2, tzinfo=UTC))
    assert store.search(EpisodicQuery("", window=empty), None).hits == ()


def test_days_are_read_by_time_then_place(store: EpisodicStore, journal: Path) -> None:
    (journal / "2026-11-30.md").write_text("## 15:00 B\nb\n\n## 09:00 A\na\n\n## Untimed\nc\n", "utf-8")
    store.reconcile()

    assert [e.text for e in store.read_day(date(2026, 11, 30))] == ["c", "a", "b"]
    assert store.read_day(date(2026, 11, 29)) == []


def test_a_day_gives_the_time_of_an_untitled_entry_once(store: EpisodicStore, journal: Path) -> None:
    (journal / "2026-11-30.md").write_text("## 9:05\na\n\n## 10:00 11:00\nb\n\n## Lunch\nc\n", "utf-8")
    store.reconcile()
    written = store.append(new("d", title=None, project=None)).episode
    day = store.context_of(written.id, "day")
    assert day.split("\n\n") == ["## 00:00 Lunch\nc", "## 09:05\na", "## 10:00 11:00\nb", f"## {written.at:%H:%M}\nd"]


def test_what_stands_around_an_entry(store: EpisodicStore, tmp_path: Path) -> None:
    long = "\n\n".join(f"Paragraph {n} is about the walrus and its many friends. " * 5 for n in range(12))
    episode = store.append(new(long, session="s", turn="t")).episode
    store.append(new("later", at=AT + timedelta(hours=1)))
    (hit, *_) = store.search(EpisodicQuery("walrus"), None).hits

    assert hit.kind == "section"
    assert store.context_of(hit.id, "section") == episode.text
    day = store.context_of(episode.id, "day")
    assert day.index("Paragraph 11") < day.index("later")
    assert "<!--" not in day
    with pytest.raises(TranscriptMissing):
        store.context_of(episode.id, "transcript")
    excerpt = tmp_path / "memory" / "transcripts" / "s" / "t.md"
    excerpt.parent.mkdir(parents=True, exist_ok=True)
    excerpt.write_text("who said what", "utf-8")
    assert store.context_of(hit.id, "transcript") == "who said what"
    with pytest.raises(UnknownEpisode):
        store.context_of("0" * 32, "section")


@pytest.mark.parametrize(
    "path", ["../outside.md", "/etc/passwd", "transcripts/../../outside.md", "transcripts/link.md"]
)
def test_no_file_outside_the_excerpts_is_read(store: EpisodicStore, tmp_path: Path, path: str) -> None:
    (tmp_path / "outside.md").write_text("private", "utf-8")
    (tmp_path / "memory" / "transcripts").mkdir(exist_ok=True)
    (tmp_path / "memory" / "transcripts" / "link.md").symlink_to(tmp_path / "outside.md")
    episode = store.append(new(transcript=path)).episode

    with pytest.raises(TranscriptMissing):
        store.context_of(episode.id, "transcript")


def test_an_entry_goes_to_the_day_that_it_was_here(store: EpisodicStore, journal: Path) -> None:
    elsewhere = datetime(2026, 11, 27, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    here = elsewhere.astimezone(ZoneInfo("Europe/Berlin"))

    entry = store.append(new("travelled", at=elsewhere)).episode

    assert entry.at == elsewhere
    assert entry.path == f"journal/{here.date()}.md"
    stored = (journal / f"{here.date()}.md").read_text("utf-8")
    assert f"## {here:%H:%M}" in stored
    assert here.isoformat(timespec="seconds").replace(":", "%3A").replace("+", "%2B") in stored


def test_a_day_is_the_local_day_of_the_daemons_zone_whatever_offset_an_entry_was_written_with(tmp_path: Path) -> None:
    """Entries of a journey: written in Tokyo, read at home. Each keeps its offset; the day is that of home."""
    journal = tmp_path / "memory" / "journal"
    journal.mkdir(parents=True)
    anchors = {
        "late in Tokyo": "2026-07-14T23:30:00+09:00",
        "early in Tokyo": "2026-07-15T05:30:00+09:00",
        "noon in Tokyo": "2026-07-15T12:00:00+09:00",
        "evening in Denver": "2026-07-14T20:00:00-06:00",
    }
    for number, (text, at) in enumerate(anchors.items()):
        section = f"\n## {at[11:16]} x\n<!-- memoryd: id=ep_01JZZZZZZZZZZZZZZZZZZZZZZ{number} at={at} -->\n{text}\n"
        with (journal / f"{at[:10]}.md").open("a", encoding="utf-8") as file:
            file.write(section)
    store = make_store(tmp_path, zone=ZoneInfo("Europe/Berlin"))
    store.open()
    store.reconcile()

    def texts(day: date) -> list[str]:
        return [entry.text for entry in store.read_day(day)]

    assert texts(date(2026, 7, 14)) == ["late in Tokyo", "early in Tokyo"]
    assert texts(date(2026, 7, 15)) == ["evening in Denver", "noon in Tokyo"]
    assert [(day.date.isoformat(), day.episodes) for day in store.days()] == [("2026-07-14", 2), ("2026-07-15", 2)]
    for entry in store.list():
        assert entry.at.isoformat() == anchors[entry.text]
    for day in (date(2026, 7, 14), date(2026, 7, 15)):
        zone = ZoneInfo("Europe/Berlin")
        window = Window(datetime(day.year, day.month, day.day, tzinfo=zone),
                        datetime(day.year, day.month, day.day + 1, tzinfo=zone))  # fmt: skip
        assert [hit.text for hit in store.search(EpisodicQuery("", window=window), None).hits] == texts(day)
    early = next(entry for entry in store.list() if entry.text == "early in Tokyo")
    assert "late in Tokyo" in store.context_of(early.id, "day")
    store.close()


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", date(2026, 3, 29), 23),
        ("Europe/Berlin", date(2026, 10, 25), 25),
        ("America/Santiago", date(2024, 9, 8), 23),
        ("Asia/Kathmandu", date(2026, 1, 1), 24),
        ("UTC", date(1969, 12, 31), 24),
    ],
)
def test_days_of_every_length_hold_their_entries_and_no_others(
    tmp_path: Path, zone: str, day: date, hours: int
) -> None:
    store = make_store(tmp_path, zone=ZoneInfo(zone))
    store.open()
    middle = datetime(day.year, day.month, day.day, 12, tzinfo=ZoneInfo(zone)).astimezone(UTC)
    for offset in range(-30, 31):
        store.append(new(f"entry {offset}", at=middle + timedelta(hours=offset, minutes=1)))

    assert len(store.read_day(day)) == hours
    counted = {one.date: one.episodes for one in store.days()}
    assert counted[day] == hours
    assert sum(counted.values()) == 61
    assert store.read_day(date.max) == []
    store.close()


def test_a_file_with_a_time_centuries_from_now_is_read_as_any_other(store: EpisodicStore, journal: Path) -> None:
    day = journal / "2026-11-29.md"
    day.write_text("## 10:00 walrus\nIt sleeps.\n", "utf-8")
    try:
        os.utime(day, (2**34, 2**34))
    except OSError:
        pytest.skip("the file system holds no such time")
    assert store.reconcile().problems == ()
    assert [one.title for one in store.list()] == ["walrus"]
    assert store.reconcile().changed == 0
