"""A month of three agents on two projects, by a clock of its own: what each project's sessions are given, day by day.

``MEMORYD_SHOW`` names a file that gets every text that was kept, to be read by a person: the properties below say
that nothing wrong is told, and only a reader can say whether one would want to be told this.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import pytest

from memoryd.api.build import build_api
from memoryd.app import Daemon, compose
from memoryd.paths import find_paths
from memoryd.render.meter import utf16_units
from memoryd.settings import Settings
from semantic.attention.active import LIMIT_UNITS
from semantic.projection.picture import Projection
from tests import asgi, story

BERLIN = ZoneInfo("Europe/Berlin")
FIRST = datetime(2026, 3, 2, 9, 0, tzinfo=BERLIN)
DAYS = 30
HALF = 15
ID = re.compile(r" \[((?:el|de|no|ep)_\w+)\]$", re.MULTILINE)


@dataclass
class Clock:
    now: datetime = FIRST

    def __call__(self) -> datetime:
        return self.now

    def later(self, **passed: float) -> None:
        self.now += timedelta(**passed)


@dataclass
class World:
    """One home, the whole application on it, and the two projects' folders."""

    root: Path
    clock: Clock = field(default_factory=Clock)
    versions: dict[tuple[str, str, str], int] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)
    pinned: dict[str, str] = field(default_factory=dict)
    monday: tuple[datetime, str] = (FIRST, "")
    daemon: Daemon = field(init=False)
    app: Any = field(init=False)
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)

    def __post_init__(self) -> None:
        for name in story.PARTS:
            folder = self.folder(name)
            (folder / ".git").mkdir(parents=True)
            (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
            (folder / ".git" / "config").write_text(
                f'[remote "origin"]\n\turl = https://git.example.org/shop/{name}.git\n'
            )
            (folder / "src").mkdir()
            for part in story.PARTS[name]:
                file = folder / story.file_of(part)
                file.write_text(f"# {part}\n")
                os.utime(file, (FIRST.timestamp() - 3600,) * 2)
            (folder / "CLAUDE.md").write_text(f"# {name}\n\nmemoryd: {story.DECLARED[name]}\n")
        vault = self.root / "home" / "memory" / "vault"
        vault.mkdir(parents=True)
        for name, (tags, summary) in story.CONVENTIONS.items():
            (vault / name).write_text(f"---\nsummary: {summary}\ntags: {tags}\n---\n# {Path(name).stem}\n\n{summary}\n")
        self.open()

    def folder(self, project: str) -> Path:
        return self.root / "code" / project

    def open(self) -> None:
        paths = find_paths({"MEMORYD_HOME": str(self.root / "home")})
        paths.make()
        chosen = Settings.model_validate({"engine": {"kind": "exact"}, "embedding": {"model": "none"}})
        self.daemon = compose(paths, chosen, install="a" * 12, clock=self.clock, zone=BERLIN)
        services = self.daemon.services
        services.semantic.open()
        services.episodic.open()
        self.daemon.scan.run()
        services.readiness.set_ready()
        self.app = build_api(services)

    def close(self) -> None:
        self.daemon.close()

    def ask(self, method: str, path: str, actor: str = "person", session: str = "", **sent: Any) -> Any:
        """Ask the application, without a socket and in this thread: a thousand calls are made."""
        headers = {"memoryd-actor": actor, "content-type": "application/json"}
        headers |= {"memoryd-session": session} if session else {}
        target = f"{path}?{urlencode(sent.get('params', {}))}"
        told = json.dumps(sent["json"]).encode() if "json" in sent else b""
        status, _, body = self.loop.run_until_complete(asgi.ask(self.app, method, target, headers, told))
        assert status < 300, (path, body)
        return json.loads(body)

    def context(self, project: str, **query: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.ask("GET", "/v1/context", params={"cwd": str(self.folder(project)), **query})
        return found

    def started(self, project: str, session: str) -> str:
        """Return what the hook gives a new session."""
        body = {"session_id": session, "cwd": str(self.folder(project)), "hook_event_name": "SessionStart"}
        answer = self.ask("POST", "/v1/hooks/SessionStart", json=body | {"source": "startup"})
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def decide(self, project: str, agent: str, session: str, decision: dict[str, Any]) -> str:
        place = {"scope": "user"} if project == "" else {"cwd": str(self.folder(project))}
        recorded = self.ask("POST", "/v1/decisions", f"agent:{agent}", json=decision | place | {"session": session})
        return str(recorded["elements"][0])

    @property
    def picture(self) -> Projection:
        return self.daemon.services.semantic.projection()

    def id_of(self, project: str) -> str:
        found = self.daemon.services.semantic.project_for(self.folder(project), mint=False)
        assert found is not None
        return found.id

    def told(self, project: str) -> list[tuple[str, str]]:
        """Return the texts that were given in a project, each with its occasion."""
        return [(what, text) for what, text in self.kept.items() if what.startswith(project)]

    def attention(self) -> list[dict[str, Any]]:
        self.daemon.services.semantic.flush_attention()
        files = (self.root / "home" / "memory" / "attention").iterdir()
        return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]

    def work(self, day: int) -> None:
        """Play one working day."""
        for turn, agent in enumerate(story.AGENTS):
            project = agent.works_on(day)
            session = f"{agent.name}-{day}"
            part = story.part_of_day(project, day, turn)
            self.keep(day, turn, project, session)
            asked, answered = story.ENTRIES[(day + turn) % len(story.ENTRIES)]
            self.clock.later(minutes=20)
            self.ask(
                "POST", "/v1/episodes", f"agent:{agent.name}",
                json={"text": f"Asked: {asked.format(part=part)}\n\nAnswered: {answered}", "session": session,
                      "turn": "1", "cwd": str(self.folder(project)), "title": asked.format(part=part)},
            )  # fmt: skip
            made = []
            for decision in story.work_of(project, day, turn, self.versions):
                self.clock.later(minutes=7)
                made.append(self.decide(project, agent.name, session, decision))
            if project not in self.pinned:
                self.pinned[project] = made[0]
                self.ask("POST", "/v1/attention", json={"op": "pin", "ids": made[:1]})
            for id_ in made[:2]:
                self.ask("GET", f"/v1/elements/{id_}", f"agent:{agent.name}", session)
            if day % 4 == turn:
                self.ask(
                    "POST", "/v1/attention", f"agent:{agent.name}", session, json={"op": "useful", "ids": made[:1]}
                )
        if day % 7 == 1 and day // 7 < len(story.OWN):
            name, gist, why = story.OWN[day // 7]
            put = {"op": "put_element", "kind": "preference", "name": name, "gist": gist}
            self.decide("", "claude", f"claude-{day}", {"title": f"How {name} are", "why": why, "mutations": [put]})

    def keep(self, day: int, turn: int, project: str, session: str) -> None:
        """Ask for what a session begins with, and keep it where it is to be read."""
        given = self.started(project, session)
        if project == "harbor" and self.clock.now.weekday() == 0:
            self.monday = (self.clock.now, given)
        if day in {0, 1, HALF, DAYS - 2} and turn < 2:
            self.kept[f"{project}, day {day}, hook"] = given
            self.kept[f"{project}, day {day}, context"] = self.context(project)["text"]


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = World(tmp_path_factory.mktemp("month"))
    for day in range(DAYS):
        world.clock.now = FIRST + timedelta(days=day)
        if world.clock.now.weekday() < 5:
            world.work(day)
    world.clock.now = FIRST + timedelta(days=DAYS)
    for project in story.PARTS:
        world.kept[f"{project}, end, hook"] = world.started(project, f"end-{project}")
        world.kept[f"{project}, end, context"] = world.context(project)["text"]
    if name := os.environ.get("MEMORYD_SHOW"):
        parts = [f"=== {what} ({utf16_units(text)} units)\n{text}" for what, text in world.kept.items()]
        Path(name).write_text("\n\n".join(parts), "utf-8")
    yield world
    world.close()
    world.loop.close()


@pytest.fixture(params=story.PARTS)
def project(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_no_text_is_longer_than_its_budget_and_none_is_empty(month: World, project: str) -> None:
    for what, text in month.kept.items():
        assert 300 < utf16_units(text) <= (6_000 if what.endswith("hook") else 20_000), what
    for most in (500, 1_500, 4_000, 9_000, 60_000):
        told = month.context(project, max_chars=most)
        assert told["units"] == utf16_units(told["text"]) <= most


def test_an_active_set_is_never_longer_than_its_limit_with_all_that_stands_in_its_lines(
    month: World, project: str
) -> None:
    """Behaviour 36: what is put away and what is unconfirmed is charged, too."""
    text = month.context(project, max_chars=60_000)["text"]
    for title in ("## What is known", "## What holds in all projects"):
        lines = text.split(f"{title}\n")[1].split("\n\n")[0].splitlines()
        assert all(ID.search(line) for line in lines)
        assert sum(utf16_units(line) + 1 for line in lines) <= LIMIT_UNITS
    assert "(leads to what is put away: " in text


def test_only_what_holds_is_told_and_the_newest_of_it(month: World, project: str) -> None:
    decisions = month.picture.decisions
    for what, text in month.told(project):
        told = [id_ for id_ in ID.findall(text) if id_.startswith("de_")]
        if ", end," in what:
            assert not [id_ for id_ in told if decisions[id_].superseded_by]
    ours = [one for one in month.picture.in_force if one.project == month.id_of(project)]
    newest = sorted(ours, key=lambda one: one.order, reverse=True)
    end = month.kept[f"{project}, end, context"]
    week = [one for one in newest if one.at > month.clock.now - timedelta(days=7)]
    assert len(week) > 20
    assert [one.title for one in week if one.id not in end] == []
    assert [one.title for one in newest[:8] if one.id not in month.kept[f"{project}, end, hook"]] == []


def test_a_gist_that_was_replaced_is_gone(month: World, project: str) -> None:
    text, held = month.context(project, max_chars=60_000)["text"], 0
    for (of, part, aspect), last in month.versions.items():
        if of != project:
            continue
        now = story.gist_of(project, part, aspect, last)
        held += now in text
        for version in range(last):
            before = story.gist_of(project, part, aspect, version)
            assert before == now or before not in text
    assert held > 60


def test_nothing_of_one_project_is_told_in_the_other(month: World, project: str) -> None:
    other = next(name for name in story.PARTS if name != project)
    picture, theirs = month.picture, month.id_of(other)
    notes = [Path(name).stem for name, (tags, _) in story.CONVENTIONS.items() if f"project/{other}" in tags]
    parts = [re.compile(rf"\b{re.escape(part)}\b") for part in story.PARTS[other]]
    for what, text in month.told(project):
        ids = ID.findall(text)
        known = [picture.elements.get(id_) or picture.decisions.get(id_) for id_ in ids]
        assert not [one for one in known if one is not None and one.project == theirs], what
        assert not [part.pattern for part in parts if part.search(text)], what
        assert not [note for note in notes if note in text], what


def test_the_persons_own_is_told_in_both_in_the_smallest_text_too(month: World, project: str) -> None:
    for kind in ("hook", "context"):
        text = month.kept[f"{project}, end, {kind}"]
        assert [gist for _, gist, _ in story.OWN if gist not in text] == []


def test_names_stand_where_people_read_and_ids_only_at_the_ends(month: World) -> None:
    for what, text in month.kept.items():
        for line in text.splitlines():
            words = ID.sub("", line)
            assert not re.search(r"\b(?:el|de|no|ep)_[0-9A-Za-z]{8}|[0-9a-f]{20}", words), (what, line)
            assert not re.fullmatch(r"- \w* ?:?\s*", words), (what, line)


def test_a_monday_tells_of_friday(month: World) -> None:
    at, text = month.monday
    assert f"- {(at - timedelta(days=3)).date()} " in text.split("## Recent days\n")[1]


def test_the_set_is_listed_by_the_projects_name_as_it_is_told(month: World, project: str) -> None:
    query = {"project": project, "archived": "false", "limit": 500}
    listed = {one["id"] for one in month.ask("GET", "/v1/elements", params=query)["items"]}
    text = month.context(project, max_chars=60_000)["text"].split("## What is known\n")[1].split("\n\n")[0]
    assert listed == set(ID.findall(text))
    assert month.ask("GET", "/v1/elements", params=query | {"project": "nowhere"})["items"] == []


def test_what_was_left_out_is_counted(month: World, project: str) -> None:
    told = month.context(project, max_chars=6_000)
    left = {one["name"]: one["left_out"] for one in told["parts"] if "left_out" in one}
    assert left.keys() >= {"heads", "elements"}
    for count in left.values():
        assert f"{count} of “" in told["text"].split("Left out for space: ")[1]


def test_the_set_lived(month: World, project: str) -> None:
    """Behaviours 35 and 38: some went, some came back, the pinned stayed, and what is young was kept in its share."""
    records = [line for line in month.attention() if line["op"] in {"archive", "swap", "promote", "restore"}]
    mine = {one.id for one in month.picture if one.project == month.id_of(project)}
    ops = {line["op"] for line in records if mine & set(line["ids"])}
    assert ops >= {"archive", "restore"}
    assert all(line.get("scores") for line in records if line["op"] in {"archive", "swap", "promote"})
    out = {id_ for id_, one in month.daemon.services.semantic.attention().items() if one.archived}
    assert 10 < len(out & mine) < len(mine) - 40
    assert month.pinned[project] not in out
    assert month.pinned[project] in ID.findall(month.kept[f"{project}, end, hook"])[:40]
    week = month.clock.now - timedelta(days=7)
    decided = {id_ for one in month.picture.in_force if one.at > week for id_ in one.elements}
    assert not out & decided & mine


def test_what_was_put_away_comes_back_when_an_agent_reads_it(month: World, project: str) -> None:
    out = {id_ for id_, one in month.daemon.services.semantic.attention().items() if one.archived}
    mine = sorted(one.id for one in month.picture if one.project == month.id_of(project) and one.id in out)
    before = month.ask("GET", f"/v1/elements/{mine[0]}", params={"explain": "true"})
    assert before["archived"]
    assert before["standing"]["archived"]
    inside = month.ask("GET", f"/v1/elements/{month.pinned[project]}", params={"explain": "true"})["standing"]
    assert (inside["pinned"], inside["archived"]) == (True, False)
    assert 0 <= before["standing"]["score"] <= 1
    month.ask("GET", f"/v1/elements/{mine[0]}", "agent:claude", "late")
    assert mine[0] in month.context(project, max_chars=60_000)["text"]


def test_the_same_is_told_twice_and_after_the_state_is_deleted(month: World) -> None:
    def told() -> dict[str, str]:
        return {project: month.context(project)["text"] for project in story.PARTS}

    before = told()
    assert told() == before
    month.close()
    shutil.rmtree(month.root / "home" / "state")
    month.open()
    assert told() == before
