"""What a note should be: a summary, and tags in a few flat facets. A breach is said with its repair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from semantic.model import Note
from semantic.tag import front_matter_tags, tag_matches

FACETS = ("type", "client", "project", "domain", "tool", "convention")
SCOPES = ("global", "project")


@dataclass(frozen=True, slots=True)
class Contract:
    """The rules that notes are checked against.

    Attributes:
        facets: The first parts that a tag may have; below each lies one more part and no deeper.
        scopes: The values of the facet ``scope``.
        required_keys: Front matter keys that must hold a text.
        required_facets: Facets of which each note must have a tag. Whatever is listed, a note needs one tag in some
            facet.
    """

    facets: tuple[str, ...] = FACETS
    scopes: tuple[str, ...] = SCOPES
    required_keys: tuple[str, ...] = ("summary",)
    required_facets: tuple[str, ...] = ()

    def check(self, note: Note) -> tuple[str, ...]:
        """Return what breaks the contract, each with what to write instead; nothing for a good note.

        Tags in the running text are free; the contract speaks of those in the front matter.
        """
        tags = front_matter_tags(note.front_matter)
        return (*self._missing_keys(note), *self._bad_tags(tags), *self._missing_facets(tags))

    def _missing_keys(self, note: Note) -> list[str]:
        return [
            f"`{key}` is missing: add `{key}: <one line>` to the front matter"
            if note.front_matter.get(key) is None
            else f"`{key}` must be a text that is not empty: write `{key}: <one line>`"
            for key in self.required_keys
            if not _is_text(note.front_matter.get(key))
        ]

    def _bad_tags(self, tags: list[str]) -> list[str]:
        found = []
        for tag in tags:
            facet, _, value = tag.partition("/")
            if facet == "scope":
                if value not in self.scopes:
                    found.append(f"tag `{tag}`: write {_either(f'scope/{scope}' for scope in self.scopes)}")
            elif facet not in self.facets:
                found.append(
                    f"tag `{tag}` is in no facet: put it under one of {', '.join(f'{f}/' for f in self.facets)}"
                )
            elif not value:
                found.append(f"tag `{tag}` names a facet and no value: write `{facet}/<value>`")
            elif "/" in value:
                flat = value.replace("/", "-")
                found.append(f"tag `{tag}` is nested: facets are flat, write `{facet}/{flat}`")
        return found

    def _missing_facets(self, tags: list[str]) -> list[str]:
        missing = [
            f"no tag in `{facet}/`: add `{facet}/<value>` to `tags`"
            for facet in self.required_facets
            if not any(tag_matches(facet, tag) for tag in tags)
        ]
        if not missing and not any(tag_matches(facet, tag) for facet in self.facets for tag in tags):
            example = f"{self.facets[0]}/<value>" if self.facets else None
            if example is not None:
                missing.append(f"no tag in any facet: add one to `tags`, such as `{example}`")
        return missing


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _either(words: Any) -> str:
    return " or ".join(f"`{word}`" for word in words)
