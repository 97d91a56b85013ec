"""Filling the index anew from the files, while searches by words go on."""

from __future__ import annotations

from episodic.index.documents import Documents
from episodic.index.inspection import Tell
from episodic.index.manifest import Manifest
from episodic.index.reconcile import Reconciler
from episodic.index.refusal import Refusals
from episodic.index.schema import MANIFEST
from episodic.index.upkeep import Index
from episodic.writing.forgetting import Forgetting
from memoryd.text.report import Problem, Report


class Rebuilding:
    """Reads every file again, then lets the index write its rows beside those that serve.

    A sound manifest is never emptied: each file's rows are replaced in one transaction. One that is damaged is thrown
    away first, and answers grow again with the files that are read.
    """

    def __init__(
        self,
        manifest: Manifest,
        documents: Documents,
        index: Index,
        reconciler: Reconciler,
        forgetting: Forgetting,
        refusals: Refusals,
    ) -> None:
        self._manifest = manifest
        self._documents = documents
        self._index = index
        self._reconciler = reconciler
        self._forgetting = forgetting
        self._refusals = refusals

    def mend(self, tell: Tell) -> Report:
        """Fill an empty manifest from the files, and compare the engine's rows with it; they serve meanwhile.

        What ``tell`` raises ends it.

        Raises:
            EngineError: The engine does not work; what is missing stays noted.
            ManifestUnusable: The manifest was damaged again, or cannot be written.
        """
        self._refusals.load()
        report = self._reconciler.scan(is_forced=True, tell=lambda path: tell(f"reads {path}", 0, 0))
        report += self._forgetting.purge()
        self._index.compare()
        return report

    def run(self, tell: Tell, *, accept_loss: bool) -> Report:
        """Do it. See ``EpisodicStore.rebuild``."""
        report = Report()
        if damage := self._manifest.damage():
            self._manifest.begin_anew()
            self._refusals.load()
            report += Report(problems=(Problem(MANIFEST, f"it was made anew: {damage}"),))
        report += self._reconciler.scan(
            is_forced=True, accept_loss=accept_loss, tell=lambda path: tell(f"reads {path}", 0, 0)
        )
        report += self._forgetting.purge()
        self._documents.recount()
        self._index.rebuild(lambda done, total: tell("fills the index", done, total))
        return report
