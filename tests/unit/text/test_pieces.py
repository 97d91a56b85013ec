from __future__ import annotations

import pytest

from memoryd.text.pieces import MAX_TOKENS, Piece, cut_pieces, estimate_tokens

SENTENCE = "This sentence is here only to take up some room. "


def bare(text: str) -> str:
    return "".join(text.split())


def check(text: str, pieces: list[Piece], *, body: str | None = None) -> None:
    """Nothing is lost or repeated, the cap holds, and the lines are those of the text."""
    assert bare("".join(piece.text for piece in pieces)) == bare(text if body is None else body)
    lines = text.split("\n")
    last = 1
    for piece in pieces:
        assert estimate_tokens(piece.text) <= MAX_TOKENS
        assert piece.text == piece.text.rstrip()
        first, final = piece.lines
        assert last <= first <= final
        assert piece.text in "\n".join(lines[first - 1 : final])
        last = final


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        " \t\r\n",
        "# A\n",
        "# A\n\n## B\n",
        "A\n===\n",
        "<!-- only a comment -->\n",
        "<!-- never closed\n\ntext\n",
        "%%\nhidden\n\nhidden\n%%\n",
        "# A\n\n<!-- c -->\n\n## B\n",
        "---\nkey: value\n---\n",
        "---\nkey: value\n---\n# A\n",
        "***\n",
        "\ufeff",
        "\u200b\n",
    ],
)
def test_documents_that_say_nothing_give_no_piece(text: str) -> None:
    assert cut_pieces(text) == []


def test_a_small_document_is_one_piece() -> None:
    assert cut_pieces("# T\n\nHello there.\n") == [Piece("# T\n\nHello there.", ("T",), (1, 3))]


def test_text_before_the_first_heading_stands_alone() -> None:
    assert cut_pieces("Before.\n\n# T\n\nAfter.\n") == [
        Piece("Before.", (), (1, 1)),
        Piece("# T\n\nAfter.", ("T",), (3, 5)),
    ]


def test_headings_inside_a_fence_are_none() -> None:
    text = "# header\n## sub header\n```shell\n$ echo foo\n# comment\n$ echo bar\n```\n## subheader2\ntail\n"
    assert cut_pieces(text) == [
        Piece(
            "# header\n## sub header\n```shell\n$ echo foo\n# comment\n$ echo bar\n```",
            ("header", "sub header"),
            (1, 7),
        ),
        Piece("## subheader2\ntail", ("header", "subheader2"), (8, 9)),
    ]


def test_a_piece_does_not_run_on_into_a_section_of_the_same_or_a_higher_rank() -> None:
    pieces = cut_pieces("## A\na\n## B\nb\n# C\nc\n## D\nd\n")
    assert [(piece.heading, piece.lines) for piece in pieces] == [
        (("A",), (1, 2)),
        (("B",), (3, 4)),
        (("C",), (5, 8)),
    ]


def test_small_sub_sections_join_their_parent_and_large_ones_do_not() -> None:
    small = cut_pieces("## A\na\n### A1\nb\n### A2\nc\n")
    assert [piece.heading for piece in small] == [("A",)]
    large = cut_pieces(f"## A\n{SENTENCE * 12}\n### A1\n{SENTENCE * 12}\n### A2\nc\n")
    assert [piece.heading for piece in large] == [("A",), ("A", "A1"), ("A", "A2")]


def test_a_section_of_only_a_heading_joins_what_follows() -> None:
    pieces = cut_pieces("# T\n\n## Empty\n\n## Full\n\ntext\n")
    assert pieces == [Piece("# T\n\n## Empty\n\n## Full\n\ntext", ("T", "Full"), (1, 7))]


def test_a_heading_that_nothing_follows_is_not_lost() -> None:
    text = "# T\n\ntext\n\n# Empty\n"
    assert cut_pieces(text) == [Piece("# T\n\ntext\n\n# Empty", ("T",), (1, 5))]
    full = "# T\n\n" + SENTENCE * 24 + "\n\n# " + "Empty " * 12 + "\n"
    check(full, cut_pieces(full))


def test_without_boundaries_headings_are_text() -> None:
    assert cut_pieces("# Buy milk\n", boundary_headings=False) == [Piece("# Buy milk", ("Buy milk",), (1, 1))]
    pieces = cut_pieces("# A\na\n# B\nb\n", boundary_headings=False)
    assert [(piece.text, piece.lines) for piece in pieces] == [("# A\na\n# B\nb", (1, 4))]
    assert cut_pieces("<!-- c -->", boundary_headings=False) == []


def test_neighbouring_blocks_are_packed() -> None:
    text = "\n\n".join(f"Paragraph {number} says a little." for number in range(60))
    pieces = cut_pieces(text)
    check(text, pieces)
    assert all(700 < len(piece.text) <= 1_100 for piece in pieces[:-1])


def test_a_comment_goes_with_what_follows() -> None:
    assert cut_pieces("<!-- c -->\n\n# A\n\ntext\n") == [Piece("<!-- c -->\n\n# A\n\ntext", ("A",), (1, 5))]


def test_a_long_note_without_headings_is_cut_and_its_end_is_there() -> None:
    text = "\n\n".join([SENTENCE * 5] * 90) + "\n\nzebra crossing code 4471\n"
    pieces = cut_pieces(text)
    check(text, pieces)
    assert pieces[-1].text.endswith("zebra crossing code 4471")
    assert len(pieces) > 20


def test_no_sentence_stands_in_two_pieces() -> None:
    sentences = [f"Sentence number {number} is about something." for number in range(60)]
    sentences[30] = "The unicorn invoice was paid."
    pieces = cut_pieces("## Log\n" + " ".join(sentences))
    assert sum("unicorn invoice" in piece.text for piece in pieces) == 1
    assert all(piece.text.endswith(".") for piece in pieces)


