from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from memoryd.text.canonical import digest
from semantic.log.ids import note_id
from semantic.model import Note
from semantic.vault.contract import Contract
from semantic.vault.note import read_note

MODIFIED = datetime(2026, 5, 1, 12, tzinfo=UTC)
ZONE = timezone(timedelta(hours=2))


def read(text: str | bytes, path: str = "dir/File Name.md", vault: str = "v") -> Note:
    data = text.encode() if isinstance(text, str) else text
    return read_note(vault, path, data, modified=MODIFIED, zone=ZONE, contract=Contract())


def test_more_tags_and_aliases_than_anyone_writes_are_bounded() -> None:
    aliases = ", ".join(f"a{n}" for n in range(200))
    note = read(f"---\naliases: [{aliases}]\n---\n" + " ".join(f"#t{n}" for n in range(20_000)))
    assert (len(note.tags), note.tags[0], len(note.aliases)) == (500, "t0", 100)
    assert [problem.split(" are")[0] for problem in note.problems] == ["20000 tags", "200 aliases"]


def test_ids_are_those_of_the_formats() -> None:
    note = read("# T\n\nbody\n")
    assert note.id == "no_" + digest("v", "dir/File Name.md", length=20) == note_id("v", "dir/File Name.md")
    [section] = note.sections
    assert section.id == digest("v:dir/File Name.md", section.text, 0, length=32)
    assert note_id("v", "gro\u0308ssen.md") == note_id("v", "grössen.md")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: Named\n---\n# Heading\n", "Named"),
        ("---\ntitle: 2026-01-01\n---\n", "2026-01-01"),
        ("---\ntitle: 42\n---\n", "42"),
        ('---\ntitle: "a: b # c"\n---\n', "a: b # c"),
        ("---\ntitle:\n---\nx\n\n# Heading *one*\n", "Heading one"),
        ("Setext\n======\n", "Setext"),
        ("```\n# not a heading\n```\n## only two\n", "File Name"),
        ("", "File Name"),
        ("# \n", "File Name"),
    ],
)
def test_title(text: str, title: str) -> None:
    assert read(text).title == title


@pytest.mark.parametrize(
    ("value", "aliases"),
    [
        ("", ()),
        ("null", ()),
        ("one", ("one",)),
        ("one, two", ("one", "two")),
        ("[a, 'b', 3]", ("a", "b", "3")),
        ("[]", ()),
    ],
)
def test_aliases(value: str, aliases: tuple[str, ...]) -> None:
    assert read(f"---\naliases: {value}\n---\n").aliases == aliases


def test_bad_front_matter_is_reported_and_the_body_is_read() -> None:
    note = read("---\ntitle: Governance: Rootkeeper Manifest\ntags: [type/reference]\n---\nbody owl\n")
    assert [section.text.strip() for section in note.sections] == ["body owl"]
    assert "line 2" in note.problems[0]
    assert note.violations[0].startswith("the front matter cannot be read")
    assert note.sections[0].lines == (5, 5)
    assert note.text.startswith("---\ntitle: Governance: Rootkeeper")


def test_a_byte_order_mark_changes_no_chunk() -> None:
    text = "---\nsummary: BOM note\ntags:\n  - tool/milvus\n---\n\nbody\n"
    plain, marked = read(text), read("\ufeff" + text)
    assert (marked.summary, marked.tags) == ("BOM note", ("tool/milvus",))
    assert marked.sections == plain.sections
    assert marked.etag != plain.etag


def test_the_front_matter_is_in_no_section() -> None:
    note = read("---\nsummary: s\ndate: 2026-01-02\n---\nbody\n\n---\nafter a rule\n")
    assert all("summary" not in section.text for section in note.sections)
    assert note.summary == "s"


@pytest.mark.parametrize(
    ("block", "at"),
    [
        ("date: 2026-01-02", datetime(2026, 1, 2, tzinfo=ZONE)),
        ("created: 2026-01-02T10:30:00", datetime(2026, 1, 2, 10, 30, tzinfo=ZONE)),
        ("updated: 2026-01-02 9:05", datetime(2026, 1, 2, 9, 5, tzinfo=ZONE)),
        ("date: 2026-01-02T10:30:00Z", datetime(2026, 1, 2, 10, 30, tzinfo=UTC)),
        ('date: "[[2026-01-02]]"', datetime(2026, 1, 2, tzinfo=ZONE)),
        ("date: soon\ncreated: 2026-01-03", datetime(2026, 1, 3, tzinfo=ZONE)),
        ("date: 2026-13-45", MODIFIED),
        ("x: 1", MODIFIED),
    ],
)
def test_instant(block: str, at: datetime) -> None:
    assert read(f"---\n{block}\n---\n").at == at


def test_an_element_joins_only_by_its_id() -> None:
    good = "el_" + "a" * 20
    assert read(f"---\nelement: {good}\n---\n").element == good
    bad = read("---\nelement: milvus\n---\n")
    assert bad.element is None
    assert "element" in bad.problems[0]


def test_bytes_that_are_no_text_are_reported() -> None:
    note = read(b"# T\n\nok \xff and \x00 nul\n")
    assert len(note.problems) == 2
    assert note.title == "T"


def test_tags_of_both_places_once() -> None:
    note = read("---\ntags: [Tool/X, a]\n---\ntext #tool/x and #more `#code`\n")
    assert note.tags == ("tool/x", "a", "more")


def test_links_carry_the_line_of_the_file() -> None:
    note = read('---\nup: "[[Index]]"\n---\n\n[[Body]]\r\n')
    assert [(link.written, link.line) for link in note.links] == [("Index", 2), ("Body", 5)]


def test_equal_sections_have_different_ids() -> None:
    part = "## Same\n\n" + "word " * 300 + "\n\n"
    note = read(part + part)
    ids = [section.id for section in note.sections]
    assert len(set(ids)) == len(ids) > 1


def test_lines_lead_to_the_text() -> None:
    text = "---\na: 1\n---\n\n# One\r\n\r\nfirst\r\n\r\n## Two\r\n\r\nsecond\r\n"
    rows = text.split("\n")
    for section in read(text).sections:
        first, last = section.lines
        assert section.text.strip() in "\n".join(rows[first - 1 : last])


@pytest.mark.parametrize("text", ["", "\n\n", "# \n", "# Only a heading\n", "<!-- note -->\n", "---\na: 1\n---\n"])
def test_notes_that_say_nothing_have_no_section(text: str) -> None:
    assert read(text).sections == ()
