"""Which conventions are a project's: those of the facets that it declares, in the settings or in its CLAUDE.md.

The file is read and never written. All that it can do is to choose among the person's own notes, so a line that came
with a clone opens nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from memoryd.capture.opening import open_regular
from semantic.model import Note
from semantic.tag import fold_tag, tag_matches

INSTRUCTIONS = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")
CONVENTION = "convention"
EVERYWHERE = "scope/global"
_LONGEST = 256 * 1024
_DEEPEST = 12
_LINE = re.compile(r"^\s*(?:[-*>]\s+)?(?:<!--\s*)?memoryd:\s*(?P<tags>[^<>\n]+?)\s*(?:-->)?\s*$", re.MULTILINE)


def declared_tags(cwd: Path) -> tuple[str, ...]:
    """Return the tags that a working folder's instructions declare, and those of the folders above in its project.

    Looks up to the folder that holds ``.git``, and where there is none at the folder alone.
    """
    above = [cwd, *cwd.parents][:_DEEPEST]
    root = next((index for index, folder in enumerate(above) if os.path.lexists(folder / ".git")), 0)
    found: list[str] = []
    for folder in above[: root + 1]:
        for name in INSTRUCTIONS:
            found += _tags_in(folder / name)
    return tuple(dict.fromkeys(found))


def conventions_for(notes: Iterable[Note], tags: Sequence[str] | None) -> list[Note]:
    """Return the notes of the facet ``convention`` that hold everywhere or share one of the tags; all for ``None``.

    A note that shares more of the tags comes first.
    """
    found: list[tuple[int, Note]] = []
    for note in notes:
        if not any(tag_matches(CONVENTION, tag) for tag in note.tags):
            continue
        shared = sum(any(tag_matches(wanted, tag) for tag in note.tags) for wanted in tags or ())
        if tags is None or shared or EVERYWHERE in note.tags:
            found.append((shared, note))
    return [note for _, note in sorted(found, key=lambda one: -one[0])]


def _tags_in(path: Path) -> list[str]:
    try:
        file, size = open_regular(path)
    except OSError:
        return []
    with file:
        text = file.read(min(size, _LONGEST)).decode("utf-8", "replace")
    lines = [match["tags"].split(",") for match in _LINE.finditer(text)]
    return [folded for tags in lines for tag in tags if (folded := fold_tag(tag.strip().removeprefix("#")))]
