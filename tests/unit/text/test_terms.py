from __future__ import annotations

import unicodedata

import pytest

from memoryd.text.terms import MAX_TERM, TERM_IDS, term_id, terms


def finds(query: str, text: str) -> bool:
    """Tell whether a search gives the text a score at all."""
    return bool(set(terms(query)) & set(terms(text)))


def whole(query: str, text: str) -> bool:
    """Tell whether the text holds every term of the query."""
    return set(terms(query)) <= set(terms(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t.,;!?()[]{}\"'", []),
        ("use use", ["use", "use"]),
        ("getUserName", ["getusernam", "get", "user", "nam"]),
        ("user_name", ["user_name", "user", "nam"]),
        ("foo-bar", ["foo-bar", "foo", "bar"]),
        ("HTTPServer", ["httpserv", "http", "serv"]),
        ("v1.2.3", ["v1.2.3", "1.2.3", "v1", "2", "3"]),
        ("ERR-4021", ["err-4021", "err", "4021"]),
        ("E0308", ["e0308", "0308"]),
        ("src/a/b.py", ["src/a/b.py", "src", "a", "b.py", "b", "py"]),
        ("20,000", ["20,000", "20000", "20", "000"]),
        ("C++ C# f#", ["c++", "c#", "f#"]),
        ("don't", ["dont"]),
        ("Mia's", ["mia"]),
        ("\u91d1", ["金"]),
        ("移行は", ["移行", "行は", "移", "行"]),
        ("🦉☕\ufe0f", ["🦉", "☕"]),
        ("APIs IDs", ["api", "id"]),
        ("\ud800 x", ["x"]),
    ],
)
def test_terms_of(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("昨日は成語しりとりをした。データベースの移行は延期。", "しりとり"),
        ("昨日は成語しりとりをした。データベースの移行は延期。", "移行"),
        ("今天玩成语接龙游戏，备份任务失败", "成语接龙"),
        ("今天玩成语接龙游戏，备份任务失败", "备份"),
        ("黒猫がいる", "猫"),
        ("집에 간다", "집"),
        ("we don't use agents for billing", "don't use agents"),
        ("we don\u2019t use agents", "don't"),
        ("see Downloads/transcripts/a.md", "Downloads/transcripts"),
        ("grüne Ampel", "grune"),
        ("Gro\u0308sse", "Grösse"),
        ("Straße", "STRASSE"),
        ("Ｗｉｄｅ ﾃﾞｰﾀ", "wide データ"),
        ("naïve café", "naive cafe"),
        ("İstanbul", "istanbul"),
        ("Işık", "isik"),
        ("ёлка", "елка"),
        ("Αθήνα", "ΑΘΗΝΑ"),
        ("σοφός", "ΣΟΦΟΣ"),
        ("l\u2019homme", "homme"),
        ("soft\u00adhyphen", "softhyphen"),
        ("zero\u200bwidth", "zero"),
        ("Łódź smørrebrød", "lodz smorrebrod"),
        ("release v2.10.0-rc1 today", "2.10.0"),
        ("in memoryd/text/terms.py:42", "terms.py"),
        ("call parse_blocks now", "parseBlocks parse blocks"),
        ("the SQLite file", "sqlite"),
        ("हिन्दी किताबें", "किताब"),
        ("العَرَبِيَّة", "العربية"),
        ("моско\u0301вский", "московский"),
    ],
)
def test_finds(text: str, query: str) -> None:
    assert finds(query, text)


@pytest.mark.parametrize(
    "query", ["C++ && rm -rf", '"unbalanced', "100%", "a*b (c)", "\x00", "\udcff", "'" * 50, "_" * 9]
)
def test_no_query_raises(query: str) -> None:
    assert isinstance(terms(query), list)


def test_full_and_half_width_and_compositions_are_one() -> None:
    assert terms("ＡＰＩ") == terms("API")
    assert terms(unicodedata.normalize("NFD", "Größe é")) == terms("Größe é")


@pytest.mark.parametrize(("one", "other"), [("résumé", "resume"), ("Ångström", "Angstrom")])
def test_the_accented_form_stands_beside_the_bare_one(one: str, other: str) -> None:
    assert set(terms(one)) > set(terms(other)) or set(terms(one)) & set(terms(other))
    assert set(terms(one)) - set(terms(other))


def test_a_vowel_sign_or_a_letter_of_its_own_is_no_accent() -> None:
    assert not finds("йод", "иод")
    assert terms("किताब") != terms("कतब")


def test_whole_identifiers_are_asked_whole() -> None:
    for name in ("ERR-4021", "src/a/b.py", "v1.2.3", "user_name", "a@b.com", "2026-11-30", "14:05", "std::vector"):
        assert name.casefold() in terms(name)
        assert whole(name, f"before {name}, after")


def test_long_tokens_are_cut_and_stay_findable() -> None:
    blob = "QUJD" * 10_000
    assert terms(blob) == [blob.casefold()[:MAX_TERM]]
    address = "https://example.org/" + "segment/" * 40 + "page.html"
    assert "page.html" in terms(address)
    assert max(map(len, terms(address))) <= MAX_TERM


def test_no_languages_mean_no_stems() -> None:
    assert terms("running houses", ()) == ["running", "houses"]
    assert terms("Häuser", ["de"]) == terms("Haus", ("de",))


def test_ids_are_fixed_for_ever() -> None:
    assert term_id("memory") == 3081666162
    assert term_id("移行") == 3606154856
    assert 0 <= term_id("") < TERM_IDS
    assert all(0 <= term_id(f"t{number}") < TERM_IDS for number in range(1000))


def test_ids_of_a_vocabulary_hardly_collide() -> None:
    assert len({term_id(f"word{number}") for number in range(50_000)}) > 49_990