def test_a_table_cell_of_21000_characters() -> None:
    text = f"# T\n\n| h |\n| :-- |\n| {'x' * 21_000} |\n\nnext paragraph\n"
    pieces = cut_pieces(text)
    check(text, pieces)
    assert sum(piece.text.count("x") for piece in pieces) == 21_000 + 1  # and one in "next"
    assert pieces[-1].text.endswith("next paragraph")


@pytest.mark.parametrize(
    ("block", "unit"),
    [
        ("```\n" + "value = compute(another_value)\n" * 200 + "```\n", "\n"),
        ("| a | b |\n| - | - |\n" + "| some cell | some other cell |\n" * 200, "\n"),
        ("- an item of the list\n  goes on here\n" * 200, "\n- "),
        ("1. an item of the list\n   - inner\n" * 200, "\n1. "),
        ("> a quoted line of words.\n" * 200, "\n"),
        ("    indented code line\n" * 200, "\n"),
        ("<div>some markup in a line</div>\n" * 200, "\n"),
    ],
)
def test_large_blocks_are_cut_at_rows(block: str, unit: str) -> None:
    pieces = cut_pieces(block)
    check(block, pieces)
    assert len(pieces) > 3
    at = 0
    for piece in pieces[:-1]:
        at = block.index(piece.text, at) + len(piece.text)
        assert block[at:].startswith(unit)


def test_cjk_is_cut_at_its_own_full_stops() -> None:
    text = "今日はデータベースの移行を延期することにした。" * 200
    pieces = cut_pieces(text)
    check(text, pieces)
    assert all(piece.text.endswith("。") for piece in pieces)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 50_000,
        "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo" * 1_500,
        "漢字" * 5_000,
        "👨\u200d👩\u200d👧" * 2_000,
        "word " * 10_000,
        "- x " * 3_000,
        "> " * 3_000 + "x",
        "# " + "x" * 5_000 + "\n\nbody",
        "# a\n" + "\n" * 5_000 + "text",
        "text\n" + "\n" * 5_000 + "more",
        "# a\n" * 400 + "text",
        "#### " + "long title " * 60 + "\ntext\n" * 3,
        "<!-- " + "hidden " * 2_000 + "-->\n\ntext",
    ],
)
def test_no_shape_breaks_the_cap(text: str) -> None:
    check(text, cut_pieces(text))


def test_a_flood_of_combining_marks() -> None:
    text = "start a" + "\u0301" * 20_000 + " end"
    check(text, cut_pieces(text))


def test_graphemes_stay_whole() -> None:
    family = "👨\u200d👩\u200d👧"
    for piece in cut_pieces(family * 1_000):
        assert piece.text.count("\u200d") == 2 * piece.text.count("👧")
        assert piece.text.startswith("👨")


def test_front_matter_is_in_no_piece() -> None:
    text = "---\ntitle: x\n---\n\n# A\n\ntext\n"
    assert cut_pieces(text) == [Piece("# A\n\ntext", ("A",), (5, 7))]


def test_a_byte_order_mark_changes_nothing() -> None:
    for text in ("---\ntitle: x\n---\n\n# A\n\ntext\n", "# A\n\ntext\n", "plain"):
        assert cut_pieces("\ufeff" + text) == cut_pieces(text)


def test_a_rule_in_the_body_is_no_front_matter() -> None:
    text = "Before.\n\n---\n\nkey: value\n\n---\n\nAfter.\n"
    check(text, cut_pieces(text))


def test_a_part_of_a_file_keeps_the_numbers_of_the_file() -> None:
    assert cut_pieces("---\na: b\n---\ntext", first_line=40)[0].lines[0] == 40
    assert cut_pieces("\n\ntext\n", first_line=7) == [Piece("text", (), (9, 9))]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("front", ["", "---\na: 1\n---\n"])
def test_lines_are_those_of_the_file_as_stored(end: str, front: str) -> None:
    text = (front + "# A\n\nalpha\u2028beta\rgamma\u0085delta\n\n# B\n\nlast\x0cline\n").replace("\n", end)
    pieces = cut_pieces(text)
    first = front.count("\n")
    assert [piece.lines for piece in pieces] == [(first + 1, first + 3), (first + 5, first + 7)]
    for piece in pieces:
        begin, final = piece.lines
        assert "\n".join(text.split("\n")[begin - 1 : final]).rstrip() == piece.text


def test_the_indentation_of_a_first_line_stays() -> None:
    assert cut_pieces("\n\n    code here\n")[0].text == "    code here"


def test_cutting_is_a_pure_function() -> None:
    text = "# A\n\n" + SENTENCE * 100 + "\n\n- x\n- y\n"
    assert cut_pieces(text) == cut_pieces(text)


def test_a_line_inserted_above_changes_no_other_text() -> None:
    text = "# A\n\n" + SENTENCE * 15 + "\n\n# B\n\nsecond\n"
    before = {piece.text for piece in cut_pieces(text)}
    after = {piece.text for piece in cut_pieces("Inserted line.\n\n" + text)}
    assert after - before == {"Inserted line."}


def test_moving_a_section_changes_no_text() -> None:
    one, two = "# A\n\nalpha", "# B\n\nbeta"
    first = {piece.text for piece in cut_pieces(f"{one}\n\n{two}")}
    assert first == {piece.text for piece in cut_pieces(f"{two}\n\n\n{one}\n")}


def test_five_megabytes_are_cut_whole() -> None:
    text = "\n\n".join([f"## Section {number}\n\n" + SENTENCE * 20 for number in range(1_000)])
    pieces = cut_pieces(text)
    assert len(pieces) >= 1_000
    assert bare("".join(piece.text for piece in pieces)) == bare(text)
