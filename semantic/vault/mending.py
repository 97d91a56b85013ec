"""Which links of which notes have to be written anew when a note moves, and how they then read.

A link is mended only where it would mean another file afterwards. One that could have meant several files is never
guessed: it is left as it is, and named.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from memoryd.text.front_matter import find_front_matter, split_front_matter
from semantic.model import Note, NoteLink
from semantic.vault.link import Located, find_links, locate_links, locate_property_links, property_links
from semantic.vault.resolve import NOTE_SUFFIX, Names, link_keys, name_key

_TO_ENCODE = re.compile(r"[\s()<>%#?\[\]\\]")


@dataclass(frozen=True, slots=True)
class Left:
    """A link that is not mended: the note's path, the line, the target as written, and why."""

    path: str
    line: int
    written: str
    reason: str


@dataclass(frozen=True, slots=True)
class Mended:
    """A note whose text changes: ``path`` is where it lies before the move."""

    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Mending:
    """What a move asks of the notes of its vault."""

    mended: tuple[Mended, ...]
    left: tuple[Left, ...]


def plan_mending(vault: str, notes: Mapping[str, Note], files: Iterable[str], old: str, new: str) -> Mending:
    """Return what has to be written anew if the note at ``old`` moves to ``new``.

    Args:
        vault: The vault's name.
        notes: Its notes by path, with their links as resolved now.
        files: The paths of its other files.
        old: Where the note lies.
        new: Where it goes; nothing may lie there.
    """
    names = Names()
    for path in files:
        names.put(path)
    for path, note in notes.items():
        names.put(new if path == old else path, note.aliases)
    paths = {note.id: path for path, note in notes.items()}
    keys = {name_key(old), name_key(new)}
    mended, left = [], []
    for source, note in sorted(notes.items()):
        concerned = {
            link.written: link
            for link in note.links
            if link.target is not None and (source == old or not keys.isdisjoint(link_keys(link.written)))
        }
        changes: dict[str, str] = {}
        for written, link in concerned.items():
            goal = _goal(vault, link, paths, old, new)
            at = new if source == old else source
            if not written or goal is None or names.resolve(at, written).path == goal:
                continue
            if link.ambiguous:
                left.append(Left(source, link.line, written, "it could have meant several files, and is never guessed"))
                continue
            form = _rewritten(names, at, written, goal)
            if form is None:
                left.append(Left(source, link.line, written, "no way to write it names that file alone"))
                continue
            changes[written] = form
        if changes:
            after = _write(note, changes)
            if after is None:
                left += [
                    Left(source, concerned[one].line, one, "it stands in a form that cannot be changed safely")
                    for one in changes
                ]
            elif after != note.text:
                mended.append(Mended(source, note.text, after))
    return Mending(tuple(mended), tuple(left))


def _goal(vault: str, link: NoteLink, paths: Mapping[str, str], old: str, new: str) -> str | None:
    """Return the path that a link has to mean after the move."""
    target = link.target or ""
    path = paths.get(target) if target.startswith("no_") else target.removeprefix(f"{vault}:")
    return new if path == old else path


def _rewritten(names: Names, source: str, written: str, goal: str) -> str | None:
    """Return the target in the manner in which it was written, or ``None`` if nothing names the goal alone."""
    keeps_suffix = written.lower().endswith(NOTE_SUFFIX) or not goal.endswith(NOTE_SUFFIX)
    whole = goal if keeps_suffix else goal.removesuffix(NOTE_SUFFIX)
    if written.startswith(("./", "../")):
        path = posixpath.relpath(whole, posixpath.dirname(source) or ".")
        forms = [path if path.startswith("../") else f"./{path}"]
    elif "/" in written:
        forms = [whole]
    else:
        forms = [posixpath.basename(whole), whole]
    for form in forms:
        found = names.resolve(source, form)
        if found.path == goal and not found.ambiguous and not found.inferred:
            return form
    return whole if names.resolve(source, whole).path == goal else None


def _write(note: Note, changes: Mapping[str, str]) -> str | None:
    """Return the note's text with each target written anew, or ``None`` if it would then not read as meant."""
    text = note.text
    spans = sorted(
        (start, end, _as_written(text[start:end], located, changes[located.link.written]))
        for start, end, located in _targets(text)
        if located.link.written in changes
    )
    parts, at = [], 0
    for start, end, target in spans:
        parts += [text[at:start], target]
        at = end
    after = "".join([*parts, text[at:]])
    expected = [changes.get(link.written, link.written) for link in _links(text)]
    return after if [link.written for link in _links(after)] == expected else None


def _as_written(old: str, located: Located, target: str) -> str:
    if located.is_wikilink:
        return target
    if "%" in old:
        return quote(target, safe="/!$&'*+,;=:@~")
    return _TO_ENCODE.sub(lambda found: quote(found.group()), target)


def _targets(text: str) -> Iterator[tuple[int, int, Located]]:
    span = find_front_matter(text)
    if span is not None:
        for located in locate_property_links(text[span[0] : span[1]]):
            yield span[0] + located.start, span[0] + located.end, located
    matter = split_front_matter(text)
    first = len(text) - len(matter.body)
    for located in locate_links(matter.body):
        yield first + located.start, first + located.end, located


def _links(text: str) -> list[NoteLink]:
    matter = split_front_matter(text)
    return [*property_links(matter.data, matter.raw), *find_links(matter.body)]
