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
        """Return why answers may be less than they could be; empty when all is well."""
        reasons = [*self.notices, *([self.scan.reading] if self.scan.reading else []), *self.models.degraded()]
        reasons += [self.watcher.problem] if self.watcher.problem else []
        reasons += [f"turns are not written: {self.capture.problem}"] if self.capture.problem else []
        reasons += [f"the {store} memory could not be scanned: {why}" for store, why in self.scan.failures.items()]
        reasons += _first(self.scan.problems)
        reasons += [f"{problem.path}: {problem.reason}" for problem in self.sharing.problems]
        reasons += [problem for problem in (self.sync.problem, self.seen.problem) if problem]
        return [*reasons, *self.episodic.degraded(), *self.semantic.problems()]


def _first(problems: tuple[Problem, ...]) -> list[str]:
    """Name the first files that could not be read whole; a vault with a hundred of them must not drown an answer."""
    # A vault as a whole is named `name:`, which has its colon already.
    named = [f"{problem.path.removesuffix(':')}: {problem.reason}" for problem in problems[:NAMED_PROBLEMS]]
    more = len(problems) - len(named)
    return [*named, f"{more} more files could not be read whole; `memoryd doctor` lists them"] if more > 0 else named
