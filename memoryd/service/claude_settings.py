"""Claude Code's settings file: read, and changed in one step without losing a byte of what is not ours."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryd.errors import SettingsUnusable
from memoryd.paths import create_private
from memoryd.service.claude import EVENTS
from memoryd.service.splice import splice
from memoryd.text.durable import sync_folder


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A settings file as read: its values, and its bytes; ``data`` is ``None`` where there is no file yet."""

    path: Path
    values: dict[str, Any]
    data: bytes | None

    def written(self, values: Mapping[str, Any]) -> bytes:
        """Return the file with these values: what stays is as it was to the byte, a byte order mark too.

        Raises:
            SettingsUnusable: It is nested too deeply.
        """
        text = (self.data or b"").decode()
        found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
        indent, line_end = found[1] if found else "  ", "\r\n" if "\r\n" in text else "\n"
        if not text.strip("\ufeff \t\r\n"):
            return (json.dumps(values, indent=indent, ensure_ascii=False) + "\n").encode()
        try:
            return splice(text, values, indent=indent, line_end=line_end).encode()
        except RecursionError as error:
            raise SettingsUnusable(f"{self.path} is nested too deeply to be changed; it is as it was") from error


def claude_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of Claude Code's own files."""
    return Path(environ.get("CLAUDE_CONFIG_DIR") or "~/.claude").expanduser()


def read_settings(path: Path) -> SettingsFile:
    """Read a settings file; one that is not there is empty.

    Raises:
        SettingsUnusable: It is not JSON that can be changed safely; it stays as it is.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        # A pipe would be waited for.
        raise SettingsUnusable(f"{path} is no file; nothing was changed")
    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
    except FileNotFoundError:
        if path.is_symlink():
            raise SettingsUnusable(f"{path} is a link to a file that is not there; nothing was changed") from None
        return SettingsFile(path, {}, None)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise SettingsUnusable(f"cannot read {path}: {reason}; nothing was changed") from error
    try:
        values = json.loads(text, object_pairs_hook=_once_each) if text.strip() else {}
    except json.JSONDecodeError as error:
        raise SettingsUnusable(
            f"{path}, line {error.lineno}, column {error.colno}: not JSON ({error.msg.lower()}; comments and commas at "
            f"the end of a list are no JSON); mend it and repeat, nothing was changed"
        ) from error
    except RecursionError as error:
        raise SettingsUnusable(f"{path} is nested too deeply to be read; nothing was changed") from error
    except ValueError as error:
        raise SettingsUnusable(f"{path}: {error}; remove one of them and repeat, nothing was changed") from error
    if not isinstance(values, dict) or not isinstance(values.get("hooks", {}), dict):
        raise SettingsUnusable(f"{path} is no object with an object `hooks` in it; mend it and repeat")
    for event, groups in values.get("hooks", {}).items():
        if event in EVENTS and not isinstance(groups, list):
            raise SettingsUnusable(f"{path}: `hooks.{event}` is no list; mend it and repeat, nothing was changed")
    return SettingsFile(path, values, data)


def write_settings(file: SettingsFile, values: Mapping[str, Any], now: datetime) -> Path | None:
    """Replace a settings file in one step, and return the backup of what was there before.

    A link is followed, so that a file kept elsewhere stays where it is kept; its mode stays.

    Raises:
        SettingsUnusable: It cannot be written, or somebody changed it since it was read.
    """
    target = Path(os.path.realpath(file.path))
    body = file.written(values)
    backup = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.data is not None:
            if target.read_bytes() != file.data:
                raise SettingsUnusable(f"{file.path} was changed at this moment by another program; repeat")
            # Its folder would let us replace it all the same; whoever protected it meant no such thing.
            if not target.stat().st_mode & 0o222:
                raise SettingsUnusable(f"{file.path} is write-protected; make it writable and repeat")
            backup = target.with_name(f"{target.name}.before-memoryd-{now:%Y%m%d-%H%M%S-%f}")
            create_private(backup, file.data)
        temporary = target.with_name(f".{target.name}.memoryd-{os.getpid()}")
        temporary.unlink(missing_ok=True)
        create_private(temporary, body)
        if file.data is not None:
            temporary.chmod(target.stat().st_mode & 0o7777)
        temporary.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise SettingsUnusable(f"cannot write {file.path}: {error.strerror}; it is as it was") from error
    return backup


def remove_made(path: Path, backup: Path) -> bool:
    """Remove a settings file that holds nothing any more and that we had made; tell whether it was one.

    Where a file was there before us, an older backup than this one stands beside it.
    """
    backups = list(path.parent.glob(f"{glob.escape(path.name)}.before-memoryd-*"))
    if path.is_symlink() or backups != [backup] or json.loads(path.read_bytes() or b"{}"):
        return False
    path.unlink()
    backup.unlink()
    return True


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, _ in pairs if sum(name == other for other, _ in pairs) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return found
