"""Whether what was found has to do with what was asked."""

from __future__ import annotations

import pytest

from memoryd.render.gate import relevant, telling_words
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
    assert telling_words("please fix the failing test in the file") == {"failing": 1.0}
    assert telling_words("rename cartRow in src/cart.py") == {"cartRow": 2.0, "src/cart.py": 2.0}
