"""How hits are shown: the sentences that answer, as prose."""

from typing import Any

import pytest

from memoryd.cli.demo import QUESTIONS
from memoryd.cli.hits import describe_hits, excerpt, title_at

NOTE = """# Kunde Nordwind

Zwölf Läden in Norddeutschland. Ansprechpartnerin ist Frau Petersen.

## Export

Er läuft nachts, nie früher. Vorher exportierte Bestände sind falsch.
"""


def hit(**members: Any) -> dict[str, Any]:
    whole = {"id": "no_1", "store": "semantic", "kind": "note", "title": "T", "text": "Text.", "score": 0.5}
    return whole | {"at": "2026-11-30T14:05:12+01:00", "path": "vault:a b.md", "lines": [3, 3]} | members


def shown(one: dict[str, Any], query: str = "q") -> list[str]:
    return list(describe_hits({"query": query, "hits": [one]}))


def test_a_heading_is_no_sentence_and_the_best_section_answers() -> None:
    asked = "Was ist beim Export für Nordwind zu beachten?"
    assert excerpt(NOTE, asked, title="Kunde Nordwind") == (
        "Export: Er läuft nachts, nie früher. Vorher exportierte Bestände sind falsch."
    )
    assert excerpt(NOTE, "", title="Kunde Nordwind").startswith("Zwölf Läden")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "# Harbor\n\nHarbor takes in lists.\n\n- See [[A|the plan]]\n- [ ] and [[B#c]]",
            "Harbor takes in lists. See the plan; and B#c",
        ),
        ("1. first\n2. second", "first; second"),
        ("> [!note] Careful\n> it bites", "Careful it bites"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a, b; 1, 2"),
        ("```sh\nmake it\n```\nDone.", "make it; Done."),
        ("one\ntwo **three** [four](http://x) <!-- no --> ^anchor", "one two three four"),
        ("Term\n: what it means", "Term; what it means"),
        ("# only a heading", "# only a heading"),
        ("", ""),
    ],
)
def test_marks_of_markdown_do_not_show(text: str, said: str) -> None:
    assert excerpt(text, "", title="Harbor") == said


def test_a_long_text_shows_the_sentences_that_were_asked_for() -> None:
    text = (
        "Nothing of interest here. " * 20 + "The walrus signed the contract. It was cold. " + "More of nothing. " * 20
    )
    said = excerpt(text, "who signed the contract?", width=60)
    assert said == "The walrus signed the contract. It was cold."
    assert len(excerpt("word " * 200, "", width=60)) <= 60


def test_a_short_sentence_is_filled_up_from_the_next() -> None:
    said = excerpt("Moved it. " + "Because of this and of that, " * 10, "moved", width=80)
    assert said.startswith("Moved it. Because of this")
    assert said.endswith("…")


def test_the_lines_of_a_hit() -> None:
    assert shown(hit()) == ["", "1. note “T” (0.50)", "   Text.", "   vault:a b.md:3"]
    entry = hit(id="ep_1", store="episodic", kind="episode", title="14:05", lines=[3, 6], superseded_by="de_2")
    assert shown(entry)[1:] == [
        "1. 2026-11-30 14:05 episode (0.50)",
        "   Text.",
        "   superseded by de_2",
        "   vault:a b.md:3-6 (ep_1)",
    ]
    assert shown(hit(kind="element", path=None, lines=None, id="el_1"))[-1] == "   el_1"


def test_the_lines_of_an_element_do_not_run_together() -> None:
    text = "Sessions are kept in Valkey\nDecided 2026-03-01: The session cache is Valkey"
    element = hit(kind="element", path=None, lines=None, id="el_1", text=text)
    assert shown(element)[2] == "   Sessions are kept in Valkey; Decided 2026-03-01: The session cache is Valkey"


def test_a_title_that_is_the_time_is_none() -> None:
    assert title_at({"title": "14:05", "at": "2026-11-30T14:05:12+01:00"}) == ""
    assert title_at({"title": "14:06", "at": "2026-11-30T14:05:12+01:00"}) == "14:06"
    assert title_at({"title": "x", "at": None}) == "x"


def test_the_demo_asks_in_two_languages_and_the_readme_shows_one_of_its_answers() -> None:
    from pathlib import Path

    readme = (Path(__file__).parents[3] / "README.md").read_text("utf-8")
    [asked] = [line.removeprefix("? ") for line in readme.splitlines() if line.startswith("? ")]
    assert asked in QUESTIONS
    assert QUESTIONS[4] == "Was ist beim Export für Nordwind zu beachten?"
