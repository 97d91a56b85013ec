"""Writing notes: BH13, BH22, BH24, behaviours 18, 19, 23, 24 and 28 as far as a write can break them."""

from __future__ import annotations

import errno
import importlib
import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from memoryd.text.canonical import sha256_hex
from memoryd.text.front_matter import split_front_matter
from semantic.errors import (
    ContractBroken,
    InvalidNote,
    NameTaken,
    NoteExists,
    NoteUnwritable,
    SecretFound,
    StaleNote,
    UnknownNote,
    WriteFailed,
)
from semantic.log.ids import note_id
from semantic.model import Note
from semantic.search.query import SemanticQuery
from semantic.store import SemanticStore
from semantic.testing import open_store
from semantic.vault.note import read_note
from semantic.writing.desk import Author

PERSON, AGENT = Author(), Author("agent:claude", "session-1")
GOOD = "---\nsummary: One line.\ntags: [type/concept]\n---\n# Queue\n\nJobs wait here.\n"


@pytest.fixture
def store(tmp_path: Path) -> SemanticStore:
    (tmp_path / "memory/vault").mkdir(parents=True)
    (tmp_path / "garden").mkdir()
    vaults = {"vault": tmp_path / "memory/vault", "garden": tmp_path / "garden"}
    made = open_store(tmp_path / "memory", vaults=vaults, clock=lambda: datetime.now(UTC))
    made.reconcile()
    return made


def etag(data: bytes) -> str:
    return sha256_hex(data)[:32]


def put(root: Path, path: str, text: str | bytes) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def test_a_note_is_made_read_changed_and_removed(store: SemanticStore, tmp_path: Path) -> None:
    made = store.desk.create("vault", "deep/er/Queue.md", GOOD, AGENT)
    file = tmp_path / "memory/vault/deep/er/Queue.md"
    assert file.read_bytes() == GOOD.encode()
    assert made.etag == etag(GOOD.encode())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert made == store.note("vault", "deep/er/Queue.md")
    changed = store.desk.change("vault", "deep/er/Queue.md", GOOD + "heron\r\n\tend", AGENT, if_match=f'"{made.etag}"')
    assert file.read_bytes() == (GOOD + "heron\r\n\tend").encode()
    assert [hit.id for hit in store.search(SemanticQuery("heron", dense=False), None).hits] == [changed.id]
    store.desk.delete("vault", "deep/er/Queue.md", if_match=changed.etag)
    assert not file.exists()
    assert store.search(SemanticQuery("heron", dense=False), None).hits == ()
    with pytest.raises(UnknownNote):
        store.note("vault", "deep/er/Queue.md")
    assert [one.name for one in file.parent.iterdir()] == []


def test_what_changed_meanwhile_is_never_overwritten(store: SemanticStore, tmp_path: Path) -> None:
    file = put(tmp_path / "garden", "A.md", "first\n")
    store.reconcile()
    seen = store.note("garden", "A.md").etag
    file.write_text("an editor's\n")  # no event was heard of
    with pytest.raises(StaleNote):
        store.desk.change("garden", "A.md", "ours\n", PERSON, if_match=seen)
    with pytest.raises(StaleNote):
        store.desk.delete("garden", "A.md", if_match=seen)
    assert file.read_text() == "an editor's\n"
    assert store.note("garden", "A.md").text == "an editor's\n"  # a read goes to the file
    file.unlink()
    with pytest.raises(StaleNote):
        store.desk.change("garden", "A.md", "ours\n", PERSON, if_match=seen)
    with pytest.raises(UnknownNote):
        store.desk.delete("garden", "A.md", if_match=seen)
    assert not file.exists()


def test_a_note_that_is_there_is_not_made_again(store: SemanticStore, tmp_path: Path) -> None:
    put(tmp_path / "garden", "Cafe\u0301.md", "e and an accent\n")
    with pytest.raises(NoteExists):
        store.desk.create("garden", "Caf\u00e9.md", "x", PERSON)
    with pytest.raises(NameTaken) as taken:
        store.desk.create("garden", "CAF\u00c9.md", "x", PERSON)
    assert [one.name for one in taken.value.candidates] == ["garden:Caf\u00e9.md"]
    note = store.note("garden", "Caf\u00e9.md")
    store.desk.change("garden", "Caf\u00e9.md", "changed\n", PERSON, if_match=note.etag)
    assert [one.name for one in (tmp_path / "garden").iterdir()] == ["Cafe\u0301.md"]


