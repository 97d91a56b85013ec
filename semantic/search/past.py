"""The log of another instant, made searchable for the questions that ask for it."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from semantic.fields import decision_document, element_document
from semantic.model import Note
from semantic.search.contents import Contents
from semantic.search.joining import Known, joined_notes, joined_tags
from semantic.search.plane import Plane
from semantic.search.postings import Segment
from semantic.weighing import Weighed, weigh

_AT_ONCE = 1000
"""So many documents are looked up under the lock that questions wait for."""


class Past:
    """Keeps the last instant that was asked for. It may be asked from any thread."""

    def __init__(self, contents: Contents, languages: Sequence[str]) -> None:
        self._contents = contents
        self._languages = tuple(languages)
        self._lock = threading.Lock()
        self._kept: tuple[Known, Mapping[str, Note], Plane, Mapping[str, str]] | None = None

    def plane(self, known: Known, notes: Mapping[str, Note]) -> tuple[Plane, Mapping[str, str]]:
        """Return a picture of the log as a plane, and which notes are one thing with which of its elements.

        Most documents of the past are those of now, whose words are weighed already.
        """
        with self._lock:
            kept = self._kept
            if kept is not None and kept[0] is known and kept[1] is notes:
                return kept[2], kept[3]
            joins = joined_notes(known, notes)
            tags = joined_tags(joins, notes)
            documents = [element_document(one, tags.get(one.id, ())) for one in known.elements.values()]
            documents += [decision_document(one) for one in known.decisions.values()]
            weighed: list[Weighed] = []
            for first in range(0, len(documents), _AT_ONCE):
                some = documents[first : first + _AT_ONCE]
                with self._contents.lock:
                    held = [self._contents.log.weighed(one) for one in some]
                weighed += [known or weigh(one, self._languages) for known, one in zip(held, some, strict=True)]
            plane = Plane()
            plane.put(documents, weighed, Segment.of(weighed))
            self._kept = (known, notes, plane, joins)
            return plane, joins
