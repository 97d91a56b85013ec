"""What of a text that somebody sent may stand in a message: an id that has the form of one, and nothing else.

Messages reach logs, terminals and other programs; a text of unknown origin has no place in them.
"""

from __future__ import annotations

import re

_ID = re.compile(r"[a-z]{2}_[0-9A-Za-z]{16,32}|[0-9a-f]{32}")


def shown_id(id: str) -> str:  # noqa: A002 - what it is
    """Return the id as a message may name it."""
    return id if _ID.fullmatch(id) else "as sent"