def test_modes_outside_our_own_vault_stay(store: SemanticStore, tmp_path: Path) -> None:
    file = put(tmp_path / "garden", "A.md", "first\n")
    file.chmod(0o640)
    (tmp_path / "garden").chmod(0o755)
    store.desk.change("garden", "A.md", "second\n", PERSON, if_match=etag(b"first\n"))
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    store.desk.create("garden", "new/B.md", "b\n", PERSON)
    assert stat.S_IMODE((tmp_path / "garden/new").stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "garden/new/B.md").stat().st_mode) == 0o644


@pytest.mark.parametrize(
    "path",
    [
        "../out.md", "a/../../out.md", "/etc/out.md", "a//b.md", "a/./b.md", "nul\0.md", "a\\b.md", ".hidden.md",
        ".obsidian/a.md", "a/.git/x.md", "no-note.txt", ".md", "CON.md", "lpt1.x.md", "a:b.md", "a?.md", "a#b.md",
        "a[b].md", " a.md", "a .md", "dir./a.md", "a..md", "x" * 260 + ".md", "A.MD", "line\nbreak.md", "\ud800.md",
    ],
)  # fmt: skip
def test_paths_that_lead_elsewhere_or_that_some_system_refuses(store: SemanticStore, tmp_path: Path, path: str) -> None:
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InvalidNote):
        store.desk.create("garden", path, GOOD, PERSON)
    assert sorted(tmp_path.rglob("*")) == before


def test_links_do_not_lead_out_of_the_vault(store: SemanticStore, tmp_path: Path) -> None:
    outside = put(tmp_path / "outside", "secret.md", "secret\n")
    garden = tmp_path / "garden"
    (garden / "file.md").symlink_to(outside)
    (garden / "folder").symlink_to(outside.parent)
    (garden / "loop.md").symlink_to(garden / "loop.md")
    os.mkfifo(garden / "pipe.md")
    put(garden, "real.md", "real\n")
    (garden / "alias.md").symlink_to(garden / "real.md")
    for path in ("file.md", "folder/secret.md", "loop.md", "pipe.md"):
        with pytest.raises(InvalidNote):
            store.desk.change("garden", path, "x", PERSON, if_match="*")
        with pytest.raises(UnknownNote):
            store.note("garden", path)
    with pytest.raises(InvalidNote):
        store.desk.create("garden", "folder/new.md", "x", PERSON)
    assert outside.read_text() == "secret\n"
    store.desk.change("garden", "alias.md", "through\n", PERSON, if_match=etag(b"real\n"))
    assert (garden / "real.md").read_text() == "through\n"
    assert (garden / "alias.md").is_symlink()


def test_what_the_vault_leaves_alone_is_left_alone(store: SemanticStore, tmp_path: Path) -> None:
    put(tmp_path / "garden", ".memorydignore", "private/\n")
    put(tmp_path / "garden", ".obsidian/daily-notes.json", '{"folder": "Daily"}')
    for path in ("private/a.md", "Daily/2026-11-30.md"):
        with pytest.raises(InvalidNote):
            store.desk.create("garden", path, "x", PERSON)
    with pytest.raises(UnknownNote):
        store.desk.create("nowhere", "a.md", "x", PERSON)
    (tmp_path / "garden").rename(tmp_path / "away")
    with pytest.raises(NoteUnwritable):
        store.desk.create("garden", "a.md", "x", PERSON)


