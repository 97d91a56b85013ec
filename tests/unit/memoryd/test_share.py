"""A project's log in its repository: nothing of user scope in it, nothing read from a clone before it is trusted."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from memoryd.errors import ShareRefused
from memoryd.jobs.share import Sharing
from semantic.project.shared import FOLDER
from semantic.store import SemanticStore
from semantic.testing import SteppingClock, open_store
from semantic.writing.recording import NewDecision

ONE, OTHER = "aaaaaaaaaaaa", "bbbbbbbbbbbb"


class Person:
    """A machine with a memory and a clone of the repository."""

    def __init__(self, root: Path, install: str, clone: Path, clock: SteppingClock) -> None:
        self.memory = root / f"memory-{install}"
        self.clone = clone
        self.install = install
        self.store: SemanticStore = open_store(self.memory, install, clock=clock)
        self.sharing = Sharing(self.memory, install, root / f"{install}.json", self.store, lambda: None)

    def decide(self, name: str, *, cwd: Path | None = None) -> str:
        put = {"op": "put_element", "kind": "tool", "name": name, "gist": f"gist of {name}"}
        return self.store.decide(NewDecision(f"use {name}", "w", [put]), cwd=cwd).id

    @property
    def shared(self) -> Path:
        return self.clone / FOLDER


def pull(source: Person, target: Person) -> None:
    shutil.copytree(source.shared, target.shared, dirs_exist_ok=True)


@pytest.fixture
def people(tmp_path: Path) -> tuple[Person, Person]:
    clock = SteppingClock()
    found = []
    for install in (ONE, OTHER):
        clone = tmp_path / f"clone-{install}" / "widget"
        clone.parent.mkdir()
        subprocess.run(["git", "init", "--quiet", str(clone)], check=True)
        url = "git@example.org:acme/widget.git"
        subprocess.run(["git", "-C", str(clone), "remote", "add", "origin", url], check=True)
        found.append(Person(tmp_path, install, clone, clock))
    return found[0], found[1]


def test_a_log_is_shared_read_after_trust_and_forgotten_everywhere(people: tuple[Person, Person]) -> None:
    one, other = people
    private = one.decide("diary")
    ours = one.decide("ruff", cwd=one.clone)
    one.sharing.share(str(one.clone))
    assert [path.name for path in one.shared.iterdir()] == [f"{ONE}.ndjson"]
    assert b"diary" not in (one.shared / f"{ONE}.ndjson").read_bytes()
    assert b"gist of ruff" in (one.shared / f"{ONE}.ndjson").read_bytes()
    pull(one, other)
    other.sharing.exchange()
    assert ours not in other.store.projection().decisions
    assert other.sharing.trust(str(other.clone))["taken"] == 1
    assert ours in other.store.projection().decisions
    assert private not in other.store.projection().decisions
    assert not (other.shared / f"{OTHER}.ndjson").exists()
    theirs = other.decide("uv", cwd=other.clone)
    other.sharing.exchange()
    assert not (other.shared / f"{OTHER}.ndjson").exists()
    other.sharing.share(str(other.clone))
    pull(other, one)
    one.sharing.exchange()
    assert theirs in one.store.projection().decisions
    one.store.forget([theirs])
    one.sharing.exchange()
    pull(one, other)
    other.sharing.exchange()
    assert theirs not in other.store.projection().decisions
    assert b"gist of uv" not in (other.memory / f"log/projects/{project_of(other)}/{OTHER}.ndjson").read_bytes()
    other.sharing.exchange()
    assert b"gist of uv" not in (other.shared / f"{OTHER}.ndjson").read_bytes()
    assert one.store.problems() == other.store.problems() == []


def project_of(person: Person) -> str:
    found = person.store.project_for(person.clone, mint=False)
    assert found is not None
    return found.id


def test_a_clone_cannot_slip_in_lines_of_the_user_or_in_our_name(people: tuple[Person, Person]) -> None:
    one, other = people
    one.decide("ruff", cwd=one.clone)
    private = one.decide("diary")
    one.sharing.share(str(one.clone))
    other.shared.mkdir(parents=True)
    user = (one.memory / f"log/user/{ONE}.ndjson").read_bytes()
    (other.shared / f"{ONE}.ndjson").write_bytes((one.shared / f"{ONE}.ndjson").read_bytes() + user + b"rubbish\n")
    (other.shared / f"{OTHER}.ndjson").write_bytes((one.shared / f"{ONE}.ndjson").read_bytes())
    (other.shared / "no-install.ndjson").write_bytes(user)
    (other.shared / "cccccccccccc.ndjson").symlink_to(one.memory / f"log/user/{ONE}.ndjson")
    came = other.sharing.trust(str(other.clone))
    assert came["taken"] == 1
    assert private not in other.store.projection().decisions
    assert "line(s) are broken, or of another project" in came["problems"][0]
    assert not (other.memory / f"log/projects/{project_of(other)}/{OTHER}.ndjson").exists()


def test_a_link_in_the_repository_leads_nowhere(people: tuple[Person, Person], tmp_path: Path) -> None:
    one, _ = people
    one.decide("ruff", cwd=one.clone)
    (tmp_path / "elsewhere").mkdir()
    (one.clone / ".memoryd").symlink_to(tmp_path / "elsewhere")
    assert "a link stands in its place" in one.sharing.share(str(one.clone))["problems"][0]
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_outside_a_working_tree_nothing_can_be_shared(people: tuple[Person, Person], tmp_path: Path) -> None:
    with pytest.raises(ShareRefused, match="no git working tree"):
        people[0].sharing.share(str(tmp_path))
