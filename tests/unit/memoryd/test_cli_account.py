"""The account of an answer, as a person reads it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memoryd.cli.account import describe_account
from memoryd.router.recall import Recall
from memoryd.router.request import RecallRequest
from memoryd.text.hit import ArmScore, Found, Hit

AT = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)


class Store:
    """A store that gives what it was made with."""

    def __init__(self, *hits: Hit) -> None:
        arms = {"lexical": tuple((hit.id, hit.score) for hit in hits)}
        self.found = Found(hits, (), arms, ("the words of the question count 0.35 beside its meaning",) if hits else ())

    def search(self, query: object, embedder: object) -> Found:
        return self.found


def test_it_tells_who_found_what_and_what_became_of_it() -> None:
    lexical = {"lexical": ArmScore(1, 2.5)}
    hits = (
        Hit("ep_1", "episodic", "episode", "", "The backup failed again.", 0.9, at=AT, episode="ep_1", arms=lexical),
        Hit("ep_2", "episodic", "episode", "", "The  backup failed again.", 0.8, at=AT, episode="ep_2"),
        Hit("ep_3", "episodic", "episode", "", "The backup ran.", 0.7, at=AT, episode="ep_3"),
    )
    recall = Recall(episodic=Store(*hits), semantic=Store(), clock=lambda: AT + timedelta(days=1))
    answer = recall.recall(RecallRequest("When did the backup fail in March 2026?", explain=True, limit=1))
    assert answer.explanation is not None
    lines = list(describe_account(answer.explanation.as_json(), [{"id": "ep_1"}]))
    text = "\n".join(lines)
    assert "language: English; a search" in text
    assert 'cue: past tense ("did")' in text
    assert 'time: "March 2026" is 2026-03-01' in text or 'time: "in March 2026" is 2026-03-01' in text
    assert "    lexical: 3 found: ep_1 (hit 1) 0.900, ep_2 0.800, ep_3 0.700" in lines
    assert "ep_1 (hit 1): 1.00 from lexical #1 (2.500)" in text
    assert "merged: ep_2 into ep_1 (hit 1): the same text" in text
    assert "over the limit: ep_3" in text
    assert "judged as an answer: 100% of the telling words" in text
    assert "note: the words of the question count 0.35 beside its meaning" in text
