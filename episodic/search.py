"""Finding what happened: two arms, one fused list, one hit an episode.

The score of a hit is the reciprocal rank fusion divided by its highest possible value. Soft priors (recency, the
project at hand, the session at hand) only change the order, by at most some 15 percent, and can be switched off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from episodic.documents import Documents
from episodic.engine.port import Filter, FloatArray, Scored
from episodic.errors import EngineError
from episodic.finding import Finding, Findings
from episodic.index import Index
from episodic.timeline import Timeline, micros
from memoryd.text.bm25 import query_weights
from memoryd.text.embedder import Embedder
from memoryd.text.hit import ArmScore, Found, Hit
from memoryd.text.rrf import fuse
from memoryd.text.terms import terms
from memoryd.text.window import Window

LEXICAL_ARM = "lexical"
DENSE_ARM = "dense"
_RECENCY, _PROJECT, _SESSION = 0.02, 0.10, 0.03
# The project at hand outweighs one rank at the top of both arms; the others only break near-ties.
_HALF_LIFE = timedelta(days=30)
_LEAST_POOL, _MOST_POOL = 60, 1_000


@dataclass(frozen=True, slots=True)
class EpisodicQuery:
    """A question to the episodic memory.

    Attributes:
        text: May be empty: then the window is read in order.
        window: A hit lies inside.
        prefer: Hits inside come first.
        project: A hit is of this project.
        session: A hit is of this session.
        near_project: Hits of this project rank a little higher.
        near_session: Hits of this session rank a little higher.
        kinds: ``episode`` gives each find as its whole entry, ``section`` only parts of long entries; ``None`` gives
            the part that was found where an entry has several.
        limit: At most so many hits.
        dense: Search by meaning.
        lexical: Search by words.
        priors: Let recency, project and session change the order.
    """

    text: str
    window: Window = Window()  # noqa: RUF009 - frozen
    prefer: Window = Window()  # noqa: RUF009 - frozen
    project: str | None = None
    session: str | None = None
    near_project: str | None = None
    near_session: str | None = None
    kinds: tuple[str, ...] | None = None
    limit: int = 10
    dense: bool = True
    lexical: bool = True
    priors: bool = True


class EpisodicSearch:
    """Answers queries. All methods may be called from any thread."""

    def __init__(
        self,
        documents: Documents,
        index: Index,
        timeline: Timeline,
        findings: Findings,
        *,
        languages: Sequence[str],
        rrf_k: int,
        clock: Callable[[], datetime],
    ) -> None:
        self._documents = documents
        self._index = index
        self._timeline = timeline
        self._findings = findings
        self._languages = tuple(languages)
        self._rrf_k = rrf_k
        self._clock = clock

    def search(self, query: EpisodicQuery, embedder: Embedder | None) -> Found:
        """Answer a query. What it had to do without stands in ``degraded``; nothing is raised for it."""
        if query.kinds is not None and not {"episode", "section"} & set(query.kinds):
            return Found(())
        if not query.text.strip():
            return self._read(query)
        asked = _Asked(query)
        self._ask_words(query, asked)
        self._ask_meaning(query, embedder, asked)
        hits: list[Hit] = []
        if query.prefer:
            inside = query.window.narrowed(query.prefer)
            hits = self._hits(query, asked, inside)
        if len(hits) < query.limit:
            seen, said = {hit.episode for hit in hits}, {hit.text for hit in hits}
            others = self._hits(query, asked, query.window)
            hits += [hit for hit in others if hit.episode not in seen and hit.text not in said]
        return Found(tuple(hits[: query.limit]), tuple(asked.degraded), asked.arms)

    def _read(self, query: EpisodicQuery) -> Found:
        """Read a window from the timeline, in order, to its end."""
        window = query.window if query.window or not query.prefer else query.prefer
        if query.kinds is not None and "episode" not in query.kinds:
            return Found(())
        entries = self._timeline.entries(
            window, project=query.project, session=query.session, limit=query.limit, newest_first=False
        )
        left = self._timeline.count(window, project=query.project, session=query.session) - len(entries)
        hits = tuple(
            Hit(
                entry.id, "episodic", "episode", entry.title, entry.text, 1.0, path=entry.path, lines=entry.lines,
                at=entry.at, project=entry.project, session=entry.session, episode=entry.id,
            )
            for entry in entries
        )  # fmt: skip
        return Found(hits, (f"{left} later entries of this time are not shown",) if left > 0 else ())

    def _ask_words(self, query: EpisodicQuery, asked: _Asked) -> None:
        if not query.lexical:
            return
        words = terms(query.text, self._languages)
        frequencies, documents = self._documents.frequencies(words)
        asked.weights = query_weights(words, frequencies, documents)

    def _ask_meaning(self, query: EpisodicQuery, embedder: Embedder | None, asked: _Asked) -> None:
        if not query.dense:
            return
        if embedder is None:
            asked.degraded.append("no model: lexical only")
            return
        try:
            fingerprint = embedder.fingerprint
            missing, present = self._documents.vector_counts(fingerprint)
            asked.lacks_vectors = missing > 0
            if missing:
                asked.degraded.append(f"{missing} chunks not yet embedded")
            if present:
                asked.vector = embedder.embed_query(query.text)
                asked.fingerprint = fingerprint
        except Exception as error:  # noqa: BLE001 - whatever a model raises, the words still answer
            asked.degraded.append(f"the model failed ({type(error).__name__}: {error}): lexical only")

    def _hits(self, query: EpisodicQuery, asked: _Asked, window: Window) -> list[Hit]:
        pool = min(max(_LEAST_POOL, 3 * query.limit), _MOST_POOL)
        where = _filter(query, window)
        ranked: dict[str, Scored] = {}
        for arm, ask in self._searches(asked, where, pool).items():
            try:
                ranked[arm] = ask()
            except EngineError as error:
                asked.add_degraded(f"the index does not answer the {arm} search: {error}")
        if not ranked:
            return []
        rankings = {arm: [id_ for id_, _ in rows] for arm, rows in ranked.items()}
        fused = fuse(rankings, k=self._rrf_k, blind=self._blind(asked, rankings))
        scores = {arm: dict(rows) for arm, rows in ranked.items()}
        findings = self._findings.load([one.id for one in fused])
        hits: dict[str, Hit] = {}
        by_text: dict[str, str] = {}
        for one in fused:
            finding = findings.get(one.id)
            if finding is None or not window.holds(finding.at):
                continue
            asked.name(one.id, finding, query)
            if finding.episode in hits:
                continue
            arms = {arm: ArmScore(rank, scores[arm][one.id]) for arm, rank in one.ranks.items()}
            twin = by_text.get(finding.text_hash)
            if twin is not None:
                hits[twin] = _with_source(hits[twin], finding)
                continue
            by_text[finding.text_hash] = finding.episode
            hits[finding.episode] = finding.hit(one.score, arms, kinds=query.kinds)
        asked.keep_arms(ranked)
        return self._ordered(query, list(hits.values()))

    def _blind(self, asked: _Asked, rankings: Mapping[str, Sequence[str]]) -> dict[str, set[str]]:
        """Return what the dense arm could not have ranked: pieces without a vector yet, such as the newest."""
        if DENSE_ARM not in rankings or not asked.lacks_vectors:
            return {}
        found = [id_ for ids in rankings.values() for id_ in ids]
        return {DENSE_ARM: self._documents.without_vector(asked.fingerprint, found)}

    def _searches(self, asked: _Asked, where: Filter, pool: int) -> dict[str, Callable[[], Scored]]:
        searches: dict[str, Callable[[], Scored]] = {}
        weights, vector = asked.weights, asked.vector
        if weights is not None:
            searches[LEXICAL_ARM] = lambda: self._index.search_lexical(weights, where, pool)
        if vector is not None:
            searches[DENSE_ARM] = lambda: self._index.search_dense(asked.fingerprint, vector, where, pool)
        return searches

    def _ordered(self, query: EpisodicQuery, hits: list[Hit]) -> list[Hit]:
        now = self._clock()

        def key(hit: Hit) -> tuple[float, float, str]:
            assert hit.at is not None
            weighted = hit.score * prior(hit, query, now) if query.priors else hit.score
            return -weighted, -micros(hit.at), hit.id

        return sorted(hits, key=key)


class _Asked:
    """A query on its way: what each arm asks, and what is to be said about it."""

    def __init__(self, query: EpisodicQuery) -> None:
        self._query = query
        self.weights: Mapping[int, float] | None = None
        self.vector: FloatArray | None = None
        self.fingerprint = ""
        self.lacks_vectors = False
        self.degraded: list[str] = []
        self.arms: dict[str, tuple[tuple[str, float], ...]] = {}
        self._names: dict[str, str] = {}

    def add_degraded(self, reason: str) -> None:
        if reason not in self.degraded:
            self.degraded.append(reason)

    def name(self, id_: str, finding: Finding, query: EpisodicQuery) -> None:
        self._names[id_] = finding.hit_id(kinds=query.kinds)

    def keep_arms(self, ranked: Mapping[str, Scored]) -> None:
        """Keep each arm's own list by hit ids, best first, each once."""
        for arm, rows in ranked.items():
            named: dict[str, float] = dict(self.arms.get(arm, ()))
            for id_, score in rows:
                if id_ in self._names:
                    named.setdefault(self._names[id_], score)
            self.arms[arm] = tuple(sorted(named.items(), key=lambda pair: (-pair[1], pair[0])))


def prior(hit: Hit, query: EpisodicQuery, now: datetime) -> float:
    """Return the factor, 1 to about 1.16, by which recency, project and session raise a hit."""
    assert hit.at is not None
    age = max(timedelta(0), now - hit.at)
    factor: float = 1 + _RECENCY * 0.5 ** (age / _HALF_LIFE)
    if query.near_project is not None and hit.project == query.near_project:
        factor *= 1 + _PROJECT
    if query.near_session is not None and hit.session == query.near_session:
        factor *= 1 + _SESSION
    return factor


def _filter(query: EpisodicQuery, window: Window) -> Filter:
    """Return the engine's filter; milliseconds are coarser than instants, so it is a little wider than the window."""
    kinds = ("section",) if query.kinds is not None and "episode" not in query.kinds else None
    return Filter(
        since_ms=None if window.since is None else micros(window.since) // 1000,
        until_ms=None if window.until is None else -(-micros(window.until) // 1000),
        project=query.project,
        session=query.session,
        kinds=kinds,
    )


def _with_source(hit: Hit, finding: Finding) -> Hit:
    source = finding.path if finding.path != hit.path else finding.episode
    return hit if source in hit.sources else replace(hit, sources=(*hit.sources, source))
