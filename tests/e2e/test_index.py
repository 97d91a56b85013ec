"""The index through the daemon: its engine killed, halted, broken, locked or foreign; jobs; verify and rebuild."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clients.http import ProblemError
from memoryd.bench.daemon import OwnDaemon
from tests.e2e.conftest import WITHOUT_MODEL
from tests.milvus_server import MilvusServer

Start = Callable[..., OwnDaemon]
EXACT = WITHOUT_MODEL | {"MEMORYD_ENGINE__KIND": "exact"}
"""Where it does not matter which engine holds the rows."""
SOON_S = 30.0
BOUND_S = 15.0
"""Far above the bound that the daemon keeps, far below what an engine that hangs would cost without one."""

linux_only = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the process table of Linux")


def write(daemon: OwnDaemon, *texts: str) -> None:
    for text in texts:
        daemon.post("/v1/episodes", {"text": text})


def recall(daemon: OwnDaemon, query: str) -> Any:
    return daemon.post("/v1/recall", {"query": query, "store": "episodic"})


def texts(daemon: OwnDaemon, query: str) -> set[str]:
    return {hit["text"] for hit in recall(daemon, query)["hits"]}


def soon(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + SOON_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def engine_of(daemon: OwnDaemon) -> int:
    """Return the process id of the daemon's engine."""
    (found,) = [
        int(folder.name)
        for folder in Path("/proc").glob("[0-9]*")
        if (fields := stat_of(folder)) and fields[0] == "milvus" and fields[2] == str(daemon.pid)
    ]
    return found


def stat_of(folder: Path) -> tuple[str, str, str] | None:
    try:
        text = (folder / "stat").read_text()
    except OSError:
        return None
    name, rest = text.split("(", 1)[1].rsplit(")", 1)
    state, parent = rest.split()[:2]
    return None if state == "Z" else (name, state, parent)


def run(daemon: OwnDaemon, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "memoryd.cli", *words],
        env={**os.environ, "MEMORYD_HOME": str(daemon.home)},
        capture_output=True,
        text=True,
        check=False,
    )


def run_job(daemon: OwnDaemon, **arguments: Any) -> Any:
    daemon.post("/v1/jobs/index/run", {"args": arguments})
    assert soon(lambda: daemon.get("/v1/jobs/index")["state"] != "running")
    return daemon.get("/v1/jobs/index")


@linux_only
def test_a_killed_engine_is_back_before_the_answer(start: Start) -> None:
    daemon = start()
    write(daemon, "the falcon is one")
    os.kill(engine_of(daemon), signal.SIGKILL)
    write(daemon, "the falcon is two")
    os.kill(engine_of(daemon), signal.SIGKILL)

    answer = recall(daemon, "falcon")
    assert {hit["text"] for hit in answer["hits"]} == {"the falcon is one", "the falcon is two"}
    assert not [reason for reason in answer["degraded"] if "index" in reason]


@linux_only
def test_an_engine_that_hangs_costs_a_bounded_time_and_comes_back_by_itself(start: Start) -> None:
    daemon = start()
    write(daemon, "the falcon is one")
    daemon.wait_until_indexed(SOON_S)
    child = engine_of(daemon)
    os.kill(child, signal.SIGSTOP)

    started = time.monotonic()
    answer = recall(daemon, "falcon")
    assert time.monotonic() - started < BOUND_S
    assert any("does not answer" in reason for reason in answer["degraded"])

    started = time.monotonic()
    write(daemon, "the falcon is two")  # on the disk, and in the index when that is back
    assert time.monotonic() - started < BOUND_S
    assert soon(lambda: texts(daemon, "falcon") == {"the falcon is one", "the falcon is two"})
    daemon.wait_until_indexed(SOON_S)
    assert not [reason for reason in daemon.get("/v1/status")["degraded"] if "index" in reason]
    assert engine_of(daemon) != child
    assert stat_of(Path(f"/proc/{child}")) is None


@linux_only
def test_the_daemon_stops_in_time_though_its_engine_hangs(start: Start) -> None:
    daemon = start()
    write(daemon, "the falcon is one")
    child = engine_of(daemon)
    os.kill(child, signal.SIGSTOP)
    assert daemon.stop() == 0
    assert soon(lambda: stat_of(Path(f"/proc/{child}")) is None)


def torn(database: Path, runtime: Path) -> None:
    with database.open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * 8000)


