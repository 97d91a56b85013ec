"""What is taken out of a text before it becomes memory.

Three things must never reach a file: what memory itself injected (it would remember itself), what the writer marked
``<private>``, and secrets. They go in this order, so that a secret inside a private part leaves no mark at all.
"""

from __future__ import annotations

import re

from memoryd.text.fence import strip
from memoryd.text.secrets import redact

_PRIVATE = re.compile(r"<private>.*?(?:</private>|\Z)", re.DOTALL | re.IGNORECASE)
PRIVATE_MARK = "[private]"


def clean(text: str) -> str:
    """Return the text that may be stored: no fences of ours, no private parts, no secrets.

    An unclosed ``<private>`` hides everything to the end: whoever opened it meant to hide something.
    """
    return redact(_PRIVATE.sub(PRIVATE_MARK, strip(text))).strip("\n")
