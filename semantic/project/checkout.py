"""What a working folder says about its project, read from files: git is never run, and nothing is written.

A worktree points to its repository by a ``.git`` file (``gitdir: …``) and, from there, by ``commondir``; a submodule
has the first and not the second. The common directory is what all worktrees of a repository share.
"""

from __future__ import annotations

import os
import re
import tomllib
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from semantic.errors import InvalidFolder
from semantic.project.gitindex import holds_file

TOML = ".memoryd.toml"
_MAX_BYTES = 1 << 20
_MAX_PATH_BYTES = 4096
_MAX_NAME_BYTES = 255

_SECTION = re.compile(r'\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_SETTING = re.compile(r"\s*([A-Za-z][\w-]*)\s*=\s*(.*)")
_SCP = re.compile(r"(?:[^@/\s]+@)?(\[[0-9a-fA-F:]+\]|[^:/\s@]+):(?!//)(.+)")
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]")


@dataclass(frozen=True, slots=True)
class Checkout:
    """A folder as a look-up needs it.

    Attributes:
        name: For a new project: the repository's name at its origin, else its folder's.
        origin: ``host/path`` of the remote called origin, normalised; ``None`` without a host.
        roots: Where the project may lie on this machine: the git common directory alone, or without git the folder
            and then each folder above it.
        stated_id: The id in a ``.memoryd.toml`` at the top of the working tree, if git has that file as it is: what
            only lies there was put there by anybody. A claim, not a proof.
        top: The top of the working tree, if there is a repository.
    """

    name: str
    origin: str | None
    roots: tuple[str, ...]
    stated_id: str | None = None
    top: Path | None = field(default=None, compare=False)


def read_checkout(cwd: Path, never: Collection[Path] = ()) -> Checkout | None:
    """Return what a working folder says. It need not exist any more.

    ``None`` for a folder that is no project: the root of the file system and, unless a repository, those in ``never``
    (such as the home folder, which would otherwise become the project of all that lies below it); and for a path that
    is too long for any folder. What may not be looked into is judged by its path alone.

    Raises:
        InvalidFolder: The path is not absolute, or no system could have it.
    """
    if not cwd.is_absolute() or "\x00" in str(cwd):
        raise InvalidFolder("cwd must be an absolute path")
    try:
        raw = os.fsencode(cwd)
    except UnicodeEncodeError as error:
        raise InvalidFolder("cwd must be a path of characters") from error
    if len(raw) > _MAX_PATH_BYTES or any(len(part) > _MAX_NAME_BYTES for part in raw.split(b"/")):
        return None
    try:
        folder = Path(os.path.realpath(cwd))
    except (OSError, ValueError):
        folder = Path(os.path.normpath(cwd))
    found = _find_repository(folder)
    if found is None:
        above = [path for path in (folder, *folder.parents) if path != path.parent and path not in never]
        if folder not in above:
            return None
        return Checkout(folder.name, None, tuple(_text(path) for path in above))
    top, git = found
    common = _common_of(git)
    origin = normalise_origin(_origin_url(common / "config"))
    name = PurePosixPath(origin).name if origin is not None else _name_of(common)
    return Checkout(name, origin, (_text(common),), _stated_id(top, git), top)


def normalise_origin(url: str | None) -> str | None:
    """Return ``host/path`` of a remote's address: host in lower case, without user, port and ``.git``.

    Understood are URLs (https, ssh, git …) and the short form ``user@host:path``. A local path has no host and is no
    origin: another machine could not recognise it.
    """
    url = (url or "").strip()
    if "://" in url:
        try:
            parts = urlsplit(url)
            host, path = parts.hostname, unquote(parts.path)
        except ValueError:
            return None
        if parts.scheme == "file":
            return None
    else:
        short = None if _WINDOWS.match(url) else _SCP.fullmatch(url)
        if short is None:
            return None
        host, path = short[1].strip("[]"), short[2]
    path = re.sub("/+", "/", path).strip("/")
    path = path.removesuffix(".git").strip("/")
    return unicodedata.normalize("NFC", f"{host.lower()}/{path}") if host and path else None


def _find_repository(folder: Path) -> tuple[Path, Path] | None:
    for top in (folder, *folder.parents):
        mark = top / ".git"
        if _is_folder(mark) and _is_file(mark / "HEAD"):
            return top, mark
        if _is_file(mark):
            pointed = _pointed_to(mark, "gitdir:", top)
            if pointed is not None and _is_folder(pointed):
                return top, pointed
        if _is_file(top / "HEAD") and _is_folder(top / "objects") and _is_folder(top / "refs"):
            return top, top
    return None


def _is_folder(path: Path) -> bool:
    """Tell whether a folder is there; what may not be looked at (a foreign home, a loop of links) is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _common_of(git: Path) -> Path:
    pointed = _pointed_to(git / "commondir", "", git) if _is_file(git / "commondir") else None
    return Path(os.path.realpath(git if pointed is None else pointed))


def _pointed_to(file: Path, prefix: str, base: Path) -> Path | None:
    line = _read(file).strip()
    if not line.startswith(prefix) or not line.removeprefix(prefix).strip():
        return None
    return Path(os.path.normpath(base / line.removeprefix(prefix).strip()))


def _name_of(common: Path) -> str:
    """Return the name of a repository by its folder: ``x/.git`` and ``x/.bare`` are x, as is ``x.git``."""
    if common.name.startswith(".") and common.parent.name:
        return common.parent.name
    return common.name.removesuffix(".git") or common.name


def _origin_url(config: Path) -> str | None:
    section = ""
    for line in _read(config).splitlines():
        opened = _SECTION.match(line)
        if opened is not None:
            section = f"{opened[1].lower()}.{opened[2]}" if opened[2] is not None else opened[1].lower()
            line = line[opened.end() :]  # noqa: PLW2901 -- git allows a setting on the line of its section
        setting = _SETTING.match(line)
        if setting is not None and section == "remote.origin" and setting[1].lower() == "url":
            return _unquoted(setting[2])
    return None


def _unquoted(value: str) -> str:
    """Return a value of a git configuration: without quotes, escapes and a comment at its end."""
    out, quoted, letters = [], False, iter(value)
    for letter in letters:
        if letter == "\\":
            out.append(next(letters, ""))
        elif letter == '"':
            quoted = not quoted
        elif letter in "#;" and not quoted:
            break
        else:
            out.append(letter)
    return "".join(out).strip()


def _stated_id(top: Path, git: Path) -> str | None:
    text = _read(top / TOML)
    if not text or not holds_file(git, TOML, text.encode()):
        return None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    table = data.get("project")
    stated = data.get("id") or (table.get("id") if isinstance(table, dict) else table)
    return stated if isinstance(stated, str) else None


def _read(file: Path) -> str:
    """Return a small text file of someone else's, or nothing if it cannot be read: it only ever adds a hint."""
    try:
        with file.open("rb") as opened:
            return opened.read(_MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _text(path: Path) -> str:
    # surrogateescape would not survive canonical JSON; a folder with such a name is still told apart by the rest.
    return unicodedata.normalize("NFC", os.fsencode(path).decode("utf-8", "replace"))
