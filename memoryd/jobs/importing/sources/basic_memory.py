"""basic-memory: a folder of Markdown a project, with observations and relations as list items in each note.

The files are its truth, and they are notes already: they go over as they are, to where wikilinks between them hold. Its
database says nothing that they do not, but where the folders of its projects lie.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from memoryd.errors import ImportFailed
from memoryd.jobs.importing.files import markdown_files, peek, read_json, read_markdown, some_files, text_of
from memoryd.jobs.importing.item import Item, Page
from memoryd.jobs.importing.report import Report
from memoryd.jobs.importing.sqlite import is_sqlite, open_copy, rows_of, tables_of
from memoryd.text.front_matter import split_front_matter

_CONFIG = "config.json"
_DATABASE = "memory.db"
_TABLES = frozenset({"project", "entity", "observation", "relation"})
_LOOKED_AT = 20


class BasicMemory:
    """Takes the folder of a project, or of the program itself, which names all projects.

    Args:
        own: Returns the folders of this memory, which are passed over.
    """

    name = "basic-memory"

    def __init__(self, own: Callable[[], Collection[Path]] = tuple) -> None:
        self._own = own

    def recognises(self, path: Path) -> bool:
        """Tell whether notes of basic-memory lie there, or its list of projects."""
        if path.is_file():
            return tables_of(path) >= _TABLES
        if not path.is_dir():
            return False
        if tables_of(path / _DATABASE) >= _TABLES:
            return True
        notes = islice(some_files(path, ".md"), _LOOKED_AT)
        return any({"permalink", "title"} <= split_front_matter(peek(file)).data.keys() for file in notes)

    def read(self, path: Path, report: Report) -> Iterator[Item]:
        """Yield the notes of each project."""
        folders = _projects(path)
        if not folders:
            raise ImportFailed(f"{path} names no project of basic-memory; name the folder of its notes")
        for project, folder in folders:
            if not folder.is_dir():
                report.problems.append(f"{project}: there is no folder {folder}")
                continue
            for parts, file in markdown_files(folder, report, own=self._own()):
                text = read_markdown(file, report)
                if text is not None:
                    yield _page(project, folder.name, parts, text)
        if not report.files and not report.problems:
            raise ImportFailed(f"no Markdown lies below {path}; name the folder of the notes")


def _page(project: str, folder: str, parts: tuple[str, ...], text: str) -> Page:
    values: Mapping[str, Any] = split_front_matter(text).data
    title = text_of(values.get("title"))
    id_ = text_of(values.get("permalink")) or "/".join((folder, *parts))
    page = Page(id=id_, path=(project, *parts), text=text)
    # Its links name a note by its title, which need not be the name of its file.
    return Page(id=id_, path=page.path, text=text, names=(title,) if title and title != page.title else ())


def _projects(path: Path) -> list[tuple[str, Path]]:
    """Return the projects that a place names: their names and folders."""
    database = path if path.is_file() else path / _DATABASE
    if is_sqlite(database):
        with open_copy(database) as opened:
            rows = [*rows_of(opened, "project", ("name", "path"), "name")]
        return [(str(row["name"]), Path(folder)) for row in rows if row["name"] and (folder := text_of(row["path"]))]
    config = path / _CONFIG
    if config.is_file() and isinstance(named := read_json(config), dict) and isinstance(named.get("projects"), dict):
        found = {name: one.get("path") if isinstance(one, dict) else one for name, one in named["projects"].items()}
        return [(name, Path(folder)) for name, folder in sorted(found.items()) if isinstance(folder, str)]
    return [(path.name, path)] if path.is_dir() else []
