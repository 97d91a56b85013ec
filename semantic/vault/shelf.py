"""One vault as read: its notes by path, kept equal to what its folder holds.

A shelf reads only files that changed, and takes a note away only when it is sure that the file is gone: its folder
was there, the same as before, and was walked without an error. It is not safe for several threads; the library is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from memoryd.text.ignore import IGNORE_FILE
from memoryd.text.report import Problem, Report
from memoryd.text.stop import stop_point
from semantic.model import Note
from semantic.vault.cache import Keeping, Kept
from semantic.vault.contract import Contract
from semantic.vault.daily import DailyNotes, read_daily_notes
from semantic.vault.ignore import SETTINGS_FOLDER, Ignore, read_ignore
from semantic.vault.linkage import Linkage
from semantic.vault.note import etag_of, read_note
from semantic.vault.presence import at_or_below, folders_of, is_there, parent_is_readable
from semantic.vault.scan import Scan, Seen, add_file, is_inside, may_be_read, relative_path, scan_folder, see

UNSURE_LOSS = 3
"""From so many missing notes on, a vault that lost more than half of its notes is doubted."""

_SETTLED_NS = 2_000_000_000
"""A file written this short a time before it was read may be written again without a new time stamp."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A note and the state of its file when it was read; ``settled`` if an unchanged state proves unchanged bytes."""

    note: Note
    seen: Seen
    settled: bool


@dataclass(slots=True)
class Changes:
    """What a pass found, ready to be put in place: nothing here touches the shelf yet."""

    entries: dict[str, Entry]
    files: set[str]
    gone: set[str]
    report: Report


