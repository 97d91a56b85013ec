"""Whatever editors, git and sync tools do to files, a watched home ends in the state that a rebuild gives.

A real watcher, a real scan and both real stores follow a home in which files are written, saved over, moved, linked
and removed. After every few steps the followed stores must equal stores that read the home from nothing.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from episodic.index.roots import DailyNotes
from episodic.search.arms import EpisodicQuery
from episodic.store import EpisodicStore
from episodic.testing import make_store, new
from memoryd.jobs.scan import Scan
from memoryd.jobs.watch import Watcher
from memoryd.text.ignore import IGNORE_FILE
from semantic.search.query import SemanticQuery
from semantic.store import SemanticStore
from semantic.testing import counting_entropy
from semantic.vault.contract import Contract

PATIENCE_S = 30.0
WORDS = ["falcon", "heron", "walrus", "owl"]


def now() -> datetime:
    """Return the real present: what the watcher follows has real time stamps."""
    return datetime.now(UTC)


def wait_until(holds: Callable[[], bool], what: str, patience_s: float = PATIENCE_S) -> None:
    deadline = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def open_semantic(memory: Path, vaults: dict[str, Path]) -> SemanticStore:
    store = SemanticStore(
        memory=memory,
        install="a" * 12,
        clock=now,
        entropy=counting_entropy(),
        zone=UTC,
        vaults=vaults,
        contract=Contract(),
    )
    store.open()
    return store


def open_episodic(home: Path, semantic: SemanticStore) -> EpisodicStore:
    def sources() -> list[DailyNotes]:
        return [
            DailyNotes(
                one.vault, one.root, None if one.is_away else one.folder, one.day_of, rules=(one.format, one.ignore)
            )
            for one in semantic.daily_notes()
        ]

    store = make_store(home, clock=now, sources=sources)
    store.open()
    return store


@dataclass(frozen=True)
class Seen:
    """What a reader can see of both memories."""

    notes: str
    known: object
    entries: object
    counts: object


def seen(episodic: EpisodicStore, semantic: SemanticStore) -> Seen:
    # What a walrus note says and where it stands, with the answers of both stores for each word.
    found = [
        [(h.id, h.text, h.path, h.lines, h.sources, round(h.score, 9)) for h in hits]
        for word in WORDS
        for hits in (
            episodic.search(EpisodicQuery(word, limit=100, priors=False), None).hits,
            semantic.search(SemanticQuery(word, limit=100), None).hits,
        )
    ]
    notes = [(n.vault, n.path, n.text, n.tags, [one.target for one in n.links]) for n in semantic.notes()]
    entries = [(e.id, e.text, e.at, e.path, e.lines) for e in episodic.list(limit=500)]
    counts = episodic.counts()
    return Seen(
        semantic._library.digest(),
        (found, notes),
        entries,
        (counts.episodes, counts.chunks, counts.pending, semantic.counts().notes),
    )


class Home:
    """A home and two vaults, followed by a watcher."""

    def __init__(self, home: Path, *, debounce_ms: int = 300, look_again_ms: int = 200) -> None:
        self.home = home
        self.memory = home / "memory"
        self.journal = self.memory / "journal"
        self.own, self.work = self.memory / "vault", home / "work"
        self.aside = home / "aside"
        for folder in (self.own, self.work / ".obsidian", self.aside):
            folder.mkdir(parents=True, exist_ok=True)
        self.semantic = open_semantic(self.memory, self.vaults)
        self.episodic = open_episodic(home, self.semantic)
        self.scan = Scan({"episodic": self.episodic, "semantic": self.semantic}, clock=lambda: datetime.now(UTC))
        self.scan.run()
        self.watcher = Watcher(
            lambda: [*self.episodic.watched(), *self.semantic.watched()],
            self.scan.follow,
            on_gap=self.scan.run,
            debounce_ms=debounce_ms,
            settle_ms=40,
            look_again_ms=look_again_ms,
        )
        self.watcher.start()
        assert self.watcher.wait_until_watching(PATIENCE_S)

    @property
    def vaults(self) -> dict[str, Path]:
        return {"vault": self.own, "work": self.work}

    def close(self) -> None:
        self.watcher.stop()
        self.semantic.close()
        self.episodic.close()

    def seen(self) -> Seen:
        return seen(self.episodic, self.semantic)

    def rebuilt(self) -> Seen:
        """Return what stores see that read the same files from nothing."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "memory").symlink_to(self.memory)
            semantic = open_semantic(self.memory, self.vaults)
            with closing(semantic), closing(open_episodic(Path(folder), semantic)) as episodic:
                Scan({"episodic": episodic, "semantic": semantic}, clock=lambda: datetime.now(UTC)).run()
                return seen(episodic, semantic)

    def settle(self, patience_s: float = PATIENCE_S) -> None:
        """Wait until the followed stores equal a rebuild; fail with the difference if they never do."""
        deadline = time.monotonic() + patience_s
        while True:
            wanted, got = self.rebuilt(), self.seen()
            if got == wanted:
                return
            if time.monotonic() > deadline:
                assert got == wanted
            time.sleep(0.05)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with closing(Home(tmp_path)) as made:
        yield made


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


