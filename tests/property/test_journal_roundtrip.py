"""Whatever is written into a day is read back as it was."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from episodic.episode import NewEpisode
from episodic.journal.anchor import Anchor, is_anchor, read_anchor, render_anchor
from episodic.journal.identity import written_id
from episodic.journal.text import day_heading, read_day_text, render_section, stored_text, title_of

MARKS = [
    "#",
    "##",
    "###",
    "\\",
    "<!-- memoryd:",
    "-->",
    "```",
    "~~~",
    "---",
    " ",
    "\t",
    "\r",
    "\n",
    "> ",
    "- ",
    "10:30",
    "x",
]
hostile = st.lists(st.sampled_from(MARKS) | st.characters(exclude_categories=["Cs"]), max_size=30).map("".join)
values = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
maybe = st.none() | values
instants = st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1)).flatmap(
    lambda at: st.integers(-14 * 60, 14 * 60).map(lambda m: at.replace(tzinfo=timezone(timedelta(minutes=m))))
)
entries = st.builds(
    NewEpisode,
    text=hostile.filter(lambda text: bool(stored_text(text).strip())),
    at=instants,
    title=st.none() | hostile,
    project=maybe,
    session=maybe,
    turn=maybe,
    transcript=maybe,
    files=st.lists(values, max_size=3).map(tuple),
)


@given(st.lists(entries, min_size=1, max_size=5), st.binary(min_size=10, max_size=10))
def test_a_day_reads_back_as_it_was_written(new: list[NewEpisode], noise: bytes) -> None:
    ids = [
        written_id(one.at, session="s", turn=f"{noise.hex()}{n}", key=None, entropy=bytes) for n, one in enumerate(new)
    ]
    text = day_heading(datetime(2026, 11, 30).date())
    for id_, one in zip(ids, new, strict=True):
        text += "\n" + render_section(id_, one, key=None)
    assert text.encode().decode() == text

    day = read_day_text(text, file="f.md", day=datetime(2026, 11, 30).date(), zone=UTC)

    assert day.problems == ()
    assert [entry.episode.id for entry in day.entries] == ids
    lines = text.split("\n")
    for entry, one in zip(day.entries, new, strict=True):
        episode = entry.episode
        assert (episode.text, episode.at) == (stored_text(one.text), one.at)
        assert (episode.project, episode.session, episode.turn) == (one.project, one.session, one.turn)
        assert (episode.transcript, episode.files) == (one.transcript, one.files)
        assert not title_of(one) or episode.title == title_of(one)
        assert lines[episode.lines[0] - 1].startswith("## ")
        assert is_anchor(lines[episode.lines[0]])


@given(entries, hostile)
def test_text_by_hand_never_changes_what_we_wrote(one: NewEpisode, hand: str) -> None:
    section = render_section("ep_01KBA5ZJYCAMS1T9VQG8Z5N3E4", one, key=None)
    day = read_day_text(f"{hand}\n\n{section}", file="f.md", day=datetime(2026, 11, 30).date(), zone=UTC)

    (written,) = [e for e in day.entries if e.episode.id == "ep_01KBA5ZJYCAMS1T9VQG8Z5N3E4" and e.written]
    assert written.episode.text == stored_text(one.text)


@given(maybe, maybe, maybe, st.lists(values, max_size=4).map(tuple), instants)
def test_anchors_read_back(
    session: str | None, turn: str | None, key: str | None, files: tuple[str, ...], at: datetime
) -> None:
    anchor = Anchor(id="ep_1", at=at, session=session, turn=turn, key=key, files=files)
    line = render_anchor(anchor)

    assert "\n" not in line
    assert line.isascii()
    assert read_anchor(line) == anchor
