"""The daemon's problems in the words of a tool: its arguments, and nothing of bodies, headers and addresses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memoryd.api.mcp.refusal import PHRASES, explain
from memoryd.text.shown import shown_id

ROOT = Path(__file__).parents[3]


def fault(pointer: str, message: str) -> dict[str, str]:
    return {"pointer": pointer, "code": "x", "message": message}


def test_every_phrase_that_is_replaced_is_said_by_the_daemon() -> None:
    folders = (ROOT / "memoryd", ROOT / "semantic", ROOT / "episodic")
    own = ROOT / "memoryd" / "api" / "mcp" / "refusal.py"
    files = [file for folder in folders for file in folder.rglob("*.py") if file != own]
    whole = "".join(file.read_text("utf-8") for file in files).replace("{shown_id(id_)}", shown_id("?"))
    assert [phrase for phrase in PHRASES if phrase not in whole] == []


@pytest.mark.parametrize(
    ("problem", "status", "said"),
    [
        ({"title": "Not found", "detail": "no note lies there"}, 404, "no note lies there"),
        ({"title": "The request is not valid", "detail": "a title is needed"}, 422, "a title is needed"),
        ({"title": "The journal is full", "detail": "make room"}, 507, "The journal is full: make room"),
        ({}, 500, "status 500"),
        ({"title": "Not found", "detail": "from: nobody knows it"}, 404, "of: nobody knows it"),
        (
            {"title": "x", "errors": [fault("/body/mutations/0/name", "String should have at least 1 character")]},
            422,
            "mutations.0.name: must not be empty",
        ),
        ({"title": "x", "errors": [fault("/header/memoryd-session", "Input should be short")]}, 422,
         "session: must be short"),
        ({"title": "x", "errors": [fault(f"/body/{n}", "Value error, odd") for n in "abcdef"]}, 422,
         "a: odd; b: odd; c: odd; d: odd (and 2 more)"),
        (
            {
                "title": "It may be known",
                "detail": "which one?",
                "candidates": [{"id": "el_1", "kind": "component", "name": "cart", "reason": "spelling"}],
            },
            409,
            "It may be known: which one?; there is: el_1 (component 'cart')",
        ),
        ({"title": "Busy", "detail": "Try again after the seconds in Retry-After."}, 503,
         "Busy: Try again in a few seconds."),
    ],
)  # fmt: skip
def test_a_problem_is_a_sentence_on_the_arguments(problem: dict[str, Any], status: int, said: str) -> None:
    assert explain(problem, status) == said
