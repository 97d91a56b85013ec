"""MemPalace: verbatim pieces ("drawers") in rooms of wings, and a file of facts beside them.

Pieces of a talk, of a diary, and those that somebody filed by hand are dated: entries. Pieces of a file that was taken
in are put together again to a page. Its index of pointers is made of the pieces, and is left.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from datetime import tzinfo
from pathlib import Path, PurePath
from typing import Any

from memoryd.errors import ImportFailed
from memoryd.jobs.importing.files import text_of
from memoryd.jobs.importing.item import Entry, Item, Page
from memoryd.jobs.importing.report import Report
from memoryd.jobs.importing.sources import palace_facts
from memoryd.jobs.importing.sources.palace_facts import moment
from memoryd.jobs.importing.sqlite import open_copy, tables_of

_DRAWERS = "chroma.sqlite3"
_FACTS = "knowledge_graph.sqlite3"
_TABLES = frozenset({"collections", "segments", "embeddings", "embedding_metadata"})
_COLLECTION = "mempalace_drawers"
_DOCUMENT = "chroma:document"
_PROSE = frozenset({"", ".md", ".markdown", ".txt", ".rst", ".org"})
_OVERLAP = 400
_LEAST_OVERLAP = 12

_QUERY = """
SELECT e.embedding_id AS drawer, m.key AS key, m.string_value AS said, m.int_value AS whole, m.float_value AS real
FROM embeddings e
JOIN segments s ON s.id = e.segment_id
JOIN collections c ON c.id = s.collection
JOIN embedding_metadata m ON m.id = e.id
WHERE c.name = ?
ORDER BY e.id
"""

Drawer = dict[str, Any]


class MemPalace:
    """Takes a palace, the folder that holds one, or one of its two files.

    Args:
        zone: The zone of its times that name none.
    """

    name = "mempalace"

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone

    def recognises(self, path: Path) -> bool:
        """Tell whether a palace or its facts lie there."""
        drawers, facts = _files(path)
        return (drawers is not None and _holds_drawers(drawers)) or (
            facts is not None and tables_of(facts) >= palace_facts.TABLES
        )

    def read(self, path: Path, report: Report) -> Iterator[Item]:
        """Yield entries and pages by the order of filing, then facts."""
        drawers, facts = _files(path)
        if drawers is None and facts is None:
            raise ImportFailed(
                f"neither {_DRAWERS} nor {_FACTS} lies at {path}; name the palace, such as ~/.mempalace/palace"
            )
        if drawers is not None:
            with open_copy(drawers) as opened:
                report.files += 1
                yield from self._items(opened, report)
        if facts is not None:
            with open_copy(facts) as opened:
                report.files += 1
                yield from palace_facts.read_facts(opened, self._zone, report)

    def _items(self, opened: sqlite3.Connection, report: Report) -> Iterator[Item]:
        files: dict[tuple[str, str, str], list[Drawer]] = defaultdict(list)
        for drawer in _drawers(opened):
            if not text_of(drawer.get(_DOCUMENT)).strip():
                report.skipped["drawers without a text"] += 1
            elif _is_piece(drawer):
                files[_text(drawer, "wing"), _text(drawer, "room"), _text(drawer, "source_file")].append(drawer)
            else:
                entry = self._entry(drawer)
                if entry is None:
                    report.skipped["drawers without a time"] += 1
                else:
                    yield entry
        for (wing, room, file), pieces in files.items():
            pieces.sort(key=_number)
            id_ = f"{wing}/{room}/{file}"
            text = _joined([_text(one, _DOCUMENT) for one in pieces])
            yield Page(id=id_, path=(wing, room, _name(file)), text=_as_markdown(text, file))

    def _entry(self, drawer: Drawer) -> Entry | None:
        at = moment(drawer.get("authored_at"), self._zone) or moment(drawer.get("filed_at"), self._zone)
        if at is None:
            return None
        wing, room = _text(drawer, "wing"), _text(drawer, "room")
        file = _text(drawer, "source_file")
        return Entry(
            id=drawer["id"],
            text=_text(drawer, _DOCUMENT),
            at=at,
            origin=", ".join(filter(None, (f"{wing}/{room}", drawer["id"], file))),
            title=" / ".join(filter(None, (wing, room, _text(drawer, "topic")))),
            session=_text(drawer, "session_id") or None,
            # A wing is often a project, and often something else.
            project=wing,
            mints_project=False,
        )


def _files(path: Path) -> tuple[Path | None, Path | None]:
    """Return the file of drawers and the file of facts that belong to a place."""
    if path.is_file():
        named = {_DRAWERS: (path, None), _FACTS: (None, path)}
        return named.get(path.name, (path, None) if _holds_drawers(path) else (None, None))
    drawers = [path / _DRAWERS, path / "palace" / _DRAWERS]
    facts = [path / _FACTS, path.parent / _FACTS]
    return next(filter(Path.is_file, drawers), None), next(filter(Path.is_file, facts), None)


def _holds_drawers(path: Path) -> bool:
    return tables_of(path) >= _TABLES


def _drawers(opened: sqlite3.Connection) -> Iterator[Drawer]:
    """Yield the drawers, each with what is kept of it."""
    drawer: Drawer = {}
    for row in opened.execute(_QUERY, (_COLLECTION,)):
        if drawer.get("id") != row["drawer"]:
            if drawer:
                yield drawer
            drawer = {"id": row["drawer"]}
        values = (row["said"], row["whole"], row["real"])
        drawer[row["key"]] = next((one for one in values if one is not None), None)
    if drawer:
        yield drawer


def _is_piece(drawer: Drawer) -> bool:
    """Tell whether a drawer is a piece of a file, and neither of a talk nor of a diary."""
    is_talk = _text(drawer, "ingest_mode") == "convos" or _text(drawer, "type") == "diary_entry"
    return bool(_text(drawer, "source_file")) and not is_talk


def _joined(pieces: list[str]) -> str:
    """Return pieces of a file as one text: what the end of one and the start of the next share stands once."""
    whole = pieces[0]
    for piece in pieces[1:]:
        longest = min(len(whole), len(piece), _OVERLAP)
        shared = next((n for n in range(longest, _LEAST_OVERLAP - 1, -1) if whole.endswith(piece[:n])), 0)
        whole += piece[shared:] if shared else f"\n\n{piece}"
    return f"{whole}\n"


def _number(piece: Drawer) -> int:
    number = piece.get("chunk_index")
    return number if isinstance(number, int) else 0


def _as_markdown(text: str, file: str) -> str:
    """Return a file's text as a note holds it: what is no prose stands in a fence, or its comments were headings."""
    if PurePath(file).suffix.lower() in _PROSE:
        return text
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}{fence}\n"


def _name(file: str) -> str:
    """Return the name of a file as a note's; what it is written in stays to be seen."""
    name = PurePath(file.replace("\\", "/")).name
    return name if name.lower().endswith(".md") else f"{name}.md"


def _text(drawer: Drawer, key: str) -> str:
    return text_of(drawer.get(key))
