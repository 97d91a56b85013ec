"""A day of three sessions side by side: what the journal keeps of it, and what each session was given.

The dialogues are those of recorded session files, spread over two projects (one of them in a worktree as well), with
two clears, a compaction, a fork, sub-agents, a note that another session changes, a forget, and a daemon that is killed
at noon and misses a turn. ``MEMORYD_SHOW`` names a file that gets the journal and every text that was given, to be read
by a person.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memoryd.bench.daemon import OwnDaemon
from memoryd.render.meter import utf16_units
from memoryd.text.fence import NAME
from tests.e2e.conftest import WITHOUT_MODEL

Start = Callable[..., OwnDaemon]
FAST = WITHOUT_MODEL | {"MEMORYD_ENGINE__KIND": "exact"}
KEY = "ghp_" + "a1" * 18
DAY = Path(__file__).parent.parent / "data" / "transcripts" / "day.jsonl"
CART = {"kind": "component", "name": "cart"}
BILLING = {"kind": "service", "name": "billing"}


@dataclass
class Clock:
    """Instants for the lines of session files: the last hours, a minute apart."""

    now: datetime = field(default_factory=lambda: datetime.now(UTC) - timedelta(minutes=40))

    def tick(self) -> str:
        self.now += timedelta(seconds=7)
        return self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass
class Agent:
    """One session: its file grows as an agent writes it, and its hooks are told of what happens."""

    daemon: OwnDaemon
    session: str
    cwd: Path
    folder: Path
    clock: Clock
    given: list[tuple[str, str, str]] = field(default_factory=list)
    lines: int = 0

    @property
    def transcript(self) -> Path:
        return self.folder / f"{self.session}.jsonl"

    def hook(self, event: str, **fields: Any) -> str:
        body = {"session_id": self.session, "transcript_path": str(self.transcript), "cwd": str(self.cwd)}
        answer = self.daemon.post(f"/v1/hooks/{event}", body | {"hook_event_name": event} | fields)
        text = str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))
        assert set(answer) <= {"hookSpecificOutput"}
        self.given.append(
            (event, str(fields.get("prompt") or fields.get("source") or fields.get("tool_name") or ""), text)
        )
        return text

    def write(self, kind: str, content: Any, **fields: Any) -> dict[str, Any]:
        self.lines += 1
        uuid = f"{self.session}-{self.lines}"
        message: dict[str, Any] = {"role": kind, "content": content}
        if kind == "assistant":
            message |= {"id": f"msg_{uuid}", "stop_reason": "end_turn"}
        line: dict[str, Any] = {"type": kind, "uuid": uuid, "timestamp": self.clock.tick(), "sessionId": self.session}
        line |= {"cwd": str(self.cwd), "message": message, **fields}
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        return line

    def turn(self, asked: str, answered: str, *, edits: str | None = None, is_told: bool = True) -> str:
        """Ask, work, answer; ``is_told`` is false while no daemon listens."""
        given = self.hook("UserPromptSubmit", prompt=asked) if is_told else ""
        self.write("user", asked)
        if edits is not None:
            path = {"file_path": str(self.cwd / edits)}
            if is_told:
                given += self.hook("PreToolUse", tool_name="Edit", tool_use_id="t", tool_input=path)
            (self.cwd / edits).parent.mkdir(exist_ok=True)
            with (self.cwd / edits).open("a", encoding="utf-8") as file:
                file.write(f"# {asked}\n")
            self.write("assistant", [{"type": "tool_use", "id": f"t{self.lines}", "name": "Edit", "input": path}])
            self.write("user", [{"type": "tool_result", "tool_use_id": f"t{self.lines - 1}", "content": "done"}])
            if is_told:
                given += self.hook("PostToolUse", tool_name="Edit", tool_use_id="t", tool_input=path)
        self.write("assistant", [{"type": "text", "text": answered}])
        if is_told:
            assert self.hook("Stop", last_assistant_message=answered) == ""
        return given


def git(folder: Path, *arguments: str) -> str:
    named = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    done = subprocess.run(["git", "-C", str(folder), *named, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    (folder / "README.md").write_text("x\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder


def recorded(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (asked, answered) of a recorded session file, in its order."""
    asked = ""
    for line in path.read_text("utf-8").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        content = entry.get("message", {}).get("content") if isinstance(entry, dict) else None
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        text = "\n".join(one["text"] for one in blocks if isinstance(one, dict) and one.get("type") == "text")
        if not text.strip() or entry.get("isMeta") or entry.get("isSidechain") or entry.get("isCompactSummary"):
            continue
        if entry.get("type") == "user" and not text.startswith("<") and "[Request" not in text:
            asked = text
        elif entry.get("type") == "assistant" and asked:
            yield asked, text
            asked = ""


def decide(daemon: OwnDaemon, agent: Agent, title: str, why: str, mutations: list[dict[str, Any]]) -> None:
    daemon.post(
        "/v1/decisions",
        {"title": title, "why": why, "mutations": mutations, "cwd": str(agent.cwd), "session": agent.session},
        Memoryd_Actor="agent:claude",
    )


