"""What one note's text says by itself, whatever the other notes say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from semantic.graph.model import Confidence

MentionKind = Literal["code", "url", "person", "file", "name"]


@dataclass(frozen=True, slots=True)
class Definition:
    """A name and what the note says it is. Lines are of the file as stored, from 1."""

    name: str
    text: str
    lines: tuple[int, int]
    confidence: Confidence
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """Something named in a way that shows what kind of thing it is."""

    kind: MentionKind
    name: str
    line: int
    confidence: Confidence = "EXTRACTED"
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that is not generic, with the line it stands on."""

    title: str
    level: int
    line: int


@dataclass(frozen=True, slots=True)
class Facts:
    """What a note says: a pure function of its text and front matter."""

    definitions: tuple[Definition, ...] = ()
    mentions: tuple[Mention, ...] = ()
    headings: tuple[Heading, ...] = ()
