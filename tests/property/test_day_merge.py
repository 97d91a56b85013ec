"""Merging two copies of a day is commutative, associative and idempotent, and loses nothing. Behaviours 27 and 31."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from episodic.episode import NewEpisode
from episodic.errors import Unmergeable
from episodic.journal.merge import day_marks, merge_day, origin_of
from episodic.journal.text import day_heading, read_day_text, render_section

DAY = date(2026, 11, 30)
FILE = "journal/2026-11-30.md"
ZONE = timezone(timedelta(hours=1))
IDS = [f"ep_01AAAAAAAAAAAAAAAAAAAAAA{letter}A" for letter in "ABC"]

lines = st.sampled_from(
    ["plain", "```", "~~~", "### deeper", "# escaped", "<!-- open", "- item", "", "    code", "---", "日記", "| a |"]
)
texts = st.lists(lines, min_size=1, max_size=4).map("\n".join).filter(str.strip)
headings = st.sampled_from(["## Ideas", "# Notes", "## 10:30 later", "## "])


@st.composite
def written(draw: st.DrawFn) -> str:
    number = draw(st.integers(0, 2))
    at = datetime(2026, 11, 30, 9 + number, tzinfo=ZONE)
    return render_section(IDS[number], NewEpisode(draw(texts), at), key=None)


hands = st.builds(lambda heading, text: f"{heading}\n\n{text}\n", headings, texts)
tops = st.sampled_from(["", day_heading(DAY), "---\nmood: good\n---\n", "loose words\n", day_heading(DAY) + "said\n"])


@st.composite
def days(draw: st.DrawFn) -> bytes:
    parts = draw(st.lists(written() | hands, max_size=4))
    return "\n".join([draw(tops), *parts]).encode()


def merged(one: bytes, other: bytes, **options: object) -> bytes:
    try:
        return merge_day(one, other, file=FILE, day=DAY, **options).data  # type: ignore[arg-type]
    except Unmergeable:
        assume(False)
        raise


def said(data: bytes) -> set[str]:
    """Return every line that carries words, wherever it stands."""
    return {line.strip() for line in data.decode().splitlines() if line.strip() and not line.startswith("<!-- memoryd")}


def entries(data: bytes) -> dict[str, str]:
    found = read_day_text(data.decode(), file=FILE, day=DAY, zone=UTC).entries
    return {one.episode.id: one.episode.text for one in found if one.written}


@settings(max_examples=40, deadline=None)
@given(days(), days())
@example(b"# 2026-11-30\n", b"\n## Ideas\n\n# escaped\nplain\n")
@example(b"# 2026-11-30\n\n## Ideas\n\n# escaped\nplain\n", b"# 2026-11-30\nlonger words at the top\n")
def test_commutative_idempotent_and_nothing_is_lost(one: bytes, other: bytes) -> None:
    both = merged(one, other)
    assert merged(other, one) == both
    assert merged(both, both) == both
    assert merged(both, one) == both
    assert merged(other, both) == both
    assert (said(one) | said(other)) - {f"# {DAY}"} <= said(both)
    assert set(entries(both)) >= set(entries(one)) | set(entries(other))


@settings(max_examples=25, deadline=None)
@given(days(), days(), days())
def test_associative(one: bytes, other: bytes, third: bytes) -> None:
    assert merged(merged(one, other), third) == merged(one, merged(other, third))


@settings(max_examples=25, deadline=None)
@given(days(), days(), days())
def test_three_way_merging_is_commutative_and_an_untouched_side_gives_way(
    base: bytes, one: bytes, other: bytes
) -> None:
    try:
        marks = day_marks(base, file=FILE, day=DAY)
    except Unmergeable:
        assume(False)
        raise
    assert merged(one, other, base=marks) == merged(other, one, base=marks)
    assume(all(data.count(id_.encode()) < 2 for data in (base, one) for id_ in IDS))
    assert entries(merged(base, one + b"\n", base=marks)) == entries(merged(one, one + b"\n"))


@settings(max_examples=15, deadline=None)
@given(days(), days(), st.sampled_from(IDS))
def test_what_was_forgotten_is_in_no_result(one: bytes, other: bytes, id_: str) -> None:
    both = merged(one, other)
    for left, right in ((one, other), (both, one), (other, both)):
        assert id_ not in {origin_of(found) for found in entries(merged(left, right, forgotten={id_}))}
