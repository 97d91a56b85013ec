"""Another program's SQLite file, read without getting in its way: never written, never locked for long.

The program may be running. What is read is a copy of one moment, made by SQLite itself where that needs no file beside
the program's own, and by hand where it would. The copy is private and goes with the reading.
"""

from __future__ import annotations

import contextlib
import errno
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memoryd.errors import ImportFailed, SourceBusy, SourceDamaged

BUSY_S = 5.0
"""How long a program that holds its file is waited for."""
_MAGIC = b"SQLite format 3\x00"
_BESIDE = ("-wal", "-shm", "-journal")
_SCHEMA_BYTES = 262_144
_CREATED = re.compile(rb'CREATE TABLE (?:IF NOT EXISTS )?["`\[]?([A-Za-z_]+)')
_WAL_MARKS = b"\x02\x02"
"""Bytes 18 and 19 of a file whose latest changes stand in a second one."""


def is_sqlite(path: Path) -> bool:
    """Tell whether a file begins as SQLite's do."""
    return _head(path)[: len(_MAGIC)] == _MAGIC


def tables_of(path: Path) -> frozenset[str]:
    """Return the names of a file's tables; none where it is no such file. Nothing is written or waited for.

    Of a file that is damaged, or so new that all of it stands in the second one, they are read from the beginning.
    """
    if not is_sqlite(path):
        return frozenset()
    found: set[str] = set()
    with contextlib.suppress(sqlite3.Error), contextlib.closing(_connect(path, "immutable=1", 0)) as opened:
        found.update(row[0] for row in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))
    if not found:
        heads = (_head(one, _SCHEMA_BYTES) for one in (path, path.with_name(f"{path.name}-wal")))
        found.update(name.decode() for head in heads for name in _CREATED.findall(head))
    return frozenset(found)


@contextlib.contextmanager
def open_copy(path: Path, *, busy_s: float = BUSY_S) -> Iterator[sqlite3.Connection]:
    """Open a copy of a file as of now; rows are read by column name.

    Raises:
        SourceDamaged: It is no SQLite file, or not whole.
        SourceBusy: A program holds it and lets nobody read it.
        ImportFailed: There is no room for a copy of it.
    """
    if not is_sqlite(path):
        raise SourceDamaged(
            f"{path} is no SQLite file; name the program's database itself, or restore it from a backup"
        )
    with tempfile.TemporaryDirectory(prefix="memoryd-import-") as folder:
        copy = Path(folder) / "copy.sqlite"
        try:
            _copy(path, copy, busy_s)
            with contextlib.closing(_connect(copy, "mode=rw", busy_s)) as opened:
                found = opened.execute("PRAGMA quick_check(1)").fetchone()[0]
                if found != "ok":
                    raise SourceDamaged(_damage(path, str(found)))
                opened.row_factory = sqlite3.Row
                opened.set_authorizer(_refuse_views)
                # A text that is not UTF-8 is read with marks in the place of what it is not, as files are.
                opened.text_factory = lambda data: data.decode("utf-8", "replace")
                yield opened
        except sqlite3.OperationalError as error:
            if _code(error) == sqlite3.SQLITE_FULL:
                raise ImportFailed(_no_room(path)) from error
            if _is_busy(error):
                raise SourceBusy(
                    f"{path} is held by the program that it belongs to; stop that program, then import again"
                ) from error
            raise SourceDamaged(_damage(path, str(error))) from error
        except sqlite3.DatabaseError as error:
            if _code(error) == sqlite3.SQLITE_AUTH:
                raise SourceDamaged(f"{path} holds a view where its program keeps a table; it is not read") from error
            raise SourceDamaged(_damage(path, str(error))) from error


def columns_of(opened: sqlite3.Connection, table: str) -> frozenset[str]:
    """Return the names of a table's columns; none where there is no such table."""
    return frozenset(row[1] for row in opened.execute(f"PRAGMA table_info({_quoted(table)})"))


def rows_of(opened: sqlite3.Connection, table: str, columns: Sequence[str], order: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table, as far as it has these columns: older versions of a program have fewer."""
    there = columns_of(opened, table)
    wanted = [name for name in columns if name in there]
    if not wanted:
        return
    names = ", ".join(map(_quoted, wanted))
    ordered = ", ".join(_quoted(name) for name in order.split() if name in there)
    sorting = f" ORDER BY {ordered}" if ordered else ""
    for row in opened.execute(f"SELECT {names} FROM {_quoted(table)}{sorting}"):  # noqa: S608 - names of ours
        yield {name: row[name] if name in wanted else None for name in columns}


def _copy(path: Path, copy: Path, busy_s: float) -> None:
    wal, shm, journal = (path.with_name(path.name + ending).exists() for ending in _BESIDE)
    is_wal = _head(path)[18:20] == _WAL_MARKS
    if is_wal and wal != shm:
        _copy_files(path, copy)
        return
    # Without the second file nobody writes: read as it is, or SQLite would make that file beside it.
    way = "immutable=1" if is_wal and not wal else "mode=ro"
    try:
        with (
            contextlib.closing(_connect(path, way, busy_s)) as source,
            contextlib.closing(sqlite3.connect(copy)) as target,
        ):
            # Reading is begun first: a backup that finds the file locked would wait for ever.
            source.execute("BEGIN")
            source.execute("SELECT count(*) FROM sqlite_master").fetchone()
            source.backup(target)
    except sqlite3.OperationalError as error:
        if not journal or _is_busy(error):
            raise
        copy.unlink(missing_ok=True)
        _copy_files(path, copy)


def _copy_files(path: Path, copy: Path) -> None:
    """Copy a file and what a crash left beside it: it is put right in the copy, and not in the program's folder."""
    for ending in ("", *_BESIDE):
        one = path.with_name(path.name + ending)
        if not one.exists():
            continue
        try:
            shutil.copyfile(one, copy.with_name(copy.name + ending))
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise SourceDamaged(f"{one} cannot be read: {error.strerror or type(error).__name__}") from error
            raise ImportFailed(_no_room(path)) from error


def _refuse_views(
    _action: int, _first: str | None, _second: str | None, _database: str | None, view: str | None
) -> int:
    """Let nothing be read but tables: a view in a table's place may have rows without end, and nobody could cancel."""
    return sqlite3.SQLITE_OK if view is None else sqlite3.SQLITE_DENY


def _code(error: sqlite3.Error) -> int | None:
    """Return SQLite's own code of an error; one that Python found itself has none."""
    return getattr(error, "sqlite_errorcode", None)


def _is_busy(error: sqlite3.Error) -> bool:
    return any(word in str(error) for word in ("locked", "busy"))


def _connect(path: Path, way: str, timeout_s: float) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?{way}", uri=True, timeout=timeout_s)


def _head(path: Path, length: int = 100) -> bytes:
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(length)
    except OSError:
        return b""


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _no_room(path: Path) -> str:
    return (
        f"there is no room for a copy of {path} in {tempfile.gettempdir()}; make some, or start the daemon with "
        "another folder in TMPDIR"
    )


def _damage(path: Path, reason: str) -> str:
    words = " ".join(reason.split())[:120]
    return (
        f"{path} is damaged ({words}); repair it with its own program, or write what is left of it "
        f"into a new file (`sqlite3 {path.name} .recover | sqlite3 new.db`) and import that"
    )
