"""How another program's page stands in a vault: a name that every system can hold, and a line that says whence."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence

from memoryd.text.front_matter import find_front_matter, split_front_matter

IMPORTED = "imported_from"
"""The key in the front matter that holds the program and the page's id there."""

_UNFIT = re.compile(r'[\x00-\x1f\x7f\u2028\u2029\\/<>:"|?*#^\[\]]+')
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE)
_MOST_BYTES = 120
_SUFFIX = ".md"


def note_path(parts: Sequence[str], mark: str = "") -> str:
    """Return a path inside a vault; what a name cannot hold becomes a space, and ``mark`` stands at the file's end."""
    *folders, name = parts
    stem = name[: -len(_SUFFIX)] if name.lower().endswith(_SUFFIX) else name
    return "/".join([*map(_fit, folders), f"{_fit(stem, mark)}{_SUFFIX}"])


def stamped(text: str, mark: str, names: Sequence[str] = ()) -> str:
    """Return a page with the mark in its front matter, and the names that links have for it as aliases.

    All else is kept as it is, comments and unknown keys too. A page that says already whence it is keeps that.
    """
    text = f"{text.rstrip()}\n"
    data = split_front_matter(text).data
    if IMPORTED in data:
        return text
    added = [f"{IMPORTED}: {json.dumps(mark, ensure_ascii=False)}"]
    if names and not {"aliases", "alias"} & data.keys():
        added.append(f"aliases: {json.dumps(list(names), ensure_ascii=False)}")
    end = "\r\n" if "\r\n" in text else "\n"
    lines = "".join(f"{line}{end}" for line in added)
    span = find_front_matter(text)
    if span is None:
        return f"---{end}{lines}---{end}{end}{text.lstrip()}"
    if text[span[0] : span[1]].lstrip().startswith("{"):
        # A block in braces takes no lines: it stays below one of our own.
        return f"---{end}{lines}---{end}{end}{text}"
    return f"{text[: span[0]]}{lines}{text[span[0] :]}"


def _fit(name: str, mark: str = "") -> str:
    """Return a name of a file or folder that every system can hold and a link can name, with a mark at its end."""
    plain = " ".join(_UNFIT.sub(" ", unicodedata.normalize("NFC", name)).split()).strip(". ")
    end = f" {mark}" if mark else ""
    kept = plain.encode()[: _MOST_BYTES - len(end)].decode("utf-8", "ignore").rstrip(". ") + end
    return f"{kept}_" if _DEVICE.fullmatch(kept) else kept.strip() or "untitled"
