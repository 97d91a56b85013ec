"""On which line of a TOML text something is set: parsers say what a text holds, a message to a person says where."""

from __future__ import annotations

import re
from collections.abc import Sequence


def find_line(text: str, names: Sequence[str]) -> int | None:
    """Return the 1-based line of a TOML text where a dotted name is set; of its section, if the key is not there."""
    section: list[str] = []
    best: tuple[int, int] | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[+([^\]]+)\]", line):
            section = _split_key(header.group(1))
            here = section
        elif key := re.match(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""", line):
            here = section + _split_key(key.group(1))
        else:
            continue
        if here == list(names[: len(here)]) and (best is None or len(here) > best[0]):
            best = (len(here), number)
    return best[1] if best else None


def _split_key(dotted: str) -> list[str]:
    parts = re.findall(r"""[\w-]+|"([^"]*)"|'([^']*)'""", dotted)
    plain = re.findall(r"""[\w-]+|"[^"]*"|'[^']*'""", dotted)
    return [quoted[0] or quoted[1] or bare for quoted, bare in zip(parts, plain, strict=True)]
