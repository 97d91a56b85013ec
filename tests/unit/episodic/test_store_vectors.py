"""Vectors and the two arms."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from episodic.search.arms import EpisodicQuery
from episodic.store import EpisodicStore
from episodic.testing import AT, WordEmbedder, embed_all, new


def test_vectors_are_wanted_newest_first_and_once(store: EpisodicStore) -> None:
    for n in range(3):
        store.append(new(f"entry {n}", at=AT + timedelta(hours=n)))
    embedder = WordEmbedder()

    assert [text for _, text in store.wanting_vectors(embedder.fingerprint, 2)] == ["entry 2", "entry 1"]
    assert embed_all(store, embedder) == 3
    assert store.wanting_vectors(embedder.fingerprint, 9) == []
    assert store.counts().vectors == {embedder.fingerprint: 3}
    store.reconcile()
    assert embed_all(store, embedder) == 0


def test_headings_and_anchors_are_not_embedded(store: EpisodicStore) -> None:
    store.append(new("body", title="Title", project="p-00000000"))

    assert [text for _, text in store.wanting_vectors("x", 9)] == ["body"]


def test_a_front_matter_change_or_an_inserted_line_embeds_nothing_again(store: EpisodicStore, journal: Path) -> None:
    day = journal / "2026-11-29.md"
    day.write_text("---\ntags: a\n---\n## One 10:00\nbody one\n\n## Two\nbody two\n", "utf-8")
    store.reconcile()
    embedder = WordEmbedder()
    embed_all(store, embedder)
    day.write_text("---\ntags: [b, c]\n---\nnew line\n\n## One 10:00\nbody one\n\n## Two\nbody two\n", "utf-8")
    store.refresh([day])

    assert [text for _, text in store.wanting_vectors(embedder.fingerprint, 9)] == ["new line"]


def test_both_arms_agree_and_say_so(store: EpisodicStore) -> None:
    for text in ("the falcon key is nine", "the heron key is ten", "nothing of the kind"):
        store.append(new(text))
    embedder = WordEmbedder()
    partly = store.search(EpisodicQuery("falcon"), embedder)
    assert partly.degraded == ("3 chunks are not embedded yet",)
    embed_all(store, embedder)

    answer = store.search(EpisodicQuery("falcon key"), embedder)
    assert answer.degraded == ()
    first = answer.hits[0]
    assert (first.text, first.score) == ("the falcon key is nine", 1.0)
    assert {arm: score.rank for arm, score in first.arms.items()} == {"lexical": 1, "dense": 1}
    assert answer.hits[1].score < 1.0
    assert answer.arms["lexical"][0][0] == first.id


def test_what_was_just_written_is_not_ranked_below_all_that_has_a_vector(store: EpisodicStore) -> None:
    embedder = WordEmbedder()
    store.append(new("a falcon sat on the mast while we rowed home"))
    embed_all(store, embedder)
    store.append(new("falcon, the falcon"))

    assert store.search(EpisodicQuery("falcon", priors=False), embedder).hits[0].text == "falcon, the falcon"


def test_vectors_of_another_size_never_mix(store: EpisodicStore) -> None:
    store.append(new())
    embed_all(store, WordEmbedder(fingerprint="small", dimension=8))
    wide = WordEmbedder(fingerprint="wide", dimension=16)

    assert store.search(EpisodicQuery("walrus"), wide).degraded == ("1 chunk is not embedded yet",)
    embed_all(store, wide)
    assert store.search(EpisodicQuery("walrus"), wide).hits[0].arms["dense"].rank == 1


def test_a_model_that_fails_leaves_the_words(store: EpisodicStore) -> None:
    store.append(new())
    embed_all(store, WordEmbedder())

    class Failing(WordEmbedder):
        def embed_query(self, text: str):  # type: ignore[no-untyped-def]
            raise RuntimeError("no memory")

    answer = store.search(EpisodicQuery("walrus"), Failing())
    assert [hit.text for hit in answer.hits] == ["the walrus sleeps"]
    assert answer.degraded == ("the model failed (RuntimeError: no memory): lexical only",)


def test_the_number_of_vectors_is_kept_right_through_every_change(store: EpisodicStore, journal: Path) -> None:
    def counted() -> int:
        with store._manifest.reading() as connection:
            found: int = connection.execute("SELECT COUNT(*) FROM vectors").fetchone()[0]
        return found

    embedder = WordEmbedder()
    entries = [store.append(new(f"falcon {n}")).episode for n in range(4)]
    store.reconcile()
    assert store.counts().vectors == {}
    embed_all(store, embedder)
    assert store.counts().vectors == {embedder.fingerprint: counted()} == {embedder.fingerprint: 4}

    store.forget([entries[0].id])
    day = journal / "2026-11-30.md"
    day.write_text(day.read_text("utf-8").replace("falcon 1", "heron 1").replace("## 14:05", "## 14:06"), "utf-8")
    store.refresh([day])
    assert store.counts().vectors == {embedder.fingerprint: counted()}
    missing, present = store._documents.vector_counts(embedder.fingerprint)
    assert (missing, present) == (3 - counted(), counted())
    embed_all(store, embedder)
    embed_all(store, embedder)
    assert store.counts().vectors == {embedder.fingerprint: 3}
    assert store._documents.vector_counts(embedder.fingerprint) == (0, 3)
    assert store._documents.vector_counts("unheard") == (3, 0)


def test_a_model_of_another_size_is_never_mixed_with_the_old_one(store: EpisodicStore) -> None:
    """BH18: after a change of model old vectors answer nothing, and it is said until there are new ones."""
    for text in ("the falcon key is nine", "the heron key is ten"):
        store.append(new(text))
    embed_all(store, WordEmbedder(fingerprint="small", dimension=8))
    large = WordEmbedder(fingerprint="large", dimension=16)

    between = store.search(EpisodicQuery("falcon key", lexical=False), large)
    assert (between.hits, between.degraded) == ((), ("2 chunks are not embedded yet",))
    embed_all(store, large)
    after = store.search(EpisodicQuery("falcon key", lexical=False), large)
    assert after.degraded == ()
    assert after.hits[0].text == "the falcon key is nine"
    assert all(hit.score > 0 for hit in after.hits)
    assert store.counts().vectors == {"small": 2, "large": 2}
