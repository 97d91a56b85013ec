"""What a project is called, and which one a folder belongs to.

A project is minted once, as an event; its id is an opaque name from then on. Folders are matched to it by the origin
of their repository, or by the repository's own folder on this machine, so that worktrees and sub-folders are one
project and two repositories of one name are two.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from memoryd.text.canonical import digest, fold_name
from semantic.errors import AmbiguousName, Candidate, InvalidDecision
from semantic.project.checkout import Checkout
from semantic.union import Moves

MAX_SLUG = 48
_ID_DIGITS = 8
_ID = re.compile(r"[^/\\\x00-\x1f]{1,100}-[0-9a-f]{8}")
_DEFAULT_NAME = "project"


@dataclass(frozen=True, slots=True, order=True)
class Root:
    """Where a project lies on one machine: its git common directory, or its folder without git."""

    install: str
    path: str


@dataclass(frozen=True, slots=True)
class Project:
    """A project, with all that is known of where it lives.

    Attributes:
        remotes: Normalised origins, ``host/path``.
        merged: Ids of projects that were merged into this one; ``aliases`` are their names.
    """

    id: str
    name: str
    remotes: tuple[str, ...] = ()
    roots: tuple[Root, ...] = ()
    merged: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """What a look-up came to: the id, the name for a new project, and what the log does not know of it yet."""

    id: str
    name: str
    known: bool
    remotes: tuple[str, ...] = ()
    roots: tuple[Root, ...] = ()

    @property
    def body(self) -> dict[str, Any]:
        """Return the event body that records what is new (without its nonce)."""
        return {
            "name": self.name,
            "remotes": list(self.remotes),
            "roots": [{"install": root.install, "path": root.path} for root in self.roots],
        }

    @property
    def is_news(self) -> bool:
        """Tell whether there is anything to record."""
        return not self.known or bool(self.remotes or self.roots)


def slug_of(name: str) -> str:
    """Return the readable part of an id: lower case, letters of every script kept, the rest to ``-``."""
    lowered = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).lower())
    kept = "".join(letter if _stays(letter) else "-" for letter in lowered)
    return re.sub("-+", "-", kept).strip("-")[:MAX_SLUG].strip("-") or _DEFAULT_NAME


def is_project_id(text: str) -> bool:
    """Tell whether a text may serve as a project id, and so as the name of a folder."""
    return _ID.fullmatch(text) is not None and unicodedata.is_normalized("NFC", text)


def id_from_origin(name: str, origin: str) -> str:
    """Return the id of a project that is minted from its normalised origin."""
    return f"{slug_of(name)}-{digest(origin, length=_ID_DIGITS)}"


def id_from_folder(name: str, root: Root) -> str:
    """Return the id of a project that is minted from a folder of one machine."""
    return f"{slug_of(name)}-{digest(root.install, root.path, length=_ID_DIGITS)}"


def id_from_name(name: str) -> str:
    """Return the id of a project that is minted from a bare name."""
    return f"{slug_of(name)}-{digest('name', fold_name(name), length=_ID_DIGITS)}"


def match_name(projects: Mapping[str, Project], name: str) -> Match | None:
    """Return the project with this id or name; ``None`` if there is none.

    Raises:
        AmbiguousName: Several have the name.
    """
    if name in projects:
        return Match(name, projects[name].name, known=True)
    merged = [one for one in projects.values() if name in one.merged]
    folded = fold_name(name)
    same = merged or [one for one in projects.values() if folded in map(fold_name, (one.name, *one.aliases))]
    if len(same) > 1:
        candidates = [Candidate(one.id, "project", one.name, "has this name") for one in sorted(same, key=_by_id)]
        raise AmbiguousName("several projects have this name; send the id of one", candidates)
    return Match(same[0].id, same[0].name, known=True) if same else None


def new_by_name(name: str) -> Match:
    """Return what to mint for a bare name.

    Raises:
        InvalidDecision: The name is blank or too long.
    """
    shown = " ".join(unicodedata.normalize("NFC", name).split())
    if not shown or len(shown) > 300:
        raise InvalidDecision("a project name must have 1 to 300 characters")
    return Match(id_from_name(shown), shown, known=False)


def match_checkout(
    projects: Mapping[str, Project], checkout: Checkout, install: str, *, trusted: Collection[str] = ()
) -> Match:
    """Return the project that a folder belongs to, known or to be minted.

    The first that fits: a project with the repository's origin; one with its root on this install (without git, the
    nearest known folder above); the id in a committed ``.memoryd.toml``, which names a new project freely but an
    existing one only once the user trusts it; a new one.
    """
    origin = () if checkout.origin is None else (checkout.origin,)
    by_origin = [one for one in projects.values() if checkout.origin in one.remotes]
    if by_origin:
        return _known(min(by_origin, key=_by_id), origin, _root(checkout, install))
    for path in checkout.roots:
        by_root = [one for one in projects.values() if Root(install, path) in one.roots]
        if by_root:
            return _known(min(by_root, key=_by_id), origin, Root(install, path))
    stated = checkout.stated_id
    root = _root(checkout, install)
    if stated is not None and is_project_id(stated):
        taken = projects.get(stated) or next((one for one in projects.values() if stated in one.merged), None)
        if taken is None:
            return Match(stated, checkout.name, known=False, remotes=origin, roots=(root,))
        if stated in trusted:
            return _known(taken, origin, root)
    id_ = id_from_origin(checkout.name, origin[0]) if origin else id_from_folder(checkout.name, root)
    return Match(id_, checkout.name, known=False, remotes=origin, roots=(root,))


def united(known: Project | None, id_: str, body: Mapping[str, Any]) -> Project:
    """Return a project after one more of its events: the first gives the name, each may add remotes and roots."""
    remotes = [*(known.remotes if known else ()), *body["remotes"]]
    roots = [*(known.roots if known else ()), *(Root(root["install"], root["path"]) for root in body["roots"])]
    return Project(
        id_,
        known.name if known else body["name"],
        tuple(dict.fromkeys(remotes)),
        tuple(dict.fromkeys(roots)),
    )


def joined(into: Project, parts: Iterable[Project]) -> Project:
    """Return a project with all that was merged into it."""
    parts = list(parts)
    return Project(
        into.id,
        into.name,
        tuple(dict.fromkeys((*into.remotes, *(remote for part in parts for remote in part.remotes)))),
        tuple(dict.fromkeys((*into.roots, *(root for part in parts for root in part.roots)))),
        tuple(sorted(part.id for part in parts)),
        tuple(sorted({part.name for part in parts} - {into.name})),
    )


def shown_projects(projects: Mapping[str, Project], moves: Moves) -> Mapping[str, Project]:
    """Return the projects by id, merged ones under what they were merged into."""
    parts: dict[str, list[Project]] = {}
    for id_, project in projects.items():
        into = moves.of(id_)
        if into != id_ and into in projects:
            parts.setdefault(into, []).append(project)
    return MappingProxyType(
        {
            id_: joined(project, parts.get(id_, ()))
            for id_, project in sorted(projects.items())
            if moves.of(id_) == id_ or moves.of(id_) not in projects
        }
    )


def _known(project: Project, origin: tuple[str, ...], root: Root) -> Match:
    remotes = tuple(remote for remote in origin if remote not in project.remotes)
    roots = () if root in project.roots else (root,)
    return Match(project.id, project.name, known=True, remotes=remotes, roots=roots)


def _root(checkout: Checkout, install: str) -> Root:
    return Root(install, checkout.roots[0])


def _by_id(project: Project) -> str:
    return project.id


def _stays(letter: str) -> bool:
    return letter in "_." or unicodedata.category(letter)[0] in "LNM"
