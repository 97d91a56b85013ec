"""The install id: the name under which this home, on this machine, writes its own files.

Two writers must never share a name, or their shards would fork. So the id is bound to a hash of the machine and of
the home's path: a copied home finds that its binding differs and mints an id of its own. Truth names the id, so it
must outlive ``state``, which may be deleted at any time: it is kept in ``config/install``.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import socket
import subprocess
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memoryd.errors import PathUnusable
from memoryd.paths import write_private

_ID = re.compile(r"[0-9a-f]{12}")
_MACHINE_FILES = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))
_RANDOM_NODE = 1 << 40
"""The multicast bit: ``uuid.getnode`` sets it where it found no card and made a number up."""


@dataclass(frozen=True, slots=True)
class Install:
    """An install id, and how it came about: ``kept``, ``new``, ``copied`` (minted for a copy) or ``damaged``."""

    id: str
    origin: Literal["kept", "new", "copied", "damaged"]


def settle_install(file: Path, *, home: Path, machine: str, entropy: Callable[[int], bytes]) -> Install:
    """Return this home's install id, minting one where there is none that is bound to it.

    To be called by the owner of the memory alone.

    Args:
        file: ``config/install``.
        home: The folder of the memory.
        machine: What :func:`identify_machine` says.
        entropy: Returns that many random bytes.

    Raises:
        PathUnusable: The file cannot be read or written.
    """
    binding = hashlib.sha256(f"{machine}\n{home.resolve()}".encode("utf-8", "surrogateescape")).hexdigest()
    origin: Literal["new", "copied", "damaged"] = "new"
    try:
        held = json.loads(file.read_bytes())
        if not isinstance(held, dict) or _ID.fullmatch(str(held.get("id"))) is None:
            origin = "damaged"
        elif held.get("binding") == binding:
            return Install(held["id"], "kept")
        else:
            origin = "copied"
    except FileNotFoundError:
        pass
    except ValueError:
        origin = "damaged"
    except OSError as error:
        raise PathUnusable(f"cannot read {file}: {error.strerror}") from error
    minted = entropy(6).hex()
    write_private(file, json.dumps({"id": minted, "binding": binding}).encode() + b"\n")
    return Install(minted, origin)


def identify_machine() -> str:
    """Return a text that stays the same on this machine and differs on any other."""
    for file in _MACHINE_FILES:
        try:
            if recorded := file.read_text("ascii").strip():
                return recorded
        except (OSError, ValueError):
            continue
    if platform.system() == "Darwin" and (known := _platform_uuid()):
        return known
    node = uuid.getnode()
    return socket.gethostname() if node & _RANDOM_NODE else f"{socket.gethostname()} {node:012x}"


def _platform_uuid() -> str | None:
    command = ["/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice"]
    try:
        shown = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout  # noqa: S603 - fixed
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'"IOPlatformUUID" = "([0-9A-Fa-f-]+)"', shown)
    return found.group(1) if found else None
