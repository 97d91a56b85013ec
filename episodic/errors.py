"""What can go wrong with what happened.

The tree::

    EpisodicError
    ├── InvalidEpisode        the entry cannot be written as it is
    ├── UnknownEpisode        no entry, or no piece of one, has this id
    ├── TurnConflict          the same turn or key came with another text
    ├── ForgottenEpisode      the entry was forgotten and is not taken back
    ├── JournalUnwritable     a truth file could not be written; nothing of the entry is in it
    ├── UnreadableFile        a file cannot be read at all
    │   └── LeadsOut            it is a link out of its folder, and is no file of ours
    ├── Unmergeable           two copies of a day cannot be made one
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


class UnreadableFile(EpisodicError):
    """A file cannot be read at all; the message says why. What was known of it stays."""


class LeadsOut(UnreadableFile):
    """A path leads by a link out of its folder: nothing is read or written there, and nothing of it is held."""


class Unmergeable(EpisodicError):
    """The two copies have no common form in which every entry is still read; both have to be kept as they are."""


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
