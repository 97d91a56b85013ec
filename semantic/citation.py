"""What a decision may cite as evidence, and what it may mention."""

from __future__ import annotations

import re

from semantic.errors import InvalidDecision

_MAX = 2000
_EPISODE = re.compile(r"ep_[0-9A-Za-z]{10,40}")
_PLACE = re.compile(r"[^:#\s][^:#]*:[^#\s][^#]*(?:#.*)?", re.DOTALL)
_MENTION = re.compile(r"(?:el|de|no|ep)_[0-9A-Za-z]{10,40}|path:[^:\s]*:\S.*", re.DOTALL)


def check_evidence(text: object, place: str) -> str:
    """Return evidence that has one of its two forms: an episode id, or a heading of a note.

    Raises:
        InvalidDecision: It has neither. Ids of chunks change with the text and are no evidence.
    """
    if not isinstance(text, str) or len(text) > _MAX or not (_EPISODE.fullmatch(text) or _PLACE.fullmatch(text)):
        raise InvalidDecision(f"{place}: must be an episode id (ep_…) or <vault>:<path>#<heading>")
    return text


def check_mention(text: object, place: str) -> str:
    """Return an id that may be mentioned.

    Raises:
        InvalidDecision: It is no id.
    """
    if not isinstance(text, str) or len(text) > _MAX or _MENTION.fullmatch(text) is None:
        raise InvalidDecision(f"{place}: must be an id (el_…, de_…, no_…, ep_…) or path:<project>:<path>")
    return text
