"""The resolved links of one vault, kept right as files come and go.

Each link is filed under the names that decide it, so that a new note settles the links that waited for it, and a
removed one makes them wait again, without a look at any other link.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from semantic.model import NoteLink
from semantic.vault.resolve import Names, link_keys, name_key


class Linkage:
    """Links by the note that holds them, and who links to what. Paths are NFC; not safe for several threads."""

    def __init__(self, vault: str) -> None:
        self._vault = vault
        self._names = Names()
        self._ids: dict[str, str] = {}
        self._links: dict[str, tuple[NoteLink, ...]] = {}
        self._waiting: defaultdict[str, set[str]] = defaultdict(set)
        self._backlinks: defaultdict[str, set[str]] = defaultdict(set)
        self._stale_keys: set[str] = set()
        self._stale_notes: set[str] = set()

    def put_note(self, path: str, note_id: str, aliases: Iterable[str], links: Iterable[NoteLink]) -> None:
        """Add or replace a note with its links as written."""
        self._unfile(path)
        if self._ids.get(path) != note_id:
            self._stale_keys.add(name_key(path))  # a file became a note: links to it get its id
        self._ids[path] = note_id
        self._stale_keys |= self._names.put(path, aliases)
        self._links[path] = tuple(links)
        for link in self._links[path]:
            for key in link_keys(link.written):
                self._waiting[key].add(path)
        self._stale_notes.add(path)

    def put_file(self, path: str) -> None:
        """Add a file that is no note but may be linked to."""
        if path in self._ids:
            self.drop(path)
        self._stale_keys |= self._names.put(path)

    def drop(self, path: str) -> None:
        """Take a note or file away; links to it wait from now on."""
        self._unfile(path)
        self._links.pop(path, None)
        self._ids.pop(path, None)
        self._stale_notes.discard(path)
        self._stale_keys |= self._names.drop(path)

    def settle(self) -> Mapping[str, tuple[NoteLink, ...]]:
        """Resolve what the changes since the last call touched; return the links of each note that changed."""
        touched = set(self._stale_notes)
        for key in self._stale_keys:
            touched |= self._waiting.get(key, set())
        self._stale_keys.clear()
        self._stale_notes.clear()
        changed = {}
        for path in touched:
            links = tuple(self._resolved(path, link) for link in self._links[path])
            for link in self._links[path]:
                self._unlink(link.target, path)
            for link in links:
                if link.target is not None:
                    self._backlinks[link.target].add(path)
            self._links[path] = links
            changed[path] = links
        return changed

    def sources(self, target: str) -> list[str]:
        """Return the paths of the notes that link to a note id or file, in code-point order."""
        return sorted(self._backlinks.get(target, ()))

    def _resolved(self, source: str, link: NoteLink) -> NoteLink:
        found = self._names.resolve(source, link.written)
        target = None if found.path is None else self._ids.get(found.path, f"{self._vault}:{found.path}")
        return replace(link, target=target, ambiguous=found.ambiguous, inferred=found.inferred)

    def _unfile(self, path: str) -> None:
        for link in self._links.get(path, ()):
            for key in link_keys(link.written):
                held = self._waiting.get(key)
                if held is not None:
                    held.discard(path)
                    if not held:
                        del self._waiting[key]
            self._unlink(link.target, path)

    def _unlink(self, target: str | None, path: str) -> None:
        held = self._backlinks.get(target) if target is not None else None
        if held is not None:
            held.discard(path)
            if not held:
                del self._backlinks[target or ""]
