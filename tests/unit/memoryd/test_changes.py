"""What became of what a session was shown: each change once, and never a change that is none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

from memoryd.api.changes import (
    Changes,
    NoteVersions,
    changed_since_shown,
    saw_note,
    settle_changes,
    wrote_file,
    wrote_note,
)
from memoryd.render.seen import Seen
from semantic.log.ids import note_id

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


class Vault:
    """Notes by path, with ETags that a test sets, and a record of sessions beside them."""

    def __init__(self, **etags: str) -> None:
        self.etags = etags
        self.version = 1
        self.reads = 0
        self.forgotten: frozenset[str] = frozenset()
        versions = NoteVersions(self)
        self.seen = Seen(None, lambda: NOW, versions.of)
        self.on_disk: dict[str, str] = {}
        semantic = SimpleNamespace(
            forgotten=lambda: self.forgotten,
            watched=lambda: [Path("/vault")],
            note=lambda _, path: self.note(path.removesuffix(".md"), self.on_disk),
        )
        self.services: Any = SimpleNamespace(seen=self.seen, semantic=semantic, notes_by_id=versions.all)

    def notes(self) -> Iterable[Any]:
        self.reads += 1
        return [self.note(name) for name in self.etags]

    def library_version(self) -> int:
        return self.version

    def note(self, name: str, newer: Mapping[str, str] = MappingProxyType({})) -> Any:
        path, etag = f"{name}.md", newer.get(name, self.etags[name])
        return SimpleNamespace(id=note_id("v", path), vault="v", path=path, etag=etag)

    def change(self, **etags: str | None) -> None:
        self.etags = {name: etag for name, etag in (self.etags | etags).items() if etag is not None}
        self.version += 1

    def told(self, session: str = "s1", limit: int = 20) -> list[str]:
        changes: Changes = changed_since_shown(self.services, session, limit=limit)
        settle_changes(self.services, session, changes)
        return [f"{one.name}: {one.why.split(':')[0]}" for one in changes.told]


def test_a_change_a_removal_and_what_comes_back_are_told_once_each() -> None:
    vault = Vault(A="1", B="1", C="1")
    vault.seen.mark("s1", [vault.note(name).id for name in "AB"])
    assert vault.told() == []
    vault.change(A="2", B=None, C="2")
    assert sorted(vault.told()) == [
        "v:A.md: Its text changed since this session was shown it.", "v:B.md: It was removed or moved.",
    ]  # fmt: skip
    assert vault.told() == []
    vault.change(A="1", B="3")
    assert sorted(one.partition(":")[2].partition(":")[0] for one in vault.told()) == ["A.md", "B.md"]
    assert vault.told() == []


def test_they_are_told_again_until_they_are_settled_and_never_more_than_asked_for() -> None:
    vault = Vault(**{f"N{number}": "1" for number in range(7)})
    vault.seen.mark("s1", [vault.note(name).id for name in vault.etags])
    vault.change(**dict.fromkeys(vault.etags, "2"))
    first = changed_since_shown(vault.services, "s1", limit=3)
    assert first == changed_since_shown(vault.services, "s1", limit=3)
    assert [len(vault.told(limit=3)) for _ in range(4)] == [3, 3, 1, 0]


def test_what_a_session_wrote_or_read_as_it_is_now_is_no_news_to_it() -> None:
    vault = Vault(A="1", B="1")
    for session in ("s1", "s2"):
        vault.seen.mark(session, [vault.note(name).id for name in "AB"])
    vault.change(A="2")
    wrote_note(vault.services, "s1", vault.note("A"))
    wrote_file(vault.services, "s1", Path("/vault/B.md"))
    wrote_file(vault.services, "s1", Path("/elsewhere/A.md"))
    vault.change(B="2")
    assert vault.told("s1") == []
    saw_note(vault.services, "s2", "v", "A.md", "2")
    assert [one[:6] for one in vault.told("s2")] == ["v:B.md"]
    vault.change(B="3")
    assert [one[:6] for one in vault.told("s1")] == ["v:B.md"], "only the one write was its own"


def test_what_was_read_before_its_change_was_heard_of_is_no_news_when_it_is() -> None:
    vault = Vault(A="1")
    vault.seen.mark("s1", [vault.note("A").id])
    vault.on_disk = {"A": "2"}
    saw_note(vault.services, "s1", "v", "A.md", "2")
    assert vault.told() == []
    vault.change(A="2")
    assert vault.told() == []


def test_a_vault_that_is_not_read_or_not_there_says_nothing() -> None:
    vault = Vault(A="1")
    vault.seen.mark("s1", [vault.note("A").id])
    vault.change(A=None)
    assert vault.told() == []
    vault.change(B="1")
    assert vault.told() == ["v:A.md: It was removed or moved."]


def test_what_was_forgotten_is_told_by_what_it_was() -> None:
    vault = Vault()
    vault.seen.mark("s1", ["ep_1", "de_1", "el_1"])
    vault.forgotten = frozenset({"ep_1", "de_1", "el_9"})
    assert sorted(one.partition(":")[0] for one in vault.told()) == ["Forgotten decision", "Forgotten entry"]
    assert vault.told() == []


def test_notes_are_looked_through_once_for_each_state_of_the_vaults() -> None:
    vault = Vault(A="1")
    vault.seen.mark("s1", [vault.note("A").id])
    for _ in range(3):
        vault.told()
        vault.seen.mark("s1", ["de_1"])
    assert vault.reads == 1
