"""What a hook wants to tell, and how much of it at the most."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from memoryd.render.brief import Brief
from memoryd.text.canonical import digest

START_UNITS, PROMPT_UNITS, SUBAGENT_UNITS, TOUCHED_UNITS = 6_000, 2_000, 1_500, 1_200
"""Budgets by event, in UTF-16 units. At 10,000 an agent puts a text into a file instead of reading it."""
LINE_UNITS = 260
IN_TIME_S = {"SessionStart": 0.7, "UserPromptSubmit": 0.42}
OTHERS_IN_TIME_S = 0.25
"""What comes later than this nobody waits for any more; it does not count as shown."""

_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Told:
    """A text for an agent, and what is to be noted once it is given.

    Attributes:
        brief: The text; one without units is not given.
        settle: Called when the text goes out, before it is noted as shown.
    """

    brief: Brief
    settle: Callable[[], None] = lambda: None


def degraded_mark(line: str) -> str:
    """Return under which name a session knows a line on what memory does without, however long it has lasted."""
    return f"degraded:{digest(_NUMBER.sub('', line), length=12)}"
