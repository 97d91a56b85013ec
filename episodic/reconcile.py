"""Bringing the manifest in line with the files: the full scan, and what a watcher saw.

Nothing is removed because it was not seen, unless its root was seen whole: the same folder as before with its marker,
walked without an error, and with at least half of the files it had.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from episodic.dayfile import stamp_of
from episodic.intake import Intake, Place, UnreadableFileError
from episodic.manifest import Manifest
from episodic.roots import JOURNAL, Root
from memoryd.text.report import Problem, Report


class Reconciler:
    """Scans roots. ``writing`` is held for one file at a time, so an append never waits for a whole scan."""

    def __init__(
        self,
        manifest: Manifest,
        intake: Intake,
        roots: Sequence[Root],
        *,
        writing: threading.RLock,
        after_journal_file: Callable[[Place], list[str]],
    ) -> None:
        self._manifest = manifest
        self._intake = intake
        self._roots = roots
        self._writing = writing
        self._after_journal_file = after_journal_file

    def scan(self) -> Report:
        """Look at every file of every root."""
        report = Report()
        for root in self._roots:
            report += self._scan_root(root)
        gone = {file.root for file in self._manifest.files()} - {root.name for root in self._roots}
        for file in self._manifest.files():
            if file.root in gone:  # a vault that the settings no longer name
                with self._writing:
                    report += Report(removed=int(self._intake.remove(file.path)))
        return report

    def refresh(self, paths: Iterable[Path]) -> Report:
        """Look at these files, and at files below these folders. Paths outside all roots are passed over."""
        report = Report()
        for path in dict.fromkeys(paths):
            for root, local in self._rooted(path):
                report += self._refresh(root, local)
        return report

    def take(self, root: Root, place: Place) -> Report:
        """Look at one file, whatever its stamp says."""
        with self._writing:
            try:
                changed = self._intake.take(place)
            except UnreadableFileError as error:
                return Report(files=1, problems=(Problem(place.shown, str(error)),))
            notes = self._after_journal_file(place) if root.name == JOURNAL else []
        file = self._manifest.file(place.shown)
        problems = [*notes, *([file.problem] if file is not None and file.problem else [])]
        return Report(1, int(changed or bool(notes)), 0, tuple(Problem(place.shown, reason) for reason in problems))

    def _scan_root(self, root: Root) -> Report:
        if not root.folder.is_dir():
            known = len(self._manifest.files(root.name))
            reason = f"the folder is not there; {known} known files stay in the index"
            return Report(problems=(Problem(root.name, reason),)) if known or root.name != JOURNAL else Report()
        errors: list[str] = []
        report, seen = Report(), set()
        for path in root.walk(errors):
            place = root.place_of(path)
            if place is None:
                if root.name == JOURNAL:
                    reason = "its name is no day (YYYY-MM-DD.md); it was not read"
                    report += Report(files=1, problems=(Problem(root.shown(path), reason),))
                continue
            seen.add(place.shown)
            report += self._look(root, place)
        report += Report(problems=tuple(Problem(root.name, error) for error in errors))
        return report + self._prune(root, seen, is_whole=not errors)

    def _look(self, root: Root, place: Place) -> Report:
        try:
            status = stamp_of(place.path.stat())
        except OSError:
            status = None  # it vanished, or cannot be read: take() says which
        if status is not None and self._intake.is_unchanged(place, status):
            file = self._manifest.file(place.shown)
            problem = None if file is None else file.problem
            return Report(files=1, problems=(Problem(place.shown, problem),) if problem else ())
        return self.take(root, place)

    def _prune(self, root: Root, seen: set[str], *, is_whole: bool) -> Report:
        known = {file.path for file in self._manifest.files(root.name)}
        missing = sorted(known - seen)
        if not missing:
            self._remember(root)
            return Report()
        reason = None if is_whole else "it could not be read whole"
        reason = reason or self._absence(root)
        if reason is None and 2 * len(known & seen) < len(known):
            reason = f"it shows {len(known & seen)} of {len(known)} files that were known"
        if reason is not None:
            self._remember(root)
            words = f"{reason}; nothing was removed from the index. If the files are gone for good, rebuild the index"
            return Report(problems=(Problem(root.name, words),))
        for shown in missing:
            with self._writing:
                self._intake.remove(shown)
        return Report(removed=len(missing))

    def _refresh(self, root: Root, path: Path) -> Report:
        if path.is_dir():
            errors: list[str] = []
            report = Report()
            for file in replace(root, folder=path).walk(errors):
                place = root.place_of(file)
                report += Report() if place is None else self._look(root, place)
            return report + Report(problems=tuple(Problem(root.name, error) for error in errors))
        place = root.place_of(path)
        if place is not None and path.exists():
            return self.take(root, place)
        if path.exists() or path == root.folder:
            return Report()
        return self._remove_below(root, path)

    def _remove_below(self, root: Root, path: Path) -> Report:
        """Remove a file that was seen to vanish, or those of a folder that was; never by a part of a name."""
        shown = root.shown(path)
        names = [f.path for f in self._manifest.files(root.name) if f.path == shown or f.path.startswith(f"{shown}/")]
        if not names:
            return Report()
        if (reason := self._absence(root)) is not None:
            return Report(problems=(Problem(root.name, f"{reason}; nothing was removed from the index"),))
        removed = 0
        for name in names:
            with self._writing:
                if not root.base.joinpath(name.removeprefix(root.prefix)).exists():
                    removed += self._intake.remove(name)
        return Report(removed=removed)

    def _absence(self, root: Root) -> str | None:
        """Say why a root may not be the folder it was, or return ``None``."""
        try:
            inode = root.folder.stat().st_ino
        except OSError:
            return "the folder is not there"
        if root.marker is not None and not root.marker.exists():
            return f"{root.marker.name} is missing beside it"
        remembered = self._manifest.meta(f"root {root.name}")
        return None if remembered in (None, str(inode)) else "it is another folder than it was"

    def _remember(self, root: Root) -> None:
        """Remember which folder a root is, so that the next pass knows it again."""
        if root.marker is None or root.marker.exists():
            self._manifest.set_meta(f"root {root.name}", str(root.folder.stat().st_ino))

    def _rooted(self, path: Path) -> list[tuple[Root, Path]]:
        found = []
        for root in self._roots:
            if path.is_relative_to(root.folder):
                found.append((root, path))
                continue
            real = root.folder.resolve()  # a watcher may name the folder behind a link
            if path.is_relative_to(real):
                found.append((root, root.folder / path.relative_to(real)))
        return found
