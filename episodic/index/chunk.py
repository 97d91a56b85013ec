"""The searchable pieces of an episode.

A piece's id is a hash of the episode, the text and how often that text stood in the episode before: inserting a line
above, moving the entry or changing the model changes none. What is embedded is the piece's text alone; what is found
by words also has the headings above it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from episodic.journal.text import Entry
from memoryd.text.canonical import digest
from memoryd.text.pieces import cut_pieces


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of an episode.

    Attributes:
        id: 32 hex digits.
        text: As stored, unescaped, without anchors: exactly what is embedded and shown.
        heading: The episode's title and the headings inside it that stand above the piece.
        lines: First and last line, 1-based, of the file as stored.
        text_hash: Equal for equal texts, wherever they stand.
    """

    id: str
    text: str
    heading: tuple[str, ...]
    lines: tuple[int, int]
    text_hash: str


def cut_episode(entry: Entry) -> list[Chunk]:
    """Cut an entry into its pieces, in order. An entry that says nothing gives none."""
    episode = entry.episode
    seen: Counter[str] = Counter()
    chunks = []
    for piece in cut_pieces(episode.text, first_line=entry.body_line, boundary_headings=False):
        chunks.append(
            Chunk(
                chunk_id(episode.id, piece.text, seen[piece.text]),
                piece.text,
                (episode.title, *piece.heading),
                piece.lines,
                digest(piece.text, length=32),
            )
        )
        seen[piece.text] += 1
    return chunks


def chunk_id(place: str, text: str, occurrence: int) -> str:
    """Return the id of a piece: 32 hex digits of ``H(episode id, text, occurrence)``, occurrences counted from 0."""
    return digest(place, text, occurrence, length=32)


def lexical_text(heading: tuple[str, ...], text: str) -> str:
    """Return what the words of a piece are taken from: its headings and its text."""
    return "\n".join((*heading, text))
