"""An environment of a peer's own: a folder with a Python, into which its pinned version is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryd.bench.peers.errors import PeerUnavailable

INSTALL_S = 900.0
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
_LAST_WORDS = 400
_VERSION_S = 20.0


@dataclass(frozen=True, slots=True)
class Environment:
    """A folder with ``bin/python``, and the home that what runs in it may write to."""

    folder: Path
    home: Path

    def program(self, name: str) -> str:
        """Return the path of a program in it."""
        return str(self.folder / "bin" / name)

    def environ(self, **more: str) -> dict[str, str]:
        """Return the variables of what runs in it: no downloads, and nothing written outside its home."""
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        quiet = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "PYTHONUTF8": "1", "ANONYMIZED_TELEMETRY": "False"}
        return {**kept, **quiet, "HOME": str(self.home), **more}

    def run(self, command: Sequence[str], timeout_s: float, **more: str) -> str:
        """Run a program of it to its end and return what it wrote.

        Raises:
            PeerUnavailable: It fails or takes too long.
        """
        return run_to_end([self.program(command[0]), *command[1:]], timeout_s, self.environ(**more))


def make_environment(folder: Path, home: Path, requirements: Sequence[str], *, least: tuple[int, int]) -> Environment:
    """Return the environment in a folder; where there is none, make it and install.

    Args:
        folder: Where it lies, or is made.
        home: Becomes ``HOME`` of what runs in it.
        requirements: Pinned, as pip takes them.
        least: The oldest Python that will do.

    Raises:
        PeerUnavailable: There is no such Python, or the installation fails.
    """
    home.mkdir(parents=True, exist_ok=True)
    found = Environment(folder, home)
    if Path(found.program("python")).exists():
        return found
    # pip needs the settings of the person who runs this: the index of a company, a proxy.
    ours = dict(os.environ)
    run_to_end([_python(least), "-m", "venv", str(folder)], INSTALL_S, ours)
    try:
        run_to_end([found.program("python"), "-m", "pip", "install", "--quiet", *requirements], INSTALL_S, ours)
    except PeerUnavailable:
        shutil.rmtree(folder)
        raise
    return found


def run_to_end(command: Sequence[str], timeout_s: float, environ: Mapping[str, str]) -> str:
    """Run a program and return what it wrote to stdout.

    Raises:
        PeerUnavailable: It cannot be started, fails, or takes too long; the message has its last words.
    """
    name = Path(command[0]).name
    try:
        done = subprocess.run(  # noqa: S603 - a program that the caller of the benchmark named
            list(command),
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
            text=True,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PeerUnavailable(f"{name} did not run: {error}") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()[-_LAST_WORDS:]
        raise PeerUnavailable(f"{name} ended with code {done.returncode}: {said}")
    return done.stdout


def _python(least: tuple[int, int]) -> str:
    if sys.version_info[:2] >= least:
        return sys.executable
    for minor in range(least[1], least[1] + 3):
        found = shutil.which(f"python{least[0]}.{minor}")
        if found is not None and _runs(found):
            return found
    raise PeerUnavailable(f"it needs Python {least[0]}.{least[1]} or newer, and there is none on the path")


def _runs(python: str) -> bool:
    try:
        run_to_end([python, "-c", "import venv"], _VERSION_S, os.environ)
    except PeerUnavailable:
        return False
    return True
