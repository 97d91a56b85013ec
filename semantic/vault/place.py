"""Where a note may be written: a path inside its vault that every system can hold, and that names no other file.

Nothing a caller sends leads outside the vault's folder, through a link or otherwise, or into what is left alone.
"""

from __future__ import annotations

import re
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from semantic.errors import Candidate, InvalidNote, NameTaken
from semantic.log.ids import note_id
from semantic.vault.resolve import NOTE_SUFFIX, fold_path

MAX_SEGMENT_BYTES = 255
MAX_PATH_CHARACTERS = 1000

_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")
_UNPORTABLE = re.compile(r'[<>:"|?*#^\[\]]')
"""What one system or another refuses in a file name, and what would end a wikilink to it."""
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """A note's place: its NFC path, where it lies on the disk, and whether a file is there.

    ``disk`` is the file itself where the path is a link to another file of the vault, ``listed`` the name in its
    folder.
    """

    vault: str
    path: str
    disk: Path
    listed: Path
    is_there: bool

    @property
    def shown(self) -> str:
        """Return ``<vault>:<path>``."""
        return f"{self.vault}:{self.path}"


def clean_path(path: str) -> str:
    """Return the NFC form of a note's path.

    Raises:
        InvalidNote: It leads out of the vault, is hidden, or is no path of a note.
    """
    if _CONTROL.search(path) or "\\" in path:
        raise InvalidNote("the path holds a control character or a backslash; folders are parted by `/`")
    try:
        path.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidNote("the path is not Unicode text") from error
    path = unicodedata.normalize("NFC", path)
    segments = path.split("/")
    if "" in segments:
        raise InvalidNote("the path must be relative to its vault, such as `folder/Name.md`")
    if any(segment in {".", ".."} for segment in segments):
        raise InvalidNote("the path must not hold `.` or `..`; it starts at the vault's folder")
    if any(segment.startswith(".") for segment in segments):
        raise InvalidNote("hidden files and folders are no notes; take the dot from the start of the name")
    if not segments[-1].lower().endswith(NOTE_SUFFIX):
        raise InvalidNote("the path of a note ends in `.md`")
    if len(path) > MAX_PATH_CHARACTERS or any(len(one.encode("utf-8")) > MAX_SEGMENT_BYTES for one in segments):
        raise InvalidNote(f"the path is too long: a name has at most {MAX_SEGMENT_BYTES} bytes")
    return path


def check_new_path(path: str) -> None:
    """Refuse a clean path that not every system could hold, or that no wikilink could name.

    Raises:
        InvalidNote: In words that say what to write instead; the title in the front matter may hold any text.
    """
    for segment in path.split("/"):
        if found := _UNPORTABLE.search(segment):
            raise InvalidNote(
                f"a new name must not hold `{found.group()}`: some systems refuse it, or a link could not name it; "
                "leave it out, and put the full title in the front matter as `title`"
            )
        stem = segment.removesuffix(NOTE_SUFFIX)
        if stem != stem.strip() or segment.endswith(".") or stem.endswith("."):
            raise InvalidNote("a new name must not start or end with a space, or end with a dot")
        if _DEVICE.fullmatch(segment):
            raise InvalidNote(f"`{segment}` is the name of a device on some systems; choose another")
    if not path.endswith(NOTE_SUFFIX):
        raise InvalidNote("the path of a new note ends in `.md`, in small letters")


def find_place(vault: str, root: Path, path: str) -> Place:
    """Return where a clean path lies below the vault's folder, by the very names that the disk has.

    Raises:
        InvalidNote: It leads outside the vault through a link, or something other than a file is there.
        NameTaken: A file or folder is there whose name differs in upper and lower case alone.
    """
    here, segments = root, path.split("/")
    for index, segment in enumerate(segments):
        name = _name_in(here, segment, vault, "/".join(segments[: index + 1]))
        if name is None:
            disk = _inside(here, root).joinpath(*segments[index:])
            return Place(vault, path, disk, here.joinpath(*segments[index:]), is_there=False)
        here = here / name
        if index < len(segments) - 1 and not here.is_dir():
            raise InvalidNote("a part of the path is a file and no folder")
    disk = _inside(here, root)
    if not stat.S_ISREG(disk.lstat().st_mode):
        raise InvalidNote("what lies there is no regular file and is left alone")
    return Place(vault, path, disk, here, is_there=True)


def _name_in(folder: Path, segment: str, vault: str, path: str) -> str | None:
    """Return the name that a folder holds for a segment, in whatever Unicode form, or ``None``."""
    try:
        names = sorted(one.name for one in folder.iterdir())
    except OSError as error:
        raise InvalidNote(f"the folder of this note cannot be read ({error.strerror})") from error
    if segment in names:
        return segment
    for name in names:
        if unicodedata.normalize("NFC", name) == segment:
            return name
    taken = next((name for name in names if fold_path(name) == fold_path(segment)), None)
    if taken is None:
        return None
    other = path[: -len(segment)] + unicodedata.normalize("NFC", taken)
    candidate = Candidate(note_id(vault, other), "note", f"{vault}:{other}", "differs in upper and lower case alone")
    raise NameTaken(
        "a name that differs in upper and lower case alone is there already, and some systems cannot hold both; "
        "use the name as it is there, or choose another",
        [candidate],
    )


def _inside(disk: Path, root: Path) -> Path:
    """Return the real path, which must lie in the vault's real folder."""
    try:
        real = disk.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise InvalidNote("what lies there is a link that leads nowhere") from error
    if not real.is_relative_to(root.resolve()):
        raise InvalidNote("a link on this path leads out of the vault; nothing is read or written through it")
    return real
