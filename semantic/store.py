"""The semantic memory as one thing: the decision log, the notes, the search over both, and what was paid attention to.

Writes are decisions, forgetting, and merges of projects; each is on the disk before its answer. Reads take an
immutable picture and never wait for a write.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime, tzinfo
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memoryd.text.embedder import Embedder
from memoryd.text.hit import Found
from memoryd.text.report import Problem, Report
from semantic.attention.active import LIMIT_UNITS, Pass, Place
from semantic.attention.record import Attention
from semantic.attention.settling import Settling
from semantic.attention.standing import Standing
from semantic.counts import Counts
from semantic.curation.planning import Planning
from semantic.graph.sources import Graphs
from semantic.log.instant import Clock
from semantic.log.ndjson import is_below
from semantic.model import Cost, Decision, Element, Link, Note, Scope
from semantic.project.naming import Project
from semantic.projection.export import export_projection
from semantic.projection.ledger import Ledger
from semantic.projection.picture import Projection
from semantic.search import listing
from semantic.search.index import SemanticIndex
from semantic.search.query import SemanticQuery
from semantic.taking import Taking
from semantic.vault.cache import NoteCache
from semantic.vault.contract import Contract
from semantic.vault.daily import DailyNotes
from semantic.vault.library import Library
from semantic.writing.desk import OWN_VAULT, Desk
from semantic.writing.forgetting import Forgotten, forget
from semantic.writing.projects import Projects, minting
from semantic.writing.recording import NewDecision, Recorded, record

Tell = Callable[[str, int, int], None]
"""Told what is done, how much of it, and of how much."""


class SemanticStore:
    """The facade of the semantic memory. Every method may be called from any thread.

    Args:
        memory: The folder ``memory/``; the log lies below it.
        install: The id of this install, which names our files.
        clock: Says what time it is, with a zone.
        entropy: Gives so many random bytes.
        zone: The zone of dates in notes that name none.
        vaults: Name to folder.
        contract: What notes are checked against.
        languages: The languages of stems.
        no_projects: Folders that are no project unless a repository, such as the home folder.
        cache: The file that keeps what was read of notes from one start to the next; it may go at any time.
        write_to: The vault that new notes go to where none is named.
        ends: Where the end of each shard is remembered, so that one that vanished is missed at the next start.
    """

    def __init__(
        self,
        *,
        memory: Path,
        install: str,
        clock: Clock,
        entropy: Callable[[int], bytes],
        zone: tzinfo,
        vaults: Mapping[str, Path],
        contract: Contract,
        languages: Sequence[str] = ("en", "de"),
        no_projects: Collection[Path] = (),
        cache: Path | None = None,
        write_to: str = OWN_VAULT,
        ends: Path | None = None,
    ) -> None:
        self._ledger = Ledger(memory, install, clock, entropy, ends)
        self._attention = Attention(memory, install, clock)
        self._cache = NoteCache(cache, repr((contract, str(zone), tuple(languages))))
        self._library = Library(vaults, contract, clock, zone, self._cache)
        self._projects = Projects(self._ledger, install, no_projects)
        self.taking = Taking(memory, self._ledger, self._attention)
        self._settling = Settling(self._ledger, self._attention, clock)
        self.graph = Graphs(self.projection, self._library.snapshot)
        self._index = SemanticIndex(
            lambda: (self.projection(), self._library.snapshot()), languages, zone=zone, words=self._cache
        )
        self.planning = Planning(self._ledger, self._index.upkeep.take_in_newest)
        self.desk = Desk(self._library, self._ledger, write_to, clock, self._index.upkeep.take_in_notes)

    def open(self) -> None:
        """Read and verify the log and the attention record. Notes are read by ``reconcile``.

        The search takes in the log beside what follows.
        """
        self._ledger.open()
        self._attention.open()
        self._index.upkeep.call()

    def close(self) -> None:
        """Write the reads that wait, and let the search come to rest."""
        self._attention.flush()
        self._index.upkeep.close()
        self._cache.close()

    # Writing

    def decide(self, new: NewDecision, *, cwd: Path | None = None, trusted: Collection[str] = ()) -> Recorded:
        """Record a decision durably; it is found by the time this returns.

        ``new.project`` may be an id or a name; without it, the project is that of the working folder ``cwd``. One that
        is new here is minted with the decision, and not at all if the decision is refused.

        Raises:
            InvalidDecision: Its words or mutations cannot be recorded, or hold a credential.
            InvalidFolder: ``cwd`` is not absolute.
            UnknownName: An element, name or decision in it means nothing here.
            Clash: A name is near or ambiguous, heads changed, or the decision was forgotten.
            WriteFailed: It could not be made durable; nothing was recorded.
        """
        with self._ledger.writing:
            picture = self._ledger.present()
            place = None
            if new.scope != "user":
                place = self._projects.match(picture.projects, cwd, new.project, trusted)
            first = minting(place, actor=new.actor, session=new.session) if place and place.is_news else None
            new = replace(new, project=picture.shown(place.id) if place else None)
            recorded = record(self._ledger, new, first=first)
        self._index.upkeep.take_in_newest()
        return recorded

    def forget(self, ids: Sequence[str], *, actor: str = "person", session: str | None = None) -> Forgotten:
        """Forget elements, decisions and episodes; see ``semantic.writing.forgetting``.

        Raises:
            InvalidDecision: Something in the list is no id of these.
            UnknownElement: An element is not known; nothing was forgotten.
            UnknownDecision: A decision is not known; nothing was forgotten.
            WriteFailed: It could not be made durable, or a file could not be purged yet (it is tried again).
        """
        try:
            return forget(self._ledger, ids, actor=actor, session=session)
        finally:
            self._index.upkeep.take_in_newest()

    def forgotten(self) -> frozenset[str]:
        """Return every id that was forgotten, episodes included: to be refused by capture, import and restore."""
        return self.projection().forgotten

    def merge_projects(self, source: str, into: str, *, actor: str = "person", session: str | None = None) -> Project:
        """Make one project of two, given by id or name; return it.

        Raises:
            UnknownProject: One is not known.
            AmbiguousName: A name belongs to several.
            InvalidDecision: They are one already.
        """
        merged = self._projects.merge(source, into, actor=actor, session=session)
        self._index.upkeep.take_in_newest()
        return merged

    def project_for(
        self,
        cwd: Path | None,
        *,
        name_or_id: str | None = None,
        mint: bool,
        trusted: Collection[str] = (),
        actor: str = "person",
        session: str | None = None,
    ) -> Project | None:
        """Return the project of a name, an id or a working folder; ``None`` where there is none.

        ``mint=True`` (on a write) records a project that is new here, and what is new of a known one.

        Raises:
            AmbiguousName: Several projects have the name.
            InvalidFolder: ``cwd`` is not absolute.
            WriteFailed: A new project could not be recorded.
        """
        if name_or_id is None and cwd is None:
            return None
        with self._ledger.writing if mint else nullcontext():
            picture = self._ledger.present() if mint else self.projection()
            match = self._projects.match(picture.projects, cwd, name_or_id, trusted)
            if match is None or not mint:
                return None if match is None else picture.projects.get(picture.shown(match.id))
            project = self._projects.mint(match, actor=actor, session=session)
        self._index.upkeep.take_in_newest()
        return project

    def attend(
        self,
        op: str,
        ids: Sequence[str],
        *,
        actor: str,
        session: str | None = None,
        scores: Mapping[str, int] | None = None,
    ) -> None:
        """Record what was read, found useful, pinned, archived or restored; reads wait for ``flush_attention``."""
        self._attention.note(op, ids, actor=actor, session=session, scores=scores)

    def flush_attention(self) -> None:
        """Write the reads that wait: every two seconds, and at the end."""
        self._attention.flush()

    def settle_active(
        self, scope: Scope, project: str | None, *, cost: Cost, limit: int = LIMIT_UNITS, actor: str = "job:active"
    ) -> Pass:
        """Bring the active set of a scope within its budget, durably; see ``semantic.attention.active``.

        Args:
            scope: ``user``, or ``project`` with the project's id.
            project: ``None`` in user scope.
            cost: What an element takes in the rendered text, in UTF-16 units.
            limit: The budget of the scope, in the same units.
            actor: Who does it, as the attention record will say.

        Raises:
            WriteFailed: The moves could not be made durable: they did not happen.
        """
        return self._settling.settle(scope, project, cost=cost, limit=limit, actor=actor)

    # Reading the log

    def projection(self, as_of: datetime | None = None) -> Projection:
        """Return the immutable picture of now, or of what is held now and was valid before an instant."""
        return self._ledger.projection(as_of)

    def decision(self, id_: str) -> Decision:
        """Return a decision, or raise UnknownDecision."""
        return self.projection().decision(id_)

    def element(self, id_: str) -> Element:
        """Return an element, also by an id merged away, or raise UnknownElement."""
        return self.projection().element(id_)

    def element_as_of(self, id_: str, at: datetime) -> Element:
        """Return an element as it stood before an instant, or raise UnknownElement."""
        return self.projection(at).element(id_)

    def elements(
        self,
        q: str | None = None,
        kind: str | None = None,
        scope: str | None = None,
        near: str | None = None,
        *,
        project: str | None = None,
    ) -> list[Element]:
        """Return living elements in the order of ``listing.listing_key``; see ``listing.select``."""
        return listing.select(self.projection(), q=q, kind=kind, scope=scope, near=near, project=project)

    def place_of(self, id_: str, *, cost: Cost, limit: int = LIMIT_UNITS) -> Place:
        """Return where an element stands in its scope's active set, and why, or raise UnknownElement."""
        return self._settling.place_of(id_, cost=cost, limit=limit)

    def history(self, id_: str) -> tuple[Decision, ...]:
        """Return the chain of an element, a note or a decision, in replay order."""
        return self.projection().history(id_)

    def heads(self, id_: str) -> tuple[Decision, ...]:
        """Return the unsuperseded decisions of an element or a note, in replay order."""
        return self.projection().heads(id_)

    def neighbors(self, id_: str) -> tuple[tuple[Link, Element | None], ...]:
        """Return each link of an element, a note or a path, with the element at its other end if that is one."""
        return self.projection().neighbors(id_)

    def conflicts(self) -> tuple[tuple[Element, tuple[Decision, ...]], ...]:
        """Return the elements on which two or more decisions stand, in a fixed order."""
        return self.projection().conflicts()

    def projects(self) -> list[Project]:
        """Return all projects by name and id; merged ones under what they were merged into."""
        return self._projects.listed()

    def export(self) -> bytes:
        """Return the canonical export of the log: equal bytes wherever the events are equal."""
        return export_projection(self.projection())

    def attention(self) -> Mapping[str, Standing]:
        """Return what the attention record says of each id."""
        return self._attention.state()

    def log_seq(self) -> int:
        """Return how many events are held; it grows with each."""
        return self._ledger.seq()

    # Notes and search

    def notes(self, tag: str | None = None, q: str | None = None, *, broken: bool = False) -> list[Note]:
        """Return the notes by vault and path."""
        return self._library.notes(tag, q, broken=broken)

    def note(self, vault: str, path: str) -> Note:
        """Return the note at a path as its file is now, or raise UnknownNote."""
        return self.desk.read(vault, path)

    def library_version(self) -> int:
        """Return a number that grows whenever a note was read anew, came or went."""
        return self._library.version

    def check(self, text: str, vault: str, path: str) -> tuple[str, ...]:
        """Return what would break the note contract if this text were the note at the path."""
        return self._library.check(text, vault, path)

    def daily_notes(self) -> list[DailyNotes]:
        """Return each vault's daily notes, which are episodes and no notes."""
        return self._library.daily_notes()

    def search(self, query: SemanticQuery, embedder: Embedder | None) -> Found:
        """Find notes, elements and decisions."""
        picture = self.projection(query.as_of)
        return self._index.search(query.joined(picture), picture, self._library.snapshot(), embedder)

    def verify(self, tell: Tell) -> list[Problem]:
        """Return each difference between the notes in the vaults and those that are held."""
        tell("compares the notes", 0, 0)
        return self._library.differences()

    def rebuild(self, tell: Tell, *, accept_loss: bool = False) -> Report:
        """Look at all files; with ``accept_loss`` notes that are missing are gone for good."""
        tell("reads the notes", 0, 0)
        self._cache.clear()
        return self.reconcile(accept_loss=accept_loss)

    def reconcile(self, *, accept_loss: bool = False) -> Report:
        """Look at all files of the log, the attention record and the vaults, and bring the search up to date."""
        self._ledger.refresh()
        self._attention.refresh()
        report = self._library.reconcile(accept_loss=accept_loss)
        self._index.upkeep.update()
        return report

    def refresh(self, paths: Iterable[Path]) -> Report:
        """Look at what a watcher saw change."""
        named = [Path(path) for path in paths]
        for truth in (self._ledger, self._attention):
            if is_below(truth.folder, named):
                truth.refresh()
        report = self._library.refresh(named)
        self._index.upkeep.update()
        return report

    def watched(self) -> list[Path]:
        """Return the folders to watch, those that exist."""
        own = [folder for folder in (self._ledger.folder, self._attention.folder) if folder.is_dir()]
        return [*own, *self._library.watched()]

    def wanting_vectors(self, fingerprint: str, limit: int) -> list[tuple[str, str]]:
        """Return (handle, exact string to embed) of what has no vector of this space yet, newest first.

        A handle stands for a piece and the text that it has now.
        """
        return self._index.wanting_vectors(fingerprint, limit)

    def count_wanting(self, fingerprint: str) -> int:
        """Return how many pieces have no vector of this space yet. It costs nothing to ask."""
        return self._index.count_wanting(fingerprint)

    def add_vectors(self, fingerprint: str, dimension: int, vectors: Mapping[str, npt.NDArray[np.float32]]) -> None:
        """Take in vectors by the handles of ``wanting_vectors``; one of a text that changed meanwhile is let go."""
        self._index.add_vectors(fingerprint, dimension, vectors)

    def fingerprints(self) -> set[str]:
        """Return the models that gave vectors."""
        return self._index.fingerprints()

    def drop_vectors(self, fingerprint: str) -> None:
        """Drop all vectors of a model."""
        self._index.drop_vectors(fingerprint)

    def pending(self) -> int:
        """Return how many documents the search is behind."""
        return self._index.upkeep.pending()

    def counts(self, fingerprint: str | None = None) -> Counts:
        """Return how much is known."""
        picture = self.projection()
        units, vectors = self._index.counts(fingerprint)
        notes = len(self._library.snapshot())
        return Counts(len(picture.elements), len(picture.links), len(picture.decisions), notes, units, vectors)

    def problems(self) -> list[str]:
        """Name all damage of the log and the attention record, all that is kept and not shown, and a failing search."""
        found = [*self._ledger.problems(), *self._attention.problems()]
        failure = self._index.upkeep.failure
        lag = [] if failure is None else [f"the semantic search is not up to date: {failure}"]
        return lag + list(dict.fromkeys(f"{problem.path}: {problem.reason}" for problem in found))
