"""Programs that memory itself starts, such as a summariser: marked, so that nothing captures them.

The mark is an environment variable, which every child process inherits: hooks that see it do nothing. For an agent
whose hooks do not look, the prompt that memory writes begins with a line that capture knows.
"""

from __future__ import annotations

from collections.abc import Mapping

CHILD_MARK = "MEMORYD_CHILD"
"""Set in the environment of programs that memory starts."""

OWN_PROMPT = "[memoryd: a summary is wanted; this is no conversation to remember]"


def child_environ(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a child: marked, and without memory's own settings."""
    kept = {name: value for name, value in environ.items() if not name.startswith("MEMORYD_")}
    return {**kept, CHILD_MARK: "1"}


def is_own_prompt(text: str) -> bool:
    """Tell whether a prompt was written by memory."""
    return OWN_PROMPT in text[:400]
