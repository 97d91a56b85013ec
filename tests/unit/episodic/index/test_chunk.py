"""Pieces of entries and their ids."""

from __future__ import annotations

from datetime import date
from zoneinfo import ZoneInfo

import pytest

from episodic.index.chunk import Chunk, chunk_id, cut_episode, lexical_text
from episodic.journal.text import read_day_text
from memoryd.text.canonical import digest


def chunks_of(text: str, file: str = "journal/2026-11-30.md") -> list[Chunk]:
    day = read_day_text(text, file=file, day=date(2026, 11, 30), zone=ZoneInfo("UTC"))
    return [chunk for entry in day.entries for chunk in cut_episode(entry)]


LONG = "\n\n".join(f"Paragraph {n} says that the pump of unit {n} was tuned again and again." * 4 for n in range(12))


def test_a_short_entry_is_one_piece_with_its_text_alone() -> None:
    (chunk,) = chunks_of("# 2026-11-30\n\n## 09:15 Bank\nAsked about the transfer.\n")

    assert chunk.text == "Asked about the transfer."
    assert chunk.heading == ("Bank",)
    assert chunk.lines == (4, 4)
    assert lexical_text(chunk.heading, chunk.text) == "Bank\nAsked about the transfer."


def test_ids_are_hashes_of_episode_text_and_occurrence() -> None:
    text = f"## A\n{LONG}\n"
    day = read_day_text(text, file="f.md", day=date(2026, 11, 30), zone=ZoneInfo("UTC"))
    chunks = cut_episode(day.entries[0])

    assert len(chunks) > 2
    assert [c.id for c in chunks] == [digest(day.entries[0].episode.id, c.text, 0, length=32) for c in chunks]


def test_the_same_input_twice_gives_the_same_ids_and_a_line_above_changes_none() -> None:
    first = chunks_of(f"## A\n{LONG}\n", "f.md")

    assert first == chunks_of(f"## A\n{LONG}\n", "f.md")
    moved = chunks_of(f"## New\nx\n\n## A\n{LONG}\n", "f.md")[1:]
    assert [c.id for c in moved] == [c.id for c in first]
    assert [c.lines for c in moved] != [c.lines for c in first]


def test_another_text_has_another_id() -> None:
    before, after = chunks_of(f"## A\n{LONG}\n"), chunks_of(f"## A\n{LONG.replace('unit 11', 'unit eleven')}\n")

    assert 0 < len({c.id for c in before} & {c.id for c in after}) < len(before)


def test_equal_pieces_of_one_entry_are_told_apart() -> None:
    same = ("The same sentence stands here once more. " * 26).strip()
    chunks = chunks_of(f"## A\n{same}\n\n{same}\n\n{same}\n")

    texts = [c.text for c in chunks]
    assert len(set(texts)) < len(texts)
    assert len({c.id for c in chunks}) == len(chunks)
    assert chunk_id("e", "t", 0) != chunk_id("e", "t", 1)


@pytest.mark.parametrize("text", ["", "\n\n", "<!-- only a comment -->\n", "## A\n<!-- note to self -->\n"])
def test_what_says_nothing_gives_no_piece(text: str) -> None:
    assert chunks_of(text) == []


def test_anchors_are_in_no_piece() -> None:
    written = "## 14:05 t\n<!-- memoryd: id=ep_1 at=2026-11-30T14:05:00Z -->\nbody one\n"
    peer = "### 09:11\n<!-- session:5b1c turn:0d2e transcript:/x -->\n- body two\n"
    texts = [c.text for c in chunks_of(f"## Session 09:10\n\n{peer}\n{written}")]

    assert texts == ["- body two", "body one"]


def test_lines_lead_back_to_the_file() -> None:
    written = "## 14:05 t\n<!-- memoryd: id=ep_1 at=2026-11-30T14:05:00Z -->\nlast\n"
    text = f"---\ntags: x\n---\n# d\n\n## A\n\n{LONG}\n\n{written}"
    for ending in ("\n", "\r\n"):
        lines = text.split("\n")
        for chunk in chunks_of(text.replace("\n", ending)):
            first, last = chunk.lines
            assert "\n".join(lines[first - 1 : last]).strip() == chunk.text.replace("\r", "")


def test_a_heading_inside_an_entry_is_in_the_path_of_what_stands_below() -> None:
    written = f"## 14:05 t\n<!-- memoryd: id=ep_1 at=2026-11-30T14:05:00Z -->\n\\## Plan\n{LONG}\n"
    chunks = chunks_of(written)

    assert chunks[-1].heading == ("t", "Plan")
    assert chunks[0].text.startswith("## Plan")


def test_a_table_cell_of_21000_letters_is_cut() -> None:
    chunks = chunks_of(f"# T\n\n| h |\n| :-- |\n| {'x' * 21000} |\n\nnext paragraph\n")

    assert max(len(c.text) for c in chunks) < 1500
    joined = "".join(c.text for c in chunks)
    assert joined.count("x") >= 21000
    assert "next paragraph" in joined


def test_a_comment_in_a_fence_is_no_heading() -> None:
    chunks = chunks_of(
        "# header\n## sub header\n```shell\n$ echo foo\n# comment\n$ echo bar\n```\n## subheader2\ntail\n"
    )

    assert [(c.heading, c.text) for c in chunks] == [
        (("sub header",), "```shell\n$ echo foo\n# comment\n$ echo bar\n```"),
        (("subheader2",), "tail"),
    ]
