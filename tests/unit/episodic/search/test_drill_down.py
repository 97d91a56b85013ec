"""From a hit of any kind to the entry, its day and its kept transcript."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from episodic.engine.port import dense_collection
from episodic.errors import TranscriptMissing, UnknownEpisode
from episodic.journal.excerpt import excerpt_path
from episodic.search.arms import EpisodicQuery
from episodic.store import EpisodicStore
from episodic.testing import AT, new
from memoryd.text.hit import Hit

LONG = "\n\n".join(f"Paragraph {n} says the pump of unit{n} was tuned. " * 6 for n in range(12))


def only(store: EpisodicStore, question: str) -> Hit:
    (hit,) = store.search(EpisodicQuery(question), None).hits
    return hit


@pytest.fixture
def filled(store: EpisodicStore, journal: Path) -> EpisodicStore:
    store.append(new("the walrus sleeps", title="Zoo"))
    store.append(new(LONG, title="Pumps", at=AT + timedelta(minutes=1)))
    store.append(
        new(
            "we talked of kites",
            session="s1",
            turn="t1",
            at=AT + timedelta(minutes=2),
            title="Kites",
            transcript=excerpt_path("s1", "t1"),
            excerpt="User: which kite?\n\nAgent: the one with the thermocline tail.",
        )
    )
    (journal / f"{AT:%Y-%m-%d}-hand.md").write_text("## 09:00 By hand\nthe ocelot purrs\n", "utf-8")
    store.reconcile()
    return store


@pytest.mark.parametrize(
    ("question", "kind", "starts"),
    [
        ("walrus", "episode", "the walrus sleeps"),
        ("unit7", "section", "Paragraph 0 says"),
        ("ocelot", "episode", "the ocelot purrs"),
        ("thermocline", "section", "we talked of kites"),
    ],
)
def test_each_kind_of_hit_leads_on(filled: EpisodicStore, question: str, kind: str, starts: str) -> None:
    hit = only(filled, question)
    assert hit.kind == kind
    for id_ in (hit.id, hit.episode):
        assert id_ is not None
        assert filled.get(id_).id == hit.episode
        assert filled.context_of(id_, "section").startswith(starts)
        day = filled.context_of(id_, "day")
        for text in ("the walrus sleeps", "pump of unit7", "we talked of kites", "the ocelot purrs"):
            assert text in day


def test_a_turn_leads_to_its_transcript_and_others_say_that_they_have_none(filled: EpisodicStore) -> None:
    assert "thermocline tail" in filled.context_of(only(filled, "kites").id, "transcript")
    assert "which kite?" in filled.context_of(only(filled, "thermocline").id, "transcript")
    with pytest.raises(TranscriptMissing):
        filled.context_of(only(filled, "unit7").id, "transcript")


@pytest.mark.parametrize("id_", ["0" * 32, "ep_nothing", "x", "", dense_collection("m")])
def test_an_id_of_nothing_is_unknown(filled: EpisodicStore, id_: str) -> None:
    with pytest.raises(UnknownEpisode):
        filled.get(id_)
    with pytest.raises(UnknownEpisode):
        filled.context_of(id_, "day")
