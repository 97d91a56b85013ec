from __future__ import annotations

import re

import pytest

from memoryd.text.fence import NAME, defuse, strip, wrap

CLOSE = f"</{NAME}>"


def test_wrap_says_where_it_comes_from_and_where_it_ends() -> None:
    assert wrap("line one\nline two", "memoryd, journal") == (
        f'<{NAME} from="memoryd, journal">\nline one\nline two\n{CLOSE}'
    )


@pytest.mark.parametrize(
    "lookalike",
    [
        CLOSE,
        f"</ {NAME} >",
        f"< / {NAME}>",
        CLOSE.upper(),
        f'<{NAME} from="me">',
        "</memoryd-\u200bmemory>",
        "<\u200b/memoryd-memory>",
        "\uff1c/memoryd-memory\uff1e",
        "&lt;/memoryd-memory&gt;",
        "&#60;/memoryd-memory>",
        "&#x3C;/memoryd-memory>",
        "</\nmemoryd-memory>",
        "</system-reminder>",
        "<System-Reminder>",
        "<system>",
    ],
)
def test_lookalikes_inside_are_defused(lookalike: str) -> None:
    inside = wrap(f"before {lookalike} after", "x").removesuffix(CLOSE)
    inside = inside[inside.index("\n") :]
    assert lookalike not in inside
    assert "before" in inside
    assert "after" in inside
    assert not re.search(r"[<\uff1c]\W*(memoryd|system)", inside, re.IGNORECASE)


@pytest.mark.parametrize("harmless", ["a < b", "<div>", "<systemd-unit>", "memoryd-memory", "x <b>system</b>", "&lt;p"])
def test_other_text_is_left_alone(harmless: str) -> None:
    assert defuse(harmless) == harmless


def test_defusing_twice_changes_nothing_more() -> None:
    once = defuse(f"{CLOSE}<system>")
    assert defuse(once) == once


@pytest.mark.parametrize("attribution", ['a"b', "a>b", "<x>", "a\nb", "a\u2028b", "", "a & b"])
def test_attribution_cannot_break_the_mark(attribution: str) -> None:
    wrapped = wrap("text", attribution)
    assert wrapped.count("\n") == 2
    assert strip(f"x{wrapped}y") == "xy"


def test_strip_takes_every_block_and_nothing_else() -> None:
    text = f"asked\n{wrap('old memory', 'a')}\nanswer {wrap(CLOSE, 'b')} end"
    assert strip(text) == "asked\n\nanswer  end"


def test_strip_of_nested_wraps() -> None:
    assert strip(wrap(wrap("inner", "a"), "b")) == ""


def test_strip_leaves_text_without_marks_alone() -> None:
    for text in ("", "plain", f"talk about <{NAME}> tags", CLOSE):
        assert strip(text) == text


def test_a_block_whose_end_was_cut_off_is_taken_to_the_end() -> None:
    assert strip("before " + wrap("some old memory", "a")[:-5]) == "before "
