"""Writing down what a source tells, once: what is known stays as it is, and what differs is named and left alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from episodic.errors import EpisodicError, JournalUnwritable
from episodic.store import EpisodicStore
from memoryd.jobs.importing.entries import Entries
from memoryd.jobs.importing.facts import Facts
from memoryd.jobs.importing.item import Entry, Fact, Folder, Item, Page
from memoryd.jobs.importing.pages import Pages
from memoryd.jobs.importing.report import Fate, Report
from memoryd.jobs.importing.words import ACTOR, line
from semantic.errors import SemanticError, WriteFailed
from semantic.store import SemanticStore


class Receiver:
    """Takes in the items of one source; each is on the disk before the next is looked at.

    Args:
        report: Says whose items they are, and is told what becomes of each.
        episodic: Where entries go.
        semantic: Where pages and facts go.
        vaults: The folders of notes that are known already, by name.
        clock: Returns the present, aware.
        project_of: Returns the id of the project of a folder, which may be new with this call.
        is_dry: Write nothing.
    """

    def __init__(
        self,
        report: Report,
        *,
        episodic: EpisodicStore,
        semantic: SemanticStore,
        vaults: Mapping[str, Path],
        clock: Callable[[], datetime],
        project_of: Callable[[str | None], str | None],
        is_dry: bool,
    ) -> None:
        self._report = report
        self._semantic = semantic
        self._folders = {path.resolve() for path in vaults.values()}
        self._project_of = project_of
        source = report.source
        self._entries = Entries(source, episodic, clock=clock, project_of=self._project, is_dry=is_dry)
        self._pages = Pages(source, semantic, is_dry=is_dry)
        self._facts = Facts(source, semantic, self._entries.episode_of, is_dry=is_dry)

    def take(self, item: Item) -> None:
        """Take an item in, or find that it is here; one that cannot be taken in is named, and the rest goes on.

        Raises:
            JournalUnwritable: The journal cannot be written; what was taken in before stays.
            WriteFailed: The log cannot be written; as above.
        """
        try:
            fate = self._take(item)
        except (JournalUnwritable, WriteFailed):
            raise
        except (EpisodicError, SemanticError) as error:
            fate = Fate("refused", str(error))
        self._report.count(item, fate)

    def _take(self, item: Item) -> Fate:
        match item:
            case Entry():
                return self._entries.take(item)
            case Page():
                return self._pages.take(item)
            case Fact():
                return self._facts.take(item)
            case Folder():
                return self._look_at(item)

    def _look_at(self, folder: Folder) -> Fate:
        if folder.path.resolve() in self._folders:
            return Fate("known")
        if not folder.path.is_dir():
            return Fate("refused", "there is no such folder")
        return Fate("proposed")

    def _project(self, entry: Entry) -> str | None:
        if entry.cwd is not None and entry.cwd.is_dir():
            return self._project_of(str(entry.cwd))
        if entry.project is None or not (name := line(entry.project)):
            return None
        try:
            place = self._semantic.project_for(None, name_or_id=name, mint=entry.mints_project, actor=ACTOR)
        except WriteFailed:
            raise
        except SemanticError:
            return None  # several have the name: the entry is worth more than its project
        return None if place is None else place.id
