"""The code of several projects, each a graph of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from semantic.extract.code.project import CodeProject
from semantic.graph.build import Parts


class CodeProjects:
    """Keeps the code of projects. Every method may be called from any thread; no reader waits for a refresh.

    Args:
        roots: Says which projects are read, now: id to folder.
        environ: The environment in which git is asked what belongs to a project.
    """

    def __init__(
        self, roots: Callable[[], Mapping[str, Path]] = dict, environ: Mapping[str, str] | None = None
    ) -> None:
        self._roots = roots
        self._environ = {} if environ is None else environ
        self._refreshing = threading.Lock()
        self._projects: dict[str, CodeProject] = {}
        self._parts: tuple[Parts, ...] | None = None
        self._problems: tuple[str, ...] = ()

    def refresh(self, check: Callable[[], None] = lambda: None, *, accept_loss: bool = False) -> None:
        """Read what changed in all projects, and let go of those that are not to be read any more."""
        with self._refreshing:
            roots = self._roots()
            before = {id_: project.version for id_, project in self._projects.items()}
            for id_ in [id_ for id_, held in self._projects.items() if roots.get(id_) != held.root]:
                del self._projects[id_]
            for id_, root in sorted(roots.items()):
                project = self._projects.setdefault(id_, CodeProject(id_, root, self._environ))
                project.refresh(check, accept_loss=accept_loss)
            held = [project for _, project in sorted(self._projects.items())]
            self._problems = tuple(problem for project in held for problem in project.problems)
            if self._parts is None or before != {project.id: project.version for project in held}:
                self._parts = tuple(project.parts() for project in held)

    def parts(self, check: Callable[[], None] = lambda: None) -> tuple[Parts, ...]:
        """Return what the projects add to the graph: the same object while nothing changed.

        They are read first if they never were.
        """
        if self._parts is None:
            self.refresh(check)
        return self._parts or ()

    @property
    def is_followed(self) -> bool:
        """Whether there is any project."""
        return bool(self._projects)

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be read, in words."""
        return self._problems
