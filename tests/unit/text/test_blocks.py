from __future__ import annotations

import pytest

from memoryd.text.blocks import Block, code_lines, mask_code, mask_comments, parse_blocks


def shapes(text: str) -> list[tuple[str, int, int]]:
    return [(block.kind, block.start, block.end) for block in parse_blocks(text)]


def headings(text: str) -> list[tuple[int, str]]:
    return [(block.level, block.title) for block in parse_blocks(text) if block.kind == "heading"]


def test_every_kind_of_block() -> None:
    text = (
        "---\na: 1\n---\n# One #\n\npara\nmore\n\n- a\n  - b\n- c\n\n| h |\n| - |\n| x |\n\n> [!note] T\n> quoted\n\n"
        "```sh\n# no\n```\n\n<!-- c -->\n\n***\n\n    code\n\nTwo\n---\n"
    )
    assert shapes(text) == [
        ("front_matter", 0, 3),
        ("heading", 3, 4),
        ("paragraph", 5, 7),
        ("list", 8, 11),
        ("table", 12, 15),
        ("quote", 16, 18),
        ("fence", 19, 22),
        ("html", 23, 24),
        ("rule", 25, 26),
        ("code", 27, 28),
        ("heading", 29, 31),
    ]
    assert headings(text) == [(1, "One"), (2, "Two")]


def test_a_comment_in_a_shell_fence_is_no_heading() -> None:
    text = "# header\n## sub header\n```shell\n$ echo foo\n# comment\n$ echo bar\n```\n## subheader2\ntail\n"
    assert headings(text) == [(1, "header"), (2, "sub header"), (2, "subheader2")]


@pytest.mark.parametrize(
    "fence",
    [
        "~~~\n# x\n~~~\n",
        "````\n```\n# x\n```\n````\n",
        "~~~\n```\n# x\n~~~\n",
        "```\n# x\n",
        "- a\n  ```\n  # x\n  ```\n",
        "<!--\n# x\n-->\n",
        "    # x\n",
        "> # x\n",
        "#x\n",
        "\\# x\n",
    ],
)
def test_what_only_looks_like_a_heading(fence: str) -> None:
    assert headings(fence) == []


def test_an_unclosed_fence_runs_to_the_end() -> None:
    assert shapes("a\n\n```\nx\n\n# y\n") == [("paragraph", 0, 1), ("fence", 2, 6)]


def test_setext_headings() -> None:
    assert headings("Title\n=====\n\nSub\n---\n") == [(1, "Title"), (2, "Sub")]
    assert headings("two\nlines\n===\n") == [(1, "two lines")]


def test_a_long_paragraph_over_a_rule_is_no_heading() -> None:
    assert shapes("a\nb\nc\nd\n---\n") == [("paragraph", 0, 5)]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_do_not_move_lines(end: str) -> None:
    text = end.join(["# A", "", "x", "y", "", "```", "# z", "```", "B", "=", ""])
    assert shapes(text) == [("heading", 0, 1), ("paragraph", 2, 4), ("fence", 5, 8), ("heading", 8, 10)]


@pytest.mark.parametrize("inside", ["\r", "\u2028", "\u2029", "\u0085", "\x0c", "\x0b", "\x1c"])
def test_only_a_line_feed_ends_a_line(inside: str) -> None:
    assert shapes(f"a{inside}b\n\n# c\n") == [("paragraph", 0, 1), ("heading", 2, 3)]


def test_a_byte_order_mark_is_no_text() -> None:
    assert headings("\ufeff# A\n") == [(1, "A")]
    assert shapes("\ufeff---\na: 1\n---\nx\n") == [("front_matter", 0, 3), ("paragraph", 3, 4)]


def test_a_body_may_begin_with_a_rule() -> None:
    text = "---\na: b\n---\nx\n"
    assert [block.kind for block in parse_blocks(text, front_matter=False)] == ["rule", "heading", "paragraph"]


def test_reference_definitions_are_not_lost() -> None:
    assert shapes("[a]: https://example.org\n") == [("paragraph", 0, 1)]


def test_blank_documents_have_no_block() -> None:
    for text in ("", "\n", " \t\n\n", "\ufeff"):
        assert parse_blocks(text) == []


def test_front_matter_that_ends_the_file() -> None:
    assert parse_blocks("---\na: 1\n---") == [Block("front_matter", 0, 3)]


def test_code_lines_at_any_depth() -> None:
    assert code_lines("a\n```\nx\n```\n- b\n  ~~~\n  y\n  ~~~\n\n      code\n") == {1, 2, 3, 5, 6, 7, 9}
    assert code_lines("> ```\n> x\n> ```\n") == {0, 1, 2}


def visible(text: str) -> str:
    masked = mask_code(text)
    assert len(masked) == len(text)
    assert [len(line) for line in masked.split("\n")] == [len(line) for line in text.split("\n")]
    return " ".join(masked.split())


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('```json\n{"bg": "#1E1E2E"}\n```\n`#inlinecode` real #tool/kitty\n', "real #tool/kitty"),
        ("a `b` c", "a c"),
        ("a ``b ` c`` d", "a d"),
        ("a ` b", "a ` b"),
        ("a ` b\n\nc ` d", "a ` b c ` d"),
        ("a `b\nc` d", "a d"),
        ("- a ` b\n- c ` d", "- a ` b - c ` d"),
        ("| a ` | b |\n| c ` | d |", "| a ` | b | | c ` | d |"),
        (r"a \`b\` c", r"a \`b\` c"),
        (r"\``x` y", r"\` y"),
        ("a <!-- [[b]] --> c", "a c"),
        ("a <!--\n\n[[b]]\n--> c", "a c"),
        ("a\n\n<!-- [[b]]\n\nc", "a"),
        ("a <!-- [[b]]", "a <!-- [[b]]"),
        ("`<!--` [[a]] `-->`", "[[a]]"),
        ("%%[[a]]%% b", "b"),
        ("a\n%%\n[[b]]\n\n%%\nc", "a c"),
        ("100%% of it", "100%% of it"),
        ("$$\n[[a]]\n$$\nb", "b"),
        ("$x_[[a]]$ b", "b"),
        ("costs $5 and [[a]] for $6", "costs $5 and [[a]] for $6"),
        ("$a\n\nb$", "$a b$"),
        ("---\nx: '[[a]]'\n---\nb", "b"),
        ("    [[a]]\n", ""),
        ("~~~\n[[a]]\n", ""),
        ("[[a]]\r\n`b`\r\n", "[[a]]"),
    ],
)
def test_mask_leaves_prose_alone(text: str, left: str) -> None:
    assert visible(text) == left


def test_mask_of_a_body_keeps_a_first_rule() -> None:
    text = "---\nx: [[a]]\n---\nb"
    assert mask_code(text, front_matter=False) == text


def test_mask_comments_blanks_nothing_else() -> None:
    assert mask_comments("a `<!--` b <!-- c --> d %%e%% $x$") == "a `<!--` b            d       $x$"
    assert mask_comments("```\n%%x%%\n```\n") == "```\n%%x%%\n```\n"