class Shelf:
    """The notes of one vault. ``plan_*`` reads the disk, ``apply`` changes the shelf: no reader waits for a disk."""

    def __init__(
        self, vault: str, root: Path, contract: Contract, zone: tzinfo, keeping: Keeping | None = None
    ) -> None:
        self.vault = vault
        self.root = root
        self.entries: dict[str, Entry] = {}
        self.notes: dict[str, Note] = {}
        self.linkage = Linkage(vault)
        self._files: set[str] = set()
        self._contract = contract
        self._zone = zone
        self._keeping = keeping
        self._root_key: tuple[int, int] | None = None
        self._ignore = Ignore()
        self._daily: DailyNotes | None = None
        self._settings_problems: tuple[Problem, ...] = ()
        self._is_read = self._is_doubted = False
        self._is_linked = False

    def daily_notes(self) -> DailyNotes | None:
        """Return where the daily notes lie, as the vault's settings say now, and their paths as of the last pass."""
        daily = self._daily
        key = self._root_state()[0]
        if key is not None and not self._is_doubted and self._root_key in (None, key):
            daily = read_daily_notes(self.vault, self.root, [], read_ignore(self.root, self._ignore))
        elif self._is_doubted or not self._is_read:
            daily = DailyNotes(self.vault, self.root, "", "", is_away=True)
        if daily is None:
            return None
        paths = tuple(sorted(path for path in self._files if daily.day_of(path) is not None))
        return replace(daily, paths=paths)

    @property
    def files(self) -> frozenset[str]:
        """Return the paths of what is no note."""
        return frozenset(self._files)

    def is_as_read(self, path: str) -> bool:
        """Tell whether the file of a note is still in the state in which it was read."""
        entry = self.entries.get(path)
        return entry is not None and entry.settled and see(entry.seen.disk) == entry.seen

    def barrier(self) -> Callable[[str], str | None]:
        """Return what says in words, by the vault's settings as they are now, why no note may lie at a path."""
        ignore = read_ignore(self.root, self._ignore)
        daily = read_daily_notes(self.vault, self.root, [], ignore)

        def reason(path: str) -> str | None:
            if ignore.hides(path):
                return "this path is left alone by the settings of its vault; choose another folder"
            if daily is not None and daily.day_of(path) is not None:
                return "this is a daily note: it tells what happened and is no note; record an episode instead"
            return None

        return reason

    def plan_scan(self, now: datetime, *, accept_loss: bool = False, told: Iterable[str] = ()) -> Changes:
        """Look at the whole folder. What is missing goes only if the folder was seen complete.

        ``told`` are paths that were seen to change: what is missing at or below them is not doubted.
        """
        key, problem = self._root_state()
        if key is None:
            return self._last_known(self._kept(), problem)
        settings = self._ignore, self._daily, self._settings_problems
        self._read_settings()
        scan = scan_folder(self.vault, self.root, self._ignore)
        self._is_linked = scan.linked
        self._set_daily_aside(scan)
        kept = self._kept()
        expected = {path for path in kept if not self._is_left_out(path)}
        there = len(expected & scan.notes.keys())
        if not accept_loss and there * 2 < len(expected) and len(expected) - there >= UNSURE_LOSS:
            self._is_doubted = True
            what = f"only {there} of {len(expected)} notes are there, so the folder may be half mounted or half synced"
            return self._last_known(kept, Problem(f"{self.vault}:", what))
        missing = self.entries.keys() - scan.notes.keys() - scan.unclear
        hidden = {path for path in missing if self._is_left_out(path)}
        lost = missing - hidden
        seen_to_go = at_or_below(lost, told) if scan.complete else set()
        doubt = None if accept_loss else self._doubt(scan, lost - seen_to_go, len(self.entries) - len(seen_to_go), key)
        if doubt is not None:
            scan.problems.append(doubt)
            lost = seen_to_go
            if key != self._root_key:
                self._ignore, self._daily, self._settings_problems = settings
        files = scan.files if scan.complete and doubt is None else scan.files | self._files
        self._root_key = key if doubt is None else self._root_key
        self._is_doubted = self._root_key is None
        return self._planned(scan, files, hidden | lost, now, kept, trust_state=True, looked_at=("",))

    def plan_events(self, paths: Iterable[Path], now: datetime) -> Changes:
        """Look at what the watcher named: files or whole folders, created, changed, moved or removed."""
        key, problem = self._root_state()
        if key is None or (self._root_key is not None and key != self._root_key):
            # The folder is away or is another one: its events say nothing about the notes that were read.
            reason = problem or Problem(f"{self.vault}:", f"{self.root} was replaced; its notes wait for a whole scan")
            return Changes({}, set(self._files), set(), Report(problems=(reason,)))
        if not self._is_read:
            self._read_settings()
        named: dict[str, list[Path]] = {}
        for path in paths:
            if (name := self._relative(path)) is not None:
                named.setdefault(name, []).append(path)
        if any(name in {"", IGNORE_FILE} or name.split("/")[0] == SETTINGS_FOLDER for name in named):
            return self.plan_scan(now, told=named)
        scan, gone, files = Scan(), set[str](), set(self._files)
        folders = {folder for path in (*self.entries, *files) for folder in folders_of(path)}
        for name in sorted(named):
            self._look(name, named[name], scan, gone, files, is_folder=name in folders)
        if self._is_linked or scan.linked:
            return self.plan_scan(now, told=named)
        gone |= self._moved_away(scan, gone)
        self._set_daily_aside(scan)
        files = (files | scan.files) - scan.notes.keys()
        gone |= self.entries.keys() & scan.files  # became a daily note's or another file's name
        looked_at = tuple(one for name in named for one in (name, name + "/"))
        return self._planned(scan, files, gone - scan.notes.keys(), now, {}, trust_state=False, looked_at=looked_at)

    def apply(self, changes: Changes) -> bool:
        """Put the changes in place and resolve the links that they touch; tell whether a note or link changed."""
        for path in changes.gone:
            self.linkage.drop(path)
            self.entries.pop(path, None)
            self.notes.pop(path, None)
        for path in self._files - changes.files - self.entries.keys() - changes.entries.keys():
            self.linkage.drop(path)
        for path in changes.files - self._files:
            self.linkage.put_file(path)
        self._files = changes.files
        touched = bool(changes.gone)
        for path, entry in changes.entries.items():
            old = self.entries.get(path)
            self.entries[path] = entry
            if old is not None and old.note == entry.note:
                continue
            touched = True
            self.notes[path] = entry.note
            self.linkage.put_note(path, entry.note.id, entry.note.aliases, entry.note.links)
        for path, links in self.linkage.settle().items():
            if self.notes[path].links != links:
                self.notes[path] = replace(self.notes[path], links=links)
                touched = True
        return touched

    def _kept(self) -> Mapping[str, Kept]:
        """Return what is kept from an earlier start, as long as nothing is read in this one."""
        return {} if self._keeping is None or self.entries else self._keeping.known(self.vault)

    def _last_known(self, rows: Mapping[str, Kept], away: Problem | None) -> Changes:
        """Return what was read at an earlier start, where the folder is away: nothing goes because it is not seen."""
        entries: dict[str, Entry] = {}
        for path, row in rows.items():
            if (note := row.note()) is not None:
                entries[path] = Entry(note, row.seen(self.root), row.is_settled)
        problems = [] if away is None else [away]
        if away is not None and rows:
            lost = len(rows) - len(entries)
            unread = f"; {lost} more were known, and their text is not held here" if lost else ""
            problems = [replace(away, reason=f"{away.reason}; its {len(entries)} notes are kept as last read{unread}")]
        return Changes(entries, set(self._files), set(), Report(changed=len(entries), problems=tuple(problems)))

    def _planned(
        self,
        scan: Scan,
        files: set[str],
        gone: set[str],
        now: datetime,
        kept: Mapping[str, Kept],
        *,
        trust_state: bool,
        looked_at: tuple[str, ...],
    ) -> Changes:
        entries: dict[str, Entry] = {}
        problems = [*self._settings_problems, *scan.problems]
        changed = 0
        for path, seen in scan.notes.items():
            stop_point()
            old = self.entries.get(path)
            if trust_state and old is not None and old.settled and old.seen == seen:
                problems += [Problem(f"{self.vault}:{path}", reason, is_read=True) for reason in old.note.problems]
                continue
            try:
                entry = self._read(path, seen, old, kept.get(path), now)
            except OSError as error:
                what = "the text as last read is kept" if old is not None else "it is not in the memory"
                problems.append(Problem(f"{self.vault}:{path}", f"cannot be read ({error.strerror}); {what}"))
                continue
            entries[path] = entry
            changed += old is None or old.note.etag != entry.note.etag
            problems += [Problem(f"{self.vault}:{path}", reason, is_read=True) for reason in entry.note.problems]
        if self._keeping is not None:
            fresh = [
                (one.note, one.seen, one.settled) for path, one in entries.items() if not _is_kept(kept, path, one)
            ]
            self._keeping.keep(self.vault, fresh, {*gone, *(kept.keys() - scan.notes.keys())})
        settled = tuple(f"{self.vault}:{path}" for path in looked_at)
        return Changes(entries, files, gone, Report(len(scan.notes), changed, len(gone), tuple(problems), settled))

    def _read(self, path: str, seen: Seen, old: Entry | None, kept: Kept | None, now: datetime) -> Entry:
        if kept is not None and kept.proves(seen) and (note := kept.note()) is not None:
            return Entry(note, seen, settled=True)
        data = seen.disk.read_bytes()
        modified = datetime.fromtimestamp(seen.mtime_ns / 1e9, UTC).astimezone(self._zone)
        same = kept.note() if kept is not None and kept.may_be(seen) and kept.etag == etag_of(data) else None
        if old is not None and old.seen.mtime_ns == seen.mtime_ns and old.note.etag == etag_of(data):
            same = old.note  # a file that was just written is looked at again and again, and takes long to read
        note = same or read_note(self.vault, path, data, modified=modified, zone=self._zone, contract=self._contract)
        settled = seen.newest_ns + _SETTLED_NS < int(now.timestamp() * 1e9)
        if old is not None and old.note == note:
            note = old.note
        return Entry(note, seen, settled)

    def _look(
        self, name: str, told: list[Path], scan: Scan, gone: set[str], files: set[str], *, is_folder: bool
    ) -> None:
        """Look at one named path; everything known at or below it that is not there any more is gone.

        ``is_folder`` tells whether something is known below it: where nothing is, nothing need be looked for.
        """
        # A file keeps its spelling on the disk, whatever Unicode form its name has here or in the event.
        known_disk = [self.entries[name].seen.disk] if name in self.entries else []
        disks = [*told, *known_disk, self.root / name]
        disk = next((one for one in disks if os.path.lexists(one)), disks[0])
        below = name + "/"
        known, known_files = {name} & self.entries.keys(), {name} & files
        if is_folder:
            known |= {path for path in self.entries if path.startswith(below)}
            known_files |= {path for path in files if path.startswith(below)}
        real_root = self.root.resolve()
        if self._ignore.hides(name, folder=disk.is_dir()) or not is_inside(disk.parent, real_root):
            gone |= known
            files -= known_files
            return
        found = Scan()
        if disk.is_dir() and not may_be_read(found, self.vault, name, disk, real_root):
            pass
        elif disk.is_dir():
            found = scan_folder(self.vault, self.root, self._ignore, under=name, folder=disk)
            scan.linked = scan.linked or found.linked or disk.is_symlink()
        elif os.path.lexists(disk):
            add_file(found, self.vault, name, disk, real_root)
        elif not parent_is_readable(disk, self.root):
            found.complete = False
        scan.notes.update(found.notes)
        scan.files |= found.files
        scan.problems += found.problems
        if found.complete:
            gone |= known - found.notes.keys() - found.unclear
            files -= known_files

    def _moved_away(self, scan: Scan, gone: set[str]) -> set[str]:
        """Return known notes whose file is one of the new ones: a move of which only the new name was told."""
        new = [seen for path, seen in scan.notes.items() if not self._is_same_file(path, seen)]
        inodes, sizes = {seen.inode for seen in new}, {seen.size for seen in new}
        listed: dict[Path, frozenset[str]] = {}
        return {
            path
            for path, entry in self.entries.items()
            if (entry.seen.inode in inodes or entry.seen.size in sizes)
            and path not in gone
            and path not in scan.notes
            and not is_there(entry.seen.disk, listed)
        }

    def _is_same_file(self, path: str, seen: Seen) -> bool:
        old = self.entries.get(path)
        return old is not None and old.seen.inode == seen.inode

    def _set_daily_aside(self, scan: Scan) -> None:
        if self._daily is None:
            return
        for path in [path for path in scan.notes if self._daily.day_of(path) is not None]:
            del scan.notes[path]
            scan.files.add(path)

    def _is_left_out(self, path: str) -> bool:
        return self._ignore.hides(path) or (self._daily is not None and self._daily.day_of(path) is not None)

    def _doubt(self, scan: Scan, lost: set[str], before: int, key: tuple[int, int]) -> Problem | None:
        """Return why the missing ones of ``before`` notes may not be gone at all, or ``None`` if they are."""
        is_other = self._root_key is not None and key != self._root_key
        if is_other and self._files and not (scan.files or scan.notes):
            return Problem(
                f"{self.vault}:", "it is another folder than it was, and empty; what was known of it is kept"
            )
        if not lost:
            return None
        there = before - len(lost)
        if not scan.complete:
            return Problem(
                f"{self.vault}:", f"{len(lost)} notes were not seen and a folder could not be read; they are kept"
            )
        if there * 2 < before and (len(lost) >= UNSURE_LOSS or key != self._root_key):
            return Problem(
                f"{self.vault}:",
                f"only {there} of {before} notes are there, so the folder may be half mounted or half synced; the "
                "others are kept. If they are gone for good, rebuild the index",
            )
        return None

    def _root_state(self) -> tuple[tuple[int, int] | None, Problem | None]:
        kept = f"; its {len(self.entries)} notes are kept as last read" if self.entries else ""
        try:
            status = self.root.stat()
        except FileNotFoundError:
            return None, Problem(f"{self.vault}:", f"the vault's folder {self.root} does not exist{kept}")
        except OSError as error:
            return None, Problem(
                f"{self.vault}:", f"the vault's folder {self.root} cannot be read ({error.strerror}){kept}"
            )
        if not self.root.is_dir():
            return None, Problem(f"{self.vault}:", f"{self.root} is no folder{kept}")
        return (status.st_dev, status.st_ino), None

    def _read_settings(self) -> None:
        problems: list[tuple[str, str]] = []
        self._ignore = read_ignore(self.root, self._ignore)
        self._daily = read_daily_notes(self.vault, self.root, problems, self._ignore)
        self._is_read = True
        found = (*self._ignore.problems, *problems)
        self._settings_problems = tuple(Problem(f"{self.vault}:{name}", reason) for name, reason in found)

    def _relative(self, path: Path) -> str | None:
        # A watcher may name files by the real path of a folder that was given through a link.
        root = next(
            (root for root in (self.root, Path(os.path.realpath(self.root))) if path.is_relative_to(root)), None
        )
        if root is None:
            return None
        name = ""
        for part in path.relative_to(root).parts:
            joined = relative_path(name, part)
            if joined is None:
                return ""  # a name that is not UTF-8: only a scan can say what that means
            name = joined
        return name


def _is_kept(kept: Mapping[str, Kept], path: str, entry: Entry) -> bool:
    """Tell whether the cache holds this very reading already."""
    row = kept.get(path)
    return row is not None and row.proves(entry.seen) and row.etag == entry.note.etag
