"""Whatever the document: nothing is lost, nothing stands twice, the cap and the line numbers hold."""

from __future__ import annotations

import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.text.blocks import mask_code, parse_blocks
from memoryd.text.front_matter import split_front_matter
from memoryd.text.pieces import MAX_TOKENS, cut_pieces, estimate_tokens
from memoryd.text.sentences import cut_graphemes, split_sentences

LINES = st.sampled_from(
    [
        "", "", "# A", "## B", "### C", "#### D", "Title", "=====", "---", "***", "```", "````", "~~~", "```sh",
        "- item", "  - inner", "1. one", "| a | b |", "| - | - |", "> quote", "> [!note]", "<!--", "-->", "<!-- c -->",
        "%%", "$$", "    code", "\ttab", "<div>", "</div>", "word `x` word", "[[link]] #tag", "...", "a\rb", "a\u2028b",
        "漢字。かな。", "한국어 문장.", "e\u0301" * 40, "Sentence one. Sentence two! " * 30, "x" * 1500, "漢" * 800,
        "| " + "cell " * 300 + "|", "- " + "long item " * 200, "a" + "\u0301" * 1400, "🇩🇪" * 300, "\u200b", "\x0c",
        "[a]: b", "\\", "*", "+", "-", "1.",
    ]
)  # fmt: skip
DOCUMENTS = st.one_of(
    st.text(max_size=400),
    st.lists(st.one_of(LINES, st.text(max_size=30)), max_size=40).map("\n".join),
    st.lists(LINES, max_size=25).map("\r\n".join),
)


def bare(text: str) -> str:
    return "".join(text.split())


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS, st.integers(1, 500), st.booleans())
def test_pieces_give_the_text_back(text: str, first_line: int, boundary: bool) -> None:
    pieces = cut_pieces(text, first_line=first_line, boundary_headings=boundary)
    body = split_front_matter(text).body if first_line == 1 else text.removeprefix("\ufeff")
    if pieces:
        assert bare("".join(piece.text for piece in pieces)) == bare(body)
    lines = text.split("\n")
    last = first_line
    for piece in pieces:
        assert piece.text.strip()
        assert estimate_tokens(piece.text) <= MAX_TOKENS
        begin, end = piece.lines
        assert last <= begin <= end < first_line + len(lines)
        assert piece.text in "\n".join(lines[begin - first_line : end - first_line + 1])
        last = end


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS)
def test_a_document_without_pieces_says_nothing(text: str) -> None:
    if cut_pieces(text):
        return
    body = split_front_matter(text).body
    lines = body.split("\n")
    for block in parse_blocks(body, front_matter=False):
        said = "\n".join(lines[block.start : block.end])
        if block.kind not in {"heading", "rule"} and "<!--" not in body and "%%" not in body:
            assert not regex.search(r"\P{Cf}", bare(said))


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS)
def test_blocks_cover_every_line_that_is_not_blank(text: str) -> None:
    blocks = parse_blocks(text)
    lines = text.removeprefix("\ufeff").split("\n")
    at = 0
    for block in blocks:
        assert at <= block.start < block.end <= len(lines)
        assert not bare("".join(lines[at : block.start]))
        at = block.end
    assert not bare("".join(lines[at:]))


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS)
def test_masking_keeps_every_place(text: str) -> None:
    masked = mask_code(text)
    assert len(masked) == len(text)
    assert all(new in {old, " "} for new, old in zip(masked, text, strict=True))
    assert masked.count("\n") == text.count("\n")


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS)
def test_front_matter_and_body_are_the_text(text: str) -> None:
    matter = split_front_matter(text)
    assert text.endswith(matter.body)
    assert matter.raw in text
    assert text.removeprefix("\ufeff").count("\n") - matter.body.count("\n") == matter.body_line - 1 or not matter.body


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_sentences_join_to_the_text(text: str) -> None:
    sentences = split_sentences(text)
    assert "".join(sentences) == text
    assert all(sentences)
    graphemes = {match.end() for match in regex.finditer(r"\X", text)}
    at = 0
    for sentence in sentences:
        at += len(sentence)
        assert at in graphemes


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400), st.integers(1, 60))
def test_grapheme_cuts_join_to_the_text(text: str, limit: int) -> None:
    parts = cut_graphemes(text, limit)
    assert "".join(parts) == text
    assert all(part and estimate_tokens(part) <= limit + 1e-6 for part in parts)
    ends = {match.end() for match in regex.finditer(r"\X", text) if estimate_tokens(match[0]) <= limit}
    at = 0
    for part in parts:
        at += len(part)
        inside = next((m[0] for m in regex.finditer(r"\X", text) if m.start() < at < m.end()), None)
        assert at in ends or inside is None or estimate_tokens(inside) > limit
