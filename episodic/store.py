"""The episodic memory as one object: what happened, and when?

The day files under ``journal/`` are the truth. Everything under ``state`` that this store writes can be deleted at
any time, and is made again from them.
"""

from __future__ import annotations

import builtins
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from episodic.capture import Appended, Capture
from episodic.documents import Documents
from episodic.engine.port import Engine, FloatArray
from episodic.episode import Episode, NewEpisode
from episodic.errors import EngineError, TranscriptMissing, UnknownEpisode
from episodic.finding import Findings
from episodic.folder import JournalFolder
from episodic.forgetting import Forgetting
from episodic.index import Index
from episodic.intake import Intake
from episodic.manifest import Manifest
from episodic.reconcile import Reconciler
from episodic.refusal import Refusals
from episodic.roots import DailyNotes, roots_of
from episodic.search import EpisodicQuery, EpisodicSearch
from episodic.timeline import Day, Timeline
from memoryd.text.bm25 import AVGDL, K1, B
from memoryd.text.canonical import digest
from memoryd.text.embedder import Embedder
from memoryd.text.hit import Found
from memoryd.text.report import Problem, Report
from memoryd.text.terms import terms
from memoryd.text.window import Window

__all__ = ["Appended", "Counts", "DailyNotes", "Day", "EpisodicQuery", "EpisodicStore"]

_ANY_TIME = Window()
_PROBE = "Running getUserName parse_config_file v1.2.3 src/app.py E4021 Häuser café naïve 数据库 データ don't ΑΒΓ"


@dataclass(frozen=True, slots=True)
class Counts:
    """Entries, pieces, vectors by model fingerprint, and what the index still has to take in (vectors not counted)."""

    episodes: int
    chunks: int
    vectors: Mapping[str, int]
    pending: int


