"""Bringing the manifest in line with the files: the full scan, and what a watcher saw.

Nothing is removed because it was not seen, unless its root was seen whole: the same folder as before with its marker,
walked without an error, and with at least half of the files it had.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from episodic.errors import LeadsOut, UnreadableFile
from episodic.index.backlog import Backlog
from episodic.index.intake import Intake, Place
from episodic.index.manifest import Manifest
from episodic.index.roots import JOURNAL, OWN, Root
from episodic.journal.dayfile import stamp_of
from episodic.journal.enclosure import way_out
from memoryd.text.report import Problem, Report
from memoryd.text.stop import stop_point

_TRIES = 3


class Reconciler:
    """Scans roots. ``writing`` is held for one file at a time, so an append never waits for a whole scan."""

    def __init__(
        self,
        manifest: Manifest,
        intake: Intake,
        roots: Sequence[Root],
        backlog: Backlog,
        *,
        writing: threading.RLock,
        after_journal_file: Callable[[Place], list[str]],
    ) -> None:
        self._manifest = manifest
        self._intake = intake
        self._roots = roots
        self._writing = writing
        self._after_journal_file = after_journal_file
        self._backlog = backlog
        self._scanned: list[Root] | None = None
        self._linked: set[str] = set()

    def scan(
        self,
        *,
        is_forced: bool = False,
        accept_loss: bool = False,
        tell: Callable[[str], None] = lambda _: None,
    ) -> Report:
        """Look at every file of every root.

        Args:
            is_forced: Read each file again, whatever its stamp says.
            accept_loss: What is missing is gone for good, even where most files are; a folder that is not there, or
                could not be read whole, still says nothing.
            tell: Called with the path of each file. What it raises ends the scan.
        """
        report = self._scan(list(self._roots), is_forced=is_forced, accept_loss=accept_loss, tell=tell)
        self._backlog.finish()
        return report

    def refresh(self, paths: Iterable[Path]) -> Report:
        """Look at these files, and at files below these folders. Paths outside all roots are passed over.

        Where the rules of a root are others than at the last scan, everything is looked at. Long entries that are new
        are cut in the background.
        """
        report = self._refresh_all(paths)
        self._backlog.begin()
        return report

    def _refresh_all(self, paths: Iterable[Path]) -> Report:
        named = list(dict.fromkeys(paths))
        roots = list(self._roots)
        if self._scanned is not None and roots != self._scanned:
            return self._scan(roots, told=named)
        report = Report()
        for root in roots:
            local = [] if root.is_away else _inside(root, named)
            if root.folder in local or (local and root.name in self._linked) or any(map(_is_folder_link, local)):
                # By a link one folder can be reached in two ways, and only a whole scan says which of them counts.
                report += self._scan_root(root, told=local)
                continue
            for path in local:
                report += self._refresh(root, path)
        return report

    def _scan(
        self,
        roots: list[Root],
        *,
        is_forced: bool = False,
        accept_loss: bool = False,
        tell: Callable[[str], None] = lambda _: None,
        told: Sequence[Path] = (),
    ) -> Report:
        report = Report()
        for root in roots:
            local = _inside(root, told)
            report += self._scan_root(root, is_forced=is_forced, accept_loss=accept_loss, tell=tell, told=local)
        gone = {file.root for file in self._manifest.files()} - {root.name for root in roots}
        for file in self._manifest.files():
            if file.root in gone:  # a vault that the settings no longer name, or that keeps no daily notes any more
                with self._writing:
                    report += Report(removed=int(self._intake.remove(file.path)))
        self._scanned = roots
        return report

    def take(self, root: Root, place: Place, *, is_forced: bool = False) -> Report:
        """Look at one file, whatever its stamp says, and where forced also whatever its hash says."""
        stop_point()
        try:
            # A long file is read beside the lock; one that changes again and again is read under it in the end.
            for _ in range(_TRIES):
                reading = self._intake.read(place, is_forced=is_forced)
                with self._writing:
                    changed = self._intake.write(reading)
                if changed is not None:
                    break
            else:
                with self._writing:
                    changed = self._intake.take(place, is_forced=is_forced)
        except LeadsOut as error:
            with self._writing:  # no absence: the name is there and says that what it means lies elsewhere
                removed = self._intake.remove(place.shown)
            named = (Problem(place.shown, str(error)),)
            return Report(files=1, removed=int(removed), problems=named, looked_at=(place.shown,))
        except UnreadableFile as error:
            return Report(files=1, problems=(Problem(place.shown, str(error)),), looked_at=(place.shown,))
        with self._writing:
            notes = self._after_journal_file(place) if root.name == JOURNAL else []
        problems = [Problem(place.shown, note, happened=True) for note in notes]
        if problem := self._intake.problem_of(place.shown):
            problems.append(Problem(place.shown, problem))
        return Report(1, int(changed or bool(notes)), 0, tuple(problems), (place.shown,))

    def _scan_root(
        self,
        root: Root,
        *,
        is_forced: bool = False,
        accept_loss: bool = False,
        tell: Callable[[str], None] = lambda _: None,
        told: Sequence[Path] = (),
    ) -> Report:
        settled = Report(
            looked_at=(root.name, root.prefix if root.folder == root.base else f"{root.shown(root.folder)}/")
        )
        if root.is_away or not root.folder.is_dir():
            known = len(self._manifest.files(root.name))
            reason = f"the folder is not there; {known} known files stay in the index"
            return Report(problems=(Problem(root.name, reason),)) if known or root.name not in OWN else Report()
        errors, links = list[str](), list[Path]()
        report, seen = settled, set()
        report += Report(
            problems=tuple(Problem(root.shown(root.folder / name), why) for name, why in root.rules.problems)
        )
        for path in root.walk(errors, links=links):
            place = root.place_of(path)
            if place is None:
                report += _stray(root, path)
                continue
            seen.add(place.shown)
            tell(place.shown)
            is_linked = path.is_symlink() or any(map(path.is_relative_to, links))
            if is_forced or (is_linked and way_out(path, place.within) is not None):
                report += self.take(root, place, is_forced=is_forced)
            else:
                report += self._look(root, place)
        self._linked = self._linked | {root.name} if links else self._linked - {root.name}
        report += Report(problems=tuple(Problem(root.name, error) for error in errors))
        return report + self._prune(root, seen, is_whole=not errors, accept_loss=accept_loss, told=told)

    def _look(self, root: Root, place: Place) -> Report:
        stop_point()
        try:
            status = stamp_of(place.path.stat())
        except OSError:
            status = None  # it vanished, or cannot be read: take() says which
        if status is not None and self._intake.is_unchanged(place, status):
            problem = self._intake.problem_of(place.shown)
            return Report(files=1, problems=(Problem(place.shown, problem),) if problem else ())
        return self.take(root, place)

    def _prune(
        self, root: Root, seen: set[str], *, is_whole: bool, accept_loss: bool, told: Sequence[Path] = ()
    ) -> Report:
        known = {file.path for file in self._manifest.files(root.name)}
        missing = known - seen
        if not missing:
            self._remember(root)
            return Report()
        reason = None if is_whole else "it could not be read whole"
        if not accept_loss:
            reason = reason or self._absence(root)
        # What a rule hides, and what was seen to vanish, is no loss to be doubted.
        named = set(told) - {root.folder}
        sure = missing if accept_loss else {shown for shown in missing if _is_surely_gone(root, shown, named)}
        left = len(known) - len(sure)
        if reason is None and 2 * len(known & seen) < left:
            reason = f"it shows {len(known & seen)} of {left} files that were known"
            missing, kept = sure, missing - sure
        else:
            missing, kept = (missing, set()) if reason is None else (set(), missing)
        self._remember(root)
        removed = 0
        for shown in sorted(missing):
            with self._writing:
                removed += self._intake.remove(shown)
        if not kept:
            return Report(removed=removed)
        words = f"{reason}; nothing was removed from the index. If the files are gone for good, rebuild the index"
        return Report(removed=removed, problems=(Problem(root.name, words),))

    def _refresh(self, root: Root, path: Path) -> Report:
        """Look at one path; what is known at or below it and is not there any more, or is left alone now, goes."""
        report = Report(looked_at=(root.shown(path), f"{root.shown(path)}/"))
        seen = set()
        if path.is_dir():
            errors, links = list[str](), list[Path]()
            hidden = root.rules.hides(_below(root, path), folder=True)
            for file in () if hidden else root.walk(errors, below=path, links=links):
                place = root.place_of(file)
                if place is None:
                    report += _stray(root, file)
                    continue
                seen.add(place.shown)
                report += self._look(root, place)
            if links:
                return self._scan_root(root, told=[path])
            if not hidden and root.place_of(path) is not None:
                report += Report(problems=(Problem(root.shown(path), "it is a folder where a day should be"),))
            if errors:
                return report + Report(problems=tuple(Problem(root.name, error) for error in errors))
        elif (place := root.place_of(path)) is not None and (path.exists() or path.is_symlink()):
            seen.add(place.shown)
            report += Report(files=1) if self._intake.is_own(place) else self.take(root, place)
        elif path.suffix == ".md" and os.path.lexists(path) and not root.rules.hides(_below(root, path)):
            report += _stray(root, path)
        return report + self._remove_below(root, path, seen)

    def _remove_below(self, root: Root, path: Path, seen: set[str]) -> Report:
        """Remove what is known at or below a path and was not seen there; never by a part of a name."""
        shown = root.shown(path)
        names = [name for name in self._manifest.paths_at(root.name, shown) if name not in seen]
        if not names:
            return Report()
        if (reason := self._absence(root)) is not None:
            return Report(problems=(Problem(root.name, f"{reason}; nothing was removed from the index"),))
        removed = 0
        for name in names:
            with self._writing:
                if root.place_of(root.disk(name)) is None or not root.disk(name).exists():
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
        remembered = self._manifest.meta(_memory_of(root))
        return None if remembered in (None, str(inode)) else "it is another folder than it was"

    def _remember(self, root: Root) -> None:
        """Remember which folder a root is, so that the next pass knows it again."""
        if root.marker is None or root.marker.exists():
            self._manifest.set_meta(_memory_of(root), str(root.folder.stat().st_ino))


def _memory_of(root: Root) -> str:
    """Return the name under which the inode of a root's folder is kept; a vault may move its daily notes."""
    return f"root {root.name}" if root.name in OWN else f"root {root.name} {root.shown(root.folder)}"


def _inside(root: Root, paths: Iterable[Path]) -> list[Path]:
    """Return the paths that lie in a root, as its folder spells them."""
    real = root.folder.resolve()  # a watcher may name the folder behind a link
    found = []
    for path in paths:
        if path.is_relative_to(root.folder):
            found.append(path)
        elif path.is_relative_to(real):
            found.append(root.folder / path.relative_to(real))
    return found


def _below(root: Root, path: Path) -> str:
    return path.relative_to(root.folder).as_posix()


def _stray(root: Root, path: Path) -> Report:
    """Name a Markdown file of the journal that is no day; elsewhere there are such files on purpose."""
    if root.name != JOURNAL:
        return Report()
    reason = "its name is no day (YYYY-MM-DD.md, of the years 2 to 9998); it was not read"
    return Report(files=1, problems=(Problem(root.shown(path), reason),))


def _is_folder_link(path: Path) -> bool:
    return path.is_symlink() and path.is_dir()


def _is_surely_gone(root: Root, shown: str, told: set[Path]) -> bool:
    path = root.disk(shown)
    return root.place_of(path) is None or path in told or not told.isdisjoint(path.parents)
