"""What both service managers are asked by: their own programs, and files that go back where asking fails."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memoryd.errors import StartFailed
from memoryd.paths import Paths, write_private

_WAIT_S = 330.0
"""Longer than a start may take: the manager answers when the daemon is ready."""


@dataclass(frozen=True, slots=True)
class Removed:
    """The files that were taken away, and why the manager could not be told, in words, if it could not."""

    files: list[Path]
    problem: str | None = None


@contextmanager
def put_back(
    paths: Iterable[Path], forget: Callable[[Sequence[Path]], object], reread: Callable[[], object] = lambda: None
) -> Iterator[None]:
    """Give files what they held before, where what is done meanwhile fails.

    Args:
        paths: The files.
        forget: Has the manager forget those that were new, which are there still.
        reread: Has it read again what is there then.
    """
    before = {path: path.read_bytes() if path.exists() else None for path in paths}
    try:
        yield
    except BaseException:
        new = [path for path, data in before.items() if data is None and path.exists()]
        if new:
            forget(new)
        for path, data in before.items():
            if data is None:
                path.unlink(missing_ok=True)
            else:
                write_private(path, data)
        reread()
        raise


def tail_of(paths: Paths, lines: int, *, follow: bool) -> list[str]:
    """Return the program that shows the end of the daemon's log."""
    return ["tail", "-n", str(lines), *(["-F"] if follow else []), str(paths.log / "memoryd.log")]


def run(*words: str, may_fail: bool = False) -> str:
    """Run a program and return what it printed; with ``may_fail`` whatever its exit code.

    Raises:
        StartFailed: It failed, in its own words, or did not run.
    """
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=_WAIT_S, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StartFailed(f"{_shown(words)} did not run: {type(error).__name__}") from error
    if done.returncode and not may_fail:
        said = " ".join((done.stderr or done.stdout).split())
        raise StartFailed(f"{_shown(words)} failed with code {done.returncode}: {said}")
    return done.stdout


def _shown(words: Sequence[str]) -> str:
    return f"`{' '.join(words)}`"
