"""Two homes and a remote: random writes on both sides, brought together in any order, end equal and lose nothing."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from episodic.episode import NewEpisode
from episodic.journal.text import day_heading, read_day_text, render_section
from memoryd.errors import SyncFailed, SyncRefused
from memoryd.jobs.registry import Jobs, Run
from memoryd.jobs.remote import MARKER, GitRemote
from memoryd.jobs.schedule import Schedule
from memoryd.jobs.sync import Sync, schedule_sync, sync_job
from memoryd.text.report import Report
from semantic.testing import SteppingClock, open_store
from semantic.writing.recording import NewDecision

INSTALLS = ("aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc")
DAY = date(2026, 11, 30)
NOTHING = {"taken": [], "taken_count": 0, "given": [], "given_count": 0, "conflicts": []}


class Journal:
    """As much of the episodic memory as the job needs."""

    def __init__(self) -> None:
        self.refused: set[str] = set()

    def set_refused(self, ids: Iterable[str]) -> None:
        self.refused.update(ids)

    def refresh(self, paths: Iterable[Path]) -> Report:
        del paths
        return Report()


class Home:
    """One machine's memory with its own store."""

    def __init__(self, root: Path, number: int, clock: SteppingClock) -> None:
        self.memory = root / f"home{number}"
        self.install = INSTALLS[number]
        self.journal = Journal()
        self.store = open_store(self.memory, self.install, clock=clock)
        self.sync = Sync(self.memory, root / f"state{number}", self.store, self.journal)
        self.said: dict[str, str] = {}

    def put(self, name: str, gist: str) -> str:
        mutation = {"op": "put_element", "kind": "tool", "name": name, "gist": gist}
        return self.store.decide(NewDecision(f"put {name} {gist}", "w", [mutation], new=True)).id

    def note(self, path: str, text: str) -> None:
        place = self.memory / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")

    def entry(self, number: int, text: str) -> str:
        id_ = f"ep_01{self.install[:1].upper()}{number:023d}"
        place = self.memory / "journal" / f"2026-11-30.{self.install}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        at = datetime(2026, 11, 30, 9, tzinfo=UTC) + timedelta(seconds=number)
        with place.open("a", encoding="utf-8") as file:
            file.write(("" if file.tell() else day_heading(DAY)) + "\n")
            file.write(render_section(id_, NewEpisode(text, at), key=None))
        return id_

    def day_texts(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for path in sorted((self.memory / "journal").glob("*.md")):
            text = path.read_text("utf-8")
            for one in read_day_text(text, file=f"journal/{path.name}", day=DAY, zone=UTC).entries:
                found[one.episode.id] = one.episode.text
        return found

    def files(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.memory)): path.read_bytes()
            for path in sorted(self.memory.rglob("*"))
            if path.is_file() and "set-aside" not in path.parts
        }


@pytest.fixture
def homes(tmp_path: Path) -> list[Home]:
    clock = SteppingClock()
    return [Home(tmp_path, number, clock) for number in range(2)]


def settle(homes: Iterable[Home], remote: str) -> None:
    for _ in range(2):
        for home in homes:
            home.sync.run(remote)


def assert_equal(homes: list[Home]) -> None:
    assert homes[0].files() == homes[1].files()
    assert homes[0].store.export() == homes[1].store.export()
    assert [home.store.problems() for home in homes] == [[], []]


def random_write(random_: random.Random, home: Home, number: int, said: dict[str, str], gone: set[str]) -> None:
    match random_.randrange(8):
        case 0 | 1:
            home.put(f"thing {random_.randrange(6)}", f"g{number}")
        case 2 | 3:
            text = f"said {number}" if random_.random() < 0.8 else f"```\nopen {number}"
            said[home.entry(number, text)] = f"{number}"
        case 4:
            home.note(f"vault/n{random_.randrange(4)}.md", f"note {number}\n")
        case 5:
            home.store.attend("useful", [f"el_{number:020x}"], actor="agent")
        case 6 if home.store.projection().decisions:
            id_ = random_.choice(list(home.store.projection().decisions))
            home.store.forget([id_])
            gone.add(id_)
        case _ if said:
            id_ = random_.choice(sorted(said))
            home.store.forget([id_])
            said.pop(id_)
            gone.add(id_)


@pytest.mark.parametrize("seed", range(3))
def test_random_writes_on_two_homes_converge_and_lose_nothing(tmp_path: Path, homes: list[Home], seed: int) -> None:
    random_ = random.Random(seed)
    remote = str(tmp_path / "remote")
    said: dict[str, str] = {}
    gone: set[str] = set()
    for number in range(30):
        random_write(random_, random_.choice(homes), number, said, gone)
        if random_.random() < 0.3:
            random_.choice(homes).sync.run(remote)
    settle(homes, remote)
    assert_equal(homes)
    texts = homes[0].day_texts()
    assert {id_: number for id_, number in said.items() if number in texts.get(id_, "")} == said
    assert gone.isdisjoint(texts)
    assert gone.isdisjoint(homes[1].store.projection().decisions)
    before = homes[0].files()
    settle(homes, remote)
    assert homes[0].files() == before


