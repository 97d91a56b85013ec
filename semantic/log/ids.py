"""The forms of all ids that stand in the log, in one place.

``el_`` an element, ``de_`` a decision, ``no_`` a note, ``ep_`` an episode; ``path:<project>:<path>`` is a file that has
no node. Ids that we make are checked to the digit; ids that others may have made, such as an episode's, by their shape.
"""

from __future__ import annotations

import re
import unicodedata

from memoryd.text.canonical import digest

_ELEMENT = re.compile(r"el_[0-9a-f]{20}")
_NOTE = re.compile(r"no_[0-9a-f]{20}")
_EPISODE = re.compile(r"ep_[0-9A-Za-z]{10,40}")
_DECISION = re.compile(r"de_[0-9a-f]{24}")
_OF_KIND = {
    "decision": _DECISION,
    "forget": re.compile(r"fo_[0-9a-f]{24}"),
    "project": re.compile(r"[^/\\\x00-\x1f]{1,100}-[0-9a-f]{8}"),
    "project_merge": re.compile(r"pm_[0-9a-f]{24}"),
}
_PATH = re.compile(r"path:([^:\s]*):(\S.*)", re.DOTALL)
_ANY = re.compile(r"(?:el|de|no|ep)_[0-9A-Za-z]{10,40}")
_FORGETTABLE = re.compile(r"(?:el|de|ep)_[0-9A-Za-z]{10,40}")


def fits_kind(kind: str, id_: str) -> bool:
    """Tell whether an id has the form of an event's of this kind; of a kind that is not known, any has."""
    form = _OF_KIND.get(kind)
    return form is None or form.fullmatch(id_) is not None


def note_id(vault: str, path: str) -> str:
    """Return the id of the note at a path (relative to the vault, any Unicode form)."""
    return "no_" + digest(vault, unicodedata.normalize("NFC", path), length=20)


def is_element(value: object) -> bool:
    """Tell whether this is an element id."""
    return isinstance(value, str) and _ELEMENT.fullmatch(value) is not None


def is_decision(value: object) -> bool:
    """Tell whether this is a decision id."""
    return isinstance(value, str) and _DECISION.fullmatch(value) is not None


def is_note(value: object) -> bool:
    """Tell whether this is a note id."""
    return isinstance(value, str) and _NOTE.fullmatch(value) is not None


def is_episode(value: object) -> bool:
    """Tell whether this has the form of an episode id."""
    return isinstance(value, str) and _EPISODE.fullmatch(value) is not None


def is_path_end(value: object) -> bool:
    """Tell whether this is ``path:<project>:<path>``, a file that has no node."""
    return isinstance(value, str) and _PATH.fullmatch(value) is not None


def is_mentionable(value: object) -> bool:
    """Tell whether this has the form of any id, or is a file that has no node."""
    return isinstance(value, str) and (_ANY.fullmatch(value) is not None or is_path_end(value))


def is_forgettable(value: object) -> bool:
    """Tell whether this has the form of an element's, a decision's or an episode's id: what the log can forget."""
    return isinstance(value, str) and _FORGETTABLE.fullmatch(value) is not None
