"""The journal's text: exact bytes of what is written, and what is read."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from episodic.episode import NewEpisode
from episodic.journal.identity import hand_written_id
from episodic.journal.text import DayText, day_heading, read_day_text, render_section, stored_text
from memoryd.text.canonical import digest
from memoryd.text.decode import decode
from tests.golden.journal import entries as golden

ID = "ep_01KBA5ZJYCAMS1T9VQG8Z5N3E4"
FILE = "journal/2026-11-30.md"


def read(text: str, file: str = FILE) -> DayText:
    return read_day_text(text, file=file, day=golden.DAY, zone=golden.ZONE)


def section(text: str, *, title: str | None = "t", id_: str = ID) -> str:
    return render_section(
        id_, NewEpisode(text=text, at=datetime(2026, 11, 30, 14, 5, tzinfo=golden.CET), title=title), key=None
    )


def test_the_bytes_of_a_written_day_are_the_golden_ones() -> None:
    sections = [render_section(id_, new, key=key) for id_, new, key in golden.ENTRIES]
    text = day_heading(golden.DAY) + "".join(f"\n{one}" for one in sections)

    assert text.encode() == (golden.FOLDER / "written.md").read_bytes()


@pytest.mark.parametrize("name", golden.INPUTS)
def test_days_are_read_as_the_golden_ones(name: str) -> None:
    text = (golden.FOLDER / f"{name}.md").read_bytes().decode()

    assert golden.as_json(read(text, f"journal/{name}.md")) == (golden.FOLDER / f"{name}.json").read_text("utf-8")


def test_a_written_entry_comes_back_as_it_was() -> None:
    for id_, new, key in golden.ENTRIES:
        (entry,) = read(day_heading(golden.DAY) + "\n" + render_section(id_, new, key=key)).entries

        assert entry.written
        episode = entry.episode
        assert (episode.id, episode.key, episode.at, episode.text) == (id_, key, new.at, stored_text(new.text))
        assert (episode.session, episode.turn, episode.transcript) == (new.session, new.turn, new.transcript)
        assert episode.files == new.files


def test_the_same_file_with_carriage_returns_reads_the_same() -> None:
    text = (golden.FOLDER / "by_hand.md").read_bytes().decode()

    assert read(text.replace("\n", "\r\n")) == read(text)


def test_a_byte_order_mark_changes_nothing() -> None:
    data = (golden.FOLDER / "by_hand.md").read_bytes()

    assert read(decode(b"\xef\xbb\xbf" + data).text) == read(data.decode())


def test_hand_written_ids_are_hashes_of_file_heading_and_occurrence() -> None:
    entries = read("first\n\n## A\none\n## A\ntwo\n").entries

    assert [entry.episode.id for entry in entries] == [
        f"ep_{digest(FILE, None, 0, length=20)}",
        f"ep_{digest(FILE, 'A', 0, length=20)}",
        f"ep_{digest(FILE, 'A', 1, length=20)}",
    ]
    assert hand_written_id("v:Daily/x.md", "A", 1) == f"ep_{digest('v:Daily/x.md', 'A', 1, length=20)}"


def test_a_line_inserted_above_changes_no_id() -> None:
    text = "## A 10:00\none\n\n## B\ntwo\n"

    before = {entry.episode.id for entry in read(text).entries}
    after = {entry.episode.id for entry in read("new first line\n\n" + text).entries}
    assert before < after


def test_an_empty_heading_keeps_its_occurrence() -> None:
    filled = read("## A\n\n## A\ntwo\n").entries
    assert [entry.episode.id for entry in filled] == [hand_written_id(FILE, "A", 1)]


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# 2026-11-30\n", "# 2026-11-30\n\n## Session 09:10\n", "---\na: 1\n---\n"]
)
def test_nothing_said_is_no_entry(text: str) -> None:
    assert read(text).entries == ()


@pytest.mark.parametrize(
    ("heading", "time", "title"),
    [
        ("## 09:15 Bank", "09:15", "Bank"),
        ("## 9:15", "09:15", "9:15"),
        ("## Session 18:00", "18:00", "Session 18:00"),
        ("## Release 1.2:30", "00:00", "Release 1.2:30"),
        ("## 25:00 no time", "00:00", "no time"),
        ("## Closed ## ", "00:00", "Closed"),
        ("#\ttab", "00:00", "tab"),
    ],
)
def test_the_time_of_a_hand_written_entry_comes_from_its_heading(heading: str, time: str, title: str) -> None:
    (entry,) = read(f"{heading}\nbody\n").entries

    assert entry.episode.at == datetime.combine(golden.DAY, datetime.strptime(time, "%H:%M").time(), golden.ZONE)
    assert entry.episode.title == title


def test_hand_written_time_is_in_the_zone_that_was_given() -> None:
    (entry,) = read_day_text("x", file=FILE, day=date(2026, 7, 1), zone=ZoneInfo("Asia/Tokyo")).entries

    assert entry.episode.at == datetime(2026, 6, 30, 15, 0, tzinfo=UTC)


def test_text_before_the_first_heading_has_the_files_name() -> None:
    assert read("x").entries[0].episode.title == "2026-11-30"


@pytest.mark.parametrize("fence", ["```", "~~~", "   ````", "> ```", "- ```"])
def test_a_written_section_ends_an_open_fence(fence: str) -> None:
    entries = read(f"{fence}\nopen\n\n{section('inside')}\n{section('after', id_=ID[:-1] + '5')}").entries

    assert [entry.episode.text for entry in entries][-2:] == ["inside", "after"]


def test_front_matter_left_open_by_hand_does_not_swallow_a_section() -> None:
    entries = read(f"---\nunfinished\n\n{section('first' + chr(10) + '---' + chr(10) + 'second')}").entries

    assert entries[-1].episode.text == "first\n---\nsecond"


def test_a_heading_in_a_comment_or_fence_starts_nothing() -> None:
    text = "## A\n<!--\n## hidden\n-->\n~~~sh\n# comment\n~~~\n1. item\n   ```sh\n   # comment\n   ```\n"

    assert len(read(text).entries) == 1


def test_an_anchor_whose_heading_was_taken_away_is_not_shown_and_is_reported() -> None:
    text = section("one") + "\n" + section("two", id_=ID[:-1] + "5").replace("## 14:05 t\n", "### changed\n")

    day = read(text)
    (entry,) = day.entries
    assert "<!--" not in entry.episode.text
    assert entry.episode.text.split() == ["one", "###", "changed", "two"]
    assert "line 6" in day.problems[0]


@pytest.mark.parametrize(
    ("anchor", "problem"),
    [
        ("<!-- memoryd: at=2026-11-30T14:05:00Z -->", "no id"),
        ("<!-- memoryd: id=ep_x at=yesterday -->", "time that cannot be read"),
        ("<!-- memoryd: id=ep_x -->", "no time"),
        ("<!-- memoryd: id=../../etc at=2026-11-30T14:05:00Z -->", "id that is none"),
        ("<!-- memoryd: id=ep_x at=2026-11-30T14:05:00 -->", "without an offset"),
    ],
)
def test_a_damaged_anchor_is_still_a_boundary_and_is_reported(anchor: str, problem: str) -> None:
    day = read(f"```\n## 14:05 title\n{anchor}\nbody\n")

    assert day.entries[-1].episode.text == "body"
    assert day.entries[-1].episode.title == "title"
    assert any(problem in one for one in day.problems)


def test_both_spellings_of_the_time_are_read() -> None:
    for at in ("2026-11-30T14:05:12+01:00", "2026-11-30T14%3A05%3A12%2B01%3A00"):
        (entry,) = read(f"## 14:05 t\n<!-- memoryd: id={ID} at={at} -->\nx\n").entries
        assert entry.episode.at == datetime(2026, 11, 30, 13, 5, 12, tzinfo=UTC)


def test_lines_are_those_of_the_file() -> None:
    text = "# d\n\n" + section("a\nb\n\nc") + "\n## hand\n\nd\n"
    lines = text.split("\n")

    written, hand = (entry for entry in read(text).entries)
    assert lines[written.body_line - 1 : written.episode.lines[1]] == ["a", "b", "", "c"]
    assert lines[hand.episode.lines[0] - 1] == "## hand"
    assert lines[hand.body_line - 1 : hand.episode.lines[1]] == ["d"]
