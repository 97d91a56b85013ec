"""The life cycle of models in the real daemon: fetched from a hub, built while another serves, changed, and back.

The small random model stands in for bge-m3, laid out as each of its public repositories is.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clients.http import ProblemError
from memoryd.bench.daemon import OwnDaemon
from tests.hub import FakeHub, stand_in

SOON_S = 120.0
LAYOUTS = ("upstream", "int8", "hidden", "named", "heads")
TOPICS = ("queue", "backup", "login", "search index", "invoice", "deploy script")
QUESTION = "The harbour service restarts at night"
"""One of the texts of which the random head weighs any token."""
Start = Callable[..., OwnDaemon]


@pytest.fixture
def hub(test_data: Path, tmp_path: Path) -> Iterator[FakeHub]:
    """Serve each layout as a repository of its own."""
    repos = {}
    for layout in LAYOUTS:
        stand_in(test_data / "tiny-bge-m3", layout, tmp_path / "hub" / layout)
        repos[f"stand-in/{layout}"] = tmp_path / "hub" / layout
    with FakeHub(repos).serve() as serving:
        yield serving


def configure(home: Path, hub: FakeHub, *layouts: str, model: str | None = None, **changes: Any) -> Path:
    """Write settings in which the public names stand for the stand-ins."""
    values = {"dimension": 32, "max_tokens": 256, "self_test": False, **changes}
    lines = ["# mine", "[embedding]", f'hub = "{hub.url}"  # a mirror']
    lines += [f'model = "{model}"'] if model else []
    for layout in layouts:
        name = NAMES[layout]
        lines += ["", f'[models."{name}"]', f'like = "{name}"', f'repo = "stand-in/{layout}"']
        lines += [f"{key} = {str(value).lower()}" for key, value in values.items()]
    file = home / "config" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n")
    return file


NAMES = {
    "upstream": "bge-m3",
    "int8": "bge-m3-int8",
    "hidden": "bge-m3-xenova",
    "named": "bge-m3-yuniko",
    "heads": "bge-m3-3head",
}


def until(true: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + SOON_S
    while not (found := true()):
        assert time.monotonic() < deadline, f"not in time: {what}"
        time.sleep(0.05)
    return found


def run_job(daemon: OwnDaemon, **args: Any) -> Any:
    """Run the job to its end and return it."""
    daemon.post("/v1/jobs/models/run", {"args": args})

    def ended() -> Any:
        job = daemon.get("/v1/jobs/models")
        return job if job["state"] != "running" else None

    return until(ended, f"the job {args}")


def model(daemon: OwnDaemon, name: str) -> Any:
    return next(one for one in daemon.get("/v1/models")["items"] if one["name"] == name)


def serving(daemon: OwnDaemon) -> str:
    name: str = daemon.get("/v1/status")["episodic"]["model"]
    return name


def arms(daemon: OwnDaemon, question: str = QUESTION) -> dict[str, Any]:
    """Ask the journal, and return what each arm found."""
    answer = daemon.post("/v1/recall", {"query": question, "store": "episodic", "explain": True})
    assert answer["hits"], "words are searched all the while"
    found: dict[str, Any] = answer["explain"]["stores"]["episodic"]["arms"]
    assert found["lexical"]
    return found


def write(daemon: OwnDaemon, numbers: range) -> None:
    for number in numbers:
        topic = TOPICS[number % len(TOPICS)]
        daemon.post("/v1/episodes", {"text": f"{QUESTION} for the {topic}, step {number}.", "title": topic})


def vectors(daemon: OwnDaemon) -> dict[str, int]:
    return {one["fingerprint"]: one["vectors"] for one in daemon.get("/v1/index")["vectors"]}


def test_a_model_is_fetched_put_to_use_and_changed_back_while_questions_are_answered(
    start: Start, hub: FakeHub, tmp_path: Path
) -> None:
    file = configure(tmp_path / "home", hub, "upstream")
    daemon = start(settings={})
    write(daemon, range(6))
    daemon.wait_until_indexed(SOON_S)
    assert serving(daemon) == "e5-small"
    assert set(arms(daemon)) >= {"lexical", "dense"}
    assert "learned" not in arms(daemon)
    assert model(daemon, "bge-m3")["state"] == "absent"

    pulled = run_job(daemon, do="pull", model="bge-m3")
    assert pulled["result"]["bytes"] > 200_000
    assert model(daemon, "bge-m3")["state"] == "ready"
    assert tomllib.loads(file.read_text())["embedding"] == {"hub": hub.url}
    hub.asked.clear()
    assert run_job(daemon, do="pull", model="bge-m3")["result"]["bytes"] == 0
    assert hub.asked == []

    used = run_job(daemon, do="use", model="bge-m3")
    assert used["result"] == {"do": "use", "model": "bge-m3", "state": "serving"}
    assert serving(daemon) == "bge-m3"
    assert file.read_text().startswith('# mine\n[embedding]\nmodel = "bge-m3"\nhub =')
    found = arms(daemon)
    assert found["dense"]
    assert found["learned"]
    until(lambda: len(vectors(daemon)) == 1, "the old vectors are dropped")

    write(daemon, range(6, 90))
    daemon.wait_until_indexed(SOON_S)
    (bge,) = vectors(daemon)
    daemon.post("/v1/jobs/models/run", {"args": {"do": "use", "model": "e5-small", "wait": False}})
    until(lambda: model(daemon, "e5-small")["state"] == "building", "the other model is being built")
    asked = 0
    while asked < 5 and model(daemon, "e5-small")["state"] == "building":
        meanwhile = arms(daemon)
        if model(daemon, "e5-small")["state"] == "building":
            assert meanwhile["dense"]
            assert meanwhile["learned"]
            asked += 1
    assert asked, "the change was over before a question came"
    assert tomllib.loads(file.read_text())["embedding"]["model"] == "e5-small"

    daemon.kill()
    daemon = start(settings={})
    assert serving(daemon) == "bge-m3" or model(daemon, "e5-small")["wanting"] == 0
    assert arms(daemon)["dense"]
    until(lambda: serving(daemon) == "e5-small", "the change goes on after a kill")
    assert "learned" not in arms(daemon)
    assert arms(daemon)["dense"]
    until(lambda: len(vectors(daemon)) == 1, "the vectors of the model that left are dropped")
    assert bge not in vectors(daemon)
    assert vectors(daemon).popitem()[1] == 90
    assert not [one["name"] for one in daemon.get("/v1/index")["collections"] if bge in one["name"]]
    assert daemon.get("/v1/status")["degraded"] == []


def test_every_public_layout_gives_three_arms(start: Start, hub: FakeHub, tmp_path: Path) -> None:
    configure(tmp_path / "home", hub, *LAYOUTS, model="none")
    daemon = start(settings={})
    write(daemon, range(12))
    assert set(arms(daemon)) == {"lexical"}
    for layout in LAYOUTS:
        name = NAMES[layout]
        assert run_job(daemon, do="pull", model=name).get("last_error") is None
        assert run_job(daemon, do="use", model=name).get("last_error") is None
        daemon.wait_until_indexed(SOON_S)
        found = arms(daemon)
        assert (serving(daemon), bool(found["dense"]), bool(found["learned"])) == (name, True, True)
    assert run_job(daemon, do="use", model="none").get("last_error") is None
    assert set(arms(daemon)) == {"lexical"}
    until(lambda: vectors(daemon) == {}, "all vectors are dropped")


def test_a_model_that_does_not_work_leaves_the_old_one_serving(start: Start, hub: FakeHub, tmp_path: Path) -> None:
    file = configure(tmp_path / "home", hub, "upstream", dimension=1024)
    before = file.read_text()
    daemon = start(settings={})
    write(daemon, range(3))
    run_job(daemon, do="pull", model="bge-m3")

    job = run_job(daemon, do="use", model="bge-m3")

    assert job["state"] == "failed"
    assert "32 numbers a text, not 1024" in job["last_error"]
    assert serving(daemon) == "e5-small"
    assert file.read_text() == before
    (reason,) = [one for one in daemon.get("/v1/status")["degraded"] if "bge-m3" in one]
    assert reason.endswith("e5-small goes on answering")
    daemon.wait_until_indexed(SOON_S)
    assert arms(daemon)["dense"]
    assert run_job(daemon, do="use", model="e5-small").get("last_error") is None
    assert daemon.get("/v1/status")["degraded"] == []


def test_a_chosen_model_that_is_not_here_is_named_and_put_to_use_once_it_is_pulled(
    start: Start, hub: FakeHub, tmp_path: Path
) -> None:
    configure(tmp_path / "home", hub, "int8", model="bge-m3-int8")
    daemon = start(settings={})
    write(daemon, range(3))
    assert serving(daemon) == "none"
    (reason,) = daemon.get("/v1/status")["degraded"]
    assert "memoryd models pull bge-m3-int8" in reason

    job = run_job(daemon, do="pull", model="bge-m3-int8")

    assert job["result"]["state"] == "serving"
    daemon.wait_until_indexed(SOON_S)
    assert arms(daemon)["learned"]
    assert daemon.get("/v1/status")["degraded"] == []


def test_what_cannot_be_fetched_is_said_and_changes_nothing(start: Start, hub: FakeHub, tmp_path: Path) -> None:
    configure(tmp_path / "home", hub, "upstream", model="none")
    daemon = start(settings={})
    hub.mood.spoil = {"onnx/model.onnx_data"}
    assert "is not the file that was expected" in run_job(daemon, do="pull", model="bge-m3")["last_error"]
    hub.mood.spoil, hub.mood.status = set(), {"onnx/model.onnx_data": 404}
    job = run_job(daemon, do="pull", model="bge-m3")
    # Two names are possible for external data, so the list decides; what it names must be there.
    assert "404" in job["last_error"]
    assert model(daemon, "bge-m3")["state"] == "absent"
    assert "`memoryd models pull bge-m3`" in run_job(daemon, do="use", model="bge-m3")["last_error"]
    assert not [reason for reason in daemon.get("/v1/status")["degraded"] if "bge-m3" in reason], "nothing was chosen"
    assert "there is no model 'gpt'" in run_job(daemon, do="pull", model="gpt")["last_error"]
    for args in ({"do": "fly", "model": "x"}, {"do": "pull"}):
        with pytest.raises(ProblemError):
            daemon.post("/v1/jobs/models/run", {"args": args})


def test_a_variable_that_sets_the_model_is_not_written_over(start: Start, hub: FakeHub, tmp_path: Path) -> None:
    file = configure(tmp_path / "home", hub, "int8")
    before = file.read_text()
    daemon = start(settings={"MEMORYD_EMBEDDING__MODEL": "none"})
    run_job(daemon, do="pull", model="bge-m3-int8")

    assert "MEMORYD_EMBEDDING__MODEL" in run_job(daemon, do="use", model="bge-m3-int8")["last_error"]
    assert file.read_text() == before
    assert serving(daemon) == "none"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="resident memory is read from /proc")
def test_an_idle_model_gives_its_memory_back(start: Start) -> None:
    daemon = start(settings={"MEMORYD_EMBEDDING__IDLE_UNLOAD_S": "1", "MEMORYD_ENGINE__KIND": "exact"})
    write(daemon, range(2))

    loaded = 0
    while not loaded:
        arms(daemon)
        if model(daemon, "e5-small")["loaded"]:
            loaded = resident_kb(daemon.pid)
    until(lambda: not model(daemon, "e5-small")["loaded"], "the model leaves memory")
    until(lambda: resident_kb(daemon.pid) < loaded - 150_000, "the system has the memory back")
    assert arms(daemon)["lexical"]
    until(lambda: model(daemon, "e5-small")["loaded"], "a question brings it back")


def resident_kb(pid: int) -> int:
    text = Path(f"/proc/{pid}/status").read_text("utf-8")
    return int(text.partition("VmRSS:")[2].split()[0])


def test_the_command_line_lists_pulls_and_uses(start: Start, hub: FakeHub, tmp_path: Path) -> None:
    configure(tmp_path / "home", hub, "int8", model="none")
    daemon = start(settings={})
    write(daemon, range(3))

    def memoryd(*words: str) -> subprocess.CompletedProcess[str]:
        environ = {**os.environ, "MEMORYD_HOME": str(tmp_path / "home")}
        command = [sys.executable, "-P", "-m", "memoryd.cli", "models", *words]
        return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=SOON_S, check=False)

    assert "- bge-m3-int8" in memoryd("list").stdout
    pulled = memoryd("pull", "bge-m3-int8")
    assert (pulled.returncode, "MB fetched" in pulled.stdout) == (0, True), pulled.stderr
    assert "everything was there" in memoryd("pull", "bge-m3-int8").stdout
    used = memoryd("use", "bge-m3-int8")
    assert (used.returncode, used.stdout) == (0, "bge-m3-int8 serves\n"), used.stderr
    assert "* bge-m3-int8" in memoryd("list").stdout
    failed = memoryd("use", "nothing")
    assert (failed.returncode, "no model nothing" in failed.stderr) == (4, True)
    assert daemon.get("/v1/status")["episodic"]["model"] == "bge-m3-int8"
