"""memsearch: days of Markdown, in each a section a turn below a comment that names session and turn.

Its days are read as the journal reads them. Files beside them that are no days (what it keeps of a project, of a
person) are pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from datetime import date, tzinfo
from pathlib import Path

from episodic.journal.anchor import read_peer_anchor
from episodic.journal.text import read_day_text
from memoryd.errors import ImportFailed
from memoryd.jobs.importing.files import markdown_files, peek, read_markdown, some_files
from memoryd.jobs.importing.item import Entry, Item, Page
from memoryd.jobs.importing.report import Report

_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})(?!\d).*\.md", re.IGNORECASE)
_SESSION = re.compile(r"^## Session \d{1,2}:\d{2}", re.MULTILINE)
_TIME = re.compile(r"\d{1,2}:\d{2}")
_FOLDER = ".memsearch"
_LOOKED_AT = 5


class Memsearch:
    """Takes days, and the folder that holds them.

    Args:
        zone: The zone of its times, which name none.
        own: Returns the folders of this memory, which are passed over.
    """

    name = "memsearch"

    def __init__(self, zone: tzinfo, own: Callable[[], Collection[Path]] = tuple) -> None:
        self._zone = zone
        self._own = own

    def recognises(self, path: Path) -> bool:
        """Tell whether days of memsearch lie there."""
        base = _base(path)
        if base.is_file():
            return _is_day(base)
        if not base.is_dir():
            return False
        days = [file for file in some_files(base, ".md") if _day_of(file) is not None]
        return any(map(_is_day, days[-_LOOKED_AT:]))

    def read(self, path: Path, report: Report) -> Iterator[Item]:
        """Yield turns by day, then pages."""
        base = _base(path)
        if base.is_file():
            files: list[tuple[tuple[str, ...], Path]] = [((base.name,), base)]
        else:
            found = markdown_files(base, report, own=self._own())
            files = sorted(found, key=lambda one: (_day_of(one[1]) is None, one[0]))
        if not files and not report.problems:
            raise ImportFailed(
                f"no Markdown lies below {base}; name the folder that holds the days, such as .memsearch"
            )
        root = next((one.parent for one in (base, *base.parents) if one.name == _FOLDER), None)
        store = root.name if root is not None else (base.parent if base.is_file() else base).name
        for parts, file in files:
            text = read_markdown(file, report)
            if text is None:
                continue
            where = "/".join((store, *parts))
            day = _day_of(file)
            if day is None:
                yield Page(id=where, path=(store, *parts), text=text)
            else:
                yield from self._turns(text, where, day, root, report)

    def _turns(self, text: str, where: str, day: date, root: Path | None, report: Report) -> Iterator[Entry]:
        read = read_day_text(text, file=where, day=day, zone=self._zone)
        report.problems += [f"{where}: {problem}" for problem in read.problems]
        for entry in read.entries:
            found = entry.episode
            if entry.written:
                report.skipped["entries that memoryd wrote"] += 1
                continue
            is_turn = found.session is not None and found.turn is not None
            yield Entry(
                id=f"{found.session} {found.turn}" if is_turn else found.id,
                text=found.text,
                at=found.at,
                origin=where,
                title="" if _TIME.fullmatch(found.title) else found.title,
                session=found.session,
                turn=found.turn,
                cwd=root,
            )


def _base(path: Path) -> Path:
    """Return the folder of the days: of a project, or of memsearch's folder in it, the one inside."""
    for inner in (path / _FOLDER / "memory", path / "memory" if path.name == _FOLDER else None):
        if inner is not None and inner.is_dir():
            return inner
    return path


def _day_of(file: Path) -> date | None:
    match = _DAY.fullmatch(file.name)
    try:
        return None if match is None else date.fromisoformat(match[1])
    except ValueError:
        return None


def _is_day(file: Path) -> bool:
    if _day_of(file) is None:
        return False
    text = peek(file)
    return _SESSION.search(text) is not None or any(read_peer_anchor(line) for line in text.splitlines())
