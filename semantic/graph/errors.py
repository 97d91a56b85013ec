"""What can go wrong when the graph is asked.

::

    UnknownName
    └── UnknownNode         nothing in the graph has this id or name
    Clash
    └── AmbiguousName       a name belongs to several (of ``semantic.errors``)
"""

from __future__ import annotations

from collections.abc import Sequence

from semantic.errors import Candidate, UnknownName


class UnknownNode(UnknownName):
    """Nothing in the graph has this id or name; ``candidates`` are those whose names are nearest."""

    def __init__(self, message: str, candidates: Sequence[Candidate] = ()) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)
