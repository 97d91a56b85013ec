"""Where memoryd keeps its files, and how a private file comes to be.

``MEMORYD_HOME`` puts ``memory/``, ``state/`` and ``config/`` below one folder. Without it the platform's own places
are used. Everything is private to the user, whatever the umask: folders 0700, files 0600.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from platformdirs import PlatformDirs

from memoryd.errors import PathUnusable
from memoryd.text.durable import create_file, sync_folder

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_PROBE_BYTES = 4096
SUN_PATH_BYTES = 104
"""The shortest limit of a Unix socket's path, its closing NUL included (macOS; Linux has 108)."""


@dataclass(frozen=True, slots=True)
class Paths:
    """The four folders of one memory; all absolute.

    ``memory`` is the truth, ``state`` can be deleted, ``config`` is the user's, ``runtime`` is a short private
    folder for sockets and for the temporary files of child processes.
    """

    memory: Path
    state: Path
    config: Path
    runtime: Path

    @property
    def config_file(self) -> Path:
        """The settings file; it need not exist."""
        return self.config / "config.toml"

    @property
    def token_file(self) -> Path:
        """The bearer token of this memory."""
        return self.config / "token"

    @property
    def install_file(self) -> Path:
        """The install id and what it is bound to."""
        return self.config / "install"

    @property
    def down_marker(self) -> Path:
        """Exists while the user wants the daemon down."""
        return self.config / "down"

    @property
    def lock_file(self) -> Path:
        """Locked by the one daemon that owns this memory."""
        return self.state / "lock"

    @property
    def endpoint_file(self) -> Path:
        """Says where the running daemon listens."""
        return self.state / "endpoint.json"

    @property
    def log(self) -> Path:
        """The folder of log files."""
        return self.state / "log"

    @property
    def models(self) -> Path:
        """The folder of repacked models."""
        return self.state / "models"

    @property
    def socket(self) -> Path:
        """The Unix socket: in ``state`` where the system can address it there, else in ``runtime``."""
        wanted = self.state / "memoryd.sock"
        return wanted if _fits_socket(wanted) else self.runtime / "memoryd.sock"

    def make(self) -> None:
        """Make all folders and the built-in vault, each 0700; the runtime folder must be nobody else's."""
        for folder in (self.memory, self.memory / "vault", self.state, self.config, self.log):
            make_private(folder)
        make_runtime(self.runtime)

    def require_writable(self) -> None:
        """See that files can be made in the folders; what fails later would be blamed on what is written first.

        Raises:
            PathUnusable: One of them is read-only or full; the message names it.
        """
        for folder in (self.memory, self.state, self.config, self.runtime):
            probe = folder / f".probe.{secrets.token_hex(6)}"
            try:
                create_private(probe, b"x" * _PROBE_BYTES)
            except OSError as error:
                full = error.errno in {errno.ENOSPC, errno.EDQUOT}
                way_out = "make room there" if full else "make it writable for you"
                said = f"cannot write in the folder {folder}: {_reason(error)}"
                raise PathUnusable(f"{said}; {way_out}, or set MEMORYD_HOME to another one") from error
            finally:
                with contextlib.suppress(OSError):
                    probe.unlink(missing_ok=True)

    def clear_runtime(self) -> None:
        """Remove the runtime folder with all in it; to be called by the owner of the memory, once it has stopped."""
        shutil.rmtree(self.runtime, ignore_errors=True)


def find_paths(environ: Mapping[str, str] | None = None) -> Paths:
    """Return the folders for this environment; nothing is made.

    On a system where the platform's folders for data, state and settings are one and the same (macOS), they become
    sub-folders of it, so that deleting ``state`` can never reach the memory.
    """
    environ = os.environ if environ is None else environ
    if home := environ.get("MEMORYD_HOME"):
        root = Path(os.path.abspath(Path(home).expanduser()))  # noqa: PTH100 - resolve() would follow links
        places = (root / "memory", root / "state", root / "config")
    else:
        dirs = PlatformDirs("memoryd", appauthor=False)
        places = (dirs.user_data_path, dirs.user_state_path, dirs.user_config_path)
        if len(set(places)) < len(places):
            places = (places[0] / "memory", places[1] / "state", places[2] / "config")
    return Paths(*places, _runtime_folder(places[1], environ))


def make_private(folder: Path) -> None:
    """Make the folder and its missing parents, and leave it 0700.

    Parents that were there before keep their mode: they are not ours.

    Raises:
        PathUnusable: It cannot be made, is not a folder, or belongs to another user.
    """
    missing = [folder, *folder.parents]
    try:
        missing = missing[: next((i for i, place in enumerate(missing) if place.exists()), len(missing))]
        for place in reversed(missing):
            with contextlib.suppress(FileExistsError):
                place.mkdir(FOLDER_MODE)
                place.chmod(FOLDER_MODE)
        info = folder.stat()
    except OSError as error:
        raise PathUnusable(f"cannot make the folder {folder}: {_reason(error)}") from error
    if not stat.S_ISDIR(info.st_mode):
        raise PathUnusable(f"{folder} is not a folder; memoryd needs one there: move that file away")
    if stat.S_IMODE(info.st_mode) & 0o777 == FOLDER_MODE:
        return
    try:
        folder.chmod(FOLDER_MODE)
    except OSError as error:
        raise PathUnusable(
            f"{folder} can be read or changed by other users and cannot be made private: {_reason(error)}; "
            f"make its owner yourself, or set MEMORYD_HOME to a folder of your own"
        ) from error


def make_runtime(folder: Path) -> None:
    """Make the runtime folder, which may lie in a place that every user can write to.

    Raises:
        PathUnusable: As :func:`make_private`, and if the folder is a link or belongs to someone else: then another
            user has taken the name.
    """
    if folder.is_symlink():
        raise PathUnusable(f"{folder} is a link; another user may have put it there: remove it")
    make_private(folder)
    if folder.lstat().st_uid != os.getuid():
        raise PathUnusable(f"{folder} belongs to another user; set XDG_RUNTIME_DIR to a folder of your own")


def write_private(path: Path, data: bytes) -> None:
    """Replace the file by these bytes, 0600: a reader sees all of the old or all of the new, even after a crash.

    Raises:
        PathUnusable: The folder cannot be written, or something other than a file is there.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        create_private(temporary, data)
        temporary.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise PathUnusable(f"cannot write {path}: {_reason(error)}") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def create_private(path: Path, data: bytes) -> None:
    """Make a new 0600 file that holds these bytes, durably.

    Raises:
        FileExistsError: There is one.
        OSError: It cannot be written.
    """
    create_file(path, data, mode=FILE_MODE)


def _runtime_folder(state: Path, environ: Mapping[str, str]) -> Path:
    """Return a folder whose socket path is short enough; its name differs for each memory of a user."""
    mark = hashlib.sha256(os.fsencode(state)).hexdigest()[:8]
    candidates = [Path(tempfile.gettempdir()) / f"memoryd-{os.getuid()}-{mark}"]
    given = environ.get("XDG_RUNTIME_DIR")
    if given and Path(given).is_absolute() and Path(given).is_dir():
        candidates.insert(0, Path(given) / f"memoryd-{mark}")
    shortest = Path("/tmp") / f"memoryd-{os.getuid()}-{mark}"  # noqa: S108 - owner and mode are checked
    return next((folder for folder in candidates if _fits_socket(folder / "memoryd.sock")), shortest)


def _fits_socket(path: Path) -> bool:
    return len(os.fsencode(path)) < SUN_PATH_BYTES


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
