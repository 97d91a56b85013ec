"""The page of benchmarks: made tables and kept prose stand beside each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryd.bench.errors import BenchDataError
from memoryd.bench.page import HEAD, with_blocks, write_blocks

PROSE = "# Benchmarks\n\nWhy these numbers.\n"


def test_a_new_block_goes_to_the_end_and_an_old_one_is_replaced_where_it_stands() -> None:
    once = with_blocks(PROSE, {"router": "| old |", "speed": "| fast |"})
    kept = once.replace("<!-- /bench: router -->", "<!-- /bench: router -->\n\nKept by hand.")
    twice = with_blocks(kept, {"router": "| new |", "hooks": "| ms |"})

    assert twice.startswith(PROSE.rstrip())
    assert "| old |" not in twice
    places = [twice.index(one) for one in ("| new |", "Kept by hand.", "| fast |", "| ms |")]
    assert places == sorted(places)
    assert with_blocks(twice, {"router": "| new |", "hooks": "| ms |"}) == twice


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("<!-- bench: a -->\n", "never closed"),
        ("<!-- /bench: a -->\n", "not open"),
        ("<!-- bench: a -->\n<!-- /bench: b -->\n", "not open"),
        ("<!-- bench: a -->\n<!-- bench: b -->\n<!-- /bench: b -->\n", "inside a"),
        ("<!-- bench: a -->\n<!-- /bench: a -->\n<!-- bench: a -->\n<!-- /bench: a -->\n", "second time"),
    ],
)
def test_damaged_marks_are_named_and_nothing_is_written(tmp_path: Path, text: str, what: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, "utf-8")
    with pytest.raises(BenchDataError, match=what):
        write_blocks(page, {"a": "x"})
    assert page.read_text("utf-8") == text
    assert [path.name for path in tmp_path.iterdir()] == ["page.md"]


def test_a_block_may_hold_no_mark_and_needs_a_plain_name() -> None:
    with pytest.raises(BenchDataError, match="holds a mark"):
        with_blocks("", {"a": "<!-- /bench: a -->"})
    with pytest.raises(BenchDataError, match="cannot name"):
        with_blocks("", {"A b": "x"})


def test_a_page_that_is_not_there_is_begun_and_its_mode_is_kept(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    write_blocks(page, {"a": "x"})
    assert page.read_text("utf-8").startswith(HEAD)
    page.chmod(0o600)
    write_blocks(page, {"a": "y"})
    assert page.stat().st_mode & 0o777 == 0o600
    with pytest.raises(BenchDataError, match="cannot be written"):
        write_blocks(tmp_path / "none" / "page.md", {"a": "x"})
