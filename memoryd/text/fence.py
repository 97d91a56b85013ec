"""The mark around memory that is injected into an agent's context.

Stored text is untrusted. The mark says where it came from and where it ends; nothing inside can end it early, and
what carries the mark is taken out again before a turn is captured, so that memory never feeds on itself.
"""

from __future__ import annotations

import re

NAME = "memoryd-memory"

# Names whose tags end or open something for an agent, ours first.
_GUARDED = (NAME, "system-reminder", "system")
_INVISIBLE = "[\\s\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]*"
DEFUSED = "\u2039"
"""What :func:`defuse` puts in the place of an opening."""
_OPENINGS = "[<\uff1c\ufe64\u2039\u3008]|&lt;|&#0*60;|&#x0*3c;"
OPENING = re.compile(_OPENINGS, re.IGNORECASE)
"""What a tag may begin with, however it is written."""


def _loose(name: str) -> str:
    return _INVISIBLE.join(re.escape(letter) for letter in name)


_LOOKALIKE = re.compile(
    f"(?:{_OPENINGS})(?={_INVISIBLE}[/\u2215\u2044\uff0f]?{_INVISIBLE}"
    f"(?:{'|'.join(_loose(name) for name in _GUARDED)})(?![\\w-]))",
    re.IGNORECASE,
)
_OPEN = re.compile(f'<{NAME} from="[^"<>\\n]*">')
_CLOSE = f"</{NAME}>"
_SEPARATORS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")


def wrap(text: str, attribution: str) -> str:
    """Return the text between our marks; ``attribution`` says in a few words where it comes from.

    Tags inside that look like our mark or like an agent's own are defused: their ``<`` becomes a quotation mark.
    """
    source = _SEPARATORS.sub(" ", attribution).replace("&", "&amp;").replace('"', "&quot;")
    source = source.replace("<", "&lt;").replace(">", "&gt;").strip()
    return f'<{NAME} from="{source}">\n{defuse(text)}\n{_CLOSE}'


def defuse(text: str) -> str:
    """Return the text with every look-alike of a guarded tag made harmless and still readable."""
    return _LOOKALIKE.sub(DEFUSED, text)


def strip(text: str) -> str:
    """Return the text without everything that stands between our marks.

    An opening mark that is never closed (its end was cut off) takes the rest of the text with it.
    """
    kept: list[str] = []
    position = 0
    while opening := _OPEN.search(text, position):
        kept.append(text[position : opening.start()])
        end = text.find(_CLOSE, opening.end())
        position = len(text) if end < 0 else end + len(_CLOSE)
    kept.append(text[position:])
    return "".join(kept)
