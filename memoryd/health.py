"""How the daemon is: what still waits, and what is wrong, of all its parts, in words."""

from __future__ import annotations

from dataclasses import dataclass, field

from episodic.store import EpisodicStore
from memoryd.capture.service import Capture
from memoryd.jobs.registry import Jobs
from memoryd.jobs.scan import Scan
from memoryd.jobs.share import Sharing
from memoryd.jobs.switch import ModelSwitch
from memoryd.jobs.sync import Sync
from memoryd.jobs.watch import Watcher
from memoryd.render.seen import Seen
from memoryd.text.report import Problem
from semantic.store import SemanticStore

NAMED_PROBLEMS = 3
"""How many files with problems an answer names; all are listed by ``GET /v1/problems``."""


@dataclass(frozen=True, slots=True)
class Health:
    """Asks each part how it is; ``notices`` holds what befell the daemon as a process, which none of them knows."""

    episodic: EpisodicStore
    semantic: SemanticStore
    jobs: Jobs
    scan: Scan
    watcher: Watcher
    models: ModelSwitch
    capture: Capture
    sharing: Sharing
    sync: Sync
    seen: Seen
    notices: list[str] = field(default_factory=list)

    def pending(self) -> int:
        """Return how many files, pieces and vectors wait to be indexed; a scan under way counts as one."""
        in_stores = self.episodic.counts().pending + self.semantic.pending()
        return in_stores + self.models.pending() + self.capture.pending + int(self.jobs.is_running("scan"))

    def degraded(self) -> list[str]:
        """Return what does not work as it should; empty when all is well."""
        return [*self._reasons(self.scan.problems), *self._failed_jobs()]

    def shortcomings(self) -> list[str]:
        """Return why an answer may be less than it could be: as ``degraded``, without files that are read all the same.

        A template whose front matter nothing has filled in stays as it is for years; each answer need not say so.
        """
        return self._reasons(tuple(one for one in self.scan.problems if not one.is_read))

    def _failed_jobs(self) -> list[str]:
        """Name jobs that begin by themselves and failed: nobody waits for their answer, so nobody would hear of it."""
        told = {"scan", "sync"}  # these tell of themselves
        failed = [one for one in self.jobs.list() if one.state == "failed" and one.next_run and one.name not in told]
        return [f"the job {one.name} failed: {one.last_error}" for one in failed]

    def _reasons(self, problems: tuple[Problem, ...]) -> list[str]:
        reasons = [*self.notices, *([self.scan.reading] if self.scan.reading else []), *self.models.degraded()]
        reasons += [self.watcher.problem] if self.watcher.problem else []
        reasons += [f"turns are not written: {self.capture.problem}"] if self.capture.problem else []
        reasons += [f"the {store} memory could not be scanned: {why}" for store, why in self.scan.failures.items()]
        reasons += _first(problems)
        reasons += [f"{problem.path}: {problem.reason}" for problem in self.sharing.problems]
        reasons += [problem for problem in (self.sync.problem, self.seen.problem, self.capture.notice) if problem]
        return [*reasons, *self.episodic.degraded(), *self.semantic.problems()]


def _first(problems: tuple[Problem, ...]) -> list[str]:
    """Name the first files that could not be read whole; a vault with a hundred of them must not drown an answer."""
    # A vault as a whole is named `name:`, which has its colon already.
    named = [f"{problem.path.removesuffix(':')}: {problem.reason}" for problem in problems[:NAMED_PROBLEMS]]
    more = len(problems) - len(named)
    return [*named, f"{more} more files could not be read whole; `memoryd doctor` lists them"] if more > 0 else named
