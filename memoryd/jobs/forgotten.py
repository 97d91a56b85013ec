"""What another install forgot is taken out of the journal here as soon as its log line arrives, by whatever way.

A sync tool lays the line down between two looks at the files, in no order with the days that it also brings.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from episodic.errors import UnknownEpisode


class Forgotten:
    """Tells the journal what the log says was forgotten. To be asked after every look at the files.

    Args:
        said: Returns every id that the log says was forgotten.
        find: Returns the entry of an id; one that is not held raises ``UnknownEpisode``.
        refuse: Has ids refused from now on; those that are there go with the next look at all files.
        look: Looks at all files.
    """

    def __init__(
        self,
        said: Callable[[], Collection[str]],
        find: Callable[[str], object],
        refuse: Callable[[Iterable[str]], None],
        look: Callable[[], None],
    ) -> None:
        self._said = said
        self._find = find
        self._refuse = refuse
        self._look = look
        self._heeded: frozenset[str] | None = None

    def heed(self) -> None:
        """Pass on what is new, and have it taken out.

        At first, what was said before the start counts as dealt with unless it is held. Later even what is held no
        more is looked for: a merge may have cleaned the day, and something of it be kept beside the journal.
        """
        said = frozenset(self._said())
        is_first, news = self._heeded is None, said - (self._heeded or frozenset())
        self._heeded = said
        entries = [id_ for id_ in news if id_.startswith("ep_")]
        is_wanted = any(self._holds(id_) for id_ in entries) if is_first else bool(entries)
        if news:
            self._refuse(news)
        if is_wanted:
            self._look()

    def _holds(self, id_: str) -> bool:
        try:
            self._find(id_)
        except UnknownEpisode:
            return False
        return True
