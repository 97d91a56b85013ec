"""What a source yields: dated entries, notes, facts, folders. Each is known by the id that its own program gave it.

That id, with the program's name, is where a thing came from. It is stored with the thing, so that a second import
finds it again whatever became of ``state/``, and a person can look it up in the program that made it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something that happened: it becomes an episode at its own time.

    Attributes:
        id: Its id in its program; of two machines' files, equal only for one thing.
        text: Markdown, as the program has it: not clean yet.
        at: When it was, aware.
        origin: Where it stands in its program, for a person who looks for it there.
        title: What it is called, or nothing.
        session: The agent's session that it is of, and ``turn`` what names it in there.
        cwd: The folder that was worked in; its project is made where it is new.
        project: The bare name of a project, where the folder is not known.
        mints_project: Whether a project of that name is made where there is none.
        files: The files that were written.
    """

    id: str
    text: str
    at: datetime
    origin: str
    title: str = ""
    session: str | None = None
    turn: str | None = None
    cwd: Path | None = None
    project: str | None = None
    mints_project: bool = True
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A text without a day of its own: it becomes a note.

    Attributes:
        id: Its id in its program.
        path: Where it lay there, the folder first; a name may hold anything.
        text: Markdown, with front matter or without: not clean yet.
        names: What other pages call it in links, where that is not the name of its file.
    """

    id: str
    path: tuple[str, ...]
    text: str
    names: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What it is called."""
        return self.path[-1].removesuffix(".md")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something that holds: it becomes a decision.

    Attributes:
        id: Its id in its program; nothing where its words are all that tells it from others.
        title: What was decided.
        why: The reason that its program keeps; where it keeps none, what it has in its place, said as what it is.
        mutations: As ``semantic.log.mutation`` takes them as sent.
        valid_at: Since when it holds, aware.
        cwd: The folder whose project it belongs to; without one it is the user's own.
        evidence: Ids of entries of the same program that it came from.
        supersedes: Ids of facts of the same program that it replaced.
    """

    id: str | None = None
    title: str
    why: str
    mutations: tuple[Mapping[str, Any], ...]
    valid_at: datetime | None = None
    cwd: Path | None = None
    evidence: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder of notes that is best left where it is and read from there: it becomes a proposal, nothing more."""

    name: str
    path: Path

    @property
    def title(self) -> str:
        """What it is called."""
        return f"{self.name} = {self.path}"


Item = Entry | Page | Fact | Folder
