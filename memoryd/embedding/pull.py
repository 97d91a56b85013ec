"""Fetching a model: what is missing of it, checked file by file, with a seal at the end.

Nothing is asked of any server where the files are there and are what they must be.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import structlog

from memoryd.embedding.download import Download, Expected
from memoryd.embedding.errors import NoSpace, NotServed, PullError
from memoryd.embedding.files import remembered_sha256
from memoryd.embedding.hub import Hub, Listed
from memoryd.embedding.manifest import FolderSource, Manifest, RemoteFile
from memoryd.embedding.pulled import SealedFile, is_pulled, pulled_place, read_seal, write_seal
from memoryd.paths import FOLDER_MODE

log = structlog.get_logger("memoryd.embedding.pull")

SPARE_BYTES = 256 * 1024 * 1024
"""What must stay free on the disk beside the model."""


@dataclass(frozen=True, slots=True)
class Pulling:
    """How far a pull is: the file at hand, and bytes of all files (``total`` 0: not known)."""

    file: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Pulled:
    """What a pull came to; ``fetched_bytes`` 0 means that all was there."""

    place: Path
    files: int
    fetched_bytes: int


def pull(
    manifest: Manifest,
    models_dir: Path,
    hub: Hub,
    *,
    progress: Callable[[Pulling], None] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
    rest: Callable[[float], None] = time.sleep,
    free_bytes: Callable[[Path], int] = lambda place: shutil.disk_usage(place).free,
) -> Pulled:
    """Fetch what is missing of a model's files into its folder below ``models_dir``.

    Raises PullError (what was fetched is kept, the next pull goes on), WeightsChanged where the server gives
    another file than the one that is known.
    """
    source = manifest.source
    if not isinstance(source, FolderSource) or not source.remote:
        raise PullError(f"{manifest.name} is not fetched from a server: its files come with its package or its folder")
    place = pulled_place(source, models_dir)
    try:
        place.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        here = {one.place: found for one in source.remote if (found := _present(one, place, models_dir))}
        wanted = [one for one in source.remote if one.place not in here]
        if all(one.may_miss for one in wanted) and is_pulled(source, models_dir) and read_seal(place) == here:
            return Pulled(place, len(here), 0)
        return _Pull(manifest, place, here, Download(hub, rest=rest, should_stop=should_stop), hub, progress).run(
            wanted, free_bytes
        )
    except OSError as error:
        raise PullError(f"the model cannot be put in {models_dir}: {error.strerror or error}") from error


class _Pull:
    """One pull on its way."""

    def __init__(
        self,
        manifest: Manifest,
        place: Path,
        here: dict[str, SealedFile],
        download: Download,
        hub: Hub,
        progress: Callable[[Pulling], None],
    ) -> None:
        self._manifest = manifest
        self._place = place
        self._here = here
        self._download = download
        self._hub = hub
        self._progress = progress
        self._lists: dict[tuple[str, str], Mapping[str, Listed]] = {}

    def run(self, wanted: list[RemoteFile], free_bytes: Callable[[Path], int]) -> Pulled:
        plan = list(self._plan(wanted))
        done = sum(one.size for one in self._here.values())
        total = done + sum(expected.size or 0 for _, expected in plan)
        self._check_room(plan, free_bytes)
        fetched = 0
        for file, expected in plan:
            base = done + fetched

            def tell(so_far: int, name: str = file.place, base: int = base) -> None:
                self._progress(Pulling(name, base + so_far, max(total, base + so_far)))

            url = self._hub.url(file.repo, file.revision, file.path)
            target = self._place / file.place
            sha256 = self._download.fetch(url, target, expected, tell)
            size = target.stat().st_size
            fetched += size
            self._here[file.place] = SealedFile(size, sha256)
            # Noted at once: a file whose sum only the server's list knew is not fetched again after a crash.
            write_seal(self._place, self._here, is_whole=False)
        write_seal(self._place, self._here, is_whole=True)
        log.info("model pulled", model=self._manifest.name, files=len(self._here), bytes=fetched)
        return Pulled(self._place, len(self._here), fetched)

    def _plan(self, wanted: list[RemoteFile]) -> Iterator[tuple[RemoteFile, Expected]]:
        """Give each file that has to be fetched with what it must be; a list is asked for only where one is needed."""
        for file in wanted:
            if file.sha256 is not None:
                yield file, Expected(file.size, sha256=file.sha256)
                continue
            listed = self._list(file).get(file.path)
            if listed is not None:
                yield file, Expected(listed.size, listed.sha256, listed.git_sha1)
            elif not file.may_miss:
                raise NotServed(f"{file.repo} at {file.revision} has no {file.path} (any more)")

    def _list(self, file: RemoteFile) -> Mapping[str, Listed]:
        key = (file.repo, file.revision)
        if key not in self._lists:
            self._lists[key] = self._hub.list_files(*key)
        return self._lists[key]

    def _check_room(self, plan: list[tuple[RemoteFile, Expected]], free_bytes: Callable[[Path], int]) -> None:
        needed = SPARE_BYTES
        for file, expected in plan:
            part = self._place / (file.place + ".part")
            needed += max(0, (expected.size or 0) - (part.stat().st_size if part.is_file() else 0))
        free = free_bytes(self._place)
        if plan and free < needed:
            raise NoSpace(
                f"{self._manifest.name} needs {needed / 1e6:,.0f} MB at {self._place.parent}, and "
                f"{free / 1e6:,.0f} MB are free: make room"
            )


def _present(file: RemoteFile, place: Path, models_dir: Path) -> SealedFile | None:
    """Return a file that is there and is what it must be: by its pin, else by the seal of an earlier pull."""
    path = place / file.place
    if not path.is_file():
        return None
    size = path.stat().st_size
    sealed = read_seal(place).get(file.place)
    wanted = file.sha256 or (sealed.sha256 if sealed else None)
    if wanted is None or (file.size is not None and size != file.size):
        return None
    return SealedFile(size, wanted) if remembered_sha256(path, models_dir) == wanted else None
