"""Taking entries out of the journal for good."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import tzinfo

from episodic.dayfile import rewrite
from episodic.errors import JournalUnwritable, UnknownEpisode
from episodic.excerpt import EXCERPTS
from episodic.folder import JournalFolder
from episodic.intake import Intake, Place, UnreadableFileError
from episodic.manifest import Manifest
from episodic.refusal import Refusals
from episodic.removal import without_entries
from episodic.roots import JOURNAL, Root
from episodic.timeline import Timeline
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
                if place.root == JOURNAL:
                    self._rewrite(place, ids)
            known = [id_ for id_ in ids if self._timeline.holds(id_)]
            kept = {id_ for id_ in known if any(p.root not in _OURS for p in self._places([id_]))}
            self._refusals.add(ids)
            for place in places:
                try:
                    self._intake.take(place, is_forced=True)
                except UnreadableFileError:
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
                        place.path.unlink(missing_ok=True)
                        self._intake.remove(place.shown)
                        reason = "the excerpt of a forgotten entry had come back and was taken out again"
                        report += Report(removed=1, problems=(Problem(place.shown, reason),))
                        continue
                    if place.root == JOURNAL and self._rewrite(place, refused, written_only=True):
                        reason = "an entry that was forgotten had come back and was taken out again"
                        report += Report(changed=1, problems=(Problem(place.shown, reason),))
                    self._intake.take(place, is_forced=True)
                except (JournalUnwritable, UnreadableFileError, OSError) as error:
                    report += Report(problems=(Problem(place.shown, f"a forgotten entry is still in it: {error}"),))
            self._intake.take_refused()
        return report

    def _rewrite(self, place: Place, ids: Sequence[str], *, written_only: bool = False) -> bool:
        changed = False

        def change(data: bytes) -> bytes:
            nonlocal changed
            new = without_entries(
                data, set(ids), file=place.shown, day=place.day, zone=self._zone, written_only=written_only
            )
            changed = new != data
            return new

        if place.path.exists():
            rewrite(place.path, change)
        return changed

    def _places(self, ids: Sequence[str]) -> list[Place]:
        """Return the files that hold entries of these ids."""
        found: dict[str, Place] = {}
        roots = {root.name: root for root in self._roots}
        for shown, root_name in self._timeline.paths_of(ids):
            root = roots.get(root_name)
            place = None if root is None else root.place_of(root.disk(shown))
            if place is not None:
                found[shown] = place
        return list(found.values())

    def _remove_transcripts(self, ids: Sequence[str]) -> None:
        for id_ in ids:
            try:
                path = self._folder.transcript_of(self._timeline.get(id_))
                if path is not None:
                    path.unlink()
            except UnknownEpisode:
                continue
            except OSError as error:
                raise JournalUnwritable(f"the transcript of {id_} cannot be removed: {error.strerror}") from error
