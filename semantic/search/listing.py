"""Elements chosen and put in order: by kind, scope and project, by words, and by what is near."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from memoryd.text.canonical import fold_name
from semantic.identity import digits_of, loose_name, one_letter_apart, why_loose_near
from semantic.log.ids import is_element, is_note, is_path_end
from semantic.model import Element
from semantic.project.naming import match_name
from semantic.projection.picture import Projection

SLIP_LETTERS = 5
"""From this many letters on, a name with one letter wrong, or two exchanged, is near; below, it is another name."""


MAX_SHARED = 50
"""A note or file that more are linked with is a hub: it says nothing of how near they are to each other."""


def listing_key(element: Element) -> tuple[str, str]:
    """Return where an element stands in a listing: (folded name, id).

    It depends on the element alone, so a page that begins behind a key misses nothing and shows nothing twice,
    whatever comes or goes meanwhile.
    """
    return fold_name(element.name), element.id


def select(
    picture: Projection,
    *,
    q: str | None = None,
    kind: str | None = None,
    scope: str | None = None,
    near: str | None = None,
    project: str | None = None,
) -> list[Element]:
    """Return living elements in the order of ``listing_key``.

    Args:
        picture: What is known.
        q: A text in the name, an alias or the gist.
        kind: Only this kind, without regard to case.
        scope: ``user``, ``project`` or ``all``.
        near: An id (also of a note, or ``path:<project>:<path>``): only what is linked with it, or with the same note
            or file as it. Else a name or a path: only what is spelled nearly so, or touches it.
        project: Only this project, by id or name.

    Raises:
        UnknownElement: ``near`` is the id of an element that is not known.
        AmbiguousName: Several projects have the name.
    """
    found: Iterable[Element] = picture.elements.values() if near is None else _near(picture, near)
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
    return sorted(found, key=listing_key)


def _is_spelled_nearly(loose: str, other: str) -> bool:
    """Tell whether two loose names are one by the rule of duplicates, or but for one slip of the hand."""
    if abs(len(loose) - len(other)) > 1:
        return False
    return why_loose_near(loose, other) is not None or _is_slip(loose, other)


def _is_slip(one: str, other: str) -> bool:
    if min(len(one), len(other)) < SLIP_LETTERS or digits_of(one) != digits_of(other):
        return False
    if one_letter_apart(one, other):
        return True
    differing = [at for at in range(len(one)) if one[at] != other[at]] if len(one) == len(other) else []
    return (
        len(differing) == 2
        and differing[1] == differing[0] + 1
        and (one[differing[0]], one[differing[1]]) == (other[differing[1]], other[differing[0]])
    )


def _near(picture: Projection, near: str) -> list[Element]:
    if is_element(near) or is_note(near) or is_path_end(near):
        return list(_linked(picture, near).values())
    loose = loose_name(near)
    return [
        one
        for one in picture
        if any(_is_spelled_nearly(loose, loose_name(name)) for name in (one.name, *one.aliases))
        or any(holds_path(pattern, near) for pattern in one.touches)
    ]


def _linked(picture: Projection, near: str) -> dict[str, Element]:
    """Return the elements next to an end, and those behind a note or file next to it.

    A note or file is no element that could stand in the list itself: what is linked with the same one is near. One
    that very many are linked with brings nobody near.
    """
    near = picture.shown(near)
    found: dict[str, Element] = {}
    for link, element in picture.neighbors(near):
        if element is not None:
            found[element.id] = element
            continue
        beyond = picture.neighbors(link.target if link.source == near else link.source)
        if len(beyond) <= MAX_SHARED:
            found |= {other.id: other for _, other in beyond if other is not None}
    found.pop(near, None)
    return found


def holds_path(pattern: str, path: str) -> bool:
    """Tell whether what an element touches (a file, a folder or a glob) holds a path."""
    folder = pattern.rstrip("/")
    return path == folder or path.startswith(f"{folder}/") or fnmatchcase(path, pattern)
