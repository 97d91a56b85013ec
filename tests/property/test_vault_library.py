"""Whatever happens to the files, a library that was told of it equals one read from nothing."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from semantic.vault.cache import Keeping, NoteCache
from semantic.vault.contract import Contract
from semantic.vault.library import Library

NAMES = ["A.md", "b.md", "B.md", "x/A.md", "x/y/B.md", "x/C.md", "z/C.md", "pic.png", "x/pic.png", "2026-01-01.md"]
FOLDERS = ["x", "x/y", "z", "w"]
LINKS = ["A", "a", "B", "x/A", "C", "./C", "../A", "pic.png", "Alias", "alias", "A.md", "", "2026-01-01", "#h", "w/A"]
TEXTS = st.builds(
    lambda alias, tag, links, words: (
        (f"---\naliases: {alias}\ntags: {tag}\n---\n" if alias or tag else "")
        + "# T\n\n"
        + " ".join(f"[[{link}]]" for link in links)
        + f"\n\n{words}\n"
    ),
    st.sampled_from(["", "Alias", "[alias, C]", "{bad"]),
    st.sampled_from(["", "tool/x", "[a, b]"]),
    st.lists(st.sampled_from(LINKS), max_size=4),
    st.text("ab #\n", max_size=12),
)
RULES = st.sampled_from(["", "x/\n", "*.md\n!b.md\n", "z/C.md\n"])


class VaultEdits(RuleBasedStateMachine):
    """Files of a small vault are written, moved and removed; the library hears of each, or looks by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.ahead = timedelta()
        self.ticks = 0
        self.kept_folder = Path(tempfile.mkdtemp())
        self.kept = NoteCache(self.kept_folder / "notes.sqlite", "told")
        self.library = self.new(self.kept)

    def new(self, keeping: Keeping | None = None) -> Library:
        return Library({"v": self.root}, Contract(), self.clock, UTC, keeping)

    def clock(self) -> datetime:
        # Ahead, so that a file just written counts as settled and what is kept of it is believed.
        return datetime.now(UTC) + self.ahead

    def save(self, file: Path, text: str) -> None:
        """Write a file with a time stamp of its own: two writes within a tick of the system's clock would share one."""
        file.write_text(text)
        self.ticks += 1
        os.utime(file, ns=(time.time_ns(), time.time_ns() // 1_000_000 * 1_000_000 + self.ticks))

    def teardown(self) -> None:
        self.kept.close()
        shutil.rmtree(self.root)
        shutil.rmtree(self.kept_folder)

    @initialize(obsidian=st.booleans())
    def start(self, *, obsidian: bool) -> None:
        if obsidian:
            (self.root / ".obsidian").mkdir()
        for name, text in {"A.md": "[[C]] [[b]]", "x/C.md": "[[A]] [[../A]]", "b.md": "[[x/C]]"}.items():
            (self.root / name).parent.mkdir(exist_ok=True)
            (self.root / name).write_text(text)
        self.library.reconcile(accept_loss=True)

    @rule(name=st.sampled_from(NAMES), text=TEXTS)
    def write(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        self.save(file, text)
        self.library.refresh([file])

    @rule(name=st.sampled_from(NAMES), text=TEXTS)
    def save_atomically(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        other = file.with_name(".saving")
        self.save(other, text)
        other.replace(file)
        self.library.refresh([file])

    @rule(name=st.sampled_from(NAMES))
    def remove(self, name: str) -> None:
        (self.root / name).unlink(missing_ok=True)
        self.library.refresh([self.root / name])

    @rule(old=st.sampled_from(NAMES), new=st.sampled_from(NAMES), told_old=st.booleans())
    def move(self, old: str, new: str, *, told_old: bool) -> None:
        source, target = self.root / old, self.root / new
        if not source.is_file() or old == new:
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        source.rename(target)
        # What becomes a note, or is a note no more, is no move of a note: then both names have to be told.
        is_note = old.endswith(".md") and new.endswith(".md") and "2026" not in old + new
        self.library.refresh([source, target] if told_old or not is_note or self.hides(new) else [target])

    def hides(self, name: str) -> bool:
        return (self.root / ".memorydignore").exists() or name.startswith(".")

    @rule(old=st.sampled_from(FOLDERS), new=st.sampled_from(FOLDERS))
    def move_folder(self, old: str, new: str) -> None:
        source, target = self.root / old, self.root / new
        if not source.is_dir() or target.exists() or target.is_relative_to(source):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        source.rename(target)
        self.library.refresh([source, target])

    @rule(name=st.sampled_from(FOLDERS))
    def remove_folder(self, name: str) -> None:
        shutil.rmtree(self.root / name, ignore_errors=True)
        self.library.refresh([self.root / name])

    @rule(text=RULES)
    def change_rules(self, text: str) -> None:
        file = self.root / ".memorydignore"
        if text:
            file.write_text(text)
        else:
            file.unlink(missing_ok=True)
        self.library.refresh([file])

    @rule(name=st.sampled_from(NAMES), text=TEXTS)
    def write_unseen(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        self.save(file, text)
        self.library.reconcile(accept_loss=True)

    @rule()
    def look(self) -> None:
        self.library.reconcile(accept_loss=True)

    @rule(keeps=st.booleans(), settles=st.booleans())
    def start_again(self, *, keeps: bool, settles: bool) -> None:
        self.ahead = timedelta(seconds=10 if settles else 0)
        if not keeps:
            self.kept.clear()
        self.library = self.new(self.kept)
        self.library.reconcile(accept_loss=True)

    @rule(name=st.sampled_from(NAMES), text=TEXTS)
    def write_while_down(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        self.save(file, text)
        self.library = self.new(self.kept)
        self.library.reconcile(accept_loss=True)

    @invariant()
    def equals_a_library_read_from_nothing(self) -> None:
        fresh = self.new()
        fresh.reconcile()
        assert self.library.digest() == fresh.digest()
        for note in fresh.notes():
            mine = self.library.links_to(note.id)
            assert [one.id for one in mine] == [one.id for one in fresh.links_to(note.id)]


VaultEdits.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestVaultEdits = VaultEdits.TestCase
