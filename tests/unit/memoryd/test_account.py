"""How a turn is told."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memoryd.capture import account
from memoryd.capture.account import bounded, excerpt_text, fenced, journal_text, title_of
from memoryd.capture.dialogue import read_transcript
from memoryd.capture.turn import Call, Step, Turn

DATA = Path(__file__).parents[2] / "data" / "transcripts"
AT = datetime(2026, 11, 30, 9, tzinfo=UTC)


def turn(**fields: object) -> Turn:
    return Turn(session="s1", id="u1", at=AT, **fields)  # type: ignore[arg-type] # each test gives what it needs


def test_the_journal_says_what_was_asked_done_and_answered() -> None:
    first = read_transcript(DATA / "day.jsonl", asked_at=AT).turns[0]
    assert journal_text(first) == (
        "Asked: Why does the cart lose its discount?\n\n"
        "Added: it only happens after a reload\n\n"
        "Answered: The discount was kept in the session, which a reload replaces.\n\n"
        "It now lies with the cart row (`cart.discount_id`), and the test passes.\n\n"
        "Files: `src/cart.py`\n"
        "Commands: `pytest tests/test_cart.py -q` (failed)\n"
        "Outcome: answered; 1 of 3 tool calls failed"
    )
    assert title_of(first) == "Why does the cart lose its discount?"


def test_sub_agents_interruptions_and_failures_are_told() -> None:
    _, review, _, stopped, failed, _ = read_transcript(DATA / "day.jsonl", asked_at=AT).turns
    assert "Sub-agents: `Explore` Find callers of total()" in journal_text(review)
    assert journal_text(stopped).endswith("Outcome: interrupted")
    assert journal_text(failed).endswith("Outcome: failed: API Error: 529 overloaded")
    assert "Answered" not in journal_text(failed)


def test_touched_notes_are_links() -> None:
    call = Call("t1", "Edit", "x", path="/vault/Cart rules.md", is_done=True)
    one = turn(asked="Note it", steps=(Step("call", call=call),))
    text = journal_text(one, note_of=lambda path: "Cart rules" if path.startswith("/vault/") else None)
    assert "Files: [[Cart rules]]" in text


def test_the_excerpt_has_every_step_in_order() -> None:
    text = excerpt_text(read_transcript(DATA / "day.jsonl", asked_at=AT).turns[0])
    places = [
        text.index(part)
        for part in (
            "### Asked",
            "I'll look at the cart",
            "- Read: `/code/shop/src/cart.py`",
            "- Bash: `pytest tests/test_cart.py -q` (failed)",
            "1 failed: test_discount_survives_reload",
            "The person added: it only happens after a reload",
            "It now lies with the cart row",
        )
    ]
    assert places == sorted(places)


def test_a_cut_text_says_what_is_missing_and_leaves_no_fence_open() -> None:
    text = "Look:\n```python\n" + "x = 1\n" * 1000 + "```\n"
    cut = bounded(text, 300)
    assert cut.count("```") == 2
    assert "more characters]" in cut
    assert len(cut) < 360


@pytest.mark.parametrize("text", ["👩‍👩‍👧‍👦" * 400, "é" * 900, "🇩🇪" * 500, "a" * 5000, "한국어 " * 600])
def test_a_cut_never_falls_inside_a_grapheme(text: str) -> None:
    kept = bounded(text, 500).split("\n\n[…")[0]
    whole = text.rstrip()
    assert whole.startswith(kept)
    assert not whole[len(kept) :].startswith(("\u200d", "\u0301", "\ufe0f"))
    assert kept.count("\U0001f1e9") == kept.count("\U0001f1ea")


def test_sizes_are_bounded_whatever_a_turn_holds() -> None:
    calls = tuple(
        Step(
            "call", call=Call(f"t{n}", "Bash", "x" * 5000, "y" * 9000, is_failed=True, is_done=True, command="z" * 900)
        )
        for n in range(400)
    )
    one = turn(asked="a" * 90_000, answered="b " * 90_000, steps=(*calls, Step("said", "b " * 90_000)))
    most = account.MOST_ASKED + account.MOST_ANSWERED + account.MOST_COMMANDS * (account.MOST_LINE + 20) + 400
    assert len(journal_text(one)) <= most
    assert len(excerpt_text(one)) <= account.MOST_EXCERPT + 2000
    assert "steps left out]" in excerpt_text(one)
    assert len(title_of(one)) <= account.MOST_TITLE


def test_a_fence_cannot_be_ended_by_what_it_holds() -> None:
    text = "a\n````\nb\n`````x"
    lines = fenced(text).split("\n")
    assert lines[0] == lines[-1] == "`" * 6


@pytest.mark.parametrize(
    ("asked", "title"),
    [
        ("# Plan\nmore", "Plan"),
        ("```\ncode\n```", "code"),
        ("> quoted `x`", "quoted x"),
        ("…!?", ""),
        ("", ""),
        ("日本語の質問です", "日本語の質問です"),
    ],
)
def test_titles(asked: str, title: str) -> None:
    assert title_of(turn(asked=asked)) == title


def test_a_title_ends_before_a_mark_that_does_not_fit() -> None:
    asked = "Push with [redacted: a GitHub token] please, the password is [redacted: a password that is said]"
    assert title_of(turn(asked=asked)) == "Push with [redacted: a GitHub token] please, the password is…"


def test_a_list_starts_on_its_own_line() -> None:
    assert journal_text(turn(asked="- one\n- two")).startswith("Asked:\n\n- one\n- two")
