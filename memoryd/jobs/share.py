"""The jobs ``share`` and ``trust``: a project's log in its repository, and that of a clone taken in.

Which working trees take part stands in ``config/shared.json``, since only the user decides it. Shared is our own
shard of the project and nothing else; taken in is what other installs put beside it, once the user trusts the clone.
Whoever may write a trusted log may also have its project's elements and decisions forgotten here, and nothing else.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from memoryd.errors import ShareRefused
from memoryd.jobs.argument import Argument
from memoryd.jobs.later import Later
from memoryd.jobs.registry import Job, Run
from memoryd.jobs.remote import remove_leftovers, write_whole
from memoryd.text.report import Problem
from semantic.project.checkout import read_checkout
from semantic.project.naming import Project
from semantic.project.shared import FOLDER, is_shard_name, screen
from semantic.taking import Taking

DELAY_S = 2.0
"""How long after a write shared logs are brought up to date."""


class Knows(Protocol):
    """The semantic memory, as far as these jobs ask it."""

    taking: Taking

    def project_for(
        self, cwd: Path | None, *, mint: bool, actor: str = ..., trusted: Collection[str] = ...
    ) -> Project | None:
        """Return the project of a folder; one that is new is recorded."""
        ...


@dataclass(frozen=True, slots=True)
class Tree:
    """A working tree that takes part: its project, and whether our own log is placed in it."""

    project: str
    is_shared: bool


class Sharing:
    """Keeps shared logs and clones in step with the memory. May be called from any thread.

    Args:
        memory: The folder ``memory/``.
        install: The id of this install.
        file: Where the working trees that take part are remembered.
        semantic: Knows projects, and takes in lines.
        after: Called when lines were taken in.
    """

    def __init__(self, memory: Path, install: str, file: Path, semantic: Knows, after: Callable[[], object]) -> None:
        self._memory = memory
        self._install = install
        self._file = file
        self._semantic = semantic
        self._after = after
        self._one_at_a_time = threading.Lock()
        self.problems: tuple[Problem, ...] = ()

    @property
    def is_used(self) -> bool:
        """Whether any working tree takes part."""
        return self._file.exists()

    def share(self, cwd: str) -> dict[str, Any]:
        """Place our log of the folder's project in its repository, and keep it there from now on.

        Raises:
            ShareRefused: The folder lies in no working tree, or the file cannot be written.
        """
        return self._join(cwd, is_shared=True)

    def trust(self, cwd: str) -> dict[str, Any]:
        """Take in what others put into the repository's log, now and from now on.

        Raises:
            ShareRefused: The folder lies in no working tree.
        """
        return self._join(cwd, is_shared=False)

    def exchange(self) -> dict[str, Any]:
        """Bring all working trees that take part up to date; return how many files went each way.

        Raises:
            WriteFailed: A line could not be taken in.
        """
        with self._one_at_a_time:
            given = taken = 0
            problems: list[Problem] = []
            for top, tree in self._trees().items():
                folder = Path(top) / FOLDER
                try:
                    given += tree.is_shared and self._give(Path(top), folder, tree.project)
                    taken += self._take(folder, tree.project, problems)
                except OSError as error:
                    problems.append(Problem(str(folder), f"it cannot be used: {error.strerror or error}"))
            self.problems = tuple(problems)
        if taken:
            self._after()
        return {"given": given, "taken": taken, "problems": [f"{one.path}: {one.reason}" for one in problems]}

    def _join(self, cwd: str, *, is_shared: bool) -> dict[str, Any]:
        folder = Path(cwd)
        found = read_checkout(folder)
        if found is None or found.top is None:
            raise ShareRefused(f"{cwd} lies in no git working tree; run it inside the project's repository")
        trusted = () if found.stated_id is None else (found.stated_id,)
        project = self._semantic.project_for(folder, mint=True, actor="person", trusted=trusted)
        if project is None:
            raise ShareRefused(f"{cwd} belongs to no project")
        with self._one_at_a_time:
            trees = self._trees()
            known = trees.get(str(found.top))
            trees[str(found.top)] = Tree(project.id, is_shared or (known is not None and known.is_shared))
            self._write(trees)
        return {"project": project.id, "folder": str(found.top / FOLDER), **self.exchange()}

    def _give(self, top: Path, folder: Path, project: str) -> int:
        ours = self._memory / "log" / "projects" / project / f"{self._install}.ndjson"
        if not ours.is_file() or not top.is_dir():
            return 0
        data = screen(ours.read_bytes(), project, self._install).data
        place = folder / ours.name
        if not data or (place.is_file() and place.read_bytes() == data):
            return 0
        if any(path.is_symlink() for path in (folder.parent, folder, place)):
            raise OSError(0, "a link stands in its place, which could lead anywhere")
        remove_leftovers(folder)
        write_whole(place, data)
        return 1

    def _take(self, folder: Path, project: str, problems: list[Problem]) -> int:
        files = {}
        for path in sorted(folder.glob("*.ndjson")) if folder.is_dir() else ():
            if not is_shard_name(path.name) or path.stem == self._install or path.is_symlink():
                continue
            screened = screen(path.read_bytes(), project, path.stem)
            if screened.refused:
                problems.append(
                    Problem(
                        str(path), f"{screened.refused} line(s) are broken, or of another project or install; not used"
                    )
                )
            if screened.data:
                files[f"log/projects/{project}/{path.name}"] = screened.data
        return len(self._semantic.taking.take(files)) if files else 0

    def _trees(self) -> dict[str, Tree]:
        try:
            read = json.loads(self._file.read_bytes())
            return {str(top): Tree(str(one["project"]), bool(one["shared"])) for top, one in read.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ShareRefused(f"{self._file} cannot be read; remove it and share or trust again") from error

    def _write(self, trees: Mapping[str, Tree]) -> None:
        body = {top: {"project": tree.project, "shared": tree.is_shared} for top, tree in sorted(trees.items())}
        write_whole(self._file, (json.dumps(body, indent=1, ensure_ascii=False) + "\n").encode())


def after_write(first: Callable[[], None], sharing: Sharing, start: Callable[[], None]) -> Callable[[], None]:
    """Return what is called after each write: ``first``, and soon after it ``start`` where anything is shared."""
    later = Later(start, delay_s=DELAY_S)

    def wrote() -> None:
        first()
        if sharing.is_used:
            later.ask()

    return wrote


def sharing_jobs(sharing: Sharing) -> tuple[Job, Job]:
    """Return the jobs ``share`` and ``trust``; without a folder either brings all that take part up to date."""
    folder = Argument(name="folder", meaning="A folder in the project's working tree; without it, all that take part.")

    def job(name: str, summary: str, join: Callable[[str], dict[str, Any]]) -> Job:
        def run(arguments: Mapping[str, Any], handle: Run) -> dict[str, Any]:
            handle.check()
            return join(arguments["folder"]) if arguments["folder"] else sharing.exchange()

        return Job(name=name, summary=summary, run=run, arguments=(folder,))

    return (
        job("share", "Place a project's log in its repository.", sharing.share),
        job("trust", "Take in the log that lies in a clone.", sharing.trust),
    )
