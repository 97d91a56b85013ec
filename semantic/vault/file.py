"""One note file: read whole, replaced whole, made and removed, each durable before it returns."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memoryd.text import durable
from memoryd.text.decode import REPLACEMENT, decode
from semantic.errors import InvalidNote, NoteExists, NoteUnwritable

PRIVATE_FOLDER_MODE = 0o700


def encode_note(text: str, old: bytes | None = None) -> bytes:
    """Return the bytes of a text as a note, with the byte order mark that the file had: nobody asked to remove it.

    Raises:
        InvalidNote: The text cannot be stored, or would make lasting what was only read as unreadable.
    """
    if "\0" in text:
        raise InvalidNote("a note cannot hold the character NUL")
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidNote("the text holds half of a surrogate pair and is no Unicode text") from error
    if old is None:
        return data
    if REPLACEMENT in text and decode(old).problems:
        raise InvalidNote(
            f"the file holds bytes that are not UTF-8 and read as {REPLACEMENT}; writing that would lose them. "
            "Save the file as UTF-8 first, or replace those places"
        )
    has_mark = old.startswith(codecs.BOM_UTF8) and not text.startswith("\ufeff")
    return codecs.BOM_UTF8 + data if has_mark else data


def create_file(disk: Path, data: bytes, *, is_private: bool) -> None:
    """Make a new file and the folders above it.

    Args:
        disk: Where it goes; nothing may be there.
        data: Its bytes.
        is_private: For our own vault: 0600 whatever the folder; elsewhere whoever reads the folder reads the file.

    Raises:
        NoteExists: Something is there.
        NoteUnwritable: It cannot be made; nothing is left of it.
    """
    with _written(disk):
        _make_folders(disk.parent, is_private=is_private)
        mode = durable.PRIVATE_MODE if is_private else durable.PRIVATE_MODE | (disk.parent.stat().st_mode & 0o066)
        with durable.beside(disk, data, mode=mode) as copy:
            _link(copy, disk)
        durable.sync_folder(disk.parent)


def replace_file(disk: Path, data: bytes, *, is_private: bool) -> None:
    """Put other bytes in the place of a file: a reader sees all of the old or all of the new. Its mode stays.

    Raises:
        NoteUnwritable: It cannot be written; the file is as it was.
    """
    with _written(disk):
        mode = durable.PRIVATE_MODE if is_private else stat.S_IMODE(disk.stat().st_mode)
        durable.replace_file(disk, data, mode=mode)


def move_file(old: Path, new: Path, *, is_private: bool) -> None:
    """Give a file another place, where nothing may be.

    Raises:
        NoteExists: Something is there.
        NoteUnwritable: It cannot be moved; the file is where it was.
    """
    with _written(new):
        _make_folders(new.parent, is_private=is_private)
        if new.exists() and new.samefile(old):
            old.rename(new)  # another spelling of the same name, where upper and lower case are one
        else:
            _link(old, new)
            old.unlink(missing_ok=True)
        durable.sync_folder(new.parent)
        if old.parent != new.parent:
            durable.sync_folder(old.parent)


def remove_file(disk: Path) -> None:
    """Remove a file.

    Raises:
        NoteUnwritable: It cannot be removed.
    """
    with _written(disk):
        disk.unlink()
        durable.sync_folder(disk.parent)


def _make_folders(folder: Path, *, is_private: bool) -> None:
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir(PRIVATE_FOLDER_MODE if is_private else stat.S_IMODE(one.parent.stat().st_mode), exist_ok=True)
        if not is_private:
            one.chmod(stat.S_IMODE(one.parent.stat().st_mode))  # the daemon's umask is narrower than this vault's
        durable.sync_folder(one.parent)


def _link(old: Path, new: Path) -> None:
    """Give a file a second name, or the only one where the file system knows no second names."""
    try:
        os.link(old, new)
    except FileExistsError:
        raise
    except OSError:
        if os.path.lexists(new):
            raise FileExistsError from None
        old.rename(new)


@contextmanager
def _written(disk: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        raise NoteExists("something lies there already; read it, then change it with If-Match") from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise NoteUnwritable(f"the note {disk.name} could not be written ({reason}); the file is as it was") from error
