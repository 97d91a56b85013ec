"""Which files of a vault are left alone: one rule for the first scan and for every later event.

Hidden files and folders (``.obsidian``, ``.trash``, ``.git`` …), the folders of templates that the vault's own
settings name, the files that Obsidian is told to exclude, and what ``.memorydignore`` lists in gitignore's syntax.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pathspec
import regex

IGNORE_FILE = ".memorydignore"
SETTINGS_FOLDER = ".obsidian"
_TEMPLATE_SETTINGS = (
    (f"{SETTINGS_FOLDER}/templates.json", "folder"),
    (f"{SETTINGS_FOLDER}/plugins/templater-obsidian/data.json", "templates_folder"),
)
_PATTERN_TIMEOUT_S = 0.1


@dataclass(frozen=True, slots=True)
class Ignore:
    """The ignore rules of one vault, as read; ``problems`` are (path, reason) of settings that could not be read."""

    lines: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    _spec: pathspec.GitIgnoreSpec = field(init=False, compare=False, repr=False)
    _patterns: tuple[regex.Pattern[str], ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_spec", pathspec.GitIgnoreSpec.from_lines(self.lines))
        object.__setattr__(self, "_patterns", tuple(regex.compile(pattern) for pattern in self.patterns))

    def hides(self, path: str, *, folder: bool = False) -> bool:
        """Tell whether a path (relative to the vault, with ``/``) is left alone.

        A file in a hidden folder is hidden, so an event deep inside is judged as the scan would judge it.
        """
        parts = path.split("/")
        if any(part.startswith(".") for part in parts):
            return True
        if any(path == held or path.startswith(held + "/") for held in self.folders):
            return True
        if self.prefixes and path.startswith(self.prefixes):
            return True
        if self.lines and self._hidden_by_lines(parts, folder=folder):
            return True
        return any(_matches(pattern, path) for pattern in self._patterns)

    def _hidden_by_lines(self, parts: list[str], *, folder: bool) -> bool:
        # Like git, nothing below an ignored folder can be brought back by a later `!` line.
        above = ("/".join(parts[:count]) + "/" for count in range(1, len(parts)))
        return any(self._spec.match_file(one) for one in above) or self._spec.match_file(
            "/".join(parts) + ("/" if folder else "")
        )


def read_ignore(root: Path) -> Ignore:
    """Read the ignore rules of a vault; a settings file that cannot be read is a problem and hides nothing."""
    problems: list[tuple[str, str]] = []
    lines = _read_lines(root / IGNORE_FILE, problems)
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
    return Ignore(lines, tuple(folders), tuple(prefixes), tuple(patterns), tuple(problems))


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


def _read_lines(path: Path, problems: list[tuple[str, str]]) -> tuple[str, ...]:
    try:
        lines = path.read_text("utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return ()
    except OSError as error:
        problems.append((path.name, f"cannot be read ({error.strerror}); no file is ignored by it"))
        return ()
    good = []
    for number, line in enumerate(lines, 1):
        try:
            pathspec.GitIgnoreSpec.from_lines([line])
        except ValueError as error:
            problems.append((path.name, f"line {number} is no ignore pattern ({error}) and is skipped"))
        else:
            good.append(line)
    return tuple(good)


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
