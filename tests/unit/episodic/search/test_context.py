"""What the entries around a short one lend it, and what they do not."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from episodic.search.arms import CONTEXT, EpisodicQuery
from episodic.search.context import MOST, REACH, SHARE
from episodic.store import EpisodicStore
from episodic.testing import AT, WordEmbedder, embed_all, make_store, new
from memoryd.text.hit import Hit

ASKED = "Which colour did you paint the falcon shed?"
REPLY = "Dark green, two coats."
QUESTION = "colour of the falcon shed"


def talk(store: EpisodicStore, *texts: str, session: str | None = "s1", start: int = 0) -> list[str]:
    """Write a session, a minute an entry; return the ids."""
    return [
        store.append(new(text, at=AT + timedelta(minutes=start + number), session=session)).episode.id
        for number, text in enumerate(texts)
    ]


def hits(store: EpisodicStore, question: str = QUESTION, **fields: object) -> dict[str, Hit]:
    embedder = WordEmbedder()
    embed_all(store, embedder)
    answer = store.search(EpisodicQuery(question, limit=30, **fields), embedder)  # type: ignore[arg-type]
    return {hit.id: hit for hit in answer.hits}


def fill(store: EpisodicStore) -> None:
    for number in range(12):
        talk(store, f"Lunch was late, note {number}.", session=f"other{number}", start=60 + number)


def test_a_short_reply_stands_behind_what_it_answers(store: EpisodicStore) -> None:
    fill(store)
    asked, reply = talk(store, ASKED, REPLY)

    found = hits(store)
    assert list(found)[:2] == [asked, reply]
    lent = found[reply].arms[CONTEXT]
    assert lent.rank == 1
    assert lent.score == pytest.approx(SHARE * found[asked].score)
    assert list(hits(store, priors=False)).index(reply) > 1


def test_what_is_lent_changes_no_score(store: EpisodicStore) -> None:
    fill(store)
    talk(store, ASKED, REPLY)

    plain = hits(store, priors=False)
    assert {id_: hit.score for id_, hit in hits(store).items()} == {id_: hit.score for id_, hit in plain.items()}
    assert all(CONTEXT not in hit.arms for hit in plain.values())


def test_neighbours_reach_so_far_and_stay_inside_the_session(store: EpisodicStore) -> None:
    far = [f"Yes {number}." for number in range(REACH + 2)]
    _, *replies = talk(store, ASKED, *far)
    (stranger,) = talk(store, "Dark blue.", session="s2", start=0)
    (alone,) = talk(store, "Dark red.", session=None, start=0)

    found = hits(store)
    assert [CONTEXT in found[id_].arms for id_ in replies] == [True] * REACH + [False] * 2
    assert CONTEXT not in found[stranger].arms
    assert CONTEXT not in found[alone].arms


def test_an_entry_in_between_that_was_not_found_still_counts(store: EpisodicStore) -> None:
    asked, *_, last = talk(store, ASKED, *(f"Filler {number}." for number in range(REACH)), "The shed.")

    found = store.search(EpisodicQuery("falcon shed"), None).hits
    assert {hit.id for hit in found} == {asked, last}
    assert all(CONTEXT not in hit.arms for hit in found)


def test_a_long_entry_speaks_for_itself(store: EpisodicStore) -> None:
    _, long = talk(store, ASKED, "Dark green it is, and many a word besides. " * 20)

    assert CONTEXT not in hits(store)[long].arms


def test_only_what_holds_a_word_of_the_question_lends(store: EpisodicStore) -> None:
    talk(store, *(f"The walrus sleeps, take {number}." for number in range(5)))
    (target,) = talk(store, "E4021", session="s2")

    found = hits(store, "E4021")
    assert next(iter(found)) == target
    assert all(CONTEXT not in hit.arms for hit in found.values())


def test_without_words_whatever_means_it_lends(store: EpisodicStore) -> None:
    _, reply = talk(store, ASKED, REPLY)

    assert CONTEXT in hits(store, lexical=False)[reply].arms


def test_no_entry_is_lent_more_than_the_bound(store: EpisodicStore) -> None:
    crowd = [f"falcon shed colour {number}" for number in range(REACH)]
    *_, middle, _, _ = talk(store, *crowd, "Green.", *(f"colour falcon shed {number}" for number in range(REACH)))

    assert hits(store)[middle].arms[CONTEXT].score == pytest.approx(MOST)


def test_a_filter_keeps_its_neighbours_out_of_the_answer_and_out_of_the_sum(store: EpisodicStore) -> None:
    asked = store.append(new(ASKED, at=AT, session="s1", project="a-00000000")).episode.id
    reply = store.append(new(REPLY, at=AT + timedelta(minutes=1), session="s1", project="b-00000000")).episode.id

    found = hits(store, project="b-00000000")
    assert asked not in found
    assert CONTEXT not in found[reply].arms


def test_it_can_be_switched_off(tmp_path: Path) -> None:
    store = make_store(tmp_path, lends_context=False)
    store.open()
    talk(store, ASKED, REPLY)

    assert all(CONTEXT not in hit.arms for hit in hits(store).values())
    store.close()


def test_an_identifier_is_not_outranked_by_what_stands_around_it(store: EpisodicStore) -> None:
    for n in range(12):
        store.append(new(f"acknowledged zeta0x{n}", at=AT + timedelta(minutes=n), session="s", turn=f"t{n}"))

    for n in range(12):
        hits = store.search(EpisodicQuery(f"zeta0x{n}"), None).hits
        assert hits[0].text == f"acknowledged zeta0x{n}"
