from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from memoryd.text.stems import stems

DEFAULT = ("en", "de")


def joined(languages: tuple[str, ...], *words: str) -> bool:
    return bool(set.intersection(*(set(stems(word, languages)) for word in words)))


@pytest.mark.parametrize(
    ("languages", "words"),
    [
        (DEFAULT, ("run", "runs", "running")),
        (DEFAULT, ("decision", "decisions")),
        (DEFAULT, ("issue", "issues", "issued")),
        (DEFAULT, ("haus", "häuser", "hauses")),
        (DEFAULT, ("publikation", "publikationen")),
        (DEFAULT, ("ergebnis", "ergebnisse", "ergebnissen")),
        (DEFAULT, ("entscheidung", "entscheidungen")),
        (DEFAULT, ("apparat", "apparate", "apparats")),
        (DEFAULT, ("aktuell", "aktuelle", "aktuellen")),
        (("de", "en"), ("issue", "issues", "issued")),
        (("fr",), ("continuer", "continue", "continuait")),
        (("en", "de", "fr", "es"), ("gatos", "gato")),
        (("ru",), ("книга", "книги", "книгу")),
        (DEFAULT, ("книга", "книги", "книгу")),
        (("en", "ru"), ("ёлка", "елки")),
    ],
)
def test_inflections_meet(languages: tuple[str, ...], words: tuple[str, ...]) -> None:
    assert joined(languages, *words)


def test_most_words_have_one_stem() -> None:
    text = "the team decided to move every database from the old server into new houses near this garden"
    words = text.split()
    assert sum(len(stems(word, DEFAULT)) for word in words) <= len(words) + 1


@pytest.mark.parametrize("word", ["", "a", "be", "1234", "日本語", "한국어", "ภาษา"])
def test_words_without_a_stemmer_are_their_own_stem(word: str) -> None:
    assert stems(word, DEFAULT) == [word]


def test_no_languages_and_unknown_ones() -> None:
    assert stems("running", ()) == ["running"]
    assert stems("running", ("xx",)) == ["running"]
    assert stems("running", ("xx", "en")) == ["run"]


def test_threads_do_not_disturb_each_other() -> None:
    words = [f"running{chr(97 + n % 26)}{chr(97 + n // 26)}ings" for n in range(600)]
    expected = [stems(word, DEFAULT) for word in words]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            assert list(pool.map(lambda word: stems(word, DEFAULT), words)) == expected