# -- random sequences ------------------------------------------------------------------------------------------------

NOTES = ["A.md", "a.md", "B.md", "x/A.md", "x/y/B.md", "z/C.md", "pic.png", "2026-01-01.md", "daily/2026-01-02.md"]
DAYS = ["2026-01-01.md", "2026-01-02.md", "2026-01-01.copy.md", "sub/2026-01-03.md"]
FOLDERS = ["x", "x/y", "z", "sub", "daily", "w"]
RULES = ["", "x/\n", "*.md\n!B.md\n", "2026-01-01*\n", "/sub/\n*.copy.md\n"]
names = st.sampled_from(NOTES + DAYS)
texts = st.builds(
    lambda links, words, time: f"## Own{time}\n{' '.join(f'[[{link}]]' for link in links)} {' '.join(words)}\n",
    st.lists(st.sampled_from(["A", "B", "x/A", "C", "pic.png", "2026-01-01"]), max_size=3),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=4),
    st.sampled_from(["", " 09:00", " 17:30"]),
)
LEFTOVERS = [".{}.swp", "{}~", ".syncthing.{}.tmp", "{}.tmp", "4913", ".#{}", "#{}#", ".goutputstream-{}"]


class Edits(RuleBasedStateMachine):
    """Edits in the journal and in two vaults, one of them Obsidian's, seen only by the watcher."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.all = Home(Path(self.folder.name).resolve(), debounce_ms=120)
        self.roots = [self.all.journal, self.all.own, self.all.work]
        self.turn = 0

    def teardown(self) -> None:
        try:
            self.all.settle()
        finally:
            self.all.close()
            self.folder.cleanup()

    def at(self, root: int, name: str) -> Path:
        path = self.roots[root] / name
        if path.parent.exists() and not path.parent.is_dir():
            path.parent.unlink()
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink() and path.is_file():
            path.unlink()  # what changes behind a link, outside of every root, is seen by the regular scan alone
        return path

    def there(self, root: int, which: int) -> Path | None:
        """Return one of the files that are there."""
        files = sorted(path for path in self.roots[root].rglob("*") if path.is_file() and path.suffix == ".md")
        return files[which % len(files)] if files else None

    @initialize(text=texts)
    def start(self, text: str) -> None:
        for root in range(3):
            self.check_out(root, text)
        self.all.settle()

    @rule(root=st.integers(0, 2), name=names, text=texts)
    def write(self, root: int, name: str, text: str) -> None:
        self.at(root, name).write_text(text, "utf-8")

    @rule(root=st.integers(0, 2), name=names, text=texts, parts=st.integers(2, 4))
    def write_in_parts(self, root: int, name: str, text: str, parts: int) -> None:
        with self.at(root, name).open("w", encoding="utf-8") as file:
            step = len(text) // parts + 1
            for start in range(0, len(text), step):
                file.write(text[start : start + step])
                file.flush()

    @rule(root=st.integers(0, 2), name=names, text=texts, leftover=st.sampled_from(LEFTOVERS), backup=st.booleans())
    def save_atomically(self, root: int, name: str, text: str, leftover: str, *, backup: bool) -> None:
        path = self.at(root, name)
        temporary = path.with_name(leftover.format(path.name))
        temporary.write_text(text, "utf-8")
        if backup and path.exists():
            path.replace(path.with_name(path.name + "~"))  # as vim does: the old file becomes the backup
        temporary.replace(path)

    @rule(root=st.integers(0, 2), name=names, leftover=st.sampled_from(LEFTOVERS), stays=st.booleans())
    def leave_a_temporary_file(self, root: int, name: str, leftover: str, *, stays: bool) -> None:
        path = self.at(root, name)
        temporary = path.with_name(leftover.format(path.name))
        temporary.write_text("falcon in a temporary file\n", "utf-8")
        if not stays:
            temporary.unlink()

    @rule(root=st.integers(0, 2), which=st.integers(0, 30))
    def delete(self, root: int, which: int) -> None:
        if (path := self.there(root, which)) is not None:
            path.unlink()

    @rule(root=st.integers(0, 2), which=st.integers(0, 30), text=texts)
    def delete_and_write_again(self, root: int, which: int, text: str) -> None:
        if (path := self.there(root, which)) is not None:
            path.unlink()
            path.write_text(text, "utf-8")

    @rule(root=st.integers(0, 2), other=st.integers(0, 2), which=st.integers(0, 30), to=names)
    def rename(self, root: int, other: int, which: int, to: str) -> None:
        if (path := self.there(root, which)) is not None:
            path.replace(self.at(other, to))

    @rule(root=st.integers(0, 2), which=st.integers(0, 30))
    def change_case(self, root: int, which: int) -> None:
        if (path := self.there(root, which)) is not None:
            path.replace(path.with_name(path.name.swapcase().replace(".MD", ".md")))

    @rule(root=st.integers(0, 2), old=st.sampled_from(FOLDERS), to=st.sampled_from(FOLDERS))
    def move_folder(self, root: int, old: str, to: str) -> None:
        source, target = self.roots[root] / old, self.roots[root] / to
        if source.is_dir() and not os.path.lexists(target) and not target.is_relative_to(source):
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(target)

    @rule(root=st.integers(0, 2), name=st.sampled_from(FOLDERS))
    def remove_folder(self, root: int, name: str) -> None:
        path = self.roots[root] / name
        if path.is_symlink():
            path.unlink()
        else:
            shutil.rmtree(path, ignore_errors=True)

    @rule(root=st.integers(0, 2), name=st.sampled_from(FOLDERS))
    def exchange_folder(self, root: int, name: str) -> None:
        """Put another folder in the place of one, as a checkout of another branch does."""
        path = self.roots[root] / name
        if path.is_dir() and not path.is_symlink():
            path.rename(self.all.aside / f"{self.turn}")
            self.turn += 1
            write(path / "A.md", "heron from another branch\n")
            write(path / "2026-01-03.md", "heron of another branch\n")

    @rule(root=st.integers(0, 2), name=st.sampled_from(FOLDERS), goal=st.sampled_from(["one", "two"]), text=texts)
    def swap_link(self, root: int, name: str, goal: str, text: str) -> None:
        """Point a link to another folder, in one step, as tools that keep generations do."""
        write(self.all.aside / goal / "A.md", f"{goal}: {text}")
        write(self.all.aside / goal / "2026-01-03.md", f"{goal}: {text}")
        path = self.at(root, name)
        if path.is_symlink() or not path.exists():
            link = path.with_name(".link")
            link.symlink_to(self.all.aside / goal)
            link.replace(path)

    @rule(root=st.integers(0, 2), name=names, text=texts)
    def swap_file_link(self, root: int, name: str, text: str) -> None:
        path = self.at(root, name)
        target = write(self.all.aside / f"target-{self.turn}", text)
        self.turn += 1
        link = path.with_name(".link")
        link.symlink_to(target)
        link.replace(path)

    @rule(root=st.integers(0, 2), text=st.sampled_from(RULES))
    def change_rules(self, root: int, text: str) -> None:
        file = self.roots[root] / IGNORE_FILE
        if text:
            file.write_text(text, "utf-8")
        else:
            file.unlink(missing_ok=True)

    @rule(text=st.sampled_from([None, "{}", '{"folder": "daily"}', '{"folder": "x", "format": "YYYY-MM-DD"}']))
    def move_daily_notes(self, text: str | None) -> None:
        file = self.all.work / ".obsidian" / "daily-notes.json"
        if text is None:
            file.unlink(missing_ok=True)
        else:
            file.write_text(text, "utf-8")

    @rule(root=st.integers(0, 2), text=texts)
    def check_out(self, root: int, text: str) -> None:
        """Change everything in one stroke: some files go, others come, the rest changes."""
        for number, name in enumerate(NOTES + DAYS):
            path = self.at(root, name)
            if number % 3 == self.turn % 3:
                path.unlink(missing_ok=True)
            else:
                path.write_text(f"{text}{number}\n", "utf-8")
        self.turn += 1

    @rule(text=texts)
    def append(self, text: str) -> None:
        self.turn += 1
        self.all.episodic.append(new(text, at=now() - timedelta(days=3), session="s", turn=str(self.turn)))

    @rule()
    def look(self) -> None:
        self.all.settle()


Edits.TestCase.settings = settings(
    max_examples=8, stateful_step_count=14, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)
TestEdits = Edits.TestCase


# -- what has to be seen to happen, by name ----------------------------------------------------------------------------


def test_five_thousand_files_at_once(home: Home) -> None:
    def fill(word: str) -> None:
        for number in range(2_300):
            write(home.work / f"{number % 40}" / f"{number}.md", f"[[{number + 1}]] {word} {number}\n")
        for number in range(200):
            write(home.journal / f"{2020 + number % 5}-01-{number % 28 + 1:02}.{number}.md", f"{word} day {number}\n")
            write(home.own / f"{number}.md", f"{word} {number}\n")
        for number in range(2_300):
            write(home.work / f"{number % 40}" / f"{number}.png", "")

    fill("heron")
    home.settle(120)
    assert home.semantic.counts().notes == 2_500
    assert home.episodic.counts().episodes == 200
    shutil.rmtree(home.work / "3")
    for folder in range(4, 40):
        for file in (home.work / f"{folder}").iterdir():
            file.unlink()
    home.settle(120)
    assert home.semantic.counts().notes == 200 + 3 * 58  # seen to go, so more than half may go


def test_an_unmounted_root_prunes_nothing_and_comes_back(home: Home) -> None:
    for number in range(6):
        write(home.work / f"{number}.md", f"walrus {number}\n")
        write(home.work / f"2026-02-0{number + 1}.md", f"heron day {number}\n")
        write(home.journal / f"2026-01-0{number + 1}.md", f"owl {number}\n")
    home.settle()
    before = home.seen()
    for root in (home.work, home.journal):
        root.rename(home.aside / root.name)
        write(home.aside / root.name / "9.md", "owl beside the way\n")
        wait_until(lambda: any("not" in problem.reason for problem in home.scan.problems), "nothing was noticed")
        home.scan.run()
        assert home.seen() == before
        root.mkdir()  # the empty folder on which nothing is mounted
        home.scan.run()
        assert home.seen() == before
        root.rmdir()
        (home.aside / root.name / "9.md").unlink()
        (home.aside / root.name).rename(root)
    write(home.work / "5.md", "walrus after the return\n")
    write(home.journal / "2026-01-06.md", "owl after the return\n")
    home.settle()
    assert home.seen() != before


def test_a_vault_that_is_away_at_the_start_loses_none_of_its_days(tmp_path: Path) -> None:
    with closing(Home(tmp_path)) as first:
        write(first.work / "2026-02-01.md", "heron day\n")
        first.settle()
        assert first.episodic.counts().episodes == 1
    (tmp_path / "work").rename(tmp_path / "unplugged")
    semantic = open_semantic(tmp_path / "memory", {"work": tmp_path / "work"})
    with closing(open_episodic(tmp_path, semantic)) as episodic:
        episodic.reconcile()
        assert episodic.counts().episodes == 1
        (tmp_path / "unplugged").rename(tmp_path / "work")
        semantic.reconcile()
        assert episodic.reconcile().problems == ()
        assert [entry.path for entry in episodic.list()] == ["work:2026-02-01.md"]


def test_a_deleted_file_leaves_no_ghost(home: Home) -> None:
    before = home.seen()
    note, day = write(home.own / "d.md", "quokka ledger\n"), write(home.journal / "2026-01-05.md", "quokka ledger\n")
    wait_until(lambda: home.semantic.counts().notes == home.episodic.counts().episodes == 1, "it was not found")
    note.unlink()
    day.unlink()
    wait_until(lambda: home.seen() == before, "a ghost stayed")


def test_events_inside_the_debounce_window_end_in_the_last_state(tmp_path: Path) -> None:
    with closing(Home(tmp_path, debounce_ms=1500)) as home:
        for number in range(30):
            write(home.own / "busy.md", f"falcon {number}\n")
            write(home.journal / "2026-01-05.md", f"## Own\nowl {number}\n")
            if number % 7 == 3:
                (home.own / "busy.md").unlink()
                (home.journal / "2026-01-05.md").rename(home.journal / "2026-01-06.md")
        home.settle()
        assert home.semantic.note("vault", "busy.md").text == "falcon 29\n"
        assert [entry.text for entry in home.episodic.list()] == ["owl 24", "owl 29"]


def test_an_editor_that_saves_over_fresh_entries_brings_them_back_once_and_is_told_of(home: Home) -> None:
    """The whole way: a day file in an editor, two entries meanwhile, and a save of the old copy by a rename."""
    first = home.episodic.append(new("the first entry", at=now())).episode
    day = home.memory / first.path
    old_copy = day.read_text("utf-8")
    lost = [home.episodic.append(new(f"entry {n} written meanwhile", at=now())).episode for n in range(2)]

    def save() -> None:
        temporary = day.with_name(f".{day.name}.swp")
        temporary.write_text(old_copy.replace("first entry", "first entry, edited"), "utf-8")
        temporary.replace(day)

    def texts() -> list[str]:
        return sorted(entry.text for entry in home.episodic.list())

    save()
    wait_until(lambda: "edited" in "".join(texts()) and len(texts()) == 3, "the entries did not come back")
    assert all(entry.id in day.read_text("utf-8") for entry in lost)
    home.settle()
    reasons = [problem.reason for problem in home.scan.problems if problem.path == first.path]
    assert any(entry.id in reason and "written again" in reason for reason in reasons for entry in lost)
    save()  # who takes them out a second time means it
    wait_until(lambda: texts() == ["the first entry, edited"], "they came back a second time")
    home.settle()


def test_rules_hide_and_show_in_every_root(home: Home) -> None:
    for root in (home.journal, home.own, home.work):
        write(root / "private" / "2026-01-05.md", "## Own\nwalrus secret\n")
        write(root / "2026-01-04.md", "## Own\nwalrus in the open\n")
    home.settle()

    def secrets() -> int:
        answers = (
            home.episodic.search(EpisodicQuery("secret", limit=100), None).hits,
            home.semantic.search(SemanticQuery("secret", limit=100), None).hits,
        )
        return sum("secret" in hit.text for hits in answers for hit in hits)

    shown = secrets()
    assert shown == 3
    for root in (home.journal, home.own, home.work):
        (root / IGNORE_FILE).write_text("private/\n", "utf-8")
    wait_until(lambda: secrets() == 0, "something hidden is still found")
    home.settle()
    write(home.journal / "private" / "2026-01-06.md", "walrus secret, and new\n")
    write(home.own / "private" / "new.md", "walrus secret, and new\n")
    write(home.own / "seen.md", "a mark that the events before were seen\n")
    wait_until(lambda: home.semantic.notes(q="seen") != [], "the watcher is late")
    assert secrets() == 0
    for root in (home.journal, home.own, home.work):
        (root / IGNORE_FILE).unlink()
    wait_until(lambda: secrets() == shown + 2, "something did not come back")
    home.settle()


def test_a_problem_goes_with_the_repair_of_its_file(home: Home) -> None:
    broken = write(home.own / "x" / "broken.md", "---\na: b: c\n---\nowl\n")
    day = home.journal / "2026-01-05.md"
    day.write_bytes(b"bad \xff byte\n")
    wait_until(lambda: len(home.scan.problems) == 2, "the problems were not named")
    broken.write_text("---\na: b\n---\nowl\n")
    day.write_text("good\n")
    wait_until(lambda: home.scan.problems == (), "a problem outlived its file's repair")
    write(home.own / "y" / "broken.md", "---\na: b: c\n---\nowl\n")
    wait_until(lambda: len(home.scan.problems) == 1, "the problem was not named")
    shutil.rmtree(home.own / "y")
    wait_until(lambda: home.scan.problems == (), "a problem outlived its folder")


def test_a_vault_that_appears_later_is_followed(home: Home) -> None:
    shutil.rmtree(home.own)
    home.scan.run()
    write(home.own / "late.md", "falcon\n")
    wait_until(lambda: home.semantic.counts().notes == 1, "the new folder was not seen")
    write(home.own / "later.md", "falcon\n")
    wait_until(lambda: home.semantic.counts().notes == 2, "the new folder is not watched")


def test_moving_the_daily_notes_moves_them_between_the_memories(home: Home) -> None:
    write(home.work / "2026-02-01.md", "heron day\n")
    write(home.work / "log" / "2026-02-02.md", "heron log\n")
    home.settle()
    assert [entry.path for entry in home.episodic.list()] == ["work:2026-02-01.md"]
    write(home.work / ".obsidian" / "daily-notes.json", '{"folder": "log"}')
    wait_until(
        lambda: [entry.path for entry in home.episodic.list()] == ["work:log/2026-02-02.md"],
        "the settings were not read",
    )
    home.settle()
    assert [note.path for note in home.semantic.notes()] == ["2026-02-01.md"]