def test_forgetting_on_one_home_reaches_every_copy(tmp_path: Path, homes: list[Home]) -> None:
    one, other = homes
    remote = str(tmp_path / "remote")
    kept = one.put("kept", "stays here")
    gone = one.put("secretive", "unspeakable gist")
    said = one.entry(1, "unspeakable words")
    one.note("transcripts/s/1.md", render_section(said, NewEpisode("unspeakable turn", datetime.now(UTC)), key=None))
    settle(homes, remote)
    assert "unspeakable words" in other.day_texts()[said]
    backup = tmp_path / "backup"
    shutil.copytree(one.memory, backup)
    other.store.forget([gone, said])
    settle(homes, remote)
    held = b"".join(
        path.read_bytes()
        for root in (one.memory, other.memory, Path(remote))
        for path in root.rglob("*.*")
        if path.is_file()
    )
    assert b"unspeakable" not in held
    assert said in one.journal.refused
    # An old backup that is laid over one home brings nothing back, and the chain is whole.
    shutil.copytree(backup, one.memory, dirs_exist_ok=True)
    one.store.reconcile()
    settle(homes, remote)
    assert_equal(homes)
    held = b"".join(one.files().values()) + b"".join(
        path.read_bytes() for path in Path(remote).rglob("*.*") if path.is_file()
    )
    assert b"unspeakable" not in held
    assert kept in one.store.projection().decisions
    assert gone not in one.store.projection().decisions


def test_what_one_side_removed_or_edited_is_so_and_what_both_edited_is_kept_twice(
    tmp_path: Path, homes: list[Home]
) -> None:
    one, other = homes
    remote = str(tmp_path / "remote")
    for name in ("edited", "removed", "both"):
        one.note(f"vault/{name}.md", f"{name} at first\n")
    settle(homes, remote)
    one.note("vault/edited.md", "edited once more\n")
    (one.memory / "vault/removed.md").unlink()
    one.note("vault/both.md", "changed here, at length\n")
    other.note("vault/both.md", "changed there\n")
    settle(homes, remote)
    assert_equal(homes)
    notes = {path: data for path, data in other.files().items() if path.startswith("vault/")}
    assert notes.pop("vault/edited.md") == b"edited once more\n"
    assert notes.pop("vault/both.md") == b"changed here, at length\n"
    assert list(notes.values()) == [b"changed there\n"]


def test_a_folder_that_lost_most_of_its_files_removes_nothing(tmp_path: Path, homes: list[Home]) -> None:
    one, other = homes
    remote = str(tmp_path / "remote")
    for number in range(8):
        one.note(f"vault/{number}.md", f"note {number}\n")
    settle(homes, remote)
    shutil.rmtree(other.memory / "vault")
    settle(homes, remote)
    assert len(list((one.memory / "vault").glob("*.md"))) == 8
    assert_equal(homes)


def test_a_remote_that_is_not_there_any_more_is_named(tmp_path: Path, homes: list[Home]) -> None:
    remote = tmp_path / "remote"
    homes[0].put("one", "g")
    homes[0].sync.run(str(remote))
    (remote / MARKER).unlink()
    with pytest.raises(SyncFailed, match="mount it"):
        homes[0].sync.run(str(remote))
    homes[0].sync.run(str(remote), is_new=True)


@pytest.fixture
def bare(tmp_path: Path) -> str:
    subprocess.run(["git", "init", "--quiet", "--bare", str(tmp_path / "memory.git")], check=True)
    return str(tmp_path / "memory.git")


def test_two_homes_through_git(tmp_path: Path, homes: list[Home], bare: str) -> None:
    one, other = homes
    hook = tmp_path / "ran"
    one.put("here", "g1")
    one.sync.run(bare)
    hooks = tmp_path / "state0" / "git" / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / "pre-commit").write_text(f"#!/bin/sh\ntouch {hook}\n", "utf-8")
    (hooks / "pre-commit").chmod(0o755)
    other.put("there", "g2")
    one.entry(1, "said here")
    other.entry(2, "said there")
    settle(homes, bare)
    assert_equal(homes)
    assert len(one.day_texts()) == 2
    assert not hook.exists()
    assert one.sync.run(bare) == NOTHING


