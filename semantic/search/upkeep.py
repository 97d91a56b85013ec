"""Keeping the search up with log and vaults, document by document, beside the questions and never inside one.

What is to be done is the difference between what is known now and what was taken in. It is looked at anew whenever
something changed, so that an older picture can never undo a newer one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Protocol

from memoryd.text.stop import stop_point
from semantic.fields import SAME_AS, Document, DocumentKind, decision_document, element_document, note_document
from semantic.model import Decision, Element, Note
from semantic.projection.picture import Delta
from semantic.search.contents import BATCH, Contents, Words
from semantic.search.joining import Known, joined_notes, joined_tags
from semantic.weighing import Weighed, weigh, weigh_anchors

Item = Note | Element | Decision
Look = Callable[[], tuple[Known, Mapping[str, Note]]]
"""Returns the present picture of the log and the present notes by id. Both are values: they never change."""


ANCHORS = "#links"
"""Follows a note's id in the name of the lines by which it links to others."""


class KeptWords(Protocol):
    """Where the words of notes are kept, by a name of what was weighed and the ETag of its note."""

    def words(self, etags: Mapping[str, str]) -> Mapping[str, Weighed]:
        """Return, by name, the words of what has this ETag still."""
        ...

    def keep_words(self, weighed: Mapping[str, tuple[str, Weighed]]) -> None:
        """Keep words: by name, the ETag of the note that was weighed and its words."""
        ...


SOON = 32
"""So many changed decisions, and elements, are taken in before a write is answered."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is to go in: a thing as it is now, and the tags of the notes joined to it."""

    item: Item
    tags: tuple[str, ...] = ()


@dataclass(slots=True)
class _Kind:
    """What was taken in of one kind of thing, and what of it is to go in, the newest last."""

    taken: dict[str, Item] = field(default_factory=dict)
    todo: dict[str, _Wanted] = field(default_factory=dict)

    def compare(self, items: Mapping[str, Item]) -> list[str]:
        """Note what of these is to go in; return the ids of what is gone."""
        todo: dict[str, _Wanted] = {}
        new = 0
        for id_, item in items.items():
            held = self.taken.get(id_)
            if held is item:
                continue
            if held == item:
                self.taken[id_] = item
                continue
            new += held is None
            todo[id_] = _Wanted(item)
        self.todo = todo
        # Ids are looked for only where the numbers say that some are gone: this is done for every decision.
        return [] if len(self.taken) + new == len(items) else [id_ for id_ in self.taken if id_ not in items]

    def compare_some(self, items: Mapping[str, Item], ids: Iterable[str]) -> list[str]:
        """Do the same where only these can differ from what was compared last."""
        gone = []
        for id_ in ids:
            item, held = items.get(id_), self.taken.get(id_)
            self.todo.pop(id_, None)
            if item is None:
                gone += [] if held is None else [id_]
            elif held == item:
                self.taken[id_] = item
            else:
                self.todo[id_] = _Wanted(item)
        return gone

    def newest(self) -> Iterable[tuple[str, _Wanted]]:
        """Yield what is to go in, the newest first."""
        return reversed(self.todo.items())


