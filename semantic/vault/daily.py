"""Daily notes of a vault: dated files that tell what happened and so belong to the episodic memory.

Where they lie and how they are named stands in ``.obsidian/daily-notes.json``; without it a vault that Obsidian has
opened keeps them as ``YYYY-MM-DD.md`` in its root.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from semantic.vault.ignore import NO_IGNORE, SETTINGS_FOLDER, Ignore, read_settings

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
# The tokens of a moment.js format that may stand in a file name, longest first.
_TOKEN = re.compile(
    r"\[[^\]]*\]|YYYY|YY|MMMM|MMM|MM|Mo|M|DDDD|DDD|DD|Do|D|dddd|ddd|dd|GGGG|gggg|WW|ww|Qo|Q|.", re.DOTALL
)
_GROUP = re.compile(r"\(\?P<(\w+)>")
_PATTERNS = {
    "YYYY": r"(?P<year>\d{4})",
    "MM": r"(?P<month>\d{2})",
    "M": r"(?P<month>\d{1,2})",
    "MMMM": r"(?P<name>[^\W\d]+)",
    "MMM": r"(?P<name>[^\W\d]+\.?)",
    "DD": r"(?P<day>\d{2})",
    "D": r"(?P<day>\d{1,2})",
    "Do": r"(?P<day>\d{1,2})[^\W\d]+",
    "dddd": r"[^\W\d]+",
    "ddd": r"[^\W\d]+\.?",
    "dd": r"[^\W\d]+\.?",
    "GGGG": r"\d{4}",
    "gggg": r"\d{4}",
    "WW": r"\d{2}",
    "ww": r"\d{2}",
    "Q": r"\d",
    "YY": r"\d{2}",
    "DDDD": r"\d{3}",
    "DDD": r"\d{1,3}",
}


@dataclass(frozen=True, slots=True)
class DailyNotes:
    """Where a vault keeps its daily notes: ``folder`` relative to ``root`` (may be empty), moment.js ``format``.

    Attributes:
        paths: Those that were there at the last look.
        ignore: What the vault leaves alone; a daily note among it is none.
        is_away: Whether the vault's folder is not there, and was not since the start: nobody can say where they lie.
    """

    vault: str
    root: Path
    folder: str
    format: str
    paths: tuple[str, ...] = ()
    ignore: Ignore = NO_IGNORE
    is_away: bool = False

    def day_of(self, path: str) -> date | None:
        """Return the day that a path (relative to the vault) is the note of, or ``None``."""
        if self.is_away or self.ignore.hides(path):
            return None
        found = re.fullmatch(_path_pattern(self.folder, self.format), path)
        if found is None:
            return None
        groups = found.groupdict()
        month = int(groups["month"]) if groups.get("month") else _month(groups.get("name"))
        if month is None or not groups.get("year") or not groups.get("day"):
            return None
        try:
            return date(int(groups["year"]), month, int(groups["day"]))
        except ValueError:
            return None


def read_daily_notes(
    vault: str, root: Path, problems: list[tuple[str, str]], ignore: Ignore = NO_IGNORE
) -> DailyNotes | None:
    """Return where the vault keeps its daily notes; ``None`` for a folder that Obsidian never opened."""
    if not (root / SETTINGS_FOLDER).is_dir():
        return None
    settings = read_settings(root, f"{SETTINGS_FOLDER}/daily-notes.json", problems)
    folder, pattern = settings.get("folder"), settings.get("format")
    return DailyNotes(
        vault,
        root,
        unicodedata.normalize("NFC", folder.strip("/ ")) if isinstance(folder, str) else "",
        pattern.strip() if isinstance(pattern, str) and pattern.strip() else "YYYY-MM-DD",
        ignore=ignore,
    )


def _path_pattern(folder: str, pattern: str) -> str:
    seen: dict[str, str] = {}
    parts = [re.escape(folder + "/") if folder else ""]
    for token in _TOKEN.findall(pattern):
        if token.startswith("[") and token.endswith("]") and len(token) > 1:
            parts.append(re.escape(token[1:-1]))
            continue
        part = _PATTERNS.get(token, re.escape(token))
        group = _GROUP.match(part)
        if group is not None and group[1] in seen:
            # The same token has to say the same again; another one for the same (`Nov` after `November`) may differ.
            part = f"(?P={group[1]})" if seen[group[1]] == token else _GROUP.sub("(?:", part)
        elif group is not None:
            seen[group[1]] = token
        parts.append(part)
    return "".join(parts) + r"\.md"


def _month(name: str | None) -> int | None:
    short = (name or "").rstrip(".").lower()[:3]
    return next((number for number, month in enumerate(_MONTHS, 1) if short and month.startswith(short)), None)
