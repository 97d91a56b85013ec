"""Whether what was found has to do with what was asked."""

from __future__ import annotations

import pytest

from memoryd.render.gate import DEPTH, LEAST_ROWS, leads_of, relevant, telling_words
from memoryd.text.hit import ArmScore, Hit

CART = Hit("ep_1", "episodic", "episode", "Cart discount", "The discount lies with the cart row after a reload.", 1.0)
QUEUE = Hit("el_1", "semantic", "element", "job queue", "Jobs wait in Postgres.", 0.9)


def kept(prompt: str, *hits: Hit, named: tuple[str, ...] = ()) -> list[str]:
    return [one.id for one in relevant(prompt, hits or (CART, QUEUE), named=named)]


@pytest.mark.parametrize(
    "prompt",
    [
        "Why does the cart lose its discount?",
        "the discount is gone from the cart again",
        "Warum verliert der Cart den Discount nach dem Reload?",
    ],
)
def test_a_prompt_gets_what_shares_its_words(prompt: str) -> None:
    assert kept(prompt) == ["ep_1"]


@pytest.mark.parametrize(
    "prompt",
    [
        "ok", "yes, go on", "thanks!", "fix it please", "write a haiku about rain in spring",
        "Can you look at the last test and make it work?", "mach weiter", "and now the same for the other file",
        "What is a good discount for students at the museum of modern art in the summer season?",
        "", "???", "继续",
    ],
)  # fmt: skip
def test_an_irrelevant_prompt_gets_nothing(prompt: str) -> None:
    assert kept(prompt) == []


def test_a_known_thing_that_is_named_is_meant() -> None:
    assert kept("restart the job queue", named=("job queue",)) == ["el_1"]
    assert kept("restart it", named=()) == []


def test_an_identifier_alone_is_enough() -> None:
    hit = Hit("ep_2", "episodic", "episode", "x", "E1234 came from src/cart.py again", 1.0)
    assert kept("what about E1234?", hit) == ["ep_2"]
    assert kept("look at src/cart.py", hit) == ["ep_2"]


def test_scripts_without_spaces_are_read_in_pairs() -> None:
    hit = Hit("ep_3", "episodic", "episode", "购物车", "购物车的折扣在刷新后消失了。", 1.0)
    assert kept("购物车的折扣为什么消失了?", hit) == ["ep_3"]
    assert kept("今天天气怎么样?", hit) == []


def test_what_is_very_near_in_meaning_needs_no_shared_word() -> None:
    near = Hit(
        "ep_4", "episodic", "episode", "Rabatt", "Der Warenkorb verliert ihn.", 1.0, arms={"dense": ArmScore(1, 0.93)}
    )
    far = Hit(
        "ep_5", "episodic", "episode", "Rabatt", "Der Warenkorb verliert ihn.", 1.0, arms={"dense": ArmScore(1, 0.8)}
    )
    assert kept("basket loses its reduction", near, far) == ["ep_4"]


def test_what_a_prompt_is_made_of_tells_nothing() -> None:
    assert telling_words("please fix the failing test of the cart") == {"failing": 0.4, "cart": 1.0}
    assert telling_words("rename cartRow in src/cart.py") == {"cartRow": 2.0, "src/cart.py": 2.0}


PROMPT = "Add a cache in front of the sessions API; which cache do we use here?"
EVERYDAY = Hit("ep_6", "episodic", "episode", "Thursday", "add options; maybe API sessions at the conference", 1.0)
VALKEY = Hit("el_2", "semantic", "element", "Valkey", "in-memory cache for sessions", 0.9)


def test_words_of_any_project_do_not_make_a_find_relevant() -> None:
    """A day of years ago that shares "add", "API" and "sessions" with a prompt says nothing on its cache."""
    leads = {"ep_6": 0.012, "el_2": 0.043}
    assert [one.id for one in relevant(PROMPT, (EVERYDAY, VALKEY), leads=leads)] == ["el_2"]
    assert relevant(PROMPT, (EVERYDAY, VALKEY)) == []


def test_a_find_far_down_the_list_of_vectors_needs_nearly_all_words() -> None:
    some = Hit("ep_7", "episodic", "episode", "x", "The flaky visual tests failed again.", 1.0)
    assert relevant("How did we solve the flaky reconnect of the websocket?", (some,), leads={"ep_8": 0.05}) == []
    assert relevant("flaky visual tests", (some,), leads={"ep_8": 0.05}) == [some]


def test_a_lead_is_counted_from_the_background_of_its_own_store() -> None:
    near = (("no_0", 0.9), *((f"no_{number}", 0.8) for number in range(1, DEPTH + 20)))
    few = tuple((f"ep_{number}", 0.9) for number in range(LEAST_ROWS - 1))
    leads = leads_of([{"dense": near}, {"dense": few}, {"lexical": near}])
    assert leads is not None
    assert leads["no_0"] == pytest.approx(0.099)
    assert leads["no_1"] == 0.0
    assert len(leads) == DEPTH
    assert leads_of([{"dense": few}, {}]) is None
