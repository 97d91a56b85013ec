"""Taking entries out of the journal for good."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from datetime import tzinfo
from pathlib import Path

from episodic.errors import JournalUnwritable, LeadsOut, ManifestUnusable, UnknownEpisode, UnreadableFile
from episodic.index.intake import Intake, Place, read_place
from episodic.index.manifest import Manifest
from episodic.index.refusal import Refusals
from episodic.index.roots import JOURNAL, Root
from episodic.index.timeline import Timeline
from episodic.journal.dayfile import remove_whole, rewrite
from episodic.journal.enclosure import check_inside
from episodic.journal.excerpt import EXCERPTS, named_excerpt
from episodic.journal.namesake import texts_under
from episodic.journal.removal import without_entries
from episodic.writing.folder import JournalFolder
from memoryd.text.report import Problem, Report

_OURS = frozenset({JOURNAL, EXCERPTS})


class Forgetting:
    """Removes entries and keeps them away. ``writing`` is held while a file and its rows are changed."""

    def __init__(
        self,
        folder: JournalFolder,
        manifest: Manifest,
        intake: Intake,
        timeline: Timeline,
        refusals: Refusals,
        roots: Sequence[Root],
        *,
        zone: tzinfo,
        writing: threading.RLock,
    ) -> None:
        self._folder = folder
        self._manifest = manifest
        self._intake = intake
        self._timeline = timeline
        self._refusals = refusals
        self._roots = roots
        self._zone = zone
        self._writing = writing

    def forget(self, ids: Sequence[str]) -> list[str]:
        """Take entries out; return those whose text is gone from every file. See ``EpisodicStore.forget``."""
        with self._writing:
            self._remove_transcripts(ids)
            places = self._places(ids)
            for place in places:
                if place.root == EXCERPTS:
                    self._remove_excerpt(place)
                elif place.root == JOURNAL:
                    self._rewrite(place, ids)
            known = [id_ for id_ in ids if self._timeline.holds(id_)]
            kept = {id_ for id_ in known if any(p.root not in _OURS for p in self._places([id_]))}
            self._refusals.add(ids)
            for place in places:
                try:
                    self._intake.take(place, is_forced=True)
                except UnreadableFile:
                    self._intake.remove(place.shown)  # the next scan takes it in again where it can be read
            self._folder.drop_traces(list(ids))
            self._manifest.shrink_log()
        return [id_ for id_ in known if id_ not in kept]

    def purge(self) -> Report:
        """Take out again what was forgotten and came back: with a sync tool, from a backup, or from another install."""
        report = Report()
        with self._manifest.reading() as connection:
            refused = [row[0] for row in connection.execute("SELECT id FROM refused")]
        with self._writing:
            came_back = self._intake.take_refused()
            for place in {place.shown: place for place in [*self._places(refused), *came_back]}.values():
                try:
                    if place.root == EXCERPTS:
                        self._remove_excerpt(place)
                        self._intake.remove(place.shown)
                        reason = "the excerpt of a forgotten entry had come back and was taken out again"
                        report += Report(removed=1, problems=(Problem(place.shown, reason),))
                        continue
                    if place.root == JOURNAL and self._rewrite(place, refused, written_only=True):
                        reason = "an entry that was forgotten had come back and was taken out again"
                        report += Report(changed=1, problems=(Problem(place.shown, reason),))
                    self._intake.take(place, is_forced=True)
                except (JournalUnwritable, UnreadableFile, OSError) as error:
                    report += Report(problems=(Problem(place.shown, f"a forgotten entry is still in it: {error}"),))
            self._intake.take_refused()
            report += self._purge_traces(refused, is_changed=bool(report.changed or report.removed))
        return report

    def _purge_traces(self, refused: list[str], *, is_changed: bool) -> Report:
        """Remove what is kept of refused entries beside the journal: another install forgot them, or a tool did."""
        if not is_changed and not self._folder.holds_traces(refused):
            return Report()
        try:
            self._folder.drop_traces(refused)
            self._manifest.shrink_log()
        except (JournalUnwritable, ManifestUnusable) as error:
            return Report(problems=(Problem("index", f"a trace of a forgotten entry is still there: {error}"),))
        return Report()

    def _rewrite(self, place: Place, ids: Sequence[str], *, written_only: bool = False) -> bool:
        changed = False
        with self._manifest.reading() as connection:
            texts = texts_under(connection, place.shown, ids)

        def change(data: bytes) -> bytes:
            nonlocal changed
            new = without_entries(
                data, set(ids), file=place.shown, day=place.day, zone=self._zone, written_only=written_only, texts=texts
            )
            changed = new != data
            return new

        try:
            check_inside(place.path, place.within)
        except LeadsOut as error:
            raise JournalUnwritable(
                f"{place.path}: {error}; what that file holds is not memoryd's to remove"
            ) from error
        if os.path.lexists(place.path) and not _leads_nowhere(place.path):
            rewrite(place.path, change)
        if changed and any(entry.episode.id in ids and (entry.written or not written_only)
                           for entry in read_place(place, zone=self._zone)):  # fmt: skip
            raise JournalUnwritable(f"{place.path} still holds the entry: another program has written it again")
        return changed

    def _remove_excerpt(self, place: Place) -> None:
        remove_whole(place.path, self._folder.memory / EXCERPTS)

    def _places(self, ids: Sequence[str]) -> list[Place]:
        """Return the files that hold entries of these ids."""
        found: dict[str, Place] = {}
        roots = {root.name: root for root in self._roots}
        with self._manifest.reading() as connection:
            rows = connection.execute(_FILES_OF, (json.dumps(list(ids)),)).fetchall()
        for shown, root_name in rows:
            root = roots.get(root_name)
            place = None if root is None else root.place_of(root.disk(shown))
            if place is not None:
                found[shown] = place
        return list(found.values())

    def _remove_transcripts(self, ids: Sequence[str]) -> None:
        for id_ in ids:
            try:
                episode = self._timeline.get(id_)
            except UnknownEpisode:
                continue
            memory = self._folder.memory
            # By its name too: one that is a link to another folder is not read, and is no transcript to be shown.
            for path in (self._folder.transcript_of(episode), named_excerpt(memory, episode.transcript)):
                if path is not None:
                    remove_whole(path, memory / EXCERPTS)


# What stood over several texts goes with all of them: they are versions of what was to be forgotten.
_FILES_OF = """
WITH gone AS (SELECT value FROM json_each(?))
SELECT DISTINCT e.path, f.root FROM episodes e JOIN files f ON f.path = e.path
WHERE e.id IN (SELECT value FROM gone) OR e.anchor IN (SELECT value FROM gone) ORDER BY e.path
"""


def _leads_nowhere(path: Path) -> bool:
    return path.is_symlink() and not os.path.exists(path)  # noqa: PTH110 - says no where pathlib raises
