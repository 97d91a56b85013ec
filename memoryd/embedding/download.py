"""One file from a server to the disk: continued where it broke off, checked, and in its place only when it is whole."""

from __future__ import annotations

import errno
import hashlib
import http.client
import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import structlog

from memoryd.embedding.errors import (
    NoSpace,
    PullError,
    PullStopped,
    RangeRefused,
    ServerUnreachable,
    WeightsChanged,
)
from memoryd.embedding.hub import Hub
from memoryd.paths import FILE_MODE, FOLDER_MODE
from memoryd.text.durable import sync_folder

log = structlog.get_logger("memoryd.embedding.download")

TRIES = 5
"""So often in a row it may break off without a single new byte."""
_READ_BYTES = 256 * 1024
_FIRST_REST_S, _LONGEST_REST_S = 1.0, 30.0


@dataclass(frozen=True, slots=True)
class Expected:
    """What a file must be: its size, and its sha256 or its git hash."""

    size: int | None
    sha256: str | None = None
    git_sha1: str | None = None


def sums_of(path: Path) -> tuple[str, str]:
    """Return the sha256 and the git hash of a file."""
    ours, git = hashlib.sha256(), hashlib.sha1(usedforsecurity=False)
    git.update(b"blob %d\0" % path.stat().st_size)
    with path.open("rb") as file:
        while block := file.read(1024 * 1024):
            ours.update(block)
            git.update(block)
    return ours.hexdigest(), git.hexdigest()


class Download:
    """Fetches files. ``rest`` waits so many seconds between two tries, ``should_stop`` is asked at each block."""

    def __init__(self, hub: Hub, *, rest: Callable[[float], None], should_stop: Callable[[], bool]) -> None:
        self._hub = hub
        self._rest = rest
        self._should_stop = should_stop

    def fetch(self, url: str, target: Path, expected: Expected, progress: Callable[[int], None]) -> str:
        """Put the file in its place and return its sha256; ``progress`` gets the bytes of it that are there.

        Raises PullError (what was fetched stays for the next try), WeightsChanged where what came is another
        file; it is thrown away.
        """
        part = target.with_name(target.name + ".part")
        target.parent.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        had_before = _size(part)
        self._complete(url, part, expected, progress)
        found = self._checked(url, part, expected)
        if found is None and had_before:
            # What lay here from an earlier try may have been of another file; the whole is fetched once more.
            part.unlink()
            self._complete(url, part, expected, progress)
            found = self._checked(url, part, expected)
        if found is None:
            part.unlink()
            raise WeightsChanged(
                f"{url} is not the file that was expected: its sum differs. It was thrown away; try again, and if it "
                "stays so, do not trust this server"
            )
        part.replace(target)
        sync_folder(target.parent)
        return found

    def _complete(self, url: str, part: Path, expected: Expected, progress: Callable[[int], None]) -> None:
        """Fetch until the part is as long as it must be, over as many answers as that takes."""
        left, rest_s = TRIES, _FIRST_REST_S
        while True:
            before = _size(part)
            if expected.size is not None and before > expected.size:
                part.unlink()
                before = 0
            if before == expected.size:
                progress(before)
                return
            try:
                if self._fetch_rest(url, part, before, expected, progress):
                    return
                problem: PullError = ServerUnreachable(f"{url} broke off at byte {_size(part)}")
            except RangeRefused:
                # The file there is shorter than what lies here: what lies here is of no use.
                part.unlink(missing_ok=True)
                problem = ServerUnreachable(f"{url} is shorter than expected")
            except ServerUnreachable as error:
                problem = error
            if _size(part) > before:
                left, rest_s = TRIES, _FIRST_REST_S
            else:
                left -= 1
            if left <= 0:
                raise problem
            log.info("download continues", reason=str(problem), at=_size(part))
            self._check_stop()
            self._rest(rest_s)
            rest_s = min(2 * rest_s, _LONGEST_REST_S)

    def _fetch_rest(
        self, url: str, part: Path, start: int, expected: Expected, progress: Callable[[int], None]
    ) -> bool:
        """Append what one answer gives; tell whether the file is complete by what is known of its size."""
        self._check_stop()
        answer = self._hub.open(url, start)
        with answer.body as body:
            size = expected.size if expected.size is not None else answer.total
            if answer.total is not None and size != answer.total:
                raise WeightsChanged(f"{url} has {answer.total} bytes, not {size}: it is not the file expected")
            if answer.start not in {0, start}:
                raise ServerUnreachable(f"{url} answered from byte {answer.start}, not {start}")
            with _opened(part, fresh=answer.start == 0) as file:
                done = answer.start
                progress(done)
                while block := _read(url, body):
                    done += len(block)
                    if size is not None and done > size:
                        raise WeightsChanged(f"{url} gives more than {size} bytes: it is not the file expected")
                    _write(file.fileno(), block, part)
                    progress(done)
                    self._check_stop()
                os.fsync(file.fileno())
        return done == size if size is not None else True

    def _checked(self, url: str, part: Path, expected: Expected) -> str | None:
        """Return the sha256 of a fetched file if it is the expected one."""
        if expected.sha256 is None and expected.git_sha1 is None:
            raise PullError(f"nothing says what {url} must be; it is not used")
        sha256, git_sha1 = sums_of(part)
        good = sha256 == expected.sha256 if expected.sha256 is not None else git_sha1 == expected.git_sha1
        return sha256 if good else None

    def _check_stop(self) -> None:
        if self._should_stop():
            raise PullStopped("the download was stopped; the next one goes on from there")


def _opened(part: Path, *, fresh: bool) -> io.BufferedWriter:
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | (os.O_TRUNC if fresh else os.O_APPEND)
    return os.fdopen(os.open(part, flags, FILE_MODE), "wb")


def _read(url: str, body: http.client.HTTPResponse) -> bytes:
    try:
        return body.read1(_READ_BYTES)
    except http.client.IncompleteRead:
        return b""  # it broke off; the size tells
    except (OSError, http.client.HTTPException) as error:
        raise ServerUnreachable(f"{url} broke off: {str(error) or type(error).__name__}") from error


def _write(descriptor: int, block: bytes, part: Path) -> None:
    rest = memoryview(block)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise NoSpace(f"the disk of {part.parent} is full; make room and pull again: it goes on") from error
        raise PullError(f"{part} cannot be written: {error.strerror}") from error


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
