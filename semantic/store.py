"""The semantic memory as one thing: the decision log, the notes, the search over both, and what was paid attention to.

Writes are decisions, forgetting, and merges of projects; each is on the disk before its answer. Reads take an
immutable picture and never wait for a write.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memoryd.text.canonical import digest, fold_name
from memoryd.text.embedder import Embedder
from memoryd.text.hit import Found
from memoryd.text.report import Report
from semantic.attending import Attention
from semantic.attention import Standing
from semantic.checkout import read_checkout
from semantic.errors import InvalidDecision, UnknownNote, UnknownProject
from semantic.export import export_projection
from semantic.forgetting import Forgotten, forget
from semantic.instant import Clock
from semantic.ledger import Ledger
from semantic.log import Draft
from semantic.model import Decision, Element, Link, Note
from semantic.project import Match, Project, match_checkout, match_name, new_by_name
from semantic.projection import Projection
from semantic.query import SemanticQuery
from semantic.recording import NewDecision, Recorded, record
from semantic.search import SemanticIndex
from semantic.vault.contract import Contract
from semantic.vault.daily import DailyNotes
from semantic.vault.library import Library


@dataclass(frozen=True, slots=True)
class Counts:
    """How much is known: living elements and links, decisions, notes, units to embed and those with a vector."""

    elements: int
    links: int
    decisions: int
    notes: int
    units: int
    vectors: int


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
    ) -> None:
        self._install = install
        self._no_projects = tuple(no_projects)
        self._ledger = Ledger(memory, install, clock, entropy)
        self._attention = Attention(memory, install, clock)
        self._library = Library(vaults, contract, clock, zone)
        self._index = SemanticIndex(languages)

    def open(self) -> None:
        """Read and verify the log and the attention record. Notes are read by ``reconcile``."""
        self._ledger.open()
        self._attention.open()

    def close(self) -> None:
        """Write the reads that wait, and let the search come to rest."""
        self._attention.flush()
        self._index.close()

    # Writing

    def decide(self, new: NewDecision) -> Recorded:
        """Record a decision durably; ``new.project`` may be an id or a name, and is minted if it is a new name.

        Raises:
            InvalidDecision: Its words or mutations cannot be recorded, or hold a credential.
            UnknownName: An element, name or decision in it means nothing here.
            Clash: A name is near or ambiguous, heads changed, or the decision was forgotten.
            WriteFailed: It could not be made durable; nothing was recorded.
        """
        if new.project is not None and new.scope != "user":
            project = self.project_for(None, name_or_id=new.project, mint=True, actor=new.actor, session=new.session)
            new = replace(new, project=project.id if project else None)
        return record(self._ledger, new)

    def forget(self, ids: Sequence[str], *, actor: str = "person", session: str | None = None) -> Forgotten:
        """Forget elements, decisions and episodes; see ``semantic.forgetting``."""
        return forget(self._ledger, ids, actor=actor, session=session)

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
        with self._ledger.writing:
            one, other = self._known_project(source), self._known_project(into)
            if one.id == other.id:
                raise InvalidDecision("these are one project already")
            body = {"from": one.id, "into": other.id}
            id_ = "pm_" + digest(one.id, other.id, length=24)
            self._ledger.record(Draft("project_merge", id_, body, actor, session))
            return self.projection().projects[other.id]

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
            match = self._match(picture.projects, cwd, name_or_id, trusted)
            if match is None:
                return None
            if mint and match.is_news:
                self._ledger.record(Draft("project", match.id, match.body, actor, session))
                picture = self._ledger.present()
            return picture.projects.get(picture.shown(match.id))

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
        """Return living elements by name and id.

        Args:
            q: A text in the name, an alias or the gist.
            kind: Only this kind, without regard to case.
            scope: ``user``, ``project`` or ``all``.
            near: An id: only what is linked with it; else a path: only what touches it.
            project: Only this project, by id or name.
        """
        picture = self.projection()
        found: Iterable[Element] = picture.elements.values()
        if near is not None:
            found = _near(picture, near)
        if kind is not None:
            found = [one for one in found if fold_name(one.kind) == fold_name(kind)]
        if scope is not None and scope != "all":
            found = [one for one in found if one.scope == scope]
        if project is not None:
            match = match_name(picture.projects, project)
            found = [one for one in found if match is not None and one.project == match.id]
        if q is not None:
            wanted = fold_name(q)
            found = [one for one in found if any(wanted in fold_name(t) for t in (one.name, one.gist, *one.aliases))]
        return sorted(found, key=lambda one: (fold_name(one.name), one.id))

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
        return sorted(self.projection().projects.values(), key=lambda one: (fold_name(one.name), one.id))

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
        """Return the note at a path, or raise UnknownNote."""
        found = self._library.note(vault, path)
        if found is None:
            raise UnknownNote(f"no note lies at {vault}:{path}")
        return found

    def note_by_id(self, id_: str) -> Note:
        """Return a note by its id, following moves, or raise UnknownNote."""
        found = self._library.by_id(self.projection().shown(id_)) or self._library.by_id(id_)
        if found is None:
            raise UnknownNote(f"no note has the id {id_}")
        return found

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
        return self._index.search(query, self.projection(query.as_of), self._library, embedder)

    def reconcile(self) -> Report:
        """Look at all files of the log, the attention record and the vaults, and bring the search up to date."""
        self._ledger.refresh()
        self._attention.refresh()
        report = self._library.reconcile()
        self._index.update(self.projection(), self._library)
        return report

    def refresh(self, paths: Iterable[Path]) -> Report:
        """Look at what a watcher saw change."""
        named = [Path(path) for path in paths]
        if any(path.is_relative_to(self._ledger.folder) for path in named):
            self._ledger.refresh()
        if any(path.is_relative_to(self._attention.folder) for path in named):
            self._attention.refresh()
        report = self._library.refresh(named)
        self._index.update(self.projection(), self._library)
        return report

    def watched(self) -> list[Path]:
        """Return the folders to watch, those that exist."""
        own = [folder for folder in (self._ledger.folder, self._attention.folder) if folder.is_dir()]
        return [*own, *self._library.watched()]

    def wanting_vectors(self, fingerprint: str, limit: int) -> list[tuple[str, str]]:
        """Return (unit id, exact string to embed) of what has no vector of this space yet, newest first."""
        return self._index.wanting_vectors(fingerprint, limit)

    def add_vectors(self, fingerprint: str, dimension: int, vectors: Mapping[str, npt.NDArray[np.float32]]) -> None:
        """Take in vectors of strings that ``wanting_vectors`` offered."""
        self._index.add_vectors(fingerprint, dimension, vectors)

    def pending(self) -> int:
        """Return how many documents the search is behind."""
        return self._index.pending(self.projection(), self._library)

    def counts(self, fingerprint: str | None = None) -> Counts:
        """Return how much is known."""
        picture = self.projection()
        units, vectors = self._index.counts(fingerprint)
        notes = len(self._library.snapshot())
        return Counts(len(picture.elements), len(picture.links), len(picture.decisions), notes, units, vectors)

    def problems(self) -> list[str]:
        """Name all damage of the log and the attention record, and all that is kept and not shown."""
        found = [*self._ledger.problems(), *self._attention.problems()]
        return list(dict.fromkeys(f"{problem.path}: {problem.reason}" for problem in found))

    def _match(
        self, projects: Mapping[str, Project], cwd: Path | None, name_or_id: str | None, trusted: Collection[str]
    ) -> Match | None:
        if name_or_id is not None:
            return match_name(projects, name_or_id) or new_by_name(name_or_id)
        assert cwd is not None
        checkout = read_checkout(cwd, self._no_projects)
        return None if checkout is None else match_checkout(projects, checkout, self._install, trusted=trusted)

    def _known_project(self, name_or_id: str) -> Project:
        projects = self.projection().projects
        match = match_name(projects, name_or_id)
        if match is None:
            raise UnknownProject("no project has this id or name")
        return projects[match.id]


def _near(picture: Projection, near: str) -> list[Element]:
    if near.startswith(("el_", "no_", "path:")):
        found = {element.id: element for _, element in picture.neighbors(near) if element is not None}
        return list(found.values())
    return [one for one in picture if any(_touches(pattern, near) for pattern in one.touches)]


def _touches(pattern: str, path: str) -> bool:
    """Tell whether what an element touches (a file, a folder or a glob) holds a path."""
    folder = pattern.rstrip("/")
    return path == folder or path.startswith(f"{folder}/") or fnmatchcase(path, pattern)
