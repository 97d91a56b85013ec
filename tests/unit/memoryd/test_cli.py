"""The frame of the command line: lazy commands, exit codes, output, and what each command asks of the daemon."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from clients.endpoint import DaemonUnreachable, Endpoint
from clients.http import Answer, Client, ProblemError
from memoryd.cli import frame
from memoryd.cli.frame import COMMANDS, GROUPS, clean, counted, exit_code_of, root, shorten
from memoryd.errors import StartFailed

HERE = str(Path.cwd())


class FakeClient:
    """Answers from a table and remembers what it was asked."""

    endpoint = Endpoint("http://127.0.0.1:1", "/s", 4242, "1.0")

    def __init__(self) -> None:
        self.calls: list[tuple[str, str, dict[str, Any]]] = []
        self.answer: Any = {}
        self.answers: dict[str, Any] = {}
        self.status = 200
        self.raw: bytes | None = None
        self.error: Exception | None = None

    def call(self, method: str, path: str, **parts: Any) -> Answer:
        self.calls.append((method, path, parts))
        if self.error is not None:
            raise self.error
        answer = self.answers.get(f"{method} {path}", self.answer)
        raw = json.dumps(answer).encode() if self.raw is None else self.raw
        return Answer(self.status, {}, raw, answer)

    @property
    def body(self) -> Any:
        [body] = [parts["body"] for _, _, parts in self.calls if "body" in parts]
        return body


@pytest.fixture
def daemon(monkeypatch: pytest.MonkeyPatch) -> FakeClient:
    fake = FakeClient()
    monkeypatch.setattr(Client, "find", lambda *_, **__: fake)
    return fake


def run(*arguments: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(root, list(arguments), input=stdin, prog_name="memoryd")


def problem(status: int, slug: str = "x", **members: Any) -> ProblemError:
    body = {"type": f"urn:memoryd:problem:{slug}", "title": "Title", "status": status, "detail": "Detail"} | members
    return ProblemError(Answer(status, {}, json.dumps(body).encode(), body))


RECALL = {
    "query": "q",
    "route": {
        "store": "both",
        "confidence": 0.8,
        "reasons": ["asks for a reason"],
        "range": {"since": "2026-11-01T00:00:00Z"},
    },
    "hits": [
        {
            "id": "ep_1",
            "store": "episodic",
            "kind": "episode",
            "title": "A title",
            "text": "line\n\x1b[31mred",
            "score": 0.93,
            "path": "journal/2026-11-30.md",
            "lines": [12, 18],
            "at": "2026-11-30T14:05:12+01:00",
            "superseded_by": "de_9",
        },
        {
            "id": "el_1",
            "store": "semantic",
            "kind": "element",
            "title": "E",
            "text": "t",
            "score": 0.5,
            "path": None,
            "lines": None,
            "at": None,
        },
    ],
    "degraded": ["no model"],
    "took_ms": 3,
}


def test_recall_shows_the_route_the_hits_and_what_was_missing(daemon: FakeClient) -> None:
    daemon.answer = RECALL
    done = run("recall", "what", "is", "it?", "--since", "2w", "--tag", "a/b", "--limit", "5")
    assert done.exit_code == 0, done.output
    assert daemon.calls[0][:2] == ("POST", "/v1/recall")
    assert daemon.body == {"query": "what is it?", "since": "2w", "tags": ["a/b"], "limit": 5, "cwd": HERE}
    for said in (
        "route: both (0.80)",
        "asks for a reason",
        "1. 2026-11-30 14:05 episode “A title” (0.93)",
        "journal/2026-11-30.md:12-18 (ep_1)",
        "superseded by de_9",
        "degraded: no model",
    ):
        assert said in done.stdout
    assert "\x1b" not in done.stdout


def test_no_hits_are_said(daemon: FakeClient) -> None:
    daemon.answer = RECALL | {"hits": []}
    assert "nothing relevant" in run("recall", "x").stdout


def test_what_answers_nothing_says_so_first_and_names_the_three_nearest(daemon: FakeClient) -> None:
    from memoryd.router.relevance import NOTHING

    hit = RECALL["hits"][1]  # type: ignore[index]
    daemon.answer = RECALL | {"hits": [hit] * 5, "route": RECALL["route"] | {"reasons": ["a cue", NOTHING]}}  # type: ignore[operator]
    lines = run("recall", "x").stdout.splitlines()
    assert lines[:2] == ["nothing relevant is remembered", "route: both (0.80): a cue"]
    assert lines[3:8] == ["", "the nearest, which hardly answer it:", *["  element “E”, el_1"] * 3]
    assert lines[8] == "  and 2 farther off; --json has them"
    assert not any("(0.50)" in line for line in lines)


def test_a_long_route_has_its_reasons_in_lines_of_their_own(daemon: FakeClient) -> None:
    reasons = ["a reason of many words " * 3, "another one of as many words"]
    daemon.answer = RECALL | {"route": RECALL["route"] | {"reasons": reasons}}  # type: ignore[operator]
    lines = run("recall", "x").stdout.splitlines()
    assert lines[:3] == ["route: both (0.80)", f"  {reasons[0]}", f"  {reasons[1]}"]


@pytest.mark.parametrize("arguments", [("--json", "recall", "x"), ("recall", "x", "--json"), ("recall", "--json", "x")])
def test_json_prints_the_body_byte_for_byte(daemon: FakeClient, arguments: tuple[str, ...]) -> None:
    daemon.raw = b'{"odd":   "spacing", "\xc3\xbc": 1}'
    done = run(*arguments)
    assert done.stdout_bytes == daemon.raw
    assert done.exit_code == 0


@pytest.mark.parametrize(
    ("status", "slug", "code"),
    [
        (404, "not-found", 4),
        (422, "invalid-request", 2),
        (422, "contract", 5),
        (401, "unauthorized", 5),
        (403, "forbidden", 5),
        (409, "near-duplicate", 5),
        (412, "stale", 5),
        (413, "too-large", 5),
        (400, "bad-request", 1),
        (500, "internal", 1),
        (507, "not-written", 1),
        (503, "not-ready", 3),
    ],
)
def test_problems_have_exit_codes(daemon: FakeClient, status: int, slug: str, code: int) -> None:
    daemon.error = problem(status, slug)
    assert exit_code_of(daemon.error) == code
    done = run("recall", "x")
    said = (
        "memoryd: Detail\n"
        if slug in {"not-found", "invalid-request", "near-duplicate"}
        else "memoryd: Title: Detail\n"
    )
    assert (done.exit_code, done.stdout, done.stderr) == (code, "", said)
    done = run("recall", "x", "--json")
    assert done.exit_code == code
    assert json.loads(done.stdout) == daemon.error.body
    assert done.stderr == said


def test_candidates_are_named(daemon: FakeClient) -> None:
    daemon.error = problem(409, candidates=[{"id": "el_1", "kind": "tool", "name": "Milvus", "reason": "spelling"}])
    assert run("kg", "decide", "t", "--why", "w").stderr == "memoryd: Title: Detail; there is: el_1 (tool 'Milvus')\n"


def test_other_failures(daemon: FakeClient) -> None:
    daemon.error = DaemonUnreachable("nobody there")
    done = run("status")
    assert (done.exit_code, done.stderr) == (3, "memoryd: nobody there\n")
    daemon.error = StartFailed("two\nlines \x1b[31m")
    done = run("status")
    assert (done.exit_code, done.stderr) == (1, "memoryd: two lines �[31m\n")
    daemon.error = PermissionError(13, "Permission denied", "/locked")
    done = run("status")
    assert (done.exit_code, done.stderr) == (1, "memoryd: Permission denied: /locked\n")
    assert run("nothing").exit_code == 2
    assert run("recall", "--nothing").exit_code == 2
    assert run("kg", "decide", "t").exit_code == 2
    assert run("remember").exit_code == 2


def test_remember(daemon: FakeClient) -> None:
    daemon.answer = {"id": "ep_1", "path": "journal/2026-11-30.md", "lines": [3, 6], "at": "x"}
    daemon.answers = {
        "GET /v1/episodes/ep_1": {"project": "p-1"},
        "GET /v1/projects": {"items": [{"id": "p-0", "name": "no"}, {"id": "p-1", "name": "p"}]},
    }
    daemon.status = 201
    done = run("remember", "two", "words", "--project", "p", "--key", "k", "--file", "a", "--file", "b")
    assert done.stdout == "remembered in journal/2026-11-30.md:3-6 as ep_1\nin the project p (p-1)\n"
    assert daemon.body == {"text": "two words", "project": "p", "files": ["a", "b"], "cwd": HERE}
    assert [parts["headers"] for _, _, parts in daemon.calls if "headers" in parts] == [{"Idempotency-Key": "k"}]
    daemon.calls.clear()
    run("remember", "-", stdin="aus der Röhre\n".encode())
    assert daemon.body["text"] == "aus der Röhre\n"
    daemon.calls.clear()
    daemon.status = 200
    daemon.answers["GET /v1/episodes/ep_1"] = {"project": None}
    done = run("remember", "again")
    assert done.stdout.startswith("remembered before in")
    assert "in no project" in done.stdout
    daemon.calls.clear()
    assert run("remember", "x", "--json").stdout_bytes == json.dumps(daemon.answer).encode()
    assert len(daemon.calls) == 1


def test_remember_says_that_a_project_is_new_and_which_it_may_have_been_meant_for(
    daemon: FakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = [{"id": "flussbett-1", "name": "flussbett"}, {"id": "shop-1", "name": "shop"}]
    written = {"id": "ep_1", "path": "journal/2026-11-30.md", "lines": [3, 6], "at": "2026-11-30T12:00:00+00:00"}
    call = daemon.call

    def answer(method: str, path: str, **parts: Any) -> Answer:
        given = call(method, path, **parts)
        if method == "POST":
            known.append({"id": "new-1", "name": parts["body"]["project"]})
        return given

    monkeypatch.setattr(daemon, "call", answer)
    daemon.answers = {
        "POST /v1/episodes": written,
        "GET /v1/projects": {"items": known},
        "GET /v1/episodes/ep_1": {"project": "new-1"},
    }
    assert (
        "flusbett (new-1), a new project; there is flussbett, too\n"
        in run("remember", "x", "--project", "flusbett").stdout
    )
    known[2:] = []
    assert run("remember", "x", "--project", "elsewhere").stdout.endswith("elsewhere (new-1), a new project\n")
    daemon.answers["GET /v1/episodes/ep_1"] = {"project": "shop-1"}
    assert run("remember", "x", "--project", "shop").stdout.endswith("in the project shop (shop-1)\n")


def test_remember_says_that_a_time_has_not_come_yet(daemon: FakeClient) -> None:
    daemon.answer = {"id": "ep_1", "path": "journal/2999-01-01.md", "lines": [3, 6], "at": "2999-01-01T00:00:00+00:00"}
    daemon.answers = {"GET /v1/episodes/ep_1": {"project": None}}
    assert "warning: 2999-01-01 has not come yet" in run("remember", "x", "--at", "2999-01-01").stdout
    daemon.answer |= {"at": "2001-01-01T00:00:00+00:00"}
    assert "warning" not in run("remember", "x").stdout


def test_timeline(daemon: FakeClient) -> None:
    item = {
        "id": "ep_1",
        "title": "T",
        "text": "x",
        "at": "2026-11-30T14:05:12+01:00",
        "path": "journal/2026-11-30.md",
        "lines": [1, 2],
    }
    daemon.answer = {"items": [item, item], "next_cursor": "abc"}
    done = run("timeline", "--since", "2w")
    assert done.stdout.count("2026-11-30\n") == 1
    assert "14:05 T" in done.stdout
    assert "--cursor abc" in done.stdout
    assert daemon.calls[0][2]["query"]["since"] == "2w"


def test_route(daemon: FakeClient) -> None:
    daemon.answer = {"query": "q", "route": RECALL["route"]}
    assert "from 2026-11-01 00:00 until now" in run("route", "q").stdout


def test_decide(daemon: FakeClient, tmp_path: Path) -> None:
    daemon.answer = {"id": "de_1", "elements": ["el_1"], "heads": [], "superseded": ["de_0"], "warnings": []}
    daemon.status = 201
    more = tmp_path / "m.json"
    more.write_text('[{"op": "set_prop"}]')
    done = run(
        "kg",
        "decide",
        "Use it",
        "--why",
        "fast",
        "--put",
        "tool",
        "Milvus",
        "a store",
        "--put",
        "tool",
        "X",
        "",
        "--link",
        "tool:Milvus",
        "uses",
        "el_9",
        "--mutations",
        str(more),
        "--evidence",
        "ep_1",
        "--new",
    )
    assert done.exit_code == 0, done.output
    assert "recorded de_1" in done.stdout
    assert "superseded: de_0" in done.stdout
    assert daemon.body == {
        "title": "Use it",
        "why": "fast",
        "mutations": [
            {"op": "set_prop"},
            {"op": "put_element", "kind": "tool", "name": "Milvus", "gist": "a store"},
            {"op": "put_element", "kind": "tool", "name": "X"},
            {"op": "add_link", "from": {"kind": "tool", "name": "Milvus"}, "rel": "uses", "to": "el_9"},
        ],
        "evidence": ["ep_1"],
        "new": True,
        "cwd": HERE,
    }
    daemon.calls.clear()
    daemon.status = 200
    daemon.answer |= {"warnings": ["mutations[0]: el_2 has this name and the kind tool"]}
    done = run("kg", "decide", "t", "--why", "w", "--scope", "user", "--put", "tool", "X", "")
    assert "cwd" not in daemon.body
    assert done.stdout.startswith("already recorded as de_1; it still holds\n")
    assert "warning: --put tool X: el_2 has this name" in done.stdout
    assert "warning: --put tool X: the gist is empty" in done.stdout
    assert run("kg", "decide", "t", "--why", "w", "--put", "tool", "X", "a").stdout.count("is empty") == 0


@pytest.mark.parametrize("content", ["{", "{}"])
def test_mutations_that_are_no_array_are_a_usage_error(daemon: FakeClient, content: str) -> None:
    done = run("kg", "decide", "t", "--why", "w", "--mutations", "-", stdin=content.encode())
    assert done.exit_code == 2
    assert not daemon.calls


LINK = {"from": "el_1", "rel": "uses", "to": "el_2"}
ELEMENT = {
    "id": "el_1",
    "kind": "tool",
    "name": "Milvus",
    "gist": "a store",
    "notes": [],
    "touches": [],
    "aliases": ["mv"],
    "props": {"v": 1},
    "scope": "project",
    "project": "p-1",
    "archived": False,
    "links": [LINK],
    "heads": ["de_1"],
    "evidence": [],
}
DECISION = {
    "id": "de_1",
    "kind": "decision",
    "title": "T",
    "why": "W",
    "at": "2026-11-30T14:05:12+01:00",
    "actor": "person",
    "supersedes": ["de_0"],
}


@pytest.mark.parametrize(
    ("arguments", "path", "answer", "said"),
    [
        (("kg", "show", "el_1"), "/v1/elements/el_1", ELEMENT, "  -uses-> tool Milvus (el_2)\n"),
        (("kg", "show", "de_1"), "/v1/decisions/de_1", DECISION, "supersedes “T” (de_0)\n"),
        (("kg", "show", "Milvus"), "/v1/elements", {"items": [ELEMENT]}, "tool Milvus (p-1) el_1"),
        (("kg", "history", "el_1"), "/v1/elements/el_1/history", {"items": [DECISION]}, "why: W"),
        (("kg", "as-of", "el_1", "2026-01-01"), "/v1/elements/el_1", ELEMENT, "aliases: mv"),
        (
            ("kg", "neighbors", "el_a/b"),
            "/v1/elements/el_a%2Fb/neighbors",
            {"items": [{"link": LINK | {"to": "path:p:a.py"}, "element": None}]},
            "-uses-> path:p:a.py\n",
        ),
        (("kg", "neighbors", "el_1"), "/v1/elements/el_1/neighbors", {"items": []}, "nothing is linked"),
        (
            ("kg", "conflicts"),
            "/v1/conflicts",
            {"items": [{"element": ELEMENT, "heads": [DECISION, DECISION]}]},
            "  2026-11-30 14:05 “T” by person (de_1)\n",
        ),
        (("kg", "conflicts"), "/v1/conflicts", {"items": []}, "no conflicts"),
        (
            ("project", "list"),
            "/v1/projects",
            {"items": [{"id": "p-1", "name": "p", "remotes": ["h/p"], "roots": [{"path": "/p"}]}]},
            "h/p",
        ),
        (("project", "list"), "/v1/projects", {"items": []}, "no project"),
        (
            ("note", "list", "--broken"),
            "/v1/notes",
            {
                "items": [
                    {
                        "vault": "vault",
                        "path": "a.md",
                        "title": "A",
                        "tags": ["x"],
                        "broken": ["B"],
                        "violations": ["no summary"],
                    }
                ],
                "next_cursor": "c",
            },
            "link to nothing: B",
        ),
        (("note", "show", "work:a/b c.md"), "/v1/notes/work/a/b%20c.md", {"text": "the text"}, "the text"),
        (("note", "show", "a.md"), "/v1/notes/~/a.md", {"text": "the text"}, "the text"),
    ],
)
def test_what_is_read(daemon: FakeClient, arguments: tuple[str, ...], path: str, answer: Any, said: str) -> None:
    daemon.answer = answer
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    assert said in done.stdout
    assert daemon.calls[0][:2] == ("GET", path)


def test_as_of_sends_the_instant(daemon: FakeClient) -> None:
    daemon.answer = ELEMENT
    run("kg", "as-of", "el_1", "2026-01-01")
    assert daemon.calls[0][2]["query"] == {"as_of": "2026-01-01"}


def test_note_check_refuses_with_five(daemon: FakeClient, tmp_path: Path) -> None:
    note = tmp_path / "n.md"
    note.write_text("text")
    daemon.answer = {"violations": []}
    assert run("note", "check", str(note)).exit_code == 0
    assert daemon.body == {"text": "text", "vault": "~", "path": "n.md"}
    daemon.calls.clear()
    daemon.answer = {"violations": ["no summary: add one"]}
    done = run("note", "check", "-", "--as", "work:a/b.md", stdin=b"text")
    assert (done.exit_code, done.stdout) == (5, "no summary: add one\n")
    assert daemon.body == {"text": "text", "vault": "work", "path": "a/b.md"}


def test_export_is_the_bytes(daemon: FakeClient, tmp_path: Path) -> None:
    daemon.raw = b'{"a":1}'
    assert run("export").stdout_bytes == b'{"a":1}'
    assert run("export", "-o", str(tmp_path / "out.json")).exit_code == 0
    assert (tmp_path / "out.json").read_bytes() == b'{"a":1}'
    said = run("export", "-o", str(tmp_path / "out.json"))
    assert said.stdout == f"wrote 7 bytes to {tmp_path / 'out.json'}\n"
    assert json.loads(run("export", "-o", str(tmp_path / "out.json"), "--json").stdout)["bytes"] == 7


def test_forget(daemon: FakeClient) -> None:
    daemon.answer = {"ids": ["de_1", "ep_1", "el_1"], "events": ["fo_1"], "not_reached": ["backups", "git"]}
    done = run("forget", "ep_1", "el_1")
    assert done.exit_code == 2
    assert {method for method, _, _ in daemon.calls} == {"GET"}
    assert "--yes" in done.stderr
    done = run("forget", "ep_1", "el_1", "--yes")
    assert daemon.body == {"ids": ["ep_1", "el_1"]}
    assert done.stdout == (
        "forgot de_1, ep_1 and el_1\nrecorded as fo_1\nout of reach, where a copy may remain:\n  backups\n  git\n"
    )


@pytest.mark.parametrize(("reply", "code", "asked"), [("y", 0, True), ("n", 1, False), ("", 1, False)])
def test_forget_asks_on_a_terminal(
    daemon: FakeClient, monkeypatch: pytest.MonkeyPatch, reply: str, code: int, asked: bool
) -> None:
    module = importlib.import_module("memoryd.cli.forget")
    monkeypatch.setattr(module, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    daemon.answer = {"ids": ["ep_1"], "events": [], "not_reached": []}
    done = run("forget", "ep_1", stdin=f"{reply}\n".encode())
    assert (done.exit_code, any(method == "POST" for method, _, _ in daemon.calls)) == (code, asked)
    assert "Forget ep_1 for good?" in done.stderr


def test_forget_says_what_is_no_id_before_it_asks(daemon: FakeClient) -> None:
    done = run("forget", "nothing")
    assert (done.exit_code, daemon.calls) == (4, [])
    assert "nothing is no id" in done.stderr
    assert "--yes" not in done.stderr


@pytest.mark.parametrize("arguments", [("ep_nope",), ("el_1", "de_nope")])
def test_forget_names_an_unknown_id_before_it_asks(daemon: FakeClient, arguments: tuple[str, ...]) -> None:
    daemon.error = problem(404, "not-found")
    done = run("forget", *arguments)
    assert done.exit_code == 4
    assert f"there is no {arguments[0]}" in done.stderr


STATUS = {
    "version": "1",
    "ready": True,
    "pending": 12000,
    "episodic": {"chunks": 5, "engine": "exact", "model": "none"},
    "semantic": {"elements": 1, "links": 2, "decisions": 3, "notes": 4},
    "degraded": ["no model"],
}


def test_status(daemon: FakeClient) -> None:
    daemon.answer = STATUS
    done = run("status")
    for said in ("episodic: 5 chunks, engine exact", "1 element, 2 links", "pending: 12,000", "degraded: no model"):
        assert said in done.stdout


def test_doctor_with_and_without_the_daemon(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, daemon: FakeClient
) -> None:
    monkeypatch.setenv("MEMORYD_HOME", str(tmp_path))
    (tmp_path / "config").mkdir(mode=0o755)
    (tmp_path / "config").chmod(0o755)
    daemon.error = DaemonUnreachable("no")
    done = run("doctor")
    assert done.exit_code == 1
    assert "BAD   permissions" in done.stdout
    assert done.stdout.endswith("1 problem remains; `memoryd doctor --repair` puts right what can be\n")
    done = run("doctor", "--repair")
    assert done.exit_code == 0, done.output
    assert "done  permissions" in done.stdout
    assert done.stdout.endswith("1 problem put right; no problem remains\n")
    assert run("doctor").stdout.endswith("no problem found\n")
    daemon.error = None
    daemon.answer = STATUS
    daemon.answers = {"GET /v1/problems": {"items": []}, "GET /v1/changed-lines": {"items": []}}
    done = run("doctor", "--json")
    body = json.loads(done.stdout)
    assert body["ok"] is True
    messages = [finding["message"] for finding in body["findings"]]
    assert "degraded: no model" in messages
    assert "12,000 pieces are not yet indexed" in messages
    daemon.answer = STATUS | {"pending": 1}
    assert "1 piece is not yet indexed" in run("doctor").stdout
    away = {"path": "work:", "reason": "the vault's folder does not exist"}
    daemon.answer = STATUS | {"degraded": ["work: the vault's folder does not exist"]}
    daemon.answers["GET /v1/problems"] = {"items": [away]}
    assert run("doctor").stdout.count("the vault's folder does not exist") == 1
    daemon.answers["GET /v1/problems"] = {"items": []}
    daemon.answer = STATUS | {"pending": 0, "degraded": []}
    assert "the daemon has all that it needs" in run("doctor").stdout
    daemon.error = problem(401)
    assert run("doctor").exit_code == 1


def test_token_rotate_needs_no_daemon_and_shows_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMORYD_HOME", str(tmp_path))
    done = run("token", "rotate")
    assert done.exit_code == 0
    token = (tmp_path / "config" / "token").read_text().strip()
    assert len(token) == 43
    assert token not in done.output
    assert json.loads(run("--json", "token", "rotate").stdout) == {"path": str(tmp_path / "config" / "token")}
    assert json.loads(run("down", "--json").stdout) == {"state": "down", "pid": None, "killed": False}


def test_serve_passes_flags_and_exit_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: list[Any] = []

    def serve(paths: Any, settings: Any) -> int:
        seen.append((paths.state, settings.service.port, settings.service.log_level))
        return 7

    class Module:
        pass

    module: Any = Module()
    module.serve = serve
    monkeypatch.setitem(sys.modules, "memoryd.server", module)
    monkeypatch.setenv("MEMORYD_HOME", str(tmp_path))
    assert run("serve", "--port", "0", "--log-level", "debug").exit_code == 7
    assert seen == [(tmp_path / "state", 0, "debug")]
    assert (tmp_path / "state" / "log").is_dir()


def test_a_broken_config_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMORYD_HOME", str(tmp_path))
    (tmp_path / "config").mkdir(parents=True)
    (tmp_path / "config" / "config.toml").write_text("[service]\nprt = 1\n")
    done = run("serve")
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1
    assert "line 2: service.prt" in done.stderr
    (tmp_path / "config").chmod(0o700)
    (tmp_path / "config" / "config.toml").chmod(0o600)
    done = run("doctor")
    assert done.exit_code == 1
    assert "by hand" in done.stdout
    assert "--repair" not in done.stdout


def test_serve_offers_no_json() -> None:
    for arguments in (("--json", "serve"), ("serve", "--json")):
        assert run(*arguments).exit_code == 2
    assert "--json" not in run("serve", "--help").stdout


def test_every_command_has_help_and_the_list_needs_no_import() -> None:
    assert sorted(COMMANDS) == list(COMMANDS)
    done = run("--help")
    for name in root.list_commands(None):  # type: ignore[arg-type]
        assert done.stdout.count(f"\n  {name} ") == 1
        shown = run(name, "--help")
        assert shown.exit_code == 0
        assert "..." not in shown.stdout.partition("Commands:")[2], "a line of help is cut"
    assert "memoryd demo" in done.stdout
    assert done.stdout.index("Every day:") < done.stdout.index("Knowledge:") < done.stdout.index("Service and care:")
    assert {name for names in GROUPS.values() for name in names} <= set(COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("recal", "x"), "Did you mean 'recall'?"),
        (("kg", "shw"), "Did you mean 'show'?"),
        (("zzzz",), "`memoryd --help` lists them."),
        (("kg", "zzzz"), "`memoryd kg --help` lists them."),
    ],
)
def test_a_mistyped_command(arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr


def test_version() -> None:
    assert run("--version").stdout.startswith("memoryd ")


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["recall", "x"], ["status"]])
def test_common_commands_load_nothing_heavy(arguments: list[str], tmp_path: Path) -> None:
    code = (
        "import sys\nfrom memoryd.cli import main\ntry:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    environ = {**os.environ, "MEMORYD_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environ, capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert not loaded & {
        "fastapi",
        "starlette",
        "pydantic",
        "uvicorn",
        "numpy",
        "pymilvus",
        "networkx",
        "rich",
        "structlog",
        "episodic",
        "semantic",
    }


def test_clean_and_shorten() -> None:
    assert clean("a\tb\nä記\x1b[1m\x07\x9b") == "a\tb\nä記�[1m��"
    assert clean("one\r\ntwo") == "one\ntwo"
    assert clean("kept\rgone\x0b\x85\u202e") == "kept�gone���"
    assert clean("👩\u200d👩\u200d👧\ufe0f می\u200cخواهم a\u00a0b") == "👩\u200d👩\u200d👧\ufe0f می\u200cخواهم a\u00a0b"
    assert shorten("a\n  b", 10) == "a b"
    assert shorten("abcdef", 4) == "abc…"
    assert shorten("one two three, four", 16) == "one two three…"
    assert [counted(count, "note") for count in (0, 1, 1200)] == ["0 notes", "1 note", "1,200 notes"]


def test_a_terminal_gets_a_line_end(monkeypatch: pytest.MonkeyPatch, daemon: FakeClient) -> None:
    written: list[bytes] = []

    class Buffer:
        write = staticmethod(written.append)

        def flush(self) -> None:
            pass

    class Terminal:
        buffer = Buffer()

        def isatty(self) -> bool:
            return True

        def flush(self) -> None:
            pass

    monkeypatch.setattr(sys, "stdout", Terminal())
    frame.write_raw(b"{}")
    assert written == [b"{}", b"\n"]


@pytest.mark.parametrize("answer", [{"items": []}])
def test_nothing_found_is_said_and_ends_with_four(daemon: FakeClient, answer: Any) -> None:
    daemon.answer = answer
    done = run("kg", "show", "Nix")
    assert (done.exit_code, done.stdout) == (4, "")
    assert "no element has this name: Nix" in done.stderr
    done = run("kg", "show", "Nix", "--json")
    assert (done.exit_code, json.loads(done.stdout)) == (4, answer)


@pytest.mark.parametrize("asked", [("history", "mILVUS"), ("neighbors", "mv"), ("as-of", "Milvus", "2026-01-01")])
def test_an_element_is_asked_for_by_name_too(daemon: FakeClient, asked: tuple[str, ...]) -> None:
    other = ELEMENT | {"id": "el_2", "name": "Milvus Lite", "aliases": []}
    place = "/v1/elements/el_1" + ("" if asked[0] == "as-of" else f"/{asked[0]}")
    daemon.answers = {"GET /v1/elements": {"items": [other, ELEMENT]}, f"GET {place}": ELEMENT | {"items": []}}
    done = run("kg", *asked)
    assert (done.exit_code, [call[1] for call in daemon.calls][:2]) == (0, ["/v1/elements", place])


def test_a_name_of_none_or_several_is_not_guessed(daemon: FakeClient) -> None:
    daemon.answer = {"items": []}
    done = run("kg", "history", "Nix")
    assert (done.exit_code, done.stdout) == (4, "")
    assert "no element has this name: Nix" in done.stderr
    daemon.answer = {"items": [ELEMENT, ELEMENT | {"id": "el_2", "kind": "service"}]}
    done = run("kg", "neighbors", "Milvus")
    assert done.exit_code == 5
    assert "tool Milvus (el_1), service Milvus (el_2)" in done.stderr
    assert [path for _, path, _ in daemon.calls if path == "/v1/elements"] == ["/v1/elements"] * 2


@pytest.mark.parametrize("asked", [("show", "cahce"), ("history", "cahce")])
def test_a_name_that_no_element_has_is_answered_with_the_nearest(
    daemon: FakeClient, monkeypatch: pytest.MonkeyPatch, asked: tuple[str, ...]
) -> None:
    unknown = problem(404, "not-found", candidates=[{"id": "el_1", "kind": "component", "name": "cache", "reason": ""}])
    answer = daemon.call

    def call(method: str, path: str, **parts: Any) -> Answer:
        if path == "/v1/graph/explain":
            raise unknown
        return answer(method, path, **parts)

    monkeypatch.setattr(daemon, "call", call)
    daemon.answer = {"items": []}
    done = run("kg", *asked)
    assert done.exit_code == 4
    assert "no element has this name: cahce; there is: component cache (el_1); `memoryd recall`" in done.stderr


def test_the_end_of_a_path_that_means_nothing_is_named(daemon: FakeClient) -> None:
    daemon.error = problem(404, "not-found", detail="to: nothing in the graph has this id or name")
    done = run("kg", "path", "shop", "nowhere")
    assert (done.exit_code, done.stderr) == (4, "memoryd: nowhere: nothing in the graph has this id or name\n")


@pytest.mark.parametrize(
    ("valid_at", "told"),
    [("2026-01-02T00:00:00Z", " (holds since 2026-01-02)"), ("2030-01-02T00:00:00Z", " (holds from 2030-01-02)")],
)
def test_a_decision_tells_from_when_it_holds(daemon: FakeClient, valid_at: str, told: str) -> None:
    made = DECISION | {"valid_at": valid_at}
    daemon.answer = made
    for command in (("kg", "show", "de_1"), ("show", "de_1")):
        assert told in run(*command).stdout
    daemon.answer = {"items": [made]}
    assert told in run("kg", "history", "el_1").stdout


def test_as_of_tells_not_yet_from_never(daemon: FakeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"/v1/elements/el_1": ELEMENT, "/v1/elements/el_1/history": {"items": [DECISION]}}
    missing = problem(404, "not-found", detail="no element has the id")

    def call(_daemon: FakeClient, method: str, path: str, **parts: Any) -> Answer:
        assert method == "GET"
        if parts.get("query") or path not in known:
            raise missing
        return Answer(200, {}, b"", known[path])

    monkeypatch.setattr(FakeClient, "call", call)
    done = run("kg", "as-of", "el_1", "2026-01-01")
    assert (done.exit_code, done.stderr) == (
        4,
        "memoryd: not yet known then: tool Milvus is known since 2026-11-30 14:05\n",
    )
    done = run("kg", "as-of", "el_1", "2026-01-01", "--json")
    assert (done.exit_code, json.loads(done.stdout)) == (4, missing.body)
    done = run("kg", "as-of", "el_2", "2026-01-01")
    assert (done.exit_code, done.stderr) == (4, "memoryd: no element has the id\n")


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (("recall", "x", "--limit", "0"), "body"),
        (("timeline", "--limit", "0"), "query"),
        (("note", "list", "--limit", "0"), "query"),
    ],
)
def test_a_zero_is_sent(daemon: FakeClient, arguments: tuple[str, ...], place: str) -> None:
    daemon.answer = RECALL | {"items": []}
    run(*arguments)
    assert daemon.calls[0][2][place]["limit"] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("recall", "x", "--since", ""),
        ("recall", "x", "--tag", ""),
        ("remember", "x", "--at", ""),
        ("timeline", "--project", ""),
        ("note", "list", "--tag", ""),
        ("kg", "decide", "t", "--why", ""),
        ("kg", "decide", "t", "--why", "w", "--put", "tool", " ", ""),
    ],
)
def test_an_empty_value_is_refused(daemon: FakeClient, arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert (done.exit_code, daemon.calls) == (2, [])
    assert "must not be empty" in done.stderr


def test_empty_lists_are_said(daemon: FakeClient) -> None:
    daemon.answer = {"items": []}
    assert run("note", "list").stdout.startswith("no notes yet")
    assert run("note", "list", "--broken").stdout == "no note fits\n"


def test_project_merge(daemon: FakeClient) -> None:
    daemon.answer = {"id": "b-1", "name": "b", "remotes": [], "roots": [{"path": "/b"}]}
    done = run("project", "merge", "a-1", "b")
    assert daemon.calls == [("POST", "/v1/projects/merge", {"body": {"from": "a-1", "into": "b"}})]
    assert done.stdout == "a-1 is now part of:\nb (b-1)\n    /b\n"


def test_an_entry_titled_by_its_time_shows_it_once(daemon: FakeClient) -> None:
    hit = RECALL["hits"][0] | {"title": "14:05"}  # type: ignore[index]
    daemon.answer = RECALL | {"hits": [hit], "items": [hit]}
    assert run("recall", "x").stdout.count("14:05") == 1
    assert run("timeline").stdout.count("14:05") == 1


def test_an_edit_does_not_settle_unsaid_which_of_two_decisions_holds(daemon: FakeClient) -> None:
    element = {"id": "el_1", "kind": "tool", "name": "bread", "gist": "rye", "props": {}, "heads": ["de_1", "de_2"]}
    daemon.answers["GET /v1/elements/el_1"] = element | {"project": None}
    done = run("kg", "edit", "el_1", "--gist", "wheat")
    assert done.exit_code == 1
    assert "--title and --why" in done.output
    assert all(method == "GET" for method, _, _ in daemon.calls)
