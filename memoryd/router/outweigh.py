"""Does the memory that was not chosen know more of what is asked?

A question's form says what kind of answer it wants; what the memories hold says where an answer is. What is compared
is the share of the question's telling words that one of the first hits holds: likenesses of two memories have no
common scale, since each stands out from its own background.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memoryd.router.relevance import Relevance

ENOUGH_WORDS = 0.99
"""A memory that holds so many of the words is believed without asking the other."""
ENOUGH_BESIDE_NAME = 0.5
"""One that holds what the question names needs no more than these: a name may be a word like any other."""
MORE_WORDS = 0.19
"""By so much more holds a memory that is clearly the stronger; with less, both count the same."""


def holds_enough(found: Relevance) -> bool:
    """Tell whether there is no need to look elsewhere."""
    return not found.is_doubtful and found.held >= (ENOUGH_BESIDE_NAME if found.is_named else ENOUGH_WORDS)


@dataclass(frozen=True, slots=True)
class Outweighed:
    """Why another memory is heard as well, in words, and whether the one that was chosen is clearly the weaker."""

    reason: str
    is_clear: bool


def outweighed(chosen: str, held: Sequence[Relevance], others: Sequence[tuple[str, Relevance]]) -> Outweighed | None:
    """Return why others are heard as well as the memory that was chosen; ``None`` where they are not.

    Args:
        chosen: The name of the memory that was chosen.
        held: What was found for it.
        others: What was found elsewhere, by the name of the memory.
    """
    telling = [(store, found) for store, found in others if not found.is_doubtful]
    if not telling:
        return None
    if all(found.is_doubtful for found in held):
        return Outweighed(f"the {chosen} memory holds nothing on it, so both were asked", is_clear=True)
    most = max(found.held for found in held)
    store, best = max(telling, key=lambda pair: (pair[1].held, pair[0]))
    if best.held <= most:
        return None
    shares = f"{best.held:.0%}, {most:.0%}"
    reason = f"the {store} memory holds more of the question's words ({shares}), so both were asked"
    return Outweighed(reason, is_clear=best.held >= most + MORE_WORDS)
