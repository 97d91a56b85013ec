"""Finding what happened: two arms, one fused list, one hit an episode.

The score of a hit is the reciprocal rank fusion divided by its highest possible value. What the entries around a
short one lend it, and soft priors (recency, the project at hand, the session at hand) only change the order, and can be
switched off.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta

from episodic.engine.port import Filter, FloatArray, Scored, weights_collection
from episodic.errors import EngineError
from episodic.index.documents import Documents
from episodic.index.finding import Finding, Findings
from episodic.index.timeline import Timeline, micros
from episodic.index.upkeep import Index
from episodic.search.collapse import Candidate, Collapsed, appended, with_sources
from episodic.search.context import MOST, Surroundings
from memoryd.text.embedder import Embedder, Weights, lexical_of
from memoryd.text.evidence import AskedWords, weigh_words
from memoryd.text.hit import ArmScore, Found, Hit
from memoryd.text.rrf import Fused, fuse
from memoryd.text.terms import terms
from memoryd.text.window import Window

LEXICAL_ARM = "lexical"
DENSE_ARM = "dense"
LEARNED_ARM = "learned"
"""Token weights that a model such as bge-m3 gives: words again, weighed by what they mean where they stand."""
CONTEXT = "context"
_FAR_AHEAD = 1.3
"""By this factor the first of the lexical search has to beat the second to keep its place whatever is lent."""
"""The name under which the account of an answer shows what the entries around a hit lent it."""
_WEIGHTS = {LEXICAL_ARM: 1.0, DENSE_ARM: 0.9}
"""Where one arm's first meets the other's, the one that holds the words wins: a name or a code stands before all."""
_WITH_LEARNED = {LEXICAL_ARM: 0.6, DENSE_ARM: 0.9, LEARNED_ARM: 0.4}
"""The two arms of words share what one has alone; exact terms keep the larger part: they find paths and codes."""
_EXACT = 1.5
"""What the words count where the question names something exactly: a code, a path, a name that few entries hold."""
_RECENCY, _PROJECT, _SESSION = 0.02, 0.10, 0.03
# The project at hand outweighs one rank at the top of both arms; the others only break near-ties.
_EXCERPT = 0.8
"""What a turn's excerpt weighs beside the entry that says the same in fewer words: some three ranks."""
_HALF_LIFE_US = timedelta(days=30) // timedelta(microseconds=1)
_AT_ONCE = 8
"""So many searches of arms may be under way, of all questions together."""
_LEAST_POOL, _MOST_POOL = 100, 1_000


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
        dense: Search by meaning; where the model weighs tokens too, by these as well.
        lexical: Search by words.
        priors: Let recency, project, session and the entries around a short one change the order.
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
        surroundings: Surroundings | None,
        *,
        languages: Sequence[str],
        rrf_k: int,
        clock: Callable[[], datetime],
    ) -> None:
        self._documents = documents
        self._index = index
        self._timeline = timeline
        self._findings = findings
        self._surroundings = surroundings
        self._languages = tuple(languages)
        self._rrf_k = rrf_k
        self._clock = clock
        self._arms = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="arm")

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
            hits = self._hits(query, asked, inside, query.limit)
        if not hits:
            hits = self._hits(query, asked, query.window, query.limit)
        elif len(hits) < query.limit:
            # Whole: what is said inside may be said outside too, at any rank.
            hits = appended(hits, self._hits(query, asked, query.window, None))
        return Found(tuple(hits[: query.limit]), tuple(asked.degraded), asked.arms, asked.notes)

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
        asked.words = weigh_words(query.text, words, frequencies, documents, self._languages)

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
                asked.degraded.append(f"{missing} {'chunk is' if missing == 1 else 'chunks are'} not embedded yet")
            if present:
                weighing = lexical_of(embedder)
                if weighing is None:
                    asked.vector = embedder.embed_query(query.text)
                else:
                    asked.vector, asked.learned = weighing.query_both(query.text)
                asked.fingerprint = fingerprint
        except Exception as error:  # noqa: BLE001 - whatever a model raises, the words still answer
            asked.degraded.append(f"the model failed ({type(error).__name__}: {error}): lexical only")

    def _hits(self, query: EpisodicQuery, asked: _Asked, window: Window, most: int | None) -> list[Hit]:
        pool = min(max(_LEAST_POOL, 3 * query.limit), _MOST_POOL)
        where = _filter(query, window, self._timeline.project_ids)
        ranked: dict[str, Scored] = {}
        searches = self._searches(asked, where, pool)
        # The engine works on them side by side; whoever asks waits for the slowest, not for the sum. One is done here.
        begun = {arm: self._arms.submit(ask).result for arm, ask in list(searches.items())[1:]}
        for arm, ask in searches.items():
            try:
                ranked[arm] = begun.get(arm, ask)()
            except EngineError as error:
                asked.add_degraded(f"the index does not answer the {arm} search: {error}")
        if not ranked:
            return []
        rankings = {arm: [id_ for id_, _ in rows] for arm, rows in ranked.items()}
        fused = fuse(
            rankings,
            k=self._rrf_k,
            weights=_weights(rankings, asked.words),
            blind=self._blind(asked, rankings),
            shares=_shares(ranked),
            tails={LEXICAL_ARM: 1 - asked.evidence} if len(rankings.get(LEXICAL_ARM, ())) < pool else {},
        )
        findings = self._findings.load([one.id for one in fused])
        raised: dict[str, float] = {}
        if query.priors:
            lent = self._lent(fused, findings, ranked)
            if lent:
                ranked[CONTEXT] = sorted(lent.items(), key=lambda pair: (-pair[1], pair[0]))
                raised = lent | _kept_ahead(ranked.get(LEXICAL_ARM, []))
            fused = sorted(
                fused, key=lambda one: -(one.score + raised.get(one.id, 0.0)) * _place_prior(findings.get(one.id))
            )
        collapsed = Collapsed()
        is_bounded = bool(window)
        for one in fused:
            finding = findings.get(one.id)
            if finding is None or (is_bounded and not window.holds(finding.at)):
                continue
            asked.name(one.id, finding, query)
            collapsed.add(finding, one.score)
        asked.keep_arms(ranked)
        # Only what is shown is made whole.
        chosen = self._ordered(query, collapsed.candidates, raised)[:most]
        arms = _arm_scores(ranked, [one.finding.id for one in chosen])
        told = self._findings.told([one.finding for one in chosen])
        return [
            with_sources(one.finding.hit(told[id_], one.score, arms[id_], kinds=query.kinds), one.sources)
            for one in chosen
            if (id_ := one.finding.id) in told
        ]

    def _lent(
        self, fused: Sequence[Fused], findings: Mapping[str, Finding], ranked: Mapping[str, Scored]
    ) -> dict[str, float]:
        if self._surroundings is None:
            return {}
        scores = {one.id: one.score for one in fused}
        return self._surroundings.lend(findings, scores, lenders=_lenders(ranked, scores))

    def _blind(self, asked: _Asked, rankings: Mapping[str, Sequence[str]]) -> dict[str, set[str]]:
        """Return what the model's arms could not have ranked: pieces without a vector yet, such as the newest."""
        found = [id_ for ids in rankings.values() for id_ in ids]
        blind: dict[str, set[str]] = {}
        if DENSE_ARM in rankings and asked.lacks_vectors:
            blind[DENSE_ARM] = self._documents.without_vector(asked.fingerprint, found)
        if LEARNED_ARM in rankings:
            blind[LEARNED_ARM] = self._documents.without_vector(weights_collection(asked.fingerprint), found)
        return blind

    def _searches(self, asked: _Asked, where: Filter, pool: int) -> dict[str, Callable[[], Scored]]:
        searches: dict[str, Callable[[], Scored]] = {}
        words, vector, learned = asked.words, asked.vector, asked.learned
        if words is not None:
            searches[LEXICAL_ARM] = lambda: self._index.search_lexical(words.weights, where, pool)
        if vector is not None:
            searches[DENSE_ARM] = lambda: self._index.search_dense(asked.fingerprint, vector, where, pool)
        if learned is not None:
            searches[LEARNED_ARM] = lambda: self._index.search_weights(asked.fingerprint, learned, where, pool)
        return searches

    def _ordered(self, query: EpisodicQuery, candidates: list[Candidate], lent: Mapping[str, float]) -> list[Candidate]:
        now_us = micros(self._clock())
        near = () if query.near_project is None else self._timeline.project_ids(query.near_project)

        def key(one: Candidate) -> tuple[float, float, str]:
            found = one.finding
            weighted = one.score
            if query.priors:
                weighted = (one.score + lent.get(found.id, 0.0)) * prior(found, query, now_us, near)
            return -weighted, -found.at_us, found.hit_id(kinds=query.kinds)

        return sorted(candidates, key=key)


