"""The episodic memory as one object: what happened, and when?

The day files under ``journal/`` are the truth. Everything under ``state`` that this store writes can be deleted at
any time, and is made again from them.
"""

from __future__ import annotations

import builtins
import contextlib
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, tzinfo
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from episodic.engine.port import Engine, FloatArray, weights_collection
from episodic.episode import Episode, NewEpisode
from episodic.errors import EngineError, TranscriptMissing, UnknownEpisode
from episodic.index.backlog import Backlog
from episodic.index.documents import Documents
from episodic.index.finding import Findings
from episodic.index.inspection import Counts, IndexState, Inspection, Tell
from episodic.index.intake import Intake
from episodic.index.manifest import Manifest
from episodic.index.mending import Mending
from episodic.index.reconcile import Reconciler
from episodic.index.recovery import RESTS_S
from episodic.index.refusal import Refusals
from episodic.index.roots import DailyNotes, Roots, Sources
from episodic.index.timeline import Day, Timeline
from episodic.index.upkeep import Index
from episodic.journal.excerpt import put_first, read_excerpt
from episodic.journal.identity import key_id
from episodic.journal.text import entry_heading
from episodic.rebuilding import Rebuilding
from episodic.search.arms import EpisodicQuery, EpisodicSearch
from episodic.search.context import Surroundings
from episodic.writing.capture import Appended, Capture
from episodic.writing.folder import JournalFolder
from episodic.writing.forgetting import Forgetting
from memoryd.text.embedder import Embedder, Weights
from memoryd.text.hit import Found
from memoryd.text.report import Problem, Report
from memoryd.text.window import Window

__all__ = ["Appended", "Counts", "DailyNotes", "Day", "EpisodicQuery", "EpisodicStore", "IndexState"]

