"""What a module of ``sources`` is to the rest: something that knows its own files, and tells what they hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from memoryd.jobs.importing.item import Item
from memoryd.jobs.importing.report import Report


class Source(Protocol):
    """A program whose memory can be taken in."""

    @property
    def name(self) -> str:
        """What it is called on the command line."""
        ...

    def recognises(self, path: Path) -> bool:
        """Tell, by a quick look that never fails, whether its files lie at a path."""
        ...

    def read(self, path: Path, report: Report) -> Iterator[Item]:
        """Yield what its files hold, in an order in which nothing comes before what it refers to.

        What is passed over, and files that cannot be read beside others that can, stand in ``report``.

        Raises:
            ImportFailed: Nothing can be read there, or no further; the message names the file and the way out.
        """
        ...