def foreign(database: Path, runtime: Path) -> None:
    database.write_bytes(b"PK\x03\x04 surely no database" * 100)


def of_another_program(database: Path, runtime: Path) -> None:
    database.unlink()
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE songs (title TEXT)")
    connection.execute("INSERT INTO songs VALUES ('la la')")
    connection.commit()
    connection.close()


def of_an_older_shape(database: Path, runtime: Path) -> None:
    database.unlink()
    subprocess.run([sys.executable, "-c", OLDER, str(database), str(runtime)], check=True)


OLDER = """
import sys
from pathlib import Path
from pymilvus import DataType
from episodic.engine.connection import MilvusConnection
from episodic.engine.lite import LiteServer
connection = MilvusConnection(LiteServer(Path(sys.argv[1]), Path(sys.argv[2])))
def make(client):
    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("id", DataType.VARCHAR, is_primary=True, max_length=64)
    schema.add_field("lex", DataType.SPARSE_FLOAT_VECTOR)
    index = client.prepare_index_params()
    index.add_index("lex", index_name="lex", index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
    client.create_collection("lex_v1", schema=schema, index_params=index)
connection.call(make)
connection.close()
"""


def test_a_database_that_cannot_be_used_is_filled_anew_whatever_it_is(start: Start, tmp_path: Path) -> None:
    """The first two are set aside and named; another program's tables, and an older shape of ours, are lived with."""
    daemon = start()
    write(daemon, "the falcon is one", "the falcon is two")
    database = daemon.home / "state" / "episodic.db"
    for number, (damage, is_set_aside) in enumerate(
        [(torn, True), (foreign, True), (of_another_program, False), (of_an_older_shape, False)]
    ):
        daemon.stop()
        damage(database, tmp_path / "rt")
        daemon = start()
        daemon.wait_until_indexed(SOON_S)
        assert texts(daemon, "falcon") == {"the falcon is one", "the falcon is two"}, damage.__name__
        state = daemon.get("/v1/index")
        assert [one["rows"] for one in state["collections"]] == [2], damage.__name__
        if is_set_aside:
            name = f"episodic.db.broken-{number + 1}"
            assert database.with_name(name).exists()
            assert any(name in one["reason"] for one in state["problems"])
    assert run_job(daemon, action="verify")["result"]["differences"] == 0


HOLD = """
import sys, time
from pathlib import Path
from episodic.engine.milvus import MilvusEngine
engine = MilvusEngine.local(Path(sys.argv[1]), runtime=Path(sys.argv[2]))
print("held", flush=True)
time.sleep(600)
"""


def test_a_database_that_another_process_holds_is_left_to_it(start: Start, tmp_path: Path) -> None:
    daemon = start()
    write(daemon, "the falcon is one")
    daemon.stop()
    database = daemon.home / "state" / "episodic.db"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(database), str(tmp_path / "rt")], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == "held\n"
        daemon = start()
        daemon.wait_until_indexed(SOON_S)
        assert texts(daemon, "falcon") == {"the falcon is one"}
        assert any("another process" in one["reason"] for one in daemon.get("/v1/index")["problems"])
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()


def test_status_verify_and_rebuild_from_the_command_line(start: Start) -> None:
    daemon = start()
    note = daemon.home / "memory" / "vault" / "Heron.md"
    note.write_text("---\nsummary: A bird.\ntags: [type/note]\n---\n# Heron\n\nIt stands.\n", "utf-8")
    write(daemon, *(f"the falcon is number {n}" for n in range(12)))
    assert soon(lambda: daemon.get("/v1/index")["notes"] == 1)
    daemon.wait_until_indexed(SOON_S)

    shown = run(daemon, "index", "status")
    assert shown.returncode == 0
    assert "12 episodes in 12 pieces, 1 note\n" in shown.stdout
    assert "lex_v1: 12 rows" in shown.stdout
    assert json.loads(run(daemon, "index", "status", "--json").stdout)["chunks"] == 12

    sound = run(daemon, "index", "verify")
    assert (sound.returncode, sound.stdout.strip()) == (0, "no difference")

    connection = sqlite3.connect(daemon.home / "state" / "manifest.sqlite")
    connection.execute("UPDATE episodes SET title = 'altered'")
    connection.commit()
    connection.close()
    broken = run(daemon, "index", "verify")
    assert broken.returncode == 1
    assert "has another title in the manifest" in broken.stdout
    assert "12 differences; `memoryd index rebuild`" in broken.stdout
    listed = json.loads(run(daemon, "index", "verify", "--json").stdout)
    assert listed["result"]["differences"] == len(listed["result"]["items"]) == 12

    rebuilt = run(daemon, "index", "rebuild")
    assert rebuilt.returncode == 0
    assert "files read" in rebuilt.stdout
    assert run(daemon, "index", "verify").returncode == 0
    assert len(recall(daemon, "falcon")["hits"]) == 10
    assert daemon.get("/v1/jobs/index")["state"] == "idle"


