"""Can the search find the note that an author linked, once the link is cut out of the sentence?

Each question is a sentence of a note with its wikilink taken out; what is wanted is the note that the link led to. It
is asked twice. ``link out``: the note that holds the sentence has lost all its links to the wanted one, and stays; it
is no answer, but what it links to otherwise, and what links to it, may lead on. ``source out``: the whole note is out
of the vault, so that neither its text nor any of its links can lead there.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memoryd.bench.cutting import without_links
from memoryd.bench.errors import BenchDataError
from memoryd.bench.interval import bootstrap_mean
from memoryd.bench.table import Table
from memoryd.embedding.cache import VectorCache, as_stored
from memoryd.parts import shelf_of
from memoryd.paths import find_paths
from memoryd.settings import load_settings
from memoryd.text.embedder import Embedder
from memoryd.text.hit import Found
from semantic.model import Note
from semantic.projection.picture import Projection
from semantic.search.index import SemanticIndex
from semantic.search.matrix import Vector
from semantic.search.query import SemanticQuery
from semantic.vault.contract import Contract
from semantic.vault.library import Library

DEPTHS = (1, 5, 10)
LINK_OUT, SOURCE_OUT = SETTINGS = ("link out", "source out")
COLUMNS = ("vault", "cut", "half", "way", "questions", *(f"hit@{depth}" for depth in DEPTHS), "95 % of hit@5")
HALVES = ("tuned on", "held out")
LOAD_S = 120.0
_ASKED = 100
_BATCH = 32


@dataclass(frozen=True, slots=True)
class Cut:
    """A sentence without its link: paths of the note that holds it and of the one that it led to."""

    source: str
    target: str
    sentence: str

    @property
    def half(self) -> str:
        """Return the half that the question is of, told by its source alone."""
        return HALVES[hashlib.sha256(self.source.encode()).digest()[0] % 2]


def read_cuts(gold: Path, vault: str) -> list[Cut]:
    """Return the questions of one vault from a JSON-lines file.

    Raises:
        BenchDataError: The file cannot be read, or has none for this vault.
    """
    try:
        rows = [json.loads(line) for line in gold.read_text("utf-8").splitlines() if line.strip()]
        cuts = [Cut(row["source"], row["target"], row["query_link_removed"]) for row in rows if row["vault"] == vault]
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise BenchDataError(f"{gold}: the questions cannot be read: {error!r}") from error
    if not cuts:
        raise BenchDataError(f"{gold} has no question for the vault {vault}")
    return cuts


class CutVault:
    """One vault, searchable, of which one note, or a note's links to another, may be missing."""

    def __init__(self, folder: Path) -> None:
        library = Library({"v": folder}, Contract(), lambda: datetime.now(UTC), UTC)
        library.reconcile()
        self.notes: dict[str, Note] = dict(library.snapshot())
        self.ids = {note.path: note.id for note in self.notes.values()}
        self._shown: Mapping[str, Note] = self.notes
        self._known = Projection(elements={}, decisions={})
        self.index = SemanticIndex(lambda: (self._known, self._shown))
        self.index.upkeep.update()
        self._vectors: dict[str, Vector] = {}
        self._embedder: Embedder | None = None
        self._cache: VectorCache | None = None

    def embed(self, embedder: Embedder, cache: VectorCache | None, tell: Callable[[str], None]) -> None:
        """Give every piece its vector; those that the cache has are not made anew."""
        self._embedder, self._cache = embedder, cache
        total = self.index.count_wanting(embedder.fingerprint)
        texts = [text for _, text in self.index.wanting_vectors(embedder.fingerprint, total)]
        self._make(embedder, texts, tell)
        self._fill()

    @contextmanager
    def cut(self, cut: Cut, setting: str) -> Iterator[None]:
        """Take out the note that holds a question's sentence, or only its links to what is wanted."""
        source = self.ids[cut.source]
        self._shown = {id_: note for id_, note in self.notes.items() if id_ != source}
        if setting == LINK_OUT:
            self._shown = {**self._shown, source: without_links(self.notes[source], self.ids[cut.target])}
        try:
            self.index.upkeep.update()
            self._fill()
            yield
        finally:
            self._shown = self.notes

    def ask(self, cut: Cut, *, dense: bool, spreads: bool = False, quotes: bool = False, lexical: bool = True) -> Found:
        """Ask for a sentence, of the vault as it is cut."""
        query = SemanticQuery(
            cut.sentence, limit=_ASKED, dense=dense, spreads=spreads, quotes=quotes, lexical=lexical, priors=False
        )
        return self.index.search(query, self._known, self._shown, self._embedder if dense else None)

    def _fill(self) -> None:
        """Give pieces their vectors: of a note that was away, and of lines that have lost a link."""
        embedder = self._embedder
        if embedder is None:
            return
        wanting = self.index.wanting_vectors(embedder.fingerprint, len(self._vectors) + _ASKED)
        self._make(embedder, [text for _, text in wanting], lambda _: None)
        vectors = {handle: self._vectors[text] for handle, text in wanting}
        self.index.add_vectors(embedder.fingerprint, embedder.dimension, vectors)

    def _make(self, embedder: Embedder, texts: Sequence[str], tell: Callable[[str], None]) -> None:
        new = [text for text in texts if text not in self._vectors]
        if self._cache is not None and new:
            self._vectors |= self._cache.get_many(embedder.fingerprint, new)
        missing = sorted({text for text in new if text not in self._vectors}, key=len)
        for first in range(0, len(missing), _BATCH):
            some = missing[first : first + _BATCH]
            made = dict(zip(some, as_stored(embedder.embed_passages(some)), strict=True))
            if self._cache is not None:
                self._cache.put_many(embedder.fingerprint, made)
            self._vectors |= made
            tell(f"{first + len(some)} of {len(missing)} pieces got a vector")


