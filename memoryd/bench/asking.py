"""Asking the questions of a corpus: the daemon over REST, and the floor in this process."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
from rank_bm25 import BM25Okapi

from memoryd.bench.corpus import Corpus, Dialogue, Question
from memoryd.bench.daemon import OwnDaemon
from memoryd.bench.fill import Filled, Progress
from memoryd.bench.tally import Tally
from memoryd.text.rrf import min_max

TURN_DEPTHS = (5, 10, 20)
SESSION_DEPTHS = (1, 3, 5)
FLOOR = r"floor: plain BM25 (\w+)"
_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class Run:
    """What one way of searching found. ``took_ms`` has a value a question, the first one with a cold model."""

    name: str
    turns: Tally = field(default_factory=lambda: Tally(TURN_DEPTHS))
    sessions: Tally = field(default_factory=lambda: Tally(SESSION_DEPTHS))
    took_ms: list[float] = field(default_factory=list)


class Examiner:
    """Asks all questions of a corpus that a home was filled with.

    Args:
        corpus: Renumbered, so that the ids of its turns are unique.
        filled: Where its turns went.
        pooled: Search among the turns of all dialogues, not of the question's own alone.
    """

    def __init__(self, corpus: Corpus, filled: Filled, *, pooled: bool) -> None:
        self._corpus = corpus
        self._filled = filled
        self._pooled = pooled
        self._turn_of = {episode: turn for turn, episode in filled.episodes.items()}
        turns = [turn for dialogue in corpus.dialogues for turn in dialogue.turns]
        self._session_of = {turn.id: turn.session for turn in turns if turn.session is not None}
        self._at = {turn.id: turn.at for turn in turns}

    def ask(self, daemon: OwnDaemon, name: str, progress: Progress, *, store: str = "episodic") -> Run:
        """Ask as a client does; with ``auto`` the router chooses, and what is no entry takes a place in vain."""
        run = Run(name)
        for number, question in enumerate(self._corpus.questions, start=1):
            started = time.perf_counter()
            hits = daemon.post("/v1/recall", self._body(question, store))["hits"]
            run.took_ms.append((time.perf_counter() - started) * 1000)
            self._score(run, question, [self._turn_of.get(hit.get("episode", ""), "") for hit in hits])
            if number % 25 == 0:
                progress(f"{name}: {number} of {len(self._corpus.questions)} questions")
        return run

    def ask_min_max(self, daemon: OwnDaemon, name: str, progress: Progress) -> Run:
        """Ask with ``explain``, and fuse the arms' own lists by stretched scores instead of ranks."""
        run = Run(name)
        for number, question in enumerate(self._corpus.questions, start=1):
            account = daemon.post("/v1/recall", {**self._body(question), "explain": True})["explain"]
            arms = account["stores"]["episodic"]["arms"]
            lists = {
                arm: [(row["id"], row["score"]) for row in arms[arm]] for arm in ("lexical", "dense") if arm in arms
            }
            found = [self._turn_of.get(one.id, "") for one in min_max(lists)]
            self._score(run, question, self._inside_first(found, account["range"])[: max(TURN_DEPTHS)])
            if number % 25 == 0:
                progress(f"{name}: {number} of {len(self._corpus.questions)} questions")
        return run

    def ask_plainly(self) -> Run:
        """Ask a textbook BM25 over lower-cased words, on the same texts."""
        run = Run(FLOOR)
        pools: Sequence[Sequence[Dialogue]] = [self._corpus.dialogues]
        if not self._pooled:
            pools = [[dialogue] for dialogue in self._corpus.dialogues]
        for pool in pools:
            turns = [turn for dialogue in pool for turn in dialogue.turns]
            index = BM25Okapi([_WORD.findall(turn.text.lower()) for turn in turns], k1=1.2, b=0.75)
            known = {dialogue.id for dialogue in pool}
            for question in self._corpus.questions:
                if question.dialogue in known:
                    started = time.perf_counter()
                    scores = index.get_scores(_WORD.findall(question.text.lower()))
                    best = np.argsort(-scores, kind="stable")[: max(TURN_DEPTHS)]
                    run.took_ms.append((time.perf_counter() - started) * 1000)
                    self._score(run, question, [turns[place].id for place in best])
        return run

    def _body(self, question: Question, store: str = "episodic") -> dict[str, Any]:
        body: dict[str, Any] = {"query": question.text, "store": store, "limit": max(TURN_DEPTHS)}
        if store == "episodic":
            body["kinds"] = ["episode"]
        return body if self._pooled else {**body, "project": self._filled.projects[question.dialogue]}

    def _score(self, run: Run, question: Question, found: Sequence[str]) -> None:
        run.turns.add(question.turns, found, kind=question.kind)
        sessions = [self._session_of[turn] for turn in found if turn in self._session_of]
        run.sessions.add(question.sessions, sessions, kind=question.kind)

    def _inside_first(self, found: Sequence[str], span: dict[str, Any] | None) -> list[str]:
        """Put first what lies in the span that was read from the question, as the product does."""
        if span is None:
            return list(found)
        since, until = (datetime.fromisoformat(span[edge]) if span[edge] else None for edge in ("since", "until"))

        def is_outside(turn: str) -> bool:
            at = self._at.get(turn)
            return at is None or (since is not None and at < since) or (until is not None and at >= until)

        return sorted(found, key=is_outside)
