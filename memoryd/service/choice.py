"""Writing one option into ``config.toml``, which is the user's: one line changes, and every other byte stays."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memoryd.errors import SettingsUnusable
from memoryd.paths import write_private
from memoryd.text.toml_line import find_line

_TEXT = r"\"(?:[^\"\\]|\\.)*\"|'[^']*'"


def write_choice(file: Path, section: str, key: str, value: str) -> bool:
    """Set an option to a text; return whether the file had to be changed. It need not exist.

    A file behind a link is changed where it lies. What cannot be done with one line (the option stands in an inline
    table, the file is not valid) is refused, with the line to write by hand.

    Raises:
        SettingsUnusable: The file cannot be read, or not be changed safely.
        PathUnusable: It cannot be written.
    """
    by_hand = f'set it by hand: [{section}] {key} = "{value}"'
    try:
        text = file.read_bytes().decode("utf-8") if file.exists() else ""
        before = tomllib.loads(text.removeprefix("\ufeff"))
    except (OSError, ValueError) as error:
        raise SettingsUnusable(f"{file} cannot be read as settings ({type(error).__name__}); {by_hand}") from error
    options = before.get(section, {})
    if not isinstance(options, Mapping):
        raise SettingsUnusable(f"{file}: {section} is no section; {by_hand}")
    if options.get(key) == value:
        return False
    changed = _changed(text, section, key, json.dumps(value), is_set=key in options)
    if changed is None or _read(changed) != {**before, section: {**options, key: value}}:
        raise SettingsUnusable(f"{file} sets {section}.{key} in a way that cannot be changed safely; {by_hand}")
    write_private(file.resolve(), changed.encode())
    return True


def _changed(text: str, section: str, key: str, value: str, *, is_set: bool) -> str | None:
    lines = text.splitlines(keepends=True)
    ending = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    number = find_line(text.removeprefix("\ufeff"), [section, key])
    if is_set:
        if number is None:
            return None
        line, times = re.subn(
            rf"=(\s*)(?:{_TEXT})", lambda found: f"={found.group(1)}{value}", lines[number - 1], count=1
        )
        lines[number - 1] = line
        return "".join(lines) if times else None
    if number is None:
        gap = [] if not lines else [ending] if lines[-1].endswith(("\n", "\r")) else [ending, ending]
        return "".join([*lines, *gap, f"[{section}]{ending}{key} = {value}{ending}"])
    here = lines[number - 1]
    if re.match(rf"\s*\[\s*{re.escape(section)}\s*\]", here.removeprefix("\ufeff")):
        if not here.endswith(("\n", "\r")):
            lines[number - 1] = here + ending
        lines.insert(number, f"{key} = {value}{ending}")
        return "".join(lines)
    return None


def _read(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except ValueError:
        return None
