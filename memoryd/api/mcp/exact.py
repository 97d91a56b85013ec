"""Writing back what was shown tamed: a line that an agent did not touch stays byte for byte what it was."""

from __future__ import annotations

from collections import defaultdict, deque

from memoryd.api.mcp.cut import tame


def untamed(sent: str, stored: str) -> str:
    """Return the text that an agent means, who was shown a stored text with look-alikes of tags defused.

    Taming changes no line's end, so the lines of both answer to each other. A sent line that is a line as it was shown
    is the stored line; one that the agent changed is what the agent says.

    Args:
        sent: The whole text as the agent sends it.
        stored: The text that the agent read and changed.
    """
    shown = tame(stored)
    if shown == stored:
        return sent
    waiting: defaultdict[str, deque[str]] = defaultdict(deque)
    for line, tamed in zip(stored.split("\n"), shown.split("\n"), strict=True):
        if line != tamed:
            waiting[tamed.removesuffix("\r")].append(line.removesuffix("\r"))

    def meant(line: str) -> str:
        plain = line.removesuffix("\r")
        known = waiting.get(plain)
        return (known.popleft() if len(known) > 1 else known[0]) + line[len(plain) :] if known else line

    return "\n".join(meant(line) for line in sent.split("\n"))
