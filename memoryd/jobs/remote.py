"""Where a memory is brought together with its copies: a plain folder, or a git repository used as one.

The repository lies below the state, outside the memory. It is only ever fetched, set to what the remote has, written
to, committed and pushed: git merges nothing. Hooks do not run and nothing asks for a password.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from episodic.journal.dayfile import make_folder
from memoryd.errors import SyncFailed
from memoryd.text.durable import is_leftover, remove_leftover, replace_file

MARKER = ".memoryd-sync"
_BRANCH = "main"
_GIT_S = 300.0
_ADDRESS = re.compile(r"[A-Za-z][\w+.-]*://|[^/\s]+@[^/\s]+:")
_GIT = (
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.autocrlf=false",
    "-c", "core.fsmonitor=false",
    "-c", "commit.gpgsign=false",
    "-c", "protocol.ext.allow=never",
    "-c", "user.name=memoryd",
    "-c", "user.email=memoryd@localhost",
    "-c", "gc.auto=0",
)  # fmt: skip
_ENVIRON = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "GCM_INTERACTIVE": "never",
    "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
    "GIT_ATTR_NOSYSTEM": "1",
    "LC_ALL": "C",
}


class FolderRemote:
    """A plain folder, such as one that Syncthing or a network drive keeps."""

    def __init__(self, folder: Path, *, makes_folder: bool = True) -> None:
        self._folder = folder
        self._makes_folder = makes_folder

    @contextmanager
    def opened(self, *, is_known: bool) -> Iterator[Path]:
        """Yield the folder, locked against other daemons on this machine.

        Raises:
            SyncFailed: It is not there, or it is empty although it was written before.
        """
        marker = self._folder / MARKER
        try:
            if not self._makes_folder and not self._folder.is_dir():
                raise SyncFailed(f"there is no folder {self._folder}; mount it, or run `memoryd sync setup` again")
            if is_known and not marker.is_file():
                raise SyncFailed(
                    f"{self._folder} does not look like the folder that was synchronised before ({MARKER} is missing): "
                    "mount it, or run `memoryd sync setup` again"
                )
            make_folder(self._folder)
            descriptor = os.open(marker, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise SyncFailed(f"{self._folder} cannot be used: {error.strerror or error}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            remove_leftovers(self._folder)
            yield self._folder
        finally:
            os.close(descriptor)

    def publish(self) -> bool:
        """Do nothing: what stands in the folder is there for all."""
        return True


class GitRemote:
    """A git repository that only sees whole states of the memory.

    Args:
        url: Its address, as git takes it.
        folder: Where our copy of it lies.
        environ: The variables that git runs with, beside those that keep it quiet.
    """

    def __init__(self, url: str, folder: Path, environ: Mapping[str, str]) -> None:
        self._url = url
        self._folder = folder
        self._environ = {key: value for key, value in environ.items() if not key.startswith("GIT_")} | _ENVIRON

    @contextmanager
    def opened(self, *, is_known: bool) -> Iterator[Path]:
        """Fetch, set our copy to what the remote has, and yield it.

        Raises:
            SyncFailed: The remote cannot be reached, or has nothing of ours although it had.
        """
        make_folder(self._folder)
        if not (self._folder / ".git").is_dir():
            self._git("init", "--quiet")
        self._git("config", "remote.origin.url", self._url)
        self._git("config", "remote.origin.fetch", f"+refs/heads/{_BRANCH}:refs/remotes/origin/{_BRANCH}")
        heads = self._git("ls-remote", "--heads", "origin", _BRANCH)
        self._git("symbolic-ref", "HEAD", f"refs/heads/{_BRANCH}")
        if heads.strip():
            self._git("fetch", "--quiet", "--no-tags", "origin")
            self._git("reset", "--quiet", "--hard", f"origin/{_BRANCH}")
        elif is_known:
            raise SyncFailed(f"{self._url} is empty now; run `memoryd sync setup` again if that is meant")
        self._git("clean", "--quiet", "-ffdx")
        yield self._folder

    def publish(self) -> bool:
        """Commit and push; tell whether nobody pushed meanwhile.

        Raises:
            SyncFailed: It cannot be pushed for another reason.
        """
        self._git("add", "--all", "--force", ".")
        if self._git("status", "--porcelain").strip():
            self._git("commit", "--quiet", "--no-verify", "--message", "memory")
        elif not self._has_commit():
            return True
        try:
            self._git("push", "--quiet", "--no-verify", "origin", f"HEAD:refs/heads/{_BRANCH}")
        except SyncFailed as error:
            if any(
                word in str(error) for word in ("fetch first", "non-fast-forward", "failed to update ref", "locked")
            ):
                return False
            raise
        return True

    def _has_commit(self) -> bool:
        try:
            self._git("rev-parse", "--verify", "--quiet", "HEAD")
        except SyncFailed:
            return False
        return True

    def _git(self, *words: str) -> str:
        command = ["git", *_GIT, "-C", str(self._folder), *words]
        try:
            done = subprocess.run(  # noqa: S603 - fixed words and the user's own address
                command,
                env=self._environ,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_GIT_S,
                check=False,
            )
        except FileNotFoundError as error:
            raise SyncFailed("git is not installed; install it, or synchronise with a plain folder") from error
        except subprocess.TimeoutExpired as error:
            raise SyncFailed(f"git {words[0]} took longer than {_GIT_S:g} s") from error
        if done.returncode:
            said = _without_password(done.stderr.strip() or done.stdout.strip())
            raise SyncFailed(f"git {words[0]} failed: {said[-500:]}")
        return done.stdout


def is_missing_folder(address: str) -> bool:
    """Tell whether an address is that of a folder, and there is none."""
    return not _ADDRESS.match(address) and not Path(address).expanduser().is_dir()


def remote_of(
    address: str, folder: Path, environ: Mapping[str, str], *, makes_folder: bool = True
) -> FolderRemote | GitRemote:
    """Return the remote that an address means: a repository's address, a folder that is one, or a plain folder.

    ``makes_folder`` lets a plain folder be made where there is none: it may only be a disk that is not mounted.

    Raises:
        SyncFailed: It is neither an address nor an absolute path.
    """
    if address.startswith("-"):
        raise SyncFailed("the remote is a folder or the address of a git repository, not an option")
    if _ADDRESS.match(address):
        return GitRemote(address, folder, environ)
    place = Path(address).expanduser()
    if not place.is_absolute():
        raise SyncFailed("give the folder by its absolute path, or the address of a git repository")
    is_bare = (place / "HEAD").is_file() and (place / "objects").is_dir()
    return GitRemote(str(place), folder, environ) if is_bare else FolderRemote(place, makes_folder=makes_folder)


def write_whole(path: Path, data: bytes) -> None:
    """Put new bytes in the place of a file in one step; its folders are made."""
    make_folder(path.parent)
    replace_file(path, data)


def remove_leftovers(folder: Path) -> None:
    """Remove the copies that killed writes left below a folder, once they are old. One that cannot be is left."""
    for path in folder.rglob(".*.memoryd-tmp"):
        if is_leftover(path.name):
            with suppress(OSError):
                remove_leftover(path)


def _without_password(text: str) -> str:
    return re.sub(r"(://[^/\s:@]+):[^@/\s]+@", r"\1:…@", text)
