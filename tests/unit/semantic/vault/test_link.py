from __future__ import annotations

import pytest

from semantic.vault.link import find_links, property_links


def targets(text: str) -> list[str]:
    return [link.written for link in find_links(text)]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("[[A]]", "A"),
        ("[[A|shown]]", "A"),
        ("[[A#Heading]]", "A"),
        ("[[A#^block-1]]", "A"),
        ("![[A]]", "A"),
        ("[[dir/A]]", "dir/A"),
        ("[[A.md]]", "A.md"),
        ("[t](A.md)", "A.md"),
        ("[t](my%20note.md)", "my note.md"),
        ("[t](<my note.md>)", "my note.md"),
        ('[t](A.md "a title")', "A.md"),
        ("[t](../up/A.md#Some%20Heading)", "../up/A.md"),
        ("![pic](img/a.png)", "img/a.png"),
        ("[[#Here]]", ""),
        ("[t](#here)", ""),
        ("[[ A ]]", "A"),
        ("[[grösse|x]]", "grösse"),
        ("[t](f(1).md)", "f(1).md"),
        ("[ref]: docs/A.md", "docs/A.md"),
        ("[[a [b] c]]", "a [b] c"),
    ],
)
def test_reads_every_form(text: str, written: str) -> None:
    assert targets(text) == [written]


@pytest.mark.parametrize(
    "text",
    [
        "`[[inline]]`",
        "```bash\nif [[ -f x ]]; then :; fi\n```",
        "~~~\n[[A]]\n~~~",
        "<!-- [[A]] -->",
        "%% [[A]] %%",
        "$[[1,2]]$",
        "[t](https://example.org/A.md)",
        "[t](mailto:a@example.org)",
        "[t](//example.org/A)",
        "[t](folder/)",
        "[[]]",
        "[[|x]]",
        "[[A\nB]]",
        r"\[[A]]",
        "[ ] todo",
        "[x] done",
        "[^1]: a footnote",
        "plain [text] only",
    ],
)
def test_leaves_alone_what_is_no_link(text: str) -> None:
    assert targets(text) == []


def test_table_pipe_is_escaped() -> None:
    found = find_links("| a | b |\n|---|---|\n| [[Target\\|shown]] | [[Other#Sec\\|x]] |\n")
    assert [(link.written, link.heading, link.shown, link.line) for link in found] == [
        ("Target", None, "shown", 3),
        ("Other", "Sec", "x", 3),
    ]


def test_parts_of_a_link() -> None:
    [embed, deep, block] = find_links("![[a.png|640x480]]\n[[N#H1#H2]]\n[[N#^id-1|b]]", first_line=10)
    assert (embed.embed, embed.shown, embed.line) == (True, "640x480", 10)
    assert (deep.heading, deep.block, deep.line) == ("H1#H2", None, 11)
    assert (block.heading, block.block, block.shown, block.line) == (None, "id-1", "b", 12)


def test_an_image_inside_a_link_is_two_links() -> None:
    found = find_links("[![alt](a.png)](B.md)")
    assert [(link.written, link.embed) for link in found] == [("B.md", False), ("a.png", True)]


def test_links_at_the_start_of_a_line_are_links() -> None:
    assert targets("[ESLint](https://eslint.org/) is popular\n[[ESLint]] is popular\n- [ ] todo\n- [x] done\n") == [
        "ESLint"
    ]


def test_long_prose_around_a_link_changes_nothing() -> None:
    text = f"- **Lorem** {'prose ' * 60}documented in [[Some Note]] for context\n"
    assert targets(text) == ["Some Note"]


def test_hostile_brackets_take_linear_time() -> None:
    for text in ("[" * 200_000, "[[a" * 70_000, "](a)" * 60_000, "[[a]" * 60_000, "![" * 100_000):
        find_links(text, masked=text)


def test_properties_hold_links_with_their_line() -> None:
    raw = 'up: "[[Index]]"\nlist:\n  - "[[A|x]]"\n  - plain\n'
    found = property_links({"up": "[[Index]]", "list": ["[[A|x]]", "plain"], "n": 3}, raw)
    assert [(link.written, link.line) for link in found] == [("Index", 1), ("A", 3)]