_ANY_TIME = Window()


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
        sources: Sequence[DailyNotes] | Sources = (),
        rrf_k: int = 10,
        lends_context: bool = True,
        rests_s: Sequence[float] = RESTS_S,
        project_ids: Callable[[str], Sequence[str]] = lambda id_: (id_,),
    ) -> None:
        """Wire the parts together, without touching the disk.

        Args:
            memory: The folder of the truth; ``journal/`` lies in it.
            state: A folder for what can be made again.
            install: This install's id; it decides which day file is written.
            engine_factory: Opens the index engine.
            clock: Returns the present, aware.
            zone: The zone of days, and of hand-written entries.
            entropy: Returns so many random bytes.
            languages: Codes of the languages whose stems are taken.
            sources: Daily notes of vaults, read and never written; a function is asked with each look at the files.
            rrf_k: The constant of the rank fusion.
            lends_context: Let the entries around a short one raise it.
            project_ids: Says which ids a project had, its own first: a filter by it takes all of them.
            rests_s: The pauses, in seconds, before each try to bring back an engine that went away.
        """
        self._languages = tuple(languages)
        self._zone = zone
        self._is_scanned = False
        self._notes: list[str] = []
        writing = threading.RLock()
        self._roots = Roots(memory, sources if callable(sources) else lambda: sources)
        self._manifest = Manifest(state / "manifest.sqlite")
        self._refusals = Refusals(self._manifest)
        self._documents = Documents(self._manifest, languages=languages)
        self._index = Index(self._manifest, self._documents, engine_factory=engine_factory, rests_s=rests_s)
        self._timeline = Timeline(self._manifest, zone=zone, project_ids=project_ids)
        intake = Intake(self._manifest, self._documents, self._refusals, zone=zone, clock=clock)
        self._backlog = Backlog(intake.cutter, self._index, rests_s=rests_s)
        self._folder = JournalFolder(memory=memory, state=state, install=install, root=self._roots.journal, clock=clock)
        self._capture = Capture(
            self._folder,
            intake,
            self._index,
            self._timeline,
            self._refusals,
            zone=zone,
            entropy=entropy,
            writing=writing,
            backlog=self._backlog,
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
            self._manifest, intake, self._roots, self._backlog, writing=writing, after_journal_file=self._capture.mend
        )
        self._rebuilding = Rebuilding(
            self._manifest, self._documents, self._index, self._reconciler, self._forgetting, self._refusals
        )
        self._mending = Mending(self._manifest, self._rebuilding.mend, rests_s=rests_s)
        self._inspection = Inspection(
            self._manifest, intake, self._documents, self._index, self._roots, self._mending, writing=writing
        )
        self._search = EpisodicSearch(
            self._documents,
            self._index,
            self._timeline,
            Findings(self._manifest),
            Surroundings(self._manifest) if lends_context else None,
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
        self._mending.reopen()
        reason = self._manifest.open(self._documents.stamp())
        self._refusals.load()
        self._notes = [f"{reason}; the index is made anew"] if reason else []
        self._notes += self._capture.mend_interrupted()
        self._index.open()
        self._notes += self._index.notes

    def close(self) -> None:
        """Release engine and manifest. Closing twice does nothing."""
        self._mending.stop()
        self._backlog.stop()
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
        return self._capture.append(new, is_scanned=self._is_whole)

    def recorded(self, *, session: str | None, turn: str | None, key: str | None = None) -> Episode | None:
        """Return the entry that was written for a turn, else the one written with an idempotency key."""
        return self._capture.recorded(session=session, turn=turn, key=key, is_scanned=self._is_whole)

    def refuses(self, *, session: str | None, turn: str | None, key: str | None = None) -> bool:
        """Tell whether the entry of a turn, or one with this idempotency key, was forgotten."""
        return self._refusals.refuses_turn(session=session, turn=turn, key=key)

    def shadow_ids(self, ids: Iterable[str]) -> builtins.list[str]:
        """Return the ids under which copies of captured turns, in other sessions, are to be refused too."""
        return [key_id(entry.key) for entry in map(self._timeline.get, ids) if entry.key and entry.turn]

    def summarize(self, id: str, text: str) -> bool:  # noqa: A002 - as below
        """Put a summary at the top of an entry's kept excerpt; return whether it was not there yet.

        Raises:
            UnknownEpisode: No file holds the entry.
            TranscriptMissing: No excerpt of it is kept here.
            JournalUnwritable: The excerpt cannot be written; it is as it was.
        """
        path = self._folder.transcript_of(self._timeline.get(id))
        if path is None:
            raise TranscriptMissing("no transcript of this entry is kept here")
        return put_first(path, "Summary", text)

    def get(self, id: str) -> Episode:  # noqa: A002 - the word of the domain
        """Return an entry, or the one that a piece belongs to.

        Raises:
            UnknownEpisode: No file holds it.
        """
        return self._capture.behind(id) or self._timeline.get(id if id.startswith("ep_") else self._episode_of(id))

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
        """Return the local days that have entries, in order."""
        return self._timeline.days()

    def read_day(self, day: date) -> builtins.list[Episode]:
        """Return the entries of a local day, whatever file they stand in, by their time, then by their place."""
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
            if (path := self._folder.transcript_of(episode)) is None:
                raise TranscriptMissing(f"no transcript of {episode.id} is kept here")
            return read_excerpt(path, zone=self._zone)
        day = self._timeline.read_day(self._timeline.day_of(episode.id))
        return "\n\n".join(f"{entry_heading(one)}\n{one.text}" for one in day)

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
        notes = (*self._mending.drain(), *(Problem("index", note, happened=True) for note in self._notes))
        self._notes = []
        report = self._reconciler.scan() + self._forgetting.purge() + Report(problems=notes)
        self._is_scanned = True
        self._sync()
        return report

    def refresh(self, paths: Iterable[Path]) -> Report:
        """Take in what a watcher saw."""
        report = self._reconciler.refresh(paths) + Report(problems=tuple(self._mending.drain()))
        self._sync()
        return report

    def index_state(self) -> IndexState:
        """Return how many files and pieces there are, and how many rows the engine holds of them."""
        return self._inspection.state()

    def verify(self, tell: Tell = lambda *_: None) -> builtins.list[Problem]:
        """Compare files, manifest and engine, and return each difference; what ``tell`` raises ends it."""
        return self._inspection.differences(tell)

    def rebuild(self, tell: Tell = lambda *_: None, *, accept_loss: bool = False) -> Report:
        """Read every file again and fill the index anew; searches by words go on meanwhile, vectors are wanted again.

        What ``tell`` raises ends it, and leaves an index that serves. With ``accept_loss`` files that are missing are
        gone for good, even where most of them are.

        Raises:
            EngineError: The engine does not work; what is missing stays noted.
        """
        return self._rebuilding.run(tell, accept_loss=accept_loss)

    def wanting_vectors(self, fingerprint: str, limit: int) -> builtins.list[tuple[str, str]]:
        """Return (piece id, exact text to embed) of pieces without a vector of a model, newest first."""
        return self._documents.wanting_vectors(fingerprint, limit)

    def add_vectors(self, fingerprint: str, dimension: int, vectors: Mapping[str, FloatArray]) -> None:
        """Store vectors of pieces; those of pieces that are gone are passed over.

        Raises:
            EngineError: The engine does not work, or refuses a vector.
        """
        self._index.add_vectors(fingerprint, dimension, vectors)

    def count_wanting(self, fingerprint: str) -> int:
        """Return how many pieces have no vector of a model."""
        return self._documents.count_wanting(fingerprint)

    def count_wanting_weights(self, fingerprint: str) -> int:
        """Return how many pieces have no token weights of a model."""
        return self._documents.count_wanting(weights_collection(fingerprint))

    def wanting_weights(self, fingerprint: str, limit: int) -> builtins.list[tuple[str, str]]:
        """Return (piece id, exact text to embed) of pieces without token weights of a model, newest first."""
        return self._documents.wanting_vectors(weights_collection(fingerprint), limit)

    def add_weights(self, fingerprint: str, weights: Mapping[str, Weights]) -> None:
        """Store a model's token weights of pieces; those of pieces that are gone are passed over.

        Raises:
            EngineError: The engine does not work, or refuses a weight.
        """
        self._index.add_weights(fingerprint, weights)

    def fingerprints(self) -> set[str]:
        """Return the models of which the index holds anything.

        Raises:
            EngineError: The engine does not work.
        """
        return self._index.fingerprints()

    def drop_vectors(self, fingerprint: str) -> None:
        """Remove all that a model gave: its vectors and its token weights.

        Raises:
            EngineError: The engine does not work; what is left is removed by the next call.
        """
        self._index.drop_space(fingerprint)

    def counts(self) -> Counts:
        """Return how much there is, and how much the index still has to take in."""
        episodes, chunks, pending, vectors = self._documents.totals()
        return Counts(episodes, chunks, MappingProxyType(vectors), pending + (0 if self._is_whole() else 1))

    def degraded(self) -> builtins.list[str]:
        """Return, in words, what does not work right now."""
        trouble = self._index.trouble
        reasons = [f"the index does not work: {trouble}"] if trouble else []
        reasons += filter(None, (self._mending.reason, self._capture.trouble))
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
        return [root.folder for root in self._roots if not root.is_away]

    def _is_whole(self) -> bool:
        return self._is_scanned and self._mending.reason is None and self._capture.trouble is None

    def _episode_of(self, id_: str) -> str:
        episode = self._timeline.episode_of_piece(id_)
        if episode is None and not id_.startswith("ep_"):
            raise UnknownEpisode("there is no episode, and no piece of one, with this id")
        return episode or id_

    def _sync(self) -> None:
        with contextlib.suppress(EngineError):  # ``degraded`` names it as long as it does not work
            self._index.sync()
