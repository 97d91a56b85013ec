"""Which file a link means, by Obsidian's rules, and what else it could have meant.

In order: an empty path is the file itself; ``./`` and ``../`` start at the file's folder; an exact path from the
root, with or without ``.md``; the end of a path, in any case and Unicode form. Where several paths end so, a file
of the same folder goes first, then the one with the fewest segments, then code-point order, and the others are
recorded. A note's alias comes last, and the match is marked as inferred.
"""

from __future__ import annotations

import posixpath
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from memoryd.text.canonical import fold_name

NOTE_SUFFIX = ".md"


@dataclass(frozen=True, slots=True)
class Resolution:
    """The path that a link means, ``None`` if nothing has the name yet; the other paths it could have meant."""

    path: str | None
    ambiguous: tuple[str, ...] = ()
    inferred: bool = False


NOWHERE = Resolution(None)


def fold_path(path: str) -> str:
    """Return the form in which paths are compared: NFC, lower case.

    Lower case and not case folding: ``Maße`` and ``Masse`` are two files.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).lower())


def name_key(path: str) -> str:
    """Return the key under which a file waits for links: its folded last segment, a note's without ``.md``."""
    return "name:" + _without_suffix(fold_path(posixpath.basename(path)))


def alias_key(alias: str) -> str:
    """Return the key under which an alias waits for links."""
    return "alias:" + fold_name(alias)


def link_keys(written: str) -> tuple[str, ...]:
    """Return every key whose files or aliases decide what the written target means."""
    last = fold_path(posixpath.basename(written.rstrip("/")))
    # `[[v1.md]]` may be the note `v1` or, oddly named, the note `v1.md.md`; both keys have to be heard.
    return tuple(dict.fromkeys(("name:" + _without_suffix(last), "name:" + last, alias_key(written))))


class Names:
    """The files of one vault by every name that a link can give them."""

    def __init__(self) -> None:
        self._paths: dict[str, tuple[str, ...]] = {}
        self._named: defaultdict[str, set[str]] = defaultdict(set)
        self._aliases: dict[str, tuple[str, ...]] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._paths

    def put(self, path: str, aliases: Iterable[str] = ()) -> set[str]:
        """Add a file (NFC path) or change its aliases; return the keys whose meaning may have changed."""
        keys = tuple(alias_key(alias) for alias in dict.fromkeys(aliases) if alias.strip())
        changed = set(keys) ^ set(self._aliases.get(path, ()))
        if path not in self._paths:
            self._paths[path] = tuple(_without_suffix(fold_path(path)).split("/"))
            changed.add(name_key(path))
            self._named[name_key(path)].add(path)
        for key in self._aliases.pop(path, ()):
            self._discard(key, path)
        for key in keys:
            self._named[key].add(path)
        if keys:
            self._aliases[path] = keys
        return changed

    def drop(self, path: str) -> set[str]:
        """Take a file away; return the keys whose meaning may have changed."""
        if self._paths.pop(path, None) is None:
            return set()
        changed = {name_key(path), *self._aliases.pop(path, ())}
        for key in changed:
            self._discard(key, path)
        return changed

    def resolve(self, source: str, written: str) -> Resolution:
        """Return what the target, as written in the file ``source``, means."""
        written = unicodedata.normalize("NFC", written)
        if not written:
            return Resolution(source)
        folder = posixpath.dirname(source)
        if written.startswith(("./", "../")):
            return self._relative(posixpath.normpath(posixpath.join(folder, written)))
        written = written.strip("/")
        if not written:
            return NOWHERE
        for exact in (written, written + NOTE_SUFFIX):
            if exact in self._paths:
                return Resolution(exact)
        by_path = _chosen(self._ending_in(written), folder)
        if by_path is not None:
            return by_path
        by_alias = _chosen(self._named.get(alias_key(written), ()), folder, inferred=True)
        return by_alias if by_alias is not None else NOWHERE

    def _relative(self, path: str) -> Resolution:
        if path == ".." or path.startswith("../"):
            return NOWHERE  # outside the vault
        for exact in (path, path + NOTE_SUFFIX):
            if exact in self._paths:
                return Resolution(exact)
        segments = len(path.split("/"))
        same = [found for found in self._ending_in(path) if len(found.split("/")) == segments]
        return _chosen(same, "") or NOWHERE

    def _ending_in(self, written: str) -> set[str]:
        folded = fold_path(written)
        found: set[str] = set()
        for form in dict.fromkeys((folded, _without_suffix(folded))):
            ending = tuple(form.split("/"))
            found.update(
                path
                for path in self._named.get("name:" + ending[-1], ())
                if self._paths[path][-len(ending) :] == ending
            )
        return found

    def _discard(self, key: str, path: str) -> None:
        held = self._named.get(key)
        if held is not None:
            held.discard(path)
            if not held:
                del self._named[key]


def _without_suffix(folded: str) -> str:
    return folded.removesuffix(NOTE_SUFFIX)


def _chosen(paths: Iterable[str], folder: str, *, inferred: bool = False) -> Resolution | None:
    ranked = sorted(paths, key=lambda path: (posixpath.dirname(path) != folder, path.count("/"), path))
    return Resolution(ranked[0], tuple(ranked[1:]), inferred) if ranked else None
