"""Which files of a vault are left alone: what is left alone everywhere, and what Obsidian's own settings exclude.

``memoryd.text.ignore`` holds the rules of every root; a vault adds the folders of templates that its settings name
and the files that Obsidian is told to exclude.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import regex

from memoryd.text.ignore import NO_RULES, Rules, read_rules

SETTINGS_FOLDER = ".obsidian"
_TEMPLATE_SETTINGS = (
    (f"{SETTINGS_FOLDER}/templates.json", "folder"),
    (f"{SETTINGS_FOLDER}/plugins/templater-obsidian/data.json", "templates_folder"),
)
_PATTERN_TIMEOUT_S = 0.1

GENERATED_SUFFIX = ".memoryd.md"
"""The ending of pages that this project writes for people to read: what is known stands elsewhere already."""


@dataclass(frozen=True, slots=True)
class Ignore:
    """The ignore rules of one vault, as read; ``problems`` are (path, reason) of settings that could not be read."""

    rules: Rules = NO_RULES
    folders: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    _patterns: tuple[regex.Pattern[str], ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_patterns", tuple(regex.compile(pattern) for pattern in self.patterns))

    def hides(self, path: str, *, folder: bool = False) -> bool:
        """Tell whether a path (relative to the vault, with ``/``) is left alone, judged alike by scan and event."""
        if self.rules.hides(path, folder=folder) or path.endswith(GENERATED_SUFFIX):
            return True
        if any(path == held or path.startswith(held + "/") for held in self.folders):
            return True
        if self.prefixes and path.startswith(self.prefixes):
            return True
        return any(_matches(pattern, path) for pattern in self._patterns)


NO_IGNORE = Ignore()


def read_ignore(root: Path, held: Ignore = NO_IGNORE) -> Ignore:
    """Read the ignore rules of a vault; a settings file that cannot be read is a problem and hides nothing.

    ``held`` are the rules as read before: those of an ignore file that cannot be read for a while stay in force.
    """
    rules = read_rules(root, held.rules)
    problems: list[tuple[str, str]] = list(rules.problems)
    folders = []
    for name, key in _TEMPLATE_SETTINGS:
        value = read_settings(root, name, problems).get(key)
        if isinstance(value, str) and value.strip("/ "):
            folders.append(value.strip("/ "))
    prefixes, patterns = [], []
    filters = read_settings(root, f"{SETTINGS_FOLDER}/app.json", problems).get("userIgnoreFilters")
    for one in filters if isinstance(filters, list) else []:
        if not isinstance(one, str) or not one:
            continue
        if len(one) > 2 and one.startswith("/") and one.endswith("/"):
            if _is_pattern(one[1:-1]):
                patterns.append(one[1:-1])
            else:
                problems.append((f"{SETTINGS_FOLDER}/app.json", f"the excluded pattern {one} is no regular expression"))
        else:
            prefixes.append(one)
    return Ignore(rules, tuple(folders), tuple(prefixes), tuple(patterns), tuple(problems))


def read_settings(root: Path, name: str, problems: list[tuple[str, str]]) -> Mapping[str, Any]:
    """Return a JSON settings file of the vault; empty if there is none or, with a problem noted, if it is broken."""
    try:
        value = json.loads((root / name).read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        problems.append((name, f"these settings cannot be read ({error}) and are taken as absent"))
        return {}
    return value if isinstance(value, dict) else {}


def _is_pattern(text: str) -> bool:
    try:
        regex.compile(text)
    except regex.error:
        return False
    return True


def _matches(pattern: regex.Pattern[str], path: str) -> bool:
    try:
        return pattern.search(path, timeout=_PATTERN_TIMEOUT_S) is not None
    except TimeoutError:
        return False  # a pattern that blows up hides nothing; the file is read rather than lost
