"""Notes over the interface and the command line: written, found in the same second, moved, refused, durable."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clients.http import Answer, ProblemError
from memoryd.bench.daemon import OwnDaemon
from tests.e2e.conftest import WITHOUT_MODEL

GOOD = "---\nsummary: Where jobs wait.\ntags: [type/concept]\n---\n# Queue\n\nJobs wait at the quay.\n"
AGENT = {"Memoryd-Actor": "agent:claude"}


def put(daemon: OwnDaemon, path: str, text: str, **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return daemon.client.call("PUT", f"/v1/notes/{path}", body={"text": text}, headers=sent)


def refused(call: Callable[[], Any]) -> ProblemError:
    with pytest.raises(ProblemError) as caught:
        call()
    return caught.value


def test_notes_are_written_found_moved_and_removed(start: Callable[..., OwnDaemon], tmp_path: Path) -> None:
    garden = tmp_path / "garden"
    garden.mkdir()
    settings = {"MEMORYD_VAULT__PATHS": json.dumps({"garden": str(garden)}), "MEMORYD_VAULT__WRITE_TO": "garden"}
    daemon = start(settings={**WITHOUT_MODEL, **settings})
    daemon.wait_until_indexed(60)

    made = put(daemon, "~/jobs/Queue.md", GOOD, If_None_Match="*", **{k.replace("-", "_"): v for k, v in AGENT.items()})
    assert made.status == 201
    assert (made.body["vault"], made.body["path"], made.body["violations"]) == ("garden", "jobs/Queue.md", [])
    assert (garden / "jobs/Queue.md").read_bytes() == GOOD.encode()
    hits = daemon.post("/v1/recall", {"query": "jobs at the quay", "store": "semantic"})["hits"]
    assert [hit["path"] for hit in hits] == ["garden:jobs/Queue.md"]
    assert daemon.get("/v1/notes/garden/jobs/Queue.md") == made.body

    again = refused(lambda: put(daemon, "garden/jobs/Queue.md", GOOD, If_None_Match="*"))
    assert (again.status, again.slug) == (412, "exists")
    blind = refused(lambda: put(daemon, "garden/jobs/Queue.md", GOOD))
    assert blind.status == 428
    stale = refused(lambda: put(daemon, "garden/jobs/Queue.md", GOOD, If_Match='"0123"'))
    assert (stale.status, stale.slug) == (412, "stale")
    broken = refused(
        lambda: put(daemon, "garden/jobs/Queue.md", "x", If_Match=made.body["etag"], Memoryd_Actor="agent:claude")
    )
    assert (broken.status, broken.slug) == (422, "contract")
    assert "summary: <one line>" in broken.body["errors"][0]["message"]
    assert refused(lambda: put(daemon, "garden/%2e%2e/out.md", GOOD, If_None_Match="*")).status == 422
    assert refused(lambda: put(daemon, "nowhere/a.md", GOOD, If_None_Match="*")).status == 404
    changed = put(daemon, "garden/jobs/Queue.md", "a person's\n", If_Match=f'"{made.body["etag"]}"')
    assert changed.status == 200
    assert changed.body["violations"]

    put(daemon, "garden/S.md", "[[jobs/Queue]]\n", If_None_Match="*")
    move = {"from": "garden:jobs/Queue.md", "to": "garden:Line.md"}
    dry = daemon.post("/v1/notes/move", {**move, "dry": True})
    assert [change["path"] for change in dry["changes"]] == ["S.md"]
    assert (garden / "S.md").read_text() == "[[jobs/Queue]]\n"
    done = daemon.post("/v1/notes/move", move)
    assert (garden / "S.md").read_text() == "[[Line]]\n"
    assert daemon.get(f"/v1/decisions/{done['decision']}")["mutations"][0]["name"] == "garden:Line.md"

    assert refused(lambda: daemon.client.call("DELETE", "/v1/notes/garden/Line.md")).status == 428
    gone = daemon.client.call("DELETE", "/v1/notes/garden/Line.md", headers={"If-Match": changed.body["etag"]})
    assert gone.status == 204
    assert daemon.get("/v1/notes/garden/S.md")["broken"] == ["Line"]
    assert refused(lambda: daemon.get("/v1/notes/garden/Line.md")).status == 404


def test_of_many_writers_with_one_etag_one_wins(start: Callable[..., OwnDaemon]) -> None:
    daemon = start()
    first = put(daemon, "vault/A.md", "start\n", If_None_Match="*").body["etag"]
    statuses: list[int] = []

    def write(number: int) -> None:
        try:
            statuses.append(put(daemon, "vault/A.md", f"writer {number}\n", If_Match=first).status)
        except ProblemError as problem:
            statuses.append(problem.status)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200, 412, 412, 412, 412, 412]


def test_the_command_line_writes_notes(start: Callable[..., OwnDaemon], tmp_path: Path) -> None:
    daemon = start()
    vault = tmp_path / "home/memory/vault"
    (tmp_path / "q.md").write_text(GOOD)
    editor = tmp_path / "editor.py"
    editor.write_text("import sys, pathlib; f = pathlib.Path(sys.argv[1]); f.write_text(f.read_text() + 'edited\\n')")
    environ = {
        **os.environ,
        "MEMORYD_HOME": str(tmp_path / "home"),
        "EDITOR": f"{sys.executable} {editor}",
        "VISUAL": "",
    }

    def run(*words: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "memoryd.cli", "note", *words],
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    assert run("put", "Q.md", str(tmp_path / "q.md"))[0] == 0
    code, said = run("put", "Q.md", str(tmp_path / "q.md"))
    assert code == 5, said
    assert "`memoryd note put --if-match ETAG`" in said
    assert run("edit", "vault:Q.md")[0] == 0
    assert (vault / "Q.md").read_text() == GOOD + "edited\n"
    code, said = run("show", "vault:Q.md")
    text, _, etag = said.rpartition("ETag ")
    assert (code, text) == (0, GOOD + "edited\n")
    assert run("put", "Q.md", str(tmp_path / "q.md"), "--if-match", etag.strip())[0] == 0
    assert (vault / "Q.md").read_text() == GOOD
    put(daemon, "vault/S.md", "[[Q]]\n", If_None_Match="*")
    code, said = run("move", "vault:Q.md", "vault:R.md", "--dry")
    assert (code, "+[[R]]" in said) == (0, True)
    assert run("move", "vault:Q.md", "vault:R.md")[0] == 0
    assert run("show", "S.md")[1].startswith("[[R]]\n")
    assert run("delete", "vault:R.md")[0] == 0
    assert run("show", "vault:R.md")[0] == 4


def test_what_was_answered_outlives_a_kill(start: Callable[..., OwnDaemon], tmp_path: Path) -> None:
    daemon = start()
    put(daemon, "vault/A.md", "kept\n", If_None_Match="*")
    daemon.kill()
    assert (tmp_path / "home/memory/vault/A.md").read_text() == "kept\n"
    again = start()
    again.wait_until_indexed(60)
    assert again.get("/v1/notes/vault/A.md")["text"] == "kept\n"
