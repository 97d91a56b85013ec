"""What a decision may cite as evidence, and what it may mention."""

from __future__ import annotations

import re

from semantic.errors import InvalidDecision
from semantic.log.ids import is_episode, is_mentionable

_MAX = 2000
_PLACE = re.compile(r"[^:#\s][^:#]*:[^#\s][^#]*(?:#.*)?", re.DOTALL)


def is_evidence(text: str) -> bool:
    """Tell whether a text has one of the two forms of evidence."""
    return len(text) <= _MAX and (is_episode(text) or _PLACE.fullmatch(text) is not None)


def check_evidence(text: object, place: str) -> str:
    """Return evidence that has one of its two forms: an episode id, or a heading of a note.

    Raises:
        InvalidDecision: It has neither. Ids of chunks change with the text and are no evidence.
    """
    if not isinstance(text, str) or not is_evidence(text):
        raise InvalidDecision(f"{place}: must be an episode id (ep_…) or <vault>:<path>#<heading>")
    return text


def check_mention(text: object, place: str) -> str:
    """Return an id that may be mentioned.

    Raises:
        InvalidDecision: It is no id.
    """
    if not isinstance(text, str) or len(text) > _MAX or not is_mentionable(text):
        raise InvalidDecision(f"{place}: must be an id (el_…, de_…, no_…, ep_…) or path:<project>:<path>")
    return text