def open_cut(name: str, folder: Path, gold: Path) -> tuple[CutVault, list[Cut]]:
    """Return a vault and the questions whose notes it has; ``name`` is what the questions call it.

    Raises:
        BenchDataError: There is nothing to ask.
    """
    vault = CutVault(folder)
    cuts = [cut for cut in read_cuts(gold, name) if {cut.source, cut.target} <= vault.ids.keys()]
    if not cuts:
        raise BenchDataError(f"{folder} has none of the notes that {gold} asks for")
    return vault, cuts


def wikilink_table(
    vaults: Mapping[str, Path],
    gold: Path,
    *,
    embedder: Embedder | None = None,
    cache: VectorCache | None = None,
    seed: int = 7,
    tell: Callable[[str], None] = lambda _: None,
) -> Table:
    """Return how often the wanted note stands among the first, arm by arm.

    Args:
        vaults: Name, as the questions have it, to folder.
        gold: The questions, JSON lines ``{vault, source, query_link_removed, target}``.
        embedder: The model; without one the rows with vectors are left out.
        cache: Where vectors are kept from one run to the next.
        seed: Of the intervals.
        tell: Told what is being done.

    Raises:
        BenchDataError: There is nothing to ask.
    """
    rows: list[Sequence[object]] = []
    for name, folder in vaults.items():
        vault, cuts = open_cut(name, folder, gold)
        if embedder is not None:
            vault.embed(embedder, cache, tell)
        ranks: dict[tuple[str, str], list[int]] = {}
        for setting in SETTINGS:
            for number, cut in enumerate(cuts, 1):
                with vault.cut(cut, setting):
                    for way, found in _ways(vault, cut, with_vectors=embedder is not None):
                        ranks.setdefault((setting, way), []).append(_rank(found, vault, cut))
                tell(f"{name}, {setting}: {number} of {len(cuts)} questions asked")
        for (setting, way), found_at in ranks.items():
            for half in (*HALVES, "all"):
                picked = [rank for rank, cut in zip(found_at, cuts, strict=True) if half in {"all", cut.half}]
                rows.append((name, setting, half, way, len(picked), *_shares(picked), _interval(picked, seed)))
    facts = {"seed": seed, "model": "none" if embedder is None else embedder.fingerprint}
    return Table("Finding what an author linked", COLUMNS, rows, facts)


def run_wikilinks(
    folders: Sequence[Path],
    gold: Path,
    *,
    model: str | None = None,
    cache: Path | None = None,
    seed: int = 7,
    tell: Callable[[str], None] = lambda _: None,
) -> Table:
    """Return the table of vaults in folders of their names, with a model of this installation by name.

    Raises:
        BenchDataError: There is nothing to ask, or the model is not here.
    """
    vaults = {folder.name: folder for folder in folders}
    if model is None:
        return wikilink_table(vaults, gold, seed=seed, tell=tell)
    paths = find_paths(os.environ)
    embedder = shelf_of(load_settings(paths.config_file), paths).open(model)
    if embedder is None or not embedder.wait(LOAD_S):
        raise BenchDataError(f"the model {model} is not here; `memoryd models list` shows which are")
    kept = None if cache is None else VectorCache(cache)
    try:
        return wikilink_table(vaults, gold, embedder=embedder, cache=kept, seed=seed, tell=tell)
    finally:
        if kept is not None:
            kept.close()


def _ways(vault: CutVault, cut: Cut, *, with_vectors: bool) -> Iterable[tuple[str, Sequence[str]]]:
    """Yield each way of searching with the ids that it finds, best first."""
    plain = vault.ask(cut, dense=False)
    yield "names alone", [id_ for id_, _ in plain.arms.get("names", ())]
    yield "BM25 alone", [id_ for id_, _ in plain.arms["lexical"]]
    yield "names + BM25", [hit.id for hit in plain.hits]
    spread = vault.ask(cut, dense=False, spreads=True)
    yield "lines that link, alone", [id_ for id_, _ in spread.arms.get("lines", ())]
    yield "walk along links, alone", [id_ for id_, _ in spread.arms.get("links", ())]
    yield "names + BM25 + links", [hit.id for hit in spread.hits]
    quoted = vault.ask(cut, dense=False, spreads=True, quotes=True)
    yield "beside the quoted passage, alone", [id_ for id_, _ in quoted.arms.get("beside", ())]
    yield "names + BM25 + links + quoted passage", [hit.id for hit in quoted.hits]
    if with_vectors:
        yield "vectors alone", [hit.id for hit in vault.ask(cut, dense=True, lexical=False).hits]
        yield "names + BM25 + vectors", [hit.id for hit in vault.ask(cut, dense=True).hits]
        yield "names + BM25 + vectors + links", [hit.id for hit in vault.ask(cut, dense=True, spreads=True).hits]
        yield "all", [hit.id for hit in vault.ask(cut, dense=True, spreads=True, quotes=True).hits]


def _rank(found: Sequence[str], vault: CutVault, cut: Cut) -> int:
    """Return the place of what is wanted, from 1; 0 where it is not found. Where the sentence stands is no answer."""
    wanted, source = vault.ids[cut.target], vault.ids[cut.source]
    others = [id_ for id_ in found if id_ != source]
    return others.index(wanted) + 1 if wanted in others else 0


def _shares(ranks: Sequence[int]) -> list[float]:
    return [sum(0 < rank <= depth for rank in ranks) / max(1, len(ranks)) for depth in DEPTHS]


def _interval(ranks: Sequence[int], seed: int) -> str:
    low, high = bootstrap_mean([float(0 < rank <= 5) for rank in ranks], seed=seed)
    return f"{low:.3f} to {high:.3f}"
