"""What can go wrong with what happened.

The tree::

    EpisodicError
    ├── InvalidEpisode        the entry cannot be written as it is
    ├── UnknownEpisode        no entry, or no piece of one, has this id
    ├── TurnConflict          the same turn or key came with another text
    ├── ForgottenEpisode      the entry was forgotten and is not taken back
    ├── JournalUnwritable     a truth file could not be written; nothing of the entry is in it
    ├── TranscriptMissing     the episode has no transcript excerpt here
    ├── StoreClosed           the store was not opened, or is closed
    ├── ManifestUnusable      the bookkeeping beside the journal cannot be read or written
    │   └── ManifestDamaged     it was found damaged just now, and is made anew in the background
    └── EngineError           the index engine could not do what was asked
        ├── EngineUnavailable   it is not there, or it went away and did not come back
        ├── InvalidRow          an id, a vector or a weight that no engine may hold
        └── DimensionMismatch   a vector of another length than its collection holds
"""

from __future__ import annotations


class EpisodicError(Exception):
    """The episodic memory could not do what was asked."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or " ".join((type(self).__doc__ or "").split()))


class InvalidEpisode(EpisodicError):
    """The entry cannot be written as it is."""


class UnknownEpisode(EpisodicError):
    """No entry has this id."""


class TurnConflict(EpisodicError):
    """The same turn, or the same idempotency key, was recorded before with another text."""

    def __init__(self, message: str = "", *, existing: str | None = None) -> None:
        super().__init__(message)
        self.existing = existing


class ForgottenEpisode(EpisodicError):
    """This entry was forgotten, and what was forgotten is not taken back."""


class JournalUnwritable(EpisodicError):
    """A file of the journal could not be written; nothing of the entry is in it."""


class TranscriptMissing(EpisodicError):
    """The episode names no transcript excerpt that is kept here."""


class StoreClosed(EpisodicError):
    """The episodic store is not open."""


class ManifestUnusable(EpisodicError):
    """The bookkeeping beside the journal cannot be read or written; the journal itself is not touched by it."""


class ManifestDamaged(ManifestUnusable):
    """The bookkeeping was damaged; it was set aside just now and is made anew from the journal. Ask again."""


class EngineError(EpisodicError):
    """The index engine could not do what was asked; the journal is not touched by it."""


class EngineUnavailable(EngineError):
    """The index engine is not there, or it went away and did not come back."""


class InvalidRow(EngineError):
    """An id, a vector or a weight that no engine may hold."""


class DimensionMismatch(EngineError):
    """A vector of another length than its collection holds."""
