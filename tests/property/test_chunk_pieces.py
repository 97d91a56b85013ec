"""Pieces of any entry: nothing lost, nothing doubled, ids of their own."""

from __future__ import annotations

import itertools
from datetime import UTC, date, datetime

from hypothesis import given
from hypothesis import strategies as st

from episodic.episode import NewEpisode
from episodic.index.chunk import cut_episode
from episodic.journal.text import read_day_text, render_section, stored_text

PARTS = [
    "# h\n",
    "## h\n",
    "```\n",
    "~~~\n",
    "- a\n",
    "| a | b |\n|--|--|\n",
    "\n\n",
    "数据库。",
    "word ",
    "same line\n",
    "e\u0301",
    "🦊",
]
texts = st.lists(st.sampled_from(PARTS) | st.text(max_size=8), max_size=300).map("".join)


@given(texts.filter(lambda text: bool(stored_text(text).strip())))
def test_pieces_hold_the_text_once_and_have_ids_of_their_own(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    new = NewEpisode(text=text, at=datetime(2026, 11, 30, tzinfo=UTC))
    section = render_section("ep_01KBA5ZJYCAMS1T9VQG8Z5N3E4", new, key=None)
    (entry,) = read_day_text(section, file="f.md", day=date(2026, 11, 30), zone=UTC).entries
    chunks = cut_episode(entry)

    assert len({chunk.id for chunk in chunks}) == len(chunks)
    if chunks:
        kept = "".join("".join(chunk.text.split()) for chunk in chunks)
        assert kept == "".join(stored_text(text).split())
    for before, after in itertools.pairwise(chunks):
        assert before.lines[0] <= before.lines[1] <= after.lines[1]
        assert after.lines[0] >= before.lines[1]
    assert all(2 < line <= section.count("\n") for chunk in chunks for line in chunk.lines)
