"""Which project a name, an id or a folder means, and the events that mint and merge projects."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from memoryd.text.canonical import digest, fold_name
from memoryd.text.secrets import find_secrets
from semantic.errors import InvalidDecision, SecretFound, UnknownProject
from semantic.log.shards import Draft
from semantic.project.checkout import read_checkout
from semantic.project.naming import Match, Project, match_checkout, match_name, new_by_name
from semantic.projection.ledger import Ledger


class Projects:
    """The projects of a log.

    Args:
        ledger: The log.
        install: The id of this install: folders are known by it.
        no_projects: Folders that are no project unless a repository, such as the home folder.
    """

    def __init__(self, ledger: Ledger, install: str, no_projects: Collection[Path] = ()) -> None:
        self._ledger = ledger
        self._install = install
        self._no_projects = tuple(no_projects)

    def listed(self) -> list[Project]:
        """Return all projects by name and id; merged ones under what they were merged into."""
        return sorted(self._ledger.projection().projects.values(), key=lambda one: (fold_name(one.name), one.id))

    def known(self, name_or_id: str) -> Project:
        """Return the project of an id or a name.

        Raises:
            UnknownProject: There is none.
            AmbiguousName: Several have the name.
        """
        projects = self._ledger.projection().projects
        match = match_name(projects, name_or_id)
        if match is None:
            raise UnknownProject("no project has this id or name")
        return projects[match.id]

    def match(
        self,
        projects: Mapping[str, Project],
        cwd: Path | None,
        name_or_id: str | None,
        trusted: Collection[str],
    ) -> Match | None:
        """Return what a name or an id, else a folder, means: a known project, one to mint, or none.

        Raises:
            AmbiguousName: Several projects have the name.
            InvalidDecision: The name of a new project is blank or too long.
            InvalidFolder: ``cwd`` is not absolute.
        """
        if name_or_id is not None:
            return match_name(projects, name_or_id) or new_by_name(name_or_id)
        checkout = None if cwd is None else read_checkout(cwd, self._no_projects)
        return None if checkout is None else match_checkout(projects, checkout, self._install, trusted=trusted)

    def mint(self, match: Match, *, actor: str, session: str | None) -> Project | None:
        """Record what is new of a match, if anything is, and return its project. ``ledger.writing`` has to be held.

        Raises:
            WriteFailed: It could not be made durable.
        """
        if match.is_news:
            self._ledger.record(minting(match, actor=actor, session=session))
        picture = self._ledger.present()
        return picture.projects.get(picture.shown(match.id))

    def merge(self, source: str, into: str, *, actor: str, session: str | None) -> Project:
        """Make one project of two, given by id or name; return it.

        Raises:
            UnknownProject: One is not known.
            AmbiguousName: A name belongs to several.
            InvalidDecision: They are one already.
        """
        with self._ledger.writing:
            one, other = self.known(source), self.known(into)
            if one.id == other.id:
                raise InvalidDecision("these are one project already")
            body = {"from": one.id, "into": other.id}
            id_ = "pm_" + digest(one.id, other.id, length=24)
            self._ledger.record(Draft("project_merge", id_, body, actor, session))
            return self._ledger.projection().projects[other.id]


def minting(match: Match, *, actor: str, session: str | None) -> Draft:
    """Return the event that records what is new of a project.

    Raises:
        SecretFound: Its name, its id or where it lies holds what looks like a credential.
    """
    for text in (match.name, match.id, *match.remotes, *(root.path for root in match.roots)):
        found = find_secrets(text)
        if found:
            raise SecretFound("project", found[0].kind)
    return Draft("project", match.id, match.body, actor, session)
