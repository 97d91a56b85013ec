"""The bearer token: one secret a memory, in a file that only its user can read.

A running daemon compares with what the file holds at that moment, so a rotation takes effect at once.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
import stat
from pathlib import Path

from memoryd.errors import PathUnusable, TokenUnusable
from memoryd.paths import FILE_MODE, create_private, write_private
from memoryd.text.durable import sync_folder

LEAST_CHARACTERS = 32
"""A shorter token is refused: an empty file must never let anyone in."""

_BYTES = 32


class TokenFile:
    """The token of one memory, re-read whenever the file changes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, int, int] | None = None
        self._token: bytes | None = None

    def accepts(self, presented: str) -> bool:
        """Tell whether this is the token; in constant time, and never while the file holds no usable one."""
        try:
            self._refresh()
        except TokenUnusable:
            return False
        return self._token is not None and hmac.compare_digest(self._token, presented.encode("utf-8", "replace"))

    def stamp(self) -> tuple[int, int, int] | None:
        """Return what is another as soon as the file is; ``None`` while there is none."""
        try:
            info = self.path.stat()
        except OSError:
            return None
        return (info.st_ino, info.st_mtime_ns, info.st_size)

    def _refresh(self) -> None:
        seen = self.stamp()
        if seen is None:
            self._seen, self._token = None, None
            return
        if seen != self._seen:
            self._token = None
            self._token = read_token(self.path).encode()
            self._seen = seen


def ensure_token(path: Path) -> list[str]:
    """Make the token file if there is none, and make it private if it is not.

    Returns:
        Warnings, in words, to be shown to the user.

    Raises:
        TokenUnusable: What is there cannot be used.
    """
    if not path.exists():
        _create(path)
    read_token(path)
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077 == 0:
        return []
    try:
        path.chmod(FILE_MODE)
    except OSError as error:
        raise TokenUnusable(
            f"{path} can be read by other users and cannot be made private: {error.strerror}"
        ) from error
    warning = (
        f"{path} could be read by other users (mode {mode:04o}) and is private now; "
        f"if others use this machine, run `memoryd token rotate`"
    )
    return [warning]


def read_token(path: Path) -> str:
    """Return the token in the file.

    Raises:
        TokenUnusable: There is no usable one.
    """
    try:
        token = path.read_text("ascii").strip()
    except FileNotFoundError as error:
        raise TokenUnusable(f"there is no token at {path}; `memoryd up` makes one") from error
    except ValueError as error:
        raise TokenUnusable(f"{path} does not hold a token; run `memoryd token rotate`") from error
    except OSError as error:
        raise TokenUnusable(f"cannot read the token {path}: {error.strerror}") from error
    if len(token) < LEAST_CHARACTERS or not token.isprintable() or " " in token:
        raise TokenUnusable(f"{path} does not hold a usable token; run `memoryd token rotate`")
    return token


def rotate_token(path: Path) -> None:
    """Put a new token in place of the old one, which is refused from then on.

    Raises:
        TokenUnusable: The file cannot be written.
    """
    try:
        write_private(path, _fresh())
    except PathUnusable as error:
        raise TokenUnusable(str(error)) from error


def _create(path: Path) -> None:
    # Written whole under another name and then linked: two starts at once agree on one token, and no reader
    # ever meets an empty file.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        create_private(temporary, _fresh())
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)
        sync_folder(path.parent)
    except OSError as error:
        raise TokenUnusable(f"cannot make the token {path}: {error.strerror}") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _fresh() -> bytes:
    return secrets.token_urlsafe(_BYTES).encode() + b"\n"
