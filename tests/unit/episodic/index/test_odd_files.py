"""Days that are no files, and anchors that are no anchors: each is named, and the rest is indexed all the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from episodic.errors import JournalUnwritable
from episodic.store import EpisodicStore
from episodic.testing import found, new

GOOD = "# a day\n\n## 09:00 by hand\nThe walrus sleeps.\n"


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_folder(path: Path) -> None:
    path.mkdir()


def make_link_to_nothing(path: Path) -> None:
    path.symlink_to("nowhere.md")


def make_link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


@pytest.mark.parametrize("make", [make_pipe, make_folder, make_link_to_nothing, make_link_to_itself])
def test_a_day_that_is_no_file(store: EpisodicStore, journal: Path, make: object) -> None:
    assert callable(make)
    make(journal / "2026-11-29.md")
    (journal / "2026-11-28.md").write_text(GOOD, "utf-8")
    if make is not make_link_to_nothing:  # an append makes the file that such a link names
        with pytest.raises(JournalUnwritable, match=r"2026-11-29\.md"):
            store.append(new("lost?", at=new().at.replace(day=29), session="s", turn="t"))
    for report in (store.reconcile(), store.refresh([journal / "2026-11-29.md", journal / "2026-11-28.md"])):
        assert any("2026-11-29.md" in f"{one.path} {one.reason}" for one in report.problems)
    assert found(store, "walrus") == ["The walrus sleeps."]
    assert store.append(new("an otter wakes", session="s", turn="u")).created
    assert len(store.list()) == 2


def test_a_day_that_cannot_be_read(store: EpisodicStore, journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (journal / "2026-11-28.md").write_text(GOOD, "utf-8")
    (journal / "2026-11-29.md").write_text(GOOD.replace("walrus", "badger"), "utf-8")
    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "2026-11-29.md":
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    (problem,) = store.reconcile().problems
    assert (problem.path, problem.reason) == ("journal/2026-11-29.md", "it cannot be read: Permission denied")
    assert (found(store, "walrus"), found(store, "badger")) == (["The walrus sleeps."], [])
    monkeypatch.undo()
    store.reconcile()
    assert found(store, "badger") == ["The badger sleeps."]


@pytest.mark.parametrize(
    "anchor",
    [
        "<!-- memoryd: id=ep_01M8P8YCT0ZXD1NR0JNYJX9J49 at=2026-11-30T14",
        "<!-- memoryd: id=ep_01M8P8YCT0ZXD1NR0JNYJX9J49 at=yesterday -->",
        "<!-- memoryd: id=../../etc at=2026-11-30T14%3A05%3A12%2B01%3A00 -->",
        "<!-- memoryd: -->",
        "<!-- memoryd: at=2026-11-30T14%3A05%3A12%2B01%3A00 -->",
        "<!-- memoryd: id=%zz at=%ff%fe -->",
    ],
)
def test_an_anchor_that_is_damaged_is_named_and_loses_nothing(store: EpisodicStore, journal: Path, anchor: str) -> None:
    before = "## 08:00 a\nThe walrus sleeps.\n"
    (journal / "2026-11-30.md").write_text(
        f"# 2026-11-30\n\n{before}\n## 14:05 b\n{anchor}\nThe badger digs.\n\n## 15:00 c\nThe otter swims.\n", "utf-8"
    )
    report = store.reconcile()
    for word in ("walrus", "badger", "otter"):
        assert found(store, word), word
    assert len(store.list()) == 3
    assert store.verify() == []
    assert any(one.path == "journal/2026-11-30.md" for one in report.problems), report
