"""What is taken out of a text before it becomes memory."""

from __future__ import annotations

import pytest

from memoryd.capture.turn import PRIVATE_MARK, clean
from memoryd.text.fence import wrap


def test_plain_text_stays_as_it_is() -> None:
    text = "Fixed `a < b`.\n\n    code stays indented\n- and lists\n"
    assert clean(text) == text.rstrip("\n")


def test_injected_memory_is_not_remembered_again() -> None:
    assert clean(f"before\n{wrap('an old memory', 'memoryd')}\nafter") == "before\n\nafter"


@pytest.mark.parametrize(
    "text",
    ["a <private>b</private> c", "a <PRIVATE>b\nb</PRIVATE> c", "a <private>one</private> <private>b</private> c"],
)
def test_private_parts_leave_only_a_mark(text: str) -> None:
    kept = clean(text)
    assert "b" not in kept
    assert PRIVATE_MARK in kept
    assert kept.startswith("a ")
    assert kept.endswith(" c")


def test_an_unclosed_private_part_hides_the_rest() -> None:
    assert clean("a <private>b and all that follows") == f"a {PRIVATE_MARK}"


def test_secrets_are_redacted_and_the_rest_is_kept() -> None:
    kept = clean(
        "user: OPENAI_API_KEY=sk-proj-FAKE00000000000000000000 and DATABASE_URL=postgres://admin:FAKEPW@h/db fails"
    )
    assert "sk-proj" not in kept
    assert "FAKEPW" not in kept
    assert kept.startswith("user: OPENAI_API_KEY=")
    assert kept.endswith(" fails")


def test_hashes_and_uuids_are_no_secrets() -> None:
    text = "commit 9fceb02d0ae598e95dc970b74767f19372d61af8, request 123e4567-e89b-12d3-a456-426614174000"
    assert clean(text) == text
