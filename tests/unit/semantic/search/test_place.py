"""Which passage a question quotes, and what hangs beside that passage."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from semantic.fields import Document, note_document
from semantic.search.place import MAX_LINKS, Place, beside, find_place
from semantic.search.web import Web
from semantic.vault.contract import Contract
from semantic.vault.library import Library

LINE = "We moved the nightly backup away from the old tape robot to [[Cold Store]] last spring"
CUT = "We moved the nightly backup away from the old tape robot to last spring"


class Vault:
    """Notes of a few lines, by title."""

    def __init__(self, root: Path, **notes: str) -> None:
        for title, text in notes.items():
            (root / f"{title.replace('_', ' ')}.md").write_text(text, "utf-8")
        self.ids: dict[str, str] = {}
        self.documents: dict[str, Document] = {}
        self.web = Web()
        library = Library({"v": root}, Contract(), lambda: datetime(2026, 11, 30, tzinfo=UTC), UTC)
        library.reconcile()
        for note in library.snapshot().values():
            document = note_document(note)
            self.ids[note.title] = note.id
            self.documents[note.id] = document
            self.web.put(note.id, document.targets)

    def place(self, question: str) -> Place | None:
        pieces = [
            (id_, unit.section)
            for id_, document in self.documents.items()
            for unit in document.units
            if unit.section is not None
        ]
        return find_place(question, pieces, self.documents)

    def beside(self, question: str) -> dict[str, float]:
        place = self.place(question)
        assert place is not None
        titles = {id_: title for title, id_ in self.ids.items()}
        found = beside(place, self.documents, self.web, self.web.neighbors)
        return {titles[id_]: score for id_, score in found}

    def named(self, question: str) -> set[str]:
        place = self.place(question)
        assert place is not None
        return {title for title, id_ in self.ids.items() if id_ in place.named}


def test_a_question_that_quotes_a_passage_stands_there(tmp_path: Path) -> None:
    vault = Vault(tmp_path, Backup=f"# Backup\n\nintro\n\n{LINE}\n", Cold_Store="cheap disks")
    place = vault.place(CUT)
    assert place is not None
    assert place.document == vault.ids["Backup"]
    assert place.linked == (vault.ids["Cold Store"],)


@pytest.mark.parametrize(
    "question",
    [
        "the old tape robot",  # short: many may say so
        "Why was the nightly backup of the old robot moved to a store for tape last year in spring",
        "",
    ],
)
def test_a_question_in_words_of_its_own_stands_nowhere(tmp_path: Path, question: str) -> None:
    assert Vault(tmp_path, Backup=f"{LINE}\n").place(question) is None


def test_scripts_without_spaces_and_marks_of_emphasis(tmp_path: Path) -> None:
    vault = Vault(
        tmp_path,
        Zettel="- 卡片笔记是一种自下而上的笔记方法，来自 [[卢曼]]\n- the _very_ long story of how it all began\n",
    )
    assert vault.place("卡片笔记是一种自下而上的笔记方法，来自") is not None
    assert vault.place("the very long story of how it all began") is not None


def test_what_the_question_names_of_the_quoted_line_is_given_and_nothing_else_is(tmp_path: Path) -> None:
    text = "- maps of the vault are [[Method]], [[Evidence]] and also [[Limits]] of it\n- and so on to [[Other]]\n"
    vault = Vault(tmp_path, Home=text, Method="", Evidence="", Limits="", Other="")
    assert vault.named("maps of the vault are Method, Evidence and also of it") == {"Method", "Evidence"}


def test_what_answers_a_question_in_the_same_line_is_not_given(tmp_path: Path) -> None:
    vault = Vault(
        tmp_path, Index="- how to bring the service to the machines of others: [[Deployment]]\n", Deployment=""
    )
    assert vault.named("how to bring the service to the machines of others") == set()


def test_what_other_passages_link_to_beside_it_hangs_there(tmp_path: Path) -> None:
    vault = Vault(
        tmp_path,
        Source=f"{LINE}\n",
        Cold_Store="",
        Tape="",
        Far="",
        Review="# One\n\n[[Cold Store]] and [[Tape]]\n\n# Two\n\n[[Far]]\n",
    )
    found = vault.beside(CUT)
    assert found["Tape"] > 0
    assert "Far" not in found


def test_a_long_list_says_less_of_each_than_a_short_one(tmp_path: Path) -> None:
    many = " ".join(f"[[N{number}]]" for number in range(30))
    vault = Vault(
        tmp_path,
        Source=f"{LINE}\n",
        Cold_Store="",
        Near="",
        List=f"[[Cold Store]] {many}\n",
        Pair="[[Cold Store]] [[Near]]\n",
        **{f"N{number}": "" for number in range(30)},
    )
    found = vault.beside(CUT)
    assert found["Near"] > 10 * found["N3"]


def test_what_has_a_neighbour_in_common_hangs_there(tmp_path: Path) -> None:
    vault = Vault(
        tmp_path, Source=f"{LINE}\n\nsee [[Shared]]\n", Cold_Store="", Shared="", Sibling="see [[Shared]]\n", Alone=""
    )
    found = vault.beside(CUT)
    assert found["Sibling"] > 0
    assert "Alone" not in found
    assert "Source" not in found


def test_a_hub_brings_nothing_together(tmp_path: Path) -> None:
    crowd = {f"C{number}": "see [[Cold Store]] and [[Near]]\n" for number in range(MAX_LINKS + 1)}
    found = Vault(tmp_path, Source=f"{LINE}\n", Cold_Store="", Near="", **crowd).beside(CUT)
    assert found == {}