def write_note(agent: Agent, text: str, etag: str | None = None) -> str:
    """Write the note on money as an agent of a session does; return its ETag."""
    guard = {"If-Match": f'"{etag}"'} if etag else {"If-None-Match": "*"}
    headers = guard | {"Memoryd-Actor": "agent:claude", "Memoryd-Session": agent.session}
    body = {"text": f"---\nsummary: {text}\ntags: [convention/money, scope/global]\n---\n# Money\n\n{text}\n"}
    written = agent.daemon.client.call("PUT", "/v1/notes/vault/Money.md", body=body, headers=headers).body
    return str(written["etag"])


def files_of_day() -> list[Path]:
    data = os.environ.get("MEMORYD_TEST_DATA")
    if data is None:
        return [DAY]
    folder = Path(data) / "transcripts"
    found = [*folder.glob("claude-code-log/test/test_data/representative_messages.jsonl")]
    found += [*folder.glob("claude-code-viewer/5c0375b4*.jsonl"), *folder.glob("episodic-memory/medium*.jsonl")]
    return [DAY, *found]


def test_a_day_of_three_sessions(start: Start, tmp_path: Path) -> None:
    """BH05, BH07, BH40, BH46: a diary without anything of ours, each turn once, no secret, repositories untouched."""
    shop, billing = repository(tmp_path / "code" / "shop"), repository(tmp_path / "code" / "billing")
    tree = tmp_path / "code" / "zurich-v1"
    git(shop, "worktree", "add", "-q", str(tree))
    before = {folder: git(folder, "status", "--porcelain") for folder in (shop, billing, tree)}
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    clock = Clock()
    daemon = start(settings=FAST)
    one, two, three = (
        Agent(daemon, name, cwd, sessions, clock)
        for name, cwd in (("s-shop", shop), ("s-tree", tree), ("s-bill", billing))
    )
    talks = [turn for file in files_of_day() for turn in recorded(file)]
    expected = 0
    assert one.hook("SessionStart", source="startup") == ""  # nothing is known on the first morning
    for number, (asked, answered) in enumerate(talks):
        (one, two, three)[number % 3].turn(asked, answered)
        expected += 1
    one.turn(
        "Why does the cart lose its discount after a reload?",
        "A reload replaces the session; the discount now lies with the cart row.",
        edits="src/cart.py",
    )
    decide(
        daemon, one, "Discounts lie with the cart row", "A reload replaces the session.",
        [{"op": "put_element", **CART, "gist": "Holds lines and discounts.", "touches": ["src/cart.py"]}],
    )  # fmt: skip
    # The worktree is the same project: it hears of the decision at its next prompt, once.
    heard = two.turn(f"Push with {KEY} please, the password is hunter2", "Pushed.")
    assert heard.count("Discounts lie with the cart row (") == 1
    (billing / "src").mkdir()
    (billing / "src" / "invoice.py").write_text("invoices = []\n")
    decide(
        daemon, three, "Invoices are numbered by year", "The tax office wants it.",
        [{"op": "put_element", **BILLING, "gist": "Writes invoices.", "touches": ["src/invoice.py"]}],
    )  # fmt: skip
    expected += 2
    daemon.wait_until_indexed(60)
    heard = two.turn("Where do discounts lie now?", "With the cart row.", edits="src/cart.py")
    assert "component cart: Holds lines" in heard or "cart: Holds lines" in heard
    assert "Discounts lie with the cart row (" not in heard
    assert "Invoices are numbered" not in heard
    assert two.turn("ok, go on", "Done.") == ""
    assert three.turn("Write a haiku about rain in spring", "Rain on the window …") == ""
    expected += 3
    # A convention is written down; whoever begins from now on is told of it.
    etag = write_note(three, "Amounts are integers of cents.")
    # A sub-agent has a context of its own: how things are done here, what holds, and what is known of its file.
    given = three.hook("SubagentStart", agent_id="a1", agent_type="explore")
    assert given.index("Amounts are integers of cents.") < given.index("Invoices are numbered by year (")
    read = {"tool_name": "Read", "tool_input": {"file_path": str(billing / "src/invoice.py")}}
    assert "service billing: Writes invoices." in three.hook("PreToolUse", agent_id="a1", **read)
    assert three.hook("PreToolUse", agent_id="a1", **read) == ""
    three.hook("SubagentStop", agent_id="a1", agent_type="explore", last_assistant_message="Found it.")
    # A compaction, a clear, a fork.
    one.hook("PreCompact", trigger="auto", custom_instructions=None)
    one.hook("PostCompact", trigger="auto", compact_summary="We moved discounts to the cart row.")
    expected += 1
    assert "Discounts lie with the cart row" in one.hook("SessionStart", source="compact")
    two.hook("SessionEnd", reason="clear")
    cleared = Agent(daemon, "s-tree-2", tree, sessions, clock)
    given = cleared.hook("SessionStart", source="clear")
    assert "Discounts lie with the cart row" in given
    assert "Amounts are integers of cents." in given
    # Somebody regrets what was said of a push, and another session changes the convention: this one is told, once.
    (regretted,) = [one for one in daemon.get("/v1/episodes", limit=500)["items"] if "Push with" in one["title"]]
    assert regretted["id"] in given
    daemon.post("/v1/forget", {"ids": [regretted["id"]]})
    write_note(three, "Amounts are decimals with two places.", etag)
    given = cleared.turn("ok, go on", "Done.")
    assert f"- Forgotten entry: What was shown of it holds no longer. [{regretted['id']}]" in given
    assert "vault:Money.md: Its text changed" in given
    assert cleared.turn("ok, go on", "Done again.") == ""
    expected += 1
    # A second clear: an empty context is told how things are now.
    cleared.hook("SessionEnd", reason="clear")
    cleared = Agent(daemon, "s-tree-3", tree, sessions, clock)
    given = cleared.hook("SessionStart", source="clear")
    assert "Amounts are decimals with two places." in given
    assert "Discounts lie with the cart row" in given
    assert "Push with" not in given
    assert regretted["id"] not in given
    # And a restart of the daemon changes nothing of that.
    # Noon: the power goes, and a turn happens that nobody is told of.
    daemon.kill()
    three.turn("What did the night job do?", "It wrote 120 invoices.", is_told=False)
    expected += 1
    again = start(settings=FAST)
    for agent in (one, three, cleared):
        agent.daemon = again
    assert three.hook("SessionStart", source="resume").count("Invoices are numbered") == 0  # its own, and known
    copied = [json.loads(line) for line in one.transcript.read_text().splitlines()]
    forked = Agent(again, "s-fork", shop, sessions, clock)
    for line in copied:
        uuid = line["uuid"]
        line |= {"sessionId": "s-fork", "uuid": f"f-{uuid}", "forkedFrom": {"sessionId": "s-shop", "messageUuid": uuid}}
    forked.transcript.write_text("".join(json.dumps(line) + "\n" for line in copied))
    assert "Discounts lie with the cart row" not in forked.hook("SessionStart", source="fork")
    forked.turn(
        "Try the other way: keep discounts in a cookie", "A cookie is lost on another device.", edits="src/cart.py"
    )
    cleared.turn("What did we decide about the discount in the cart?", "It lies with the cart row.")
    expected += 2
    again.wait_until_indexed(60)
    for agent in (one, three, cleared, forked):
        agent.hook("SessionEnd", reason="other")
    again.wait_until_indexed(60)

    entries = again.get("/v1/episodes", limit=500)["items"]
    show(_texts(one, two, three, cleared, forked), again, entries)
    assert regretted["id"] not in {entry["id"] for entry in entries}
    keys = [(entry["session"], entry["text"]) for entry in entries]
    assert len(keys) == len(set(keys)) == expected
    assert sum("120 invoices" in entry["text"] for entry in entries) == 1
    projects = {entry["session"]: entry["project"] for entry in entries}
    assert len({projects[f"s-{name}"] for name in ("shop", "tree", "tree-2", "tree-3", "fork")}) == 1
    assert projects["s-bill"] != projects["s-shop"]
    for path in again.home.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert KEY.encode() not in data, path
            assert b"hunter2" not in data, path
            assert b"Push with" not in data, path
    for path in (again.home / "memory" / "journal").glob("*.md"):
        assert NAME not in path.read_text("utf-8")
    for folder, status in before.items():
        left = git(folder, "status", "--porcelain").splitlines()
        assert [line for line in left if line != "?? src/"] == status.splitlines()  # what the agents themselves edited
    for _, event, what, text in _texts(one, two, three, cleared, forked):
        assert utf16_units(text) <= (6_000 if event == "SessionStart" else 2_000), what
        for stamp in re.findall(r"\d{4}-\d\d-\d\d \d\d:\d\d(?! [+-]\d\d:\d\d)", text):
            pytest.fail(f"a time without its zone was shown: {stamp}")
    again.stop()


def _texts(*agents: Agent) -> Iterator[tuple[str, str, str, str]]:
    for agent in agents:
        for event, what, text in agent.given:
            yield agent.session, event, what, text


def show(texts: Iterable[tuple[str, str, str, str]], daemon: OwnDaemon, entries: Iterable[dict[str, Any]]) -> None:
    """Write all of it to the file that ``MEMORYD_SHOW`` names."""
    if (name := os.environ.get("MEMORYD_SHOW")) is None:
        return
    parts = [
        f"=== {session} {event} {what[:80]!r} ({utf16_units(text)} units)\n{text}"
        for session, event, what, text in texts
    ]
    parts += [path.read_text("utf-8") for path in sorted((daemon.home / "memory" / "journal").glob("*.md"))]
    parts += [json.dumps(entry)[:300] for entry in entries]
    Path(name).write_text("\n\n".join(parts), "utf-8")