class Upkeep:
    """Takes in what changed. Every method may be called from any thread.

    Args:
        contents: What is kept up to date.
        look: Says what is known now.
        languages: The languages of stems.
        words: Where the words of notes are kept from one start to the next.
    """

    def __init__(
        self, contents: Contents, look: Look, languages: Sequence[str], words: KeptWords | None = None
    ) -> None:
        self._contents = contents
        self._look = look
        self._languages = tuple(languages)
        self._words = words
        self._updating = threading.Lock()  # one long update at a time
        self._writing = threading.Lock()  # held while a plan is made and while a batch goes in: never for long
        self._decisions, self._elements, self._notes = _Kind(), _Kind(), _Kind()
        self._tags: dict[str, tuple[str, ...]] = {}  # the tags with which elements were taken in
        self._planned: tuple[Known, Mapping[str, Note]] | None = None
        self._calling = threading.Lock()  # around the three below
        self._worker: threading.Thread | None = None
        self._is_called = False
        self._is_closing = False
        self._failure: str | None = None

    def update(self) -> int:
        """Take in everything that is not in yet; return how many documents changed or went."""
        done = 0
        with self._updating:
            while not self._is_closing:
                stop_point()
                with self._writing:
                    done += self._plan()
                    batch = dict(islice(chain(*(kind.newest() for kind in self._kinds)), BATCH))
                if not batch:
                    break
                # The long part is done before the lock is taken: a decision never waits for a vault.
                made = self._made_of(batch)
                with self._writing:
                    done += self._plan() + self._put(made)
            self._failure = None
        return done

    def take_in_newest(self) -> None:
        """Take in what a write just changed: whatever went, and the newest of the log. The worker does the rest.

        It never fails: what was written is durable, and a search that lags behind is named where it is asked.
        """
        try:
            with self._writing:
                self._plan()
                log = (self._decisions, self._elements)
                newest = chain.from_iterable(islice(kind.newest(), SOON) for kind in log)
                self._put([(id_, wanted, *self._made(wanted)) for id_, wanted in newest])
        except Exception as error:  # noqa: BLE001 - as said: the failure is kept and named
            self._failure = f"{type(error).__name__}: {error}"
        if self._is_behind:
            self.call()

    def take_in_notes(self, ids: Iterable[str]) -> None:
        """Take in notes that were just written, or went; the worker does the rest. It never fails, as above."""
        try:
            with self._writing:
                self._plan()
                todo = self._notes.todo
                self._put([(id_, todo[id_], *self._made(todo[id_])) for id_ in dict.fromkeys(ids) if id_ in todo])
        except Exception as error:  # noqa: BLE001 - as said: the failure is kept and named
            self._failure = f"{type(error).__name__}: {error}"
        if self._is_behind:
            self.call()

    def call(self) -> None:
        """Have the worker take in what changed; it is started if it does not run."""
        with self._calling:
            self._is_called = True
            if self._worker is None and not self._is_closing:
                self._worker = threading.Thread(target=self._work, name="semantic-index", daemon=True)
                self._worker.start()

    def is_current(self, known: Known, notes: Mapping[str, Note]) -> bool:
        """Tell whether all of this is taken in."""
        planned = self._planned
        return planned is not None and planned[0] is known and planned[1] is notes and not self._is_behind

    def pending(self) -> int:
        """Return how many documents are not in yet as they are now."""
        with self._writing:
            self._plan()
            return sum(len(kind.todo) for kind in self._kinds)

    @property
    def failure(self) -> str | None:
        """What keeps the search from being up to date, in words; ``None`` if nothing does."""
        return self._failure

    def close(self) -> None:
        """Let the worker end after the batch under way."""
        with self._calling:
            self._is_closing = True
            worker = self._worker
        if worker is not None and worker is not threading.current_thread():
            worker.join()

    @property
    def _kinds(self) -> tuple[_Kind, _Kind, _Kind]:
        return self._decisions, self._elements, self._notes

    @property
    def _is_behind(self) -> bool:
        return any(kind.todo for kind in self._kinds)

    def _work(self) -> None:
        while True:
            with self._calling:
                if not self._is_called or self._is_closing:
                    self._worker = None
                    return
                self._is_called = False
            try:
                self.update()
            except Exception as error:  # noqa: BLE001 - what is in is served all the same, and the failure is named
                self._failure = f"{type(error).__name__}: {error}"

    def _plan(self) -> int:
        """Look at what is known now and note what is to go in; take out what is gone and return how much that was."""
        known, notes = self._look()
        if self._planned is not None and self._planned[0] is known and self._planned[1] is notes:
            return 0
        if (delta := self._delta_of(known, notes)) is not None:
            gone_some = [
                (self._decisions, self._decisions.compare_some(known.decisions, delta.decisions)),
                (self._elements, self._elements.compare_some(known.elements, delta.elements)),
            ]
            return self._gone(gone_some, known, notes)
        joins = joined_notes(known, notes)
        tags = joined_tags(joins, notes)
        present: tuple[Mapping[str, Item], ...] = (known.decisions, known.elements, notes)
        gone = [(kind, kind.compare(items)) for kind, items in zip(self._kinds, present, strict=True)]
        # An element's tags are those of its notes, so a note's change may be an element's.
        for id_ in {**tags, **self._tags}:
            now = tags.get(id_, ())
            if id_ in known.elements and (id_ in self._elements.todo or now != self._tags.get(id_, ())):
                self._elements.todo[id_] = _Wanted(known.elements[id_], now)
        self._contents.joins = joins
        return self._gone(gone, known, notes)

    def _delta_of(self, known: Known, notes: Mapping[str, Note]) -> Delta | None:
        """Return what a few decisions changed since the last plan; ``None`` where all has to be compared."""
        delta: Delta | None = getattr(known, "delta", None)
        planned = self._planned
        if planned is None or delta is None or planned[1] is not notes:
            return None
        if delta.before is not getattr(planned[0], "token", None):
            return None
        joined = set(self._contents.joins.values())
        for id_ in delta.elements:
            element = known.elements.get(id_)
            held = self._elements.taken.get(id_)
            # Where a note may be joined, or is, its tags are the element's too.
            if (
                id_ in joined
                or id_.startswith("no_")
                or any(
                    isinstance(one, Element) and any(link.relation == SAME_AS for link in one.links)
                    for one in (element, held)
                )
            ):
                return None
        return delta

    def _gone(self, gone: Sequence[tuple[_Kind, list[str]]], known: Known, notes: Mapping[str, Note]) -> int:
        self._contents.drop(id_ for _, ids in gone for id_ in ids)
        for kind, ids in gone:
            for id_ in ids:
                del kind.taken[id_]
                self._tags.pop(id_, None)
        self._planned = (known, notes)
        return sum(len(ids) for _, ids in gone)

    def _made_of(self, batch: Mapping[str, _Wanted]) -> list[tuple[str, _Wanted, Document, Words]]:
        """Return a batch as documents with their words; those of notes are weighed once and for all."""
        if self._words is None:
            return [(id_, wanted, *self._made(wanted)) for id_, wanted in batch.items()]
        etags = {id_: wanted.item.etag for id_, wanted in batch.items() if isinstance(wanted.item, Note)}
        known = self._words.words({name: etag for id_, etag in etags.items() for name in (id_, id_ + ANCHORS)})
        made = []
        fresh: dict[str, tuple[str, Weighed]] = {}
        for id_, wanted in batch.items():
            own, anchors = known.get(id_), known.get(id_ + ANCHORS)
            if own is not None and anchors is not None:
                words = Words(own, replace(anchors, document=id_))
                made.append((id_, wanted, _document(wanted), words))
                continue
            document, words = self._made(wanted)
            made.append((id_, wanted, document, words))
            if id_ in etags:
                fresh |= {id_: (etags[id_], words.own), id_ + ANCHORS: (etags[id_], words.anchors)}
        self._words.keep_words(fresh)
        return made

    def _made(self, wanted: _Wanted) -> tuple[Document, Words]:
        document = _document(wanted)
        held = self._contents.words_of(document)
        return document, held or Words(weigh(document, self._languages), weigh_anchors(document, self._languages))

    def _put(self, made: Iterable[tuple[str, _Wanted, Document, Words]]) -> int:
        """Put in what is still wanted as it was made; return how many documents differ from those that were in."""
        # What changed once more while it was made is made again.
        wanted_still = [one for one in made if self._kind_of(one[2].kind).todo.get(one[0]) == one[1]]
        changed = [
            (document, words)
            for id_, _, document, words in wanted_still
            if self._contents.plane_of(document).documents.get(id_) != document
        ]
        self._contents.put(changed)
        # Only now, or a question would believe that it was answered from everything.
        for id_, wanted, document, _ in wanted_still:
            kind = self._kind_of(document.kind)
            del kind.todo[id_]
            kind.taken[id_] = wanted.item
            if wanted.tags:
                self._tags[id_] = wanted.tags
            else:
                self._tags.pop(id_, None)
        return len(changed)

    def _kind_of(self, kind: DocumentKind) -> _Kind:
        return {"decision": self._decisions, "element": self._elements, "note": self._notes}[kind]


def _document(wanted: _Wanted) -> Document:
    match wanted.item:
        case Note():
            return note_document(wanted.item)
        case Element():
            return element_document(wanted.item, wanted.tags)
        case Decision():
            return decision_document(wanted.item)
