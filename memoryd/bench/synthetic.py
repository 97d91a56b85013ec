"""Texts and vectors that are made up from a seed: the same on every machine, and no model is needed.

Words follow Zipf's law with exponent 1, as words of real texts nearly do; what is measured on them depends on lengths
and frequencies as it would there. The vectors mean nothing: they only have to be compared.
"""

from __future__ import annotations

import hashlib
import string
from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt

from episodic.episode import NewEpisode
from memoryd.text.embedder import Vectors

VOCABULARY = 50_000
WORDS = (40, 160)
"""The shortest and the longest text: below the size at which a text is cut in two."""
ENTRIES_A_DAY = 100
FINGERPRINT = "madeup"


class MadeUpTexts:
    """Entries and questions from one seed."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        rng = np.random.default_rng(seed)
        letters = np.array(list(string.ascii_lowercase))
        lengths = rng.integers(1, 6, VOCABULARY)
        # A number makes each word a word of its own.
        words = ("".join(rng.choice(letters, length)) + _letters(n) for n, length in enumerate(lengths))
        self._words = np.array(list(words), dtype=object)
        weights = 1 / np.arange(1, VOCABULARY + 1)
        self._frequencies = weights / weights.sum()

    def entries(self, count: int, *, first: datetime) -> list[NewEpisode]:
        """Return entries, oldest first, ``ENTRIES_A_DAY`` on each day from an instant on."""
        rng = np.random.default_rng([self._seed, 1])
        lengths = rng.integers(*WORDS, count)
        words = iter(rng.choice(self._words, int(lengths.sum()), p=self._frequencies))
        made = []
        for number, length in enumerate(lengths):
            day, place = divmod(number, ENTRIES_A_DAY)
            at = first + timedelta(days=day, minutes=place * 5)
            text = " ".join(next(words) for _ in range(length))
            made.append(NewEpisode(text=text, at=at, session=f"s{number // 10}", turn=str(number)))
        return made

    def questions(self, count: int) -> list[str]:
        """Return questions of four words each, rarer than the hundred commonest, as content words are."""
        rng = np.random.default_rng([self._seed, 2])
        rare = self._frequencies.copy()
        rare[:100] = 0
        rare /= rare.sum()
        return [" ".join(rng.choice(self._words, 4, p=rare)) for _ in range(count)]


class MadeUpEmbedder:
    """Unit vectors from the hash of a text, at no cost."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension

    @property
    def fingerprint(self) -> str:
        """The name of the space."""
        return f"{FINGERPRINT}{self._dimension}"

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self._dimension

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text."""
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Return the unit vector of a text."""
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        vector = np.random.default_rng(seed).standard_normal(self._dimension, dtype=np.float32)
        return vector / np.float32(np.linalg.norm(vector))


def _letters(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 26)
        digits += string.ascii_lowercase[digit]
    return digits or "a"