def test_an_agents_note_keeps_the_contract_and_a_persons_is_listed(store: SemanticStore, tmp_path: Path) -> None:
    """BH24: what nobody can read is not put in the place of what somebody can."""
    made = store.desk.create("garden", "Q.md", GOOD, AGENT)
    unreadable = "---\ntitle: a: b: c\ntags: [x\n---\nbody\n"
    for text in ("no front matter\n", unreadable, GOOD.replace("type/concept", "topic/x")):
        with pytest.raises(ContractBroken) as broken:
            store.desk.change("garden", "Q.md", text, AGENT, if_match=made.etag)
        assert broken.value.violations
    assert (tmp_path / "garden/Q.md").read_text() == GOOD
    note = store.desk.change("garden", "Q.md", unreadable, PERSON, if_match=made.etag)
    assert (tmp_path / "garden/Q.md").read_text() == unreadable
    assert note.violations
    assert note in store.notes(broken=True)
    with pytest.raises(SecretFound):
        store.desk.create("garden", "S.md", "ghp_" + "a1B2" * 9 + "\n", AGENT)
    with pytest.raises(SecretFound):
        store.desk.create("garden", "ghp_" + "a1B2" * 9 + ".md", GOOD, AGENT)


def test_a_credential_in_a_note_of_a_person_is_stored_and_listed(store: SemanticStore, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    note = store.desk.create("garden", "S.md", f"{GOOD}\n{secret}\n", PERSON)
    assert secret in (tmp_path / "garden/S.md").read_text()
    (violation,) = note.violations
    assert violation.startswith("line 9 holds what looks like a GitHub token")
    assert secret not in violation
    assert note in store.notes(broken=True)
    assert store.check(note.text, "garden", "S.md") == (violation,)
    clean = store.desk.change("garden", "S.md", GOOD, PERSON, if_match=note.etag)
    assert clean.violations == ()


def test_bytes_that_nobody_asked_to_change_stay(store: SemanticStore, tmp_path: Path) -> None:
    mark = put(tmp_path / "garden", "mark.md", "\ufeff---\nsummary: BOM\n---\nbody\r\n")
    note = store.note("garden", "mark.md")
    store.desk.change("garden", "mark.md", note.text, PERSON, if_match=note.etag)
    assert mark.read_bytes() == "\ufeff---\nsummary: BOM\n---\nbody\r\n".encode()
    bad = put(tmp_path / "garden", "bad.md", b"caf\xe9 and more\n")
    note = store.note("garden", "bad.md")
    with pytest.raises(InvalidNote):
        store.desk.change("garden", "bad.md", note.text + "x", PERSON, if_match=note.etag)
    assert bad.read_bytes() == b"caf\xe9 and more\n"
    for text in ("nul \0", "half \ud800"):
        with pytest.raises(InvalidNote):
            store.desk.create("garden", "new.md", text, PERSON)


def test_a_failed_write_leaves_everything_as_it_was(
    store: SemanticStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BH13: success is told only of what is stored."""
    file = put(tmp_path / "garden", "A.md", "first\n")

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NoteUnwritable):
        store.desk.change("garden", "A.md", "second\n", PERSON, if_match="*")
    with pytest.raises(NoteUnwritable):
        store.desk.create("garden", "B.md", "b\n", PERSON)
    monkeypatch.undo()
    assert [one.name for one in (tmp_path / "garden").iterdir()] == ["A.md"]
    assert file.read_text() == "first\n"


TITLES = [
    "a: b", 'say "hi"', "it's", "two\nlines", "# no comment", "a #b", "- dash", "null", "yes", "2026-01-01", "🦊 fox",
    "[x", "{y}", "*star", "&and", "%pct", "@at", "`tick`", "!bang", "| pipe", "> fold", "  spaced ", "1e3", "0x10", "~",
    "",
]  # fmt: skip


@pytest.mark.parametrize("title", TITLES)
def test_hard_titles_are_read_alike_by_every_parser(store: SemanticStore, tmp_path: Path, title: str) -> None:
    """Behaviour 19: written, read back, and read by two other parsers of YAML."""
    quoted = '"' + title.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    text = f"---\n# kept\ntitle: {quoted}\nsummary: One line.\nunknown: {{a: 1}}\ntags: [type/concept]\n---\nbody\n"
    note = store.desk.create("garden", "T.md", text, AGENT)
    stored = (tmp_path / "garden/T.md").read_bytes().decode()
    assert stored == text
    raw = stored.split("---\n")[1]
    assert note.front_matter["title"] == title
    assert split_front_matter(stored).data["title"] == title
    assert YAML(typ="safe", pure=True).load(raw)["title"] == title
    assert importlib.import_module("yaml").safe_load(raw)["title"] == title


# Moving


def test_a_move_mends_links_in_every_form(store: SemanticStore, tmp_path: Path) -> None:
    """Behaviour 24: only the target of a link changes, in the manner in which it was written."""
    garden = tmp_path / "garden"
    old = '[[Old]] ![[Old#Head|shown]] [[Old#^b]] [[dir/Old]] [[Old.md]] [t](dir/Old.md) [u](<dir/Old.md#H> "w")\n'
    table = "| a |\n|---|\n| [[Old\\|x]] |\n\n`[[Old]]`\n\n```\n[[Old]]\n```\n\n[ref]: dir/Old.md\n"
    put(garden, "dir/Old.md", "# Old\n\n[[#Head]] [near](./Near.md) [[Near]]\n")
    put(garden, "dir/Near.md", "[[../dir/Old]] [back](./Old.md)\r\n")
    put(garden, "S.md", '---\n# [[Old]]\nup: "[[Old]]"\n---\n' + old + table)
    store.reconcile()
    plan = store.desk.plan_move(("garden", "dir/Old.md"), ("garden", "new place/New (1).md"))
    assert [one.path for one in plan.changes] == ["S.md", "dir/Near.md", "new place/New (1).md"]
    assert plan.left == ()
    assert "-[[../dir/Old]] [back](./Old.md)" in plan.changes[1].diff
    assert (garden / "dir/Old.md").exists()
    done = store.desk.move(("garden", "dir/Old.md"), ("garden", "new place/New (1).md"), AGENT)
    assert done.changes == plan.changes
    assert (garden / "S.md").read_text() == (
        '---\n# [[Old]]\nup: "[[New (1)]]"\n---\n'
        "[[New (1)]] ![[New (1)#Head|shown]] [[New (1)#^b]] [[new place/New (1)]] [[New (1).md]] "
        '[t](new%20place/New%20%281%29.md) [u](<new%20place/New%20%281%29.md#H> "w")\n'
        "| a |\n|---|\n| [[New (1)\\|x]] |\n\n`[[Old]]`\n\n```\n[[Old]]\n```\n\n[ref]: new%20place/New%20%281%29.md\n"
    )
    near = (garden / "dir/Near.md").read_bytes()
    assert near == b"[[../new place/New (1)]] [back](../new%20place/New%20%281%29.md)\r\n"
    assert (garden / "new place/New (1).md").read_text() == "# Old\n\n[[#Head]] [near](../dir/Near.md) [[Near]]\n"
    assert not any(link.target is None for note in store.notes() for link in note.links)
    decision = store.decision(done.decision or "")
    assert decision.mutations[0] == {
        "op": "rename", "id": note_id("garden", "dir/Old.md"), "name": "garden:new place/New (1).md",
    }  # fmt: skip
    assert decision.actor == "agent:claude"
    assert store.projection().shown(note_id("garden", "dir/Old.md")) == done.id


def test_an_ambiguous_link_is_never_guessed(store: SemanticStore, tmp_path: Path) -> None:
    """Behaviour 23."""
    garden = tmp_path / "garden"
    put(garden, "a/Same.md", "one")
    put(garden, "b/Same.md", "two")
    source = put(garden, "a/S.md", "[[Same]] [[a/Same]]")
    store.reconcile()
    done = store.desk.move(("garden", "a/Same.md"), ("garden", "c/Other.md"), PERSON)
    assert source.read_text() == "[[Same]] [[c/Other]]"
    assert [(one.path, one.line, one.written) for one in done.left] == [("a/S.md", 1, "Same")]


def test_a_move_into_a_name_that_others_mean_keeps_their_meaning(store: SemanticStore, tmp_path: Path) -> None:
    garden = tmp_path / "garden"
    put(garden, "deep/down/B.md", "the meant one")
    put(garden, "x/A.md", "moves")
    source = put(garden, "S.md", "[[B]]")
    store.reconcile()
    store.desk.move(("garden", "x/A.md"), ("garden", "B.md"), PERSON)
    assert source.read_text() == "[[deep/down/B]]"
    [link] = store.note("garden", "S.md").links
    assert link.target == note_id("garden", "deep/down/B.md")


def test_a_move_there_and_back_and_there_again(store: SemanticStore, tmp_path: Path) -> None:
    put(tmp_path / "garden", "A.md", "a")
    store.reconcile()
    for source, target in (("A.md", "B.md"), ("B.md", "A.md"), ("A.md", "B.md")):
        store.desk.move(("garden", source), ("garden", target), PERSON)
    assert store.projection().shown(note_id("garden", "A.md")) == note_id("garden", "B.md")


def test_what_a_move_refuses(store: SemanticStore, tmp_path: Path) -> None:
    put(tmp_path / "garden", "A.md", "a")
    put(tmp_path / "garden", "B.md", "b")
    store.reconcile()
    for target, error in (
        (("garden", "B.md"), NoteExists), (("garden", "A.md"), InvalidNote), (("vault", "A.md"), InvalidNote),
        (("garden", "../C.md"), InvalidNote), (("garden", "b.md"), NameTaken),
    ):  # fmt: skip
        with pytest.raises(error):
            store.desk.plan_move(("garden", "A.md"), target)
    with pytest.raises(UnknownNote):
        store.desk.plan_move(("garden", "Z.md"), ("garden", "Y.md"))
    with pytest.raises(StaleNote):
        store.desk.move(("garden", "A.md"), ("garden", "C.md"), PERSON, if_match="0" * 32)
    assert sorted(one.name for one in (tmp_path / "garden").iterdir()) == ["A.md", "B.md"]


def test_a_move_that_cannot_be_recorded_did_not_happen(
    store: SemanticStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    garden = tmp_path / "garden"
    put(garden, "A.md", "a")
    put(garden, "S.md", "[[A]]")
    store.reconcile()

    def refuse(*_: object, **__: object) -> None:
        raise WriteFailed("the disk is full")

    monkeypatch.setattr("semantic.writing.desk.record", refuse)
    with pytest.raises(WriteFailed):
        store.desk.move(("garden", "A.md"), ("garden", "new/B.md"), PERSON)
    assert (garden / "A.md").read_text() == "a"
    assert (garden / "S.md").read_text() == "[[A]]"
    assert [note.path for note in store.notes()] == ["A.md", "S.md"]


def test_untouched_notes_stay_byte_identical_over_a_week_of_writes(store: SemanticStore, tmp_path: Path) -> None:
    garden = tmp_path / "garden"
    odd = {
        f"odd/{n}.md": f"---\nk{n}:   v # c\n\n---\r\ntext {n}\t\r\n\r\n".encode() + b"\xff" * (n % 2) for n in range(9)
    }
    for path, data in odd.items():
        put(garden, path, data)
    store.reconcile()
    for day in range(7):
        note = store.desk.create("garden", f"day{day}.md", GOOD, AGENT)
        store.desk.change("garden", f"day{day}.md", GOOD + str(day), AGENT, if_match=note.etag)
        store.desk.move(("garden", f"day{day}.md"), ("garden", f"week/{day}.md"), AGENT)
        store.reconcile()
        store.search(SemanticQuery("text", dense=False), None)
    store.desk.delete("garden", "week/0.md", if_match="*")
    assert {path: (garden / path).read_bytes() for path in odd} == odd


def test_a_note_that_was_just_written_is_read_once(
    store: SemanticStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its time stamp proves nothing yet; that its bytes are the same does, and reading a long note takes seconds."""
    texts: list[bytes] = []

    def counted(vault: str, path: str, data: bytes, **told: Any) -> Note:
        texts.append(data)
        return read_note(vault, path, data, **told)

    monkeypatch.setattr("semantic.vault.shelf.read_note", counted)
    made = store.desk.create("garden", "Once.md", GOOD, PERSON)
    store.refresh([tmp_path / "garden" / "Once.md"])
    assert store.desk.read("garden", "Once.md") == made
    assert texts == [GOOD.encode()]
    (tmp_path / "garden" / "Once.md").write_text(GOOD + "more\n", "utf-8")
    assert store.desk.read("garden", "Once.md").text == GOOD + "more\n"
