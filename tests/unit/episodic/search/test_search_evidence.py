"""Words and meaning side by side: neither a small word nor a likeness may outrank what answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from episodic.search.arms import EpisodicQuery
from episodic.store import EpisodicStore
from episodic.testing import embed_all, make_store, new
from memoryd.text.embedder import Vectors


class SenseEmbedder:
    """Gives texts vectors by what they are about, as a table says; others are about nothing in particular."""

    fingerprint = "senseembedder"
    dimension = 16

    def __init__(self, **senses: Sequence[str]) -> None:
        self._sense = {text: place for place, texts in enumerate(senses.values()) for text in texts}

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        vector = np.full(self.dimension, 0.3, np.float32)
        vector[15] = len(text) % 7 / 10
        if text in self._sense:
            vector[self._sense[text]] += 1
        return vector / np.float32(np.linalg.norm(vector))


PARAPHRASES = [
    (
        "When did I have dental treatment?",
        "Tuesday: got a filling in my lower left molar.",
        "When I have time I will paint the fence, and the treatment of the wood comes first.",
    ),
    ("which database do we use", "stack is FastAPI + PostgreSQL", "we don't use agents for billing"),
    ("Was verträgt sie nicht?", "Mia bekommt Ausschlag von Erdnüssen.", "Das ist nicht das, was sie gesagt hat."),
    (
        "Combien a coûté la réparation ?",
        "La facture du garage : 420 euros.",
        "La réparation de la paix a une histoire.",
    ),
    ("Сколько стоил ремонт?", "Счёт из сервиса: 420 евро.", "Сколько можно ждать ремонт лифта."),
    ("修车花了多少钱？", "换了刹车片，账单四百二十欧元。", "他没有问多少人会来。"),
]


@pytest.mark.parametrize(("question", "right", "wrong"), PARAPHRASES)
def test_what_answers_in_other_words_stands_before_what_shares_small_words(
    tmp_path: Path, question: str, right: str, wrong: str
) -> None:
    """BH39's first half: "which database do we use" is not answered by "we don't use agents for billing"."""
    store = make_store(tmp_path)
    store.open()
    for text in (wrong, "soup for lunch", right, "the garden is green", "a walk by the lake"):
        store.append(new(text))
    embedder = SenseEmbedder(answer=(question, right))
    embed_all(store, embedder)
    assert store.search(EpisodicQuery(question), embedder).hits[0].text == right
    store.close()


EXACT = [
    ("what did we do about ERR-4021 in the nightly build?", "ERR-4021 was a full disk."),
    ("why does src/app/main.py fail", "Fixed a missing import in src/app/main.py."),
    ("where do we call getUserName from", "getUserName returns null for guests."),
    ("what changed in v1.2.3", "Released v1.2.3 with the new parser."),
    ("what does Zbigniew like for lunch", "Zbigniew ordered pierogi."),
    ("备份任务怎么样了", "备份任务失败，磁盘满了。"),
    ("しりとりはどうだった", "昨日は成語しりとりをした。"),
    ("E0308 コンパイルエラーの原因", "rustc E0308: 型が合わない。"),
]


@pytest.mark.parametrize(("question", "right", "size"), [*((*one, 12) for one in EXACT), (*EXACT[0], 60)])
def test_what_names_a_thing_exactly_is_not_sunk_by_a_likeness(
    tmp_path: Path, question: str, right: str, size: int
) -> None:
    """BH20 among others: the model finds many entries nearer, and the one that holds the name is still first."""
    store = make_store(tmp_path)
    store.open()
    liked = [f"Entry {n} is on how the nightly work went and what was done about lunch." for n in range(size - 1)]
    for text in (*liked, right):
        store.append(new(text))
    embedder = SenseEmbedder(liked=(question, *liked))
    embed_all(store, embedder)
    assert store.search(EpisodicQuery(question), embedder).hits[0].text == right
    store.close()


@pytest.mark.parametrize("query", ["しりとり", "移行", "成语接龙", "备份"])
def test_cjk_words_are_found_by_words_alone(store: EpisodicStore, query: str) -> None:
    """BH20."""
    texts = {"j": "昨日は成語しりとりをした。データベースの移行は延期。", "c": "今天玩成语接龙游戏，备份任务失败"}
    for text in texts.values():
        store.append(new(text))
    hits = store.search(EpisodicQuery(query, dense=False), None).hits
    assert [hit.text for hit in hits[:1]] == [texts["j" if query in texts["j"] else "c"]]


@pytest.mark.parametrize(
    "query", ["don't use agents", "Downloads/transcripts", "C++ && rm -rf", '"unbalanced', "100%", "a*b (c)"]
)
def test_signs_in_a_question_are_no_syntax(store: EpisodicStore, query: str) -> None:
    """BH19."""
    store.append(new("we don't use agents for billing"))
    hits = store.search(EpisodicQuery(query), None).hits
    assert [hit.text for hit in hits] == (["we don't use agents for billing"] if query == "don't use agents" else [])


def test_first_in_both_arms_scores_clearly_above_first_in_one(store: EpisodicStore) -> None:
    """BH21: 1 is first in every arm; half of it is first in one."""
    both, meant = "the walrus invoice was paid", "a sea animal settled its bill"
    for text in (both, meant, *(f"entry {n} on lunch" for n in range(8))):
        store.append(new(text))
    embedder = SenseEmbedder(answer=("walrus invoice", both), near=(meant,))
    embed_all(store, embedder)
    hits = store.search(EpisodicQuery("walrus invoice", priors=False), embedder).hits
    assert hits[0].text == both
    assert hits[0].score == pytest.approx(1.0)
    assert hits[1].score < 0.6


def test_the_account_says_what_the_words_counted(store: EpisodicStore) -> None:
    store.append(new("the practice moved"))
    embedder = SenseEmbedder()
    embed_all(store, embedder)
    (note,) = store.search(EpisodicQuery("dental practice"), embedder).notes
    assert note.startswith("the words of the question count 0.")
    assert note.endswith("1 of its terms stand nowhere")
    assert store.search(EpisodicQuery("dental practice"), None).notes == ()