def test_a_push_that_comes_too_late_is_tried_again(
    homes: list[Home], bare: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = homes
    settle(homes, bare)
    one.put("here", "g1")
    other.put("there", "g2")
    real: Callable[[GitRemote], bool] = GitRemote.publish
    calls = []

    def late(self: GitRemote) -> bool:
        calls.append(1)
        if len(calls) == 1:
            monkeypatch.setattr(GitRemote, "publish", real)
            other.sync.run(bare)
        return real(self)

    monkeypatch.setattr(GitRemote, "publish", late)
    one.sync.run(bare)
    settle(homes, bare)
    assert_equal(homes)


def test_an_address_that_cannot_be_reached_is_told_without_its_password(homes: list[Home]) -> None:
    with pytest.raises(SyncFailed) as failed:
        homes[0].sync.run("https://me:hunter2@127.0.0.1:9/memory.git")
    assert "hunter2" not in str(failed.value)
    with pytest.raises(SyncFailed, match="absolute"):
        homes[0].sync.run("relative/folder")
    with pytest.raises(SyncFailed, match="option"):
        homes[0].sync.run("--upload-pack=touch")


def test_what_did_not_change_is_not_read_again(
    tmp_path: Path, homes: list[Home], monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = str(tmp_path / "remote")
    homes[0].put("one", "g")
    settle(homes, remote)
    homes[0].sync.run(remote)
    read: list[str] = []
    plain = Path.read_bytes

    def noted(path: Path) -> bytes:
        read.append(path.suffix)
        return plain(path)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", noted)
        assert homes[0].sync.run(remote) == NOTHING
        assert ".ndjson" not in read
    homes[1].note("vault/n.md", "note\n")
    homes[1].sync.run(remote)
    assert homes[0].sync.run(remote)["taken"] == ["vault/n.md"]
    homes[0].note("vault/n.md", "other\n")
    assert homes[0].sync.run(remote)["given"] == ["vault/n.md"]


def test_the_timer_is_off_unless_it_is_set() -> None:
    jobs = Jobs(clock=lambda: datetime.now(UTC))
    for minutes, is_set in ((None, False), (15, True)):
        schedule = Schedule()
        schedule_sync(schedule, jobs, minutes)
        schedule.start()
        try:
            assert (schedule.next_run("sync") is not None) is is_set
        finally:
            schedule.stop()


def test_a_run_that_failed_is_told_until_one_succeeds(tmp_path: Path, homes: list[Home]) -> None:
    sync = homes[0].sync
    job = sync_job(sync, remote=str(tmp_path / "remote"), choose=lambda _: None)
    handle = Run()
    homes[0].put("one", "g")
    arguments = {"remote": None, "create": False, "force": False}
    with pytest.raises(SyncFailed, match="there is no folder"):
        job.run(arguments, handle)
    assert not (tmp_path / "remote").exists()
    (tmp_path / "remote").mkdir()
    job.run(arguments, handle)
    assert sync.problem is None
    (tmp_path / "remote" / MARKER).unlink()
    with pytest.raises(SyncFailed):
        job.run(arguments, handle)
    assert str(sync.problem).startswith("the last synchronisation failed")
    (tmp_path / "remote" / MARKER).touch()
    job.run(arguments, handle)
    assert sync.problem is None


def test_another_copy_or_a_folder_that_is_not_there_is_refused_before_a_run_begins(
    tmp_path: Path, homes: list[Home]
) -> None:
    chosen: list[str] = []
    jobs = Jobs(clock=lambda: datetime.now(UTC))
    jobs.register(sync_job(homes[0].sync, remote=None, choose=chosen.append))
    first, other = str(tmp_path / "first"), str(tmp_path / "other")
    with pytest.raises(SyncRefused, match="create: true"):
        jobs.start("sync", {"remote": first})
    assert not Path(first).exists()
    for arguments in ({"remote": first, "create": True}, {"remote": first}, {}):
        jobs.start("sync", arguments)
        assert jobs.wait("sync", 30)
        assert jobs.get("sync").last_error is None
    with pytest.raises(SyncRefused, match="force: true"):
        jobs.start("sync", {"remote": other, "create": True})
    assert not Path(other).exists()
    jobs.start("sync", {"remote": other, "create": True, "force": True})
    assert jobs.wait("sync", 30)
    assert chosen == [first, first, other]


def test_a_copy_that_a_killed_write_left_in_the_remote_goes_once_it_is_old(tmp_path: Path, homes: list[Home]) -> None:
    remote = tmp_path / "remote"
    homes[0].note("vault/n.md", "note\n")
    homes[0].sync.run(str(remote))
    old, young, theirs = (remote / "vault" / name for name in (".a1.memoryd-tmp", ".b2.memoryd-tmp", ".n.md.tmp"))
    for file in (old, young, theirs):
        file.write_text("half", "utf-8")
    for file in (old, theirs):
        os.utime(file, (1, 1))
    homes[0].sync.run(str(remote))
    assert (old.exists(), young.exists(), theirs.exists()) == (False, True, True)