def _lenders(ranked: Mapping[str, Scored], scores: Mapping[str, float]) -> list[str]:
    """Return the pieces that hold a word of the question; where words were not searched, all that were found."""
    return [id_ for id_, _ in ranked[LEXICAL_ARM]] if LEXICAL_ARM in ranked else list(scores)


def _kept_ahead(rows: Scored) -> dict[str, float]:
    """Raise the piece whose words match far better than those of any other, so that no lender passes it.

    Whoever asks for an error code or a path wants the entry that holds it, not what stands around it.
    """
    if not rows or (len(rows) > 1 and rows[0][1] < _FAR_AHEAD * rows[1][1]):
        return {}
    return {rows[0][0]: MOST}


class _Asked:
    """A query on its way: what each arm asks, and what is to be said about it."""

    def __init__(self, query: EpisodicQuery) -> None:
        self._query = query
        self.words: AskedWords | None = None
        self.vector: FloatArray | None = None
        self.learned: Weights | None = None
        self.fingerprint = ""
        self.lacks_vectors = False
        self.degraded: list[str] = []
        self.arms: dict[str, tuple[tuple[str, float], ...]] = {}
        self._names: dict[str, str] = {}

    @property
    def evidence(self) -> float:
        """What a match of the question's words is worth, 0 to 1."""
        return 0.0 if self.words is None else self.words.evidence

    @property
    def notes(self) -> tuple[str, ...]:
        """What was made of the question's words, for the account of the answer."""
        if self.words is None or self.vector is None:
            return ()
        missing = f"; {self.words.missing} of its terms stand nowhere" if self.words.missing else ""
        exact = ": it names something exactly" if self.words.is_exact else ""
        return (f"the words of the question count {self.evidence:.2f} beside its meaning{exact}{missing}",)

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