def test_most_days_gone_are_kept_until_the_loss_is_accepted(start: Start) -> None:
    daemon = start(settings=EXACT)
    for day in range(10, 18):
        daemon.post("/v1/episodes", {"text": f"the falcon of day {day}", "at": f"2026-03-{day}T12:00:00"})
    daemon.wait_until_indexed(SOON_S)
    daemon.stop()
    for day in range(12, 18):
        (daemon.home / "memory" / "journal" / f"2026-03-{day}.md").unlink()

    daemon = start(settings=EXACT)
    daemon.wait_until_indexed(SOON_S)
    assert len(recall(daemon, "falcon")["hits"]) == 8
    assert any("2 of 8 files" in one["reason"] for one in daemon.get("/v1/index")["problems"])
    doubted = run(daemon, "index", "rebuild")
    assert (doubted.returncode, "2 of 8 files" in doubted.stdout) == (0, True)
    assert daemon.get("/v1/index")["episodes"] == 8

    accepted = run(daemon, "index", "rebuild", "--accept-loss")
    assert (accepted.returncode, "6 removed" in accepted.stdout) == (0, True)
    daemon.wait_until_indexed(SOON_S)
    assert texts(daemon, "falcon") == {"the falcon of day 10", "the falcon of day 11"}
    assert (daemon.get("/v1/index")["problems"], run(daemon, "index", "verify").returncode) == ([], 0)


def test_a_job_is_refused_precisely(start: Start) -> None:
    daemon = start(settings=EXACT)
    daemon.wait_until_indexed(SOON_S)
    with pytest.raises(ProblemError) as refused:
        daemon.post("/v1/jobs/index/run", {"args": {"action": "polish", "force": True}})
    assert refused.value.status == 422
    assert {(one["pointer"], one["code"]) for one in refused.value.body["errors"]} == {
        ("/body/args/action", "choice"),
        ("/body/args/force", "unknown"),
    }
    with pytest.raises(ProblemError) as unknown:
        daemon.post("/v1/jobs/polish/run", {"args": {}})
    assert (unknown.value.status, "index" in unknown.value.detail) == (404, True)
    with pytest.raises(ProblemError) as misspelt:
        daemon.post("/v1/jobs/index/run", {"arguments": {}})
    assert misspelt.value.status == 422
    scan = next(one for one in daemon.get("/v1/jobs")["items"] if one["name"] == "scan")
    assert set(scan) == {"name", "state", "last_run", "next_run"}


def test_the_daemon_over_a_milvus_server(start: Start, tmp_path: Path) -> None:
    server = MilvusServer(tmp_path / "milvus.db").start()
    try:
        settings = {
            **WITHOUT_MODEL,
            "MEMORYD_ENGINE__KIND": "milvus",
            "MEMORYD_ENGINE__URI": server.uri,
            "MEMORYD_ENGINE__TOKEN": "root:Milvus",
        }
        daemon = start(settings=settings)
        write(daemon, "the falcon is one")
        daemon.wait_until_indexed(SOON_S)
        assert daemon.get("/v1/status")["episodic"]["engine"] == "milvus"
        assert texts(daemon, "falcon") == {"the falcon is one"}

        server.kill()
        write(daemon, "the falcon is two")
        assert any("milvus" in reason for reason in recall(daemon, "falcon")["degraded"])
        server.start()
        assert soon(lambda: texts(daemon, "falcon") == {"the falcon is one", "the falcon is two"})
        assert run_job(daemon, action="verify")["result"]["differences"] == 0
        assert "root:Milvus" not in daemon.output + (daemon.home / "state" / "log" / "memoryd.log").read_text("utf-8")
        assert not (daemon.home / "state" / "episodic.db").exists()
    finally:
        server.kill()