class EpisodicStore:
    """The facade of the package. All methods may be called from any thread once ``open`` has returned."""

    def __init__(
        self,
        *,
        memory: Path,
        state: Path,
        install: str,
        engine_factory: Callable[[], Engine],
        clock: Callable[[], datetime],
        zone: tzinfo,
        entropy: Callable[[int], bytes],
        languages: Sequence[str],
        sources: Sequence[DailyNotes] = (),
        rrf_k: int = 10,
    ) -> None:
        """Wire the parts together, without touching the disk.

        Args:
            memory: The folder of the truth; ``journal/`` lies in it.
            state: A folder for what can be made again.
            install: This install's id; it decides which day file is written.
            engine_factory: Opens the index engine.
            clock: Returns the present, aware.
            zone: The zone of hand-written entries.
            entropy: Returns so many random bytes.
            languages: Codes of the languages whose stems are taken.
            sources: Daily notes of vaults, read and never written.
            rrf_k: The constant of the rank fusion.
        """
        self._languages = tuple(languages)
        self._is_scanned = False
        self._notes: list[str] = []
        writing = threading.RLock()
        self._roots = roots_of(memory, sources)
        self._manifest = Manifest(state / "manifest.sqlite")
        self._refusals = Refusals(self._manifest)
        self._documents = Documents(self._manifest, languages=languages)
        self._index = Index(self._manifest, self._documents, engine_factory=engine_factory, clock=clock)
        self._timeline = Timeline(self._manifest)
        intake = Intake(self._manifest, self._documents, self._refusals, zone=zone, clock=clock)
        self._folder = JournalFolder(memory=memory, state=state, install=install, root=self._roots[0], clock=clock)
        self._capture = Capture(
            self._folder,
            intake,
            self._index,
            self._timeline,
            self._refusals,
            zone=zone,
            entropy=entropy,
            writing=writing,
        )
        self._forgetting = Forgetting(
            self._folder,
            self._manifest,
            intake,
            self._timeline,
            self._refusals,
            self._roots,
            zone=zone,
            writing=writing,
        )
        self._reconciler = Reconciler(
            self._manifest, intake, self._roots, writing=writing, after_journal_file=self._capture.mend
        )
        self._search = EpisodicSearch(
            self._documents,
            self._index,
            self._timeline,
            Findings(self._manifest),
            languages=languages,
            rrf_k=rrf_k,
            clock=clock,
        )

    def open(self) -> None:
        """Make the journal's folder, open manifest and engine, and mend what a kill may have left.

        Files are not scanned: ``reconcile`` does that. An engine that does not work is named by ``degraded``.

        Raises:
            JournalUnwritable: The folders cannot be made or written.
        """
        self._folder.prepare()
        reason = self._manifest.open(self._stamp())
        self._refusals.load()
        self._notes = [f"{reason}; the index is made anew"] if reason else []
        self._notes += self._capture.mend_interrupted()
        self._index.open()
        self._notes += self._index.notes

    def close(self) -> None:
        """Release engine and manifest. Closing twice does nothing."""
        self._index.close()
        self._manifest.close()

    def append(self, new: NewEpisode) -> Appended:
        """Write an entry; it is on the disk, and found by its words, when this returns.

        Where the index does not work the entry is written all the same, and taken in later.

        Raises:
            InvalidEpisode: It has no text, no zone, or text that is not Unicode.
            TurnConflict: The same turn or key was written with another text.
            ForgottenEpisode: This turn or key was forgotten.
            JournalUnwritable: The file cannot be written; nothing of the entry is in it.
        """
        return self._capture.append(new, is_scanned=self._is_scanned)

    def get(self, id: str) -> Episode:  # noqa: A002 - the word of the domain
        """Return an entry.

        Raises:
            UnknownEpisode: No file holds it.
        """
        return self._timeline.get(id)

    def list(
        self,
        window: Window = _ANY_TIME,
        *,
        project: str | None = None,
        session: str | None = None,
        after: tuple[datetime, str] | None = None,
        limit: int = 50,
        newest_first: bool = True,
    ) -> list[Episode]:
        """Return entries by (at, id); ``after`` is the last one that was seen."""
        return self._timeline.entries(
            window, project=project, session=session, after=after, limit=limit, newest_first=newest_first
        )

    def days(self) -> builtins.list[Day]:
        """Return the days that have entries, in order."""
        return self._timeline.days()

    def read_day(self, day: date) -> builtins.list[Episode]:
        """Return the entries of every file of a day, by their time, then by their place."""
        return self._timeline.read_day(day)

    def context_of(self, id: str, expand: Literal["section", "day", "transcript"]) -> str:  # noqa: A002 - as above
        """Return what stands around an entry, or a piece of one: its whole text, its day, or its kept transcript.

        Raises:
            UnknownEpisode: No entry or piece has this id.
            TranscriptMissing: No excerpt of it is kept here.
        """
        episode = self._timeline.get(self._episode_of(id))
        if expand == "section":
            return episode.text
        if expand == "transcript":
            path = self._folder.transcript_of(episode)
            if path is None:
                raise TranscriptMissing(f"no transcript of {episode.id} is kept here")
            return path.read_text(encoding="utf-8", errors="replace")
        day = self._timeline.day_of(episode.id)
        return "\n\n".join(f"## {e.at:%H:%M} {e.title}\n{e.text}" for e in self._timeline.read_day(day))

    def forget(self, ids: Sequence[str]) -> builtins.list[str]:
        """Take entries out of their files, the index and all that was kept of them, and refuse them from now on.

        Returns:
            The ids whose text is gone. Entries in a vault's daily notes are no longer shown, but their files are a
            person's: they are not in the list.

        Raises:
            JournalUnwritable: A file cannot be rewritten; it is as it was.
        """
        gone = self._forgetting.forget(ids)
        self._sync()
        return gone

    def set_refused(self, ids: Iterable[str]) -> None:
        """Refuse ids that the decision log says were forgotten; those that are here now go with the next scan.

        It may be called before ``open``.
        """
        self._refusals.add(ids)

    def search(self, query: EpisodicQuery, embedder: Embedder | None) -> Found:
        """Find entries. What the search had to do without stands in ``degraded``."""
        return self._search.search(query, embedder)

    def reconcile(self) -> Report:
        """Scan all files and bring the index up to date; repeated after the index was away, it goes on from there."""
        notes = tuple(Problem("index", note) for note in self._notes)
        self._notes = []
        report = self._reconciler.scan() + self._forgetting.purge() + Report(problems=notes)
        self._is_scanned = True
        return report + self._sync()

    def refresh(self, paths: Iterable[Path]) -> Report:
        """Take in what a watcher saw."""
        return self._reconciler.refresh(paths) + self._sync()

    def wanting_vectors(self, fingerprint: str, limit: int) -> builtins.list[tuple[str, str]]:
        """Return (piece id, exact text to embed) of pieces without a vector of a model, newest first."""
        return self._documents.wanting_vectors(fingerprint, limit)

    def add_vectors(self, fingerprint: str, dimension: int, vectors: Mapping[str, FloatArray]) -> None:
        """Store vectors of pieces; those of pieces that are gone are passed over.

        Raises:
            EngineError: The engine does not work, or refuses a vector.
        """
        self._index.add_vectors(fingerprint, dimension, vectors)

    def counts(self) -> Counts:
        """Return how much there is, and how much the index still has to take in."""
        episodes, chunks, pending, vectors = self._documents.totals()
        return Counts(episodes, chunks, MappingProxyType(vectors), pending + (0 if self._is_scanned else 1))

    def degraded(self) -> builtins.list[str]:
        """Return, in words, what does not work right now."""
        trouble = self._index.trouble
        reasons = [f"the index does not work: {trouble}"] if trouble else []
        # The exact engine has something to note where it stands in for another one.
        return [*reasons, *(self._index.notes if self._index.name == "exact" else ())]

    @property
    def engine_name(self) -> str:
        """The engine's name."""
        return self._index.name

    def index_seq(self) -> int:
        """Return a number that grows with each change of the index."""
        return self._manifest.sequence()

    def watched(self) -> builtins.list[Path]:
        """Return the folders to watch."""
        return [root.folder for root in self._roots]

    def _episode_of(self, id_: str) -> str:
        episode = self._timeline.episode_of_piece(id_)
        if episode is None and not id_.startswith("ep_"):
            raise UnknownEpisode(f"there is no episode, and no piece of one, with the id {id_}")
        return episode or id_

    def _sync(self) -> Report:
        try:
            self._index.sync()
        except EngineError as error:
            return Report(problems=(Problem("index", f"it is behind the files: {error}"),))
        return Report()

    def _stamp(self) -> str:
        """Name all that stored words depend on: the rules themselves, the languages, and the constants of BM25."""
        return digest(terms(_PROBE, self._languages), list(self._languages), str((K1, B, AVGDL)), length=16)
