"""What can go wrong between a text and its vector.

The tree::

    EmbeddingError
    ├── UnknownModel        no such name in the catalogue
    ├── ModelUnavailable    the weights are not on this machine, or not loaded in time
    ├── WeightsChanged      a file is not the one that was pinned
    ├── UnreadableModel     the files are there and are not what the manifest says
    ├── BadVector           the model answered with numbers that are no vector
    └── PullError           a model's files could not be fetched
        ├── NotServed            the server does not have a file, or does not give it
        ├── ServerUnreachable    no answer, or it broke off again and again
        ├── RangeRefused         the file ends before the part that was asked for
        ├── NoSpace              the disk has no room for it
        └── PullStopped          the caller asked to stop; what was fetched is kept
"""

from __future__ import annotations

from collections.abc import Sequence

from memoryd.errors import MemorydError


class EmbeddingError(MemorydError):
    """No vector could be made."""


class UnknownModel(EmbeddingError):
    """The settings name a model that the catalogue does not have."""


class ModelUnavailable(EmbeddingError):
    """The weights are not on this machine, or the model could not be loaded in the time given."""


class WeightsChanged(EmbeddingError):
    """A file of the model has another sha256 than the pinned one; it is not used."""


class UnreadableModel(EmbeddingError):
    """A file of the model is damaged, or its layout is not one that is known."""


class PullError(EmbeddingError):
    """A model's files could not be fetched. What was fetched is kept, and the next try goes on from there."""


class NotServed(PullError):
    """The server does not have a file of the model, or does not give it to everybody."""


class ServerUnreachable(PullError):
    """The server does not answer, or broke off again and again."""


class RangeRefused(PullError):
    """The file on the server ends before the part that was asked for."""


class NoSpace(PullError):
    """The disk has no room for the files."""


class PullStopped(PullError):
    """The caller asked to stop."""


class BadVector(EmbeddingError):
    """The model gave values that are not finite, or a vector without length, for some texts.

    ``positions`` are the places of those texts in the call; the texts themselves are never put in a message.
    """

    def __init__(self, message: str, positions: Sequence[int] = ()) -> None:
        super().__init__(message)
        self.positions = tuple(positions)