def _arm_scores(ranked: Mapping[str, Scored], ids: Sequence[str]) -> dict[str, dict[str, ArmScore]]:
    found: dict[str, dict[str, ArmScore]] = {id_: {} for id_ in ids}
    for arm, rows in ranked.items():
        for rank, (id_, score) in enumerate(rows, start=1):
            if id_ in found:
                found[id_][arm] = ArmScore(rank, score)
    return found


def prior(hit: Finding, query: EpisodicQuery, now_us: int, near: Collection[str] = ()) -> float:
    """Return the factor by which recency, project and session raise a hit (to about 1.16), and an excerpt falls.

    ``near`` are the ids under which entries of the project at hand may stand; its own is one of them in any case.
    """
    age_us = max(0, now_us - hit.at_us)
    factor: float = 1 + _RECENCY * 0.5 ** (age_us / _HALF_LIFE_US)
    if query.near_project is not None and (hit.project == query.near_project or hit.project in near):
        factor *= 1 + _PROJECT
    if query.near_session is not None and hit.session == query.near_session:
        factor *= 1 + _SESSION
    if hit.is_excerpt:
        factor *= _EXCERPT
    return factor


def _weights(arms: Collection[str], words: AskedWords | None) -> Mapping[str, float]:
    """Return what each arm's ranks count; beside a model's arms, the words count by their evidence."""
    weights = _WITH_LEARNED if LEARNED_ARM in arms else _WEIGHTS
    if words is None or len(arms) == 1 or not words.evidence:
        return weights
    return {**weights, LEXICAL_ARM: weights[LEXICAL_ARM] * (_EXACT if words.is_exact else words.evidence)}


def _shares(ranked: Mapping[str, Scored]) -> dict[str, dict[str, float]]:
    """Return what part of its rank's worth a piece gets from the words: its score over that of the best.

    Alone the words keep their plain ranks: there is nothing to weigh them against.
    """
    rows = ranked.get(LEXICAL_ARM)
    if not rows or len(ranked) == 1:
        return {}
    return {LEXICAL_ARM: {id_: max(score, 0.0) / rows[0][1] for id_, score in rows}}


def _place_prior(finding: Finding | None) -> float:
    """Return the factor by which a piece weighs before the pieces of an entry become one hit."""
    return _EXCERPT if finding is not None and finding.is_excerpt else 1.0


def _filter(query: EpisodicQuery, window: Window, project_ids: Callable[[str], Sequence[str]]) -> Filter:
    """Return the engine's filter; milliseconds are coarser than instants, so it is a little wider than the window."""
    kinds = ("section",) if query.kinds is not None and "episode" not in query.kinds else None
    return Filter(
        since_ms=None if window.since is None else micros(window.since) // 1000,
        until_ms=None if window.until is None else -(-micros(window.until) // 1000),
        project=query.project,
        also=() if query.project is None else tuple(one for one in project_ids(query.project) if one != query.project),
        session=query.session,
        kinds=kinds,
    )
