"""Which files of a folder are left alone: one rule for the first scan and for every later event, in every root.

Hidden files and folders, and what ``.memorydignore`` in the root lists in gitignore's syntax. The temporary files of
editors and sync tools need no rule of their own: their names are hidden (``.note.md.swp``, ``.syncthing.note.md.tmp``)
or do not end like a note (``note.md~``, ``note.md.tmp``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pathspec

IGNORE_FILE = ".memorydignore"


@dataclass(frozen=True, slots=True)
class Rules:
    """The lines of an ignore file; ``problems`` are (name, reason) of what could not be read in it."""

    lines: tuple[str, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    _spec: pathspec.GitIgnoreSpec = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_spec", pathspec.GitIgnoreSpec.from_lines(self.lines))

    def hides(self, path: str, *, folder: bool = False) -> bool:
        """Tell whether a path (relative to the root, with ``/``) is left alone.

        A file in a hidden folder is hidden, so an event deep inside is judged as the scan would judge it.
        """
        parts = path.split("/")
        if any(part.startswith(".") for part in parts):
            return True
        if not self.lines:
            return False
        # Like git, nothing below an ignored folder can be brought back by a later `!` line.
        above = ("/".join(parts[:count]) + "/" for count in range(1, len(parts)))
        return any(self._spec.match_file(one) for one in above) or self._spec.match_file(path + "/" if folder else path)


NO_RULES = Rules()


def read_rules(root: Path, held: Rules = NO_RULES) -> Rules:
    """Read the ignore file of a root.

    Args:
        root: The folder in which the file stands.
        held: The rules as read before. They stay in force while the file is there and cannot be read: what was
            hidden on purpose must not come to light by a bad moment of a disk.
    """
    try:
        lines = (root / IGNORE_FILE).read_text("utf-8", errors="replace").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return NO_RULES
    except OSError as error:
        reason = f"cannot be read ({error.strerror}); {'its rules as last read' if held.lines else 'no rules'} are used"
        return Rules(held.lines, ((IGNORE_FILE, reason),))
    good, problems = [], []
    for number, line in enumerate(lines, 1):
        try:
            pathspec.GitIgnoreSpec.from_lines([line])
        except ValueError as error:
            problems.append((IGNORE_FILE, f"line {number} is no ignore pattern ({error}) and is skipped"))
        else:
            good.append(line)
    return Rules(tuple(good), tuple(problems))
