"""Whatever stands in a note, reading it never fails and says the same twice."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from semantic.tag import fold_tag
from semantic.vault.contract import Contract
from semantic.vault.note import read_note

MARKS = [
    "[[",
    "]]",
    "|",
    "#",
    "^",
    "](",
    ")",
    "[",
    "]",
    "!",
    "`",
    "```\n",
    "%%",
    "$",
    "\\",
    "---\n",
    "tags: ",
    "a",
    "é",
]
MARKS += ["aliases: ", "笔", "\n", " ", "<!--", "\ufeff", "\r\n", "\0", "element: ", "- ", "&x ", "*x "]
MARKED = st.lists(st.sampled_from(MARKS), max_size=40).map(lambda marks: "".join(marks).encode())
NOTES = st.one_of(st.binary(max_size=80), MARKED)


@given(NOTES)
@settings(max_examples=300, deadline=None)
def test_reading_never_fails(data: bytes) -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    note = read_note("v", "x/N.md", data, modified=moment, zone=UTC, contract=Contract())
    assert note == read_note("v", "x/N.md", data, modified=moment, zone=UTC, contract=Contract())
    rows = note.text.count("\n") + 1
    assert all(1 <= section.lines[0] <= section.lines[1] <= rows for section in note.sections)
    assert all(1 <= link.line <= rows for link in note.links)
    assert all(tag and tag == fold_tag(tag) for tag in note.tags)
    assert len({section.id for section in note.sections}) == len(note.sections)
