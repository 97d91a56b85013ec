"""Decisions over HTTP: what the writer saw, what a session said, what projects became one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from clients.http import ProblemError
from memoryd.bench.daemon import OwnDaemon
from tests.e2e.conftest import WITHOUT_MODEL
from tests.e2e.test_log_faults import run


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnDaemon]:
    home = tmp_path_factory.mktemp("decisions")
    with OwnDaemon(home, {**WITHOUT_MODEL, "MEMORYD_ENGINE__KIND": "exact"}).start() as running:
        yield running


def wait_until(holds: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def put(name: str, gist: str, kind: str = "tool") -> dict[str, Any]:
    return {"op": "put_element", "kind": kind, "name": name, "gist": gist}


def decide(daemon: OwnDaemon, title: str, *mutations: dict[str, Any], **more: Any) -> Any:
    headers = more.pop("headers", {})
    return daemon.post("/v1/decisions", {"title": title, "why": "w", "mutations": list(mutations)} | more, **headers)


def test_a_decision_of_a_session_cites_what_was_said_in_it_and_that_shows_what_superseded_it(
    daemon: OwnDaemon,
) -> None:
    said = daemon.post("/v1/episodes", {"text": "we take pip", "session": "s1", "turn": "1"})["id"]
    elsewhere = daemon.post("/v1/episodes", {"text": "another talk", "session": "s2", "turn": "1"})["id"]
    first = decide(daemon, "use pip", put("pip", "the installer"), session="s1", evidence=["vault:a.md#why"])
    recorded = daemon.get(f"/v1/decisions/{first['id']}")
    assert recorded["evidence"] == ["vault:a.md#why", said]
    assert "superseded_by" not in daemon.get(f"/v1/episodes/{said}")
    later = decide(daemon, "use uv", put("pip", "only underneath"), session="s2")
    assert later["superseded"] == [first["id"]]
    assert daemon.get(f"/v1/episodes/{said}")["superseded_by"] == later["id"]
    assert "superseded_by" not in daemon.get(f"/v1/episodes/{elsewhere}")


def test_a_writer_who_read_an_older_state_is_refused(daemon: OwnDaemon) -> None:
    """Behaviour 30, and no lost update: If-Match with the ETag of an element that was decided on since is a 412."""
    made = decide(daemon, "first", put("ruff", "a linter"))
    (id_,) = made["elements"]
    etag = daemon.client.call("GET", f"/v1/elements/{id_}").headers["etag"]
    decide(daemon, "second", put("ruff", "linter and formatter"), headers={"If_Match": etag})
    with pytest.raises(ProblemError) as refused:
        decide(daemon, "third", put("ruff", "what I thought"), headers={"If_Match": etag})
    assert refused.value.status == 412
    assert daemon.get(f"/v1/elements/{id_}")["gist"] == "linter and formatter"


@pytest.mark.parametrize(
    ("known", "sent", "is_near"),
    [
        ("Café", "Cafe", True),
        ("Milvus Lite", "MILVUS-LITE", True),
        ("ｆｕｌｌｗｉｄｔｈ", "full width", True),
        ("kubernetes", "kubernetas", True),
        ("python3", "python4", False),
        ("postgres15", "postgres16", False),
        ("grep", "grip", False),
    ],
)
def test_a_name_that_is_almost_a_known_one_is_asked_about(
    daemon: OwnDaemon,
    known: str,
    sent: str,
    is_near: bool,
) -> None:
    """Behaviour 29: identity ignores case, width and spaces only; a near name is answered with the candidates."""
    (id_,) = decide(daemon, f"know {known}", put(known, "g", "thing"), new=True)["elements"]
    if not is_near:
        assert decide(daemon, f"know {sent}", put(sent, "g", "thing"))["elements"] != [id_]
        return
    with pytest.raises(ProblemError) as asked:
        decide(daemon, f"know {sent}", put(sent, "g", "thing"))
    assert asked.value.status == 409
    assert id_ in [one["id"] for one in asked.value.body["candidates"]]
    assert decide(daemon, f"know {sent}", put(sent, "g", "thing"), new=True)["elements"] != [id_]


@pytest.mark.parametrize("query", ["episodes?since=2026-02-02&until=2026-01-30", "elements?colour=red", "days?since=x"])
def test_a_backward_interval_and_unknown_parameters_are_refused(daemon: OwnDaemon, query: str) -> None:
    """Behaviour 34."""
    with pytest.raises(ProblemError) as refused:
        daemon.client.call("GET", f"/v1/{query}")
    assert refused.value.status == 422


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("recall", {"query": "x", "since": "2026-02-02", "until": "2026-01-30"}),
        ("recall", {"query": "x", "colour": "red"}),
        ("decisions", {"title": "t", "why": "w", "mutations": [put("x", "g")], "until": "2026-01-30"}),
        ("decisions", {"title": "t", "why": "w", "mutations": [put("x", "g") | {"colour": "red"}]}),
        ("attention", {"op": "pin", "ids": [], "colour": "red"}),
    ],
)
def test_a_backward_interval_and_unknown_fields_are_refused(daemon: OwnDaemon, path: str, body: Any) -> None:
    """Behaviour 34: nothing that was sent is dropped in silence, and nothing of it is recorded."""
    before = daemon.get("/v1/status")["semantic"]["decisions"]
    with pytest.raises(ProblemError) as refused:
        daemon.post(f"/v1/{path}", body)
    assert refused.value.status == 422
    assert daemon.get("/v1/status")["semantic"]["decisions"] == before


def test_a_long_gist_is_warned_of_and_a_credential_is_refused(daemon: OwnDaemon) -> None:
    long = decide(daemon, "long", put("long one", "x" * 301))
    assert any("more than 300 characters" in warning for warning in long["warnings"])
    with pytest.raises(ProblemError) as refused:
        decide(daemon, "key", put("key", "AKIAIOSFODNN7EXAMPLF secret sk-proj-FAKE00000000000000000000"))
    assert refused.value.status == 422
    assert "sk-proj" not in refused.value.detail


def test_entries_of_a_merged_project_are_found_under_the_one_it_became(daemon: OwnDaemon) -> None:
    old = daemon.post("/v1/episodes", {"text": "the osprey of old", "project": "old name"})["id"]
    new = daemon.post("/v1/episodes", {"text": "the osprey of new", "project": "new name"})["id"]
    into = daemon.get(f"/v1/episodes/{new}")["project"]
    daemon.post("/v1/projects/merge", {"from": "old name", "into": "new name"})
    for name in ("new name", "old name", into):
        listed = daemon.get("/v1/episodes", project=name)["items"]
        assert {one["id"] for one in listed} == {old, new}
        hits = daemon.post("/v1/recall", {"query": "osprey", "project": name})["hits"]
        assert {hit["episode"] for hit in hits} == {old, new}
        read = daemon.post("/v1/recall", {"query": "", "project": name, "since": "1d"})["hits"]
        assert {hit["episode"] for hit in read} == {old, new}


def test_a_plan_is_read_applied_and_undone_from_the_command_line(daemon: OwnDaemon) -> None:
    for name in ("prometheus", "prometheuz"):
        decide(daemon, f"know {name}", put(name, "metrics", "service"), new=True)
    (plan,) = [
        one for one in daemon.post("/v1/plans", {"kind": "consolidation"})["items"] if "prometheus" in one["title"]
    ]
    assert daemon.get(f"/v1/plans/{plan['id']}") == plan
    for words, state in ((["show"], "proposed"), (["apply"], "applied"), (["undo"], "undone"), (["apply"], "applied")):
        done = run(daemon, "plan", *words, plan["id"])
        assert done.returncode == 0, done.stderr
        assert f"{plan['id']} {state}" in done.stdout
    assert f"{plan['id']} applied" in run(daemon, "plan", "list").stdout
    assert run(daemon, "plan", "apply", plan["id"]).returncode == 5
    assert run(daemon, "plan", "show", "pl_nothing").returncode == 4


def test_an_edit_is_a_decision_and_a_line_changed_by_hand_is_offered(daemon: OwnDaemon) -> None:
    (id_,) = decide(daemon, "know mypy", put("mypy", "checks types"))["elements"]
    done = run(daemon, "kg", "edit", id_, "--gist", "checks all types", "--set", "strict=true", "--why", "it does")
    assert done.returncode == 0, done.stderr
    element = daemon.get(f"/v1/elements/{id_}")
    assert (element["gist"], element["props"]) == ("checks all types", {"strict": True})
    assert len(daemon.get(f"/v1/elements/{id_}/history")["items"]) == 2
    assert run(daemon, "kg", "edit", id_, "--gist", "checks all types").returncode == 1
    (path,) = (daemon.home / "memory" / "log" / "user").glob("*.ndjson")
    path.write_bytes(path.read_bytes().replace(b"checks all types", b"checks everything"))
    # First it is named where it stands; then the line is put back, and the changed one lies beside the log.
    kept = "log/set-aside/"
    wait_until(lambda: any(one["path"].startswith(kept) for one in daemon.get("/v1/changed-lines")["items"]))
    assert daemon.get(f"/v1/elements/{id_}")["gist"] == "checks all types"
    doctor = run(daemon, "doctor")
    (place,) = [word for word in doctor.stdout.split() if word.startswith(kept) and word.endswith("`")]
    assert doctor.returncode == 1
    done = run(daemon, "kg", "edit", "--line", place.rstrip("`"))
    assert done.returncode == 0, done.stderr
    assert daemon.get(f"/v1/elements/{id_}")["gist"] == "checks everything"
    assert "no line" in run(daemon, "kg", "edit", "--lines").stdout


def test_forgetting_an_entry_takes_its_other_versions_along(daemon: OwnDaemon) -> None:
    id_ = daemon.post("/v1/episodes", {"text": "first wording of the kestrel"})["id"]
    version = f"{id_}v{'0' * 12}"
    at = daemon.get(f"/v1/episodes/{id_}")["at"]
    (path,) = [one for one in (daemon.home / "memory" / "journal").glob("*.md") if id_ in one.read_text("utf-8")]
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\n## 10:00 x\n<!-- memoryd: id={version} at={at} -->\nother wording of the kestrel\n")
    wait_until(lambda: daemon.client.call("GET", f"/v1/episodes?since={at[:10]}").raw.count(b"kestrel") >= 2)
    daemon.post("/v1/forget", {"ids": [id_]})
    assert "kestrel" not in path.read_text("utf-8")


def test_the_active_set_is_written_as_a_page_that_no_vault_takes_for_a_note(daemon: OwnDaemon) -> None:
    decide(daemon, "use Zig for the page", put("Zig", "compiles the page"), scope="user")
    vault = daemon.home / "memory" / "vault"
    done = run(daemon, "kg", "active", "--out", str(vault))
    assert done.returncode == 0, done.stderr
    page = vault / "active set.memoryd.md"
    assert "compiles the page" in page.read_text()
    decide(daemon, "Zig builds the page", put("Zig", "builds the page"), scope="user")
    assert run(daemon, "kg", "active", "--out", str(page), "--scope", "user").returncode == 0
    assert "builds the page" in page.read_text()
    assert run(daemon, "kg", "active", "--out", str(vault / "Zig.md")).returncode == 2
    wait_until(lambda: daemon.get("/v1/status")["pending"] == 0)
    assert [note["path"] for note in daemon.get("/v1/notes")["items"] if "active" in note["path"]] == []


def test_a_corrected_word_keeps_the_reason(daemon: OwnDaemon) -> None:
    (id_,) = decide(daemon, "Cache answers in Valkey", put("answer cache", "Valky"), why="It keeps its data.")[
        "elements"
    ]
    for gist in ("Valkey", "Valkey, one node"):
        done = run(daemon, "kg", "edit", id_, "--gist", gist)
        assert done.returncode == 0, done.stderr
    (head,) = daemon.get(f"/v1/elements/{id_}")["heads"]
    decision = daemon.get(f"/v1/decisions/{head}")
    assert (decision["title"], decision["why"]) == ("Cache answers in Valkey", "It keeps its data. (worded anew)")
    assert "It keeps its data." in daemon.get("/v1/context")["text"]
    done = run(daemon, "kg", "edit", id_, "--gist", "two nodes", "--title", "Two nodes", "--why", "One fell over.")
    assert done.returncode == 0, done.stderr
    (head,) = daemon.get(f"/v1/elements/{id_}")["heads"]
    decision = daemon.get(f"/v1/decisions/{head}")
    assert (decision["title"], decision["why"]) == ("Two nodes", "One fell over.")


def test_what_was_superseded_is_found_by_its_words_right_below_what_superseded_it(daemon: OwnDaemon) -> None:
    old = decide(daemon, "Ledger entries in Postgres", put("ledger", "Postgres"), why="Known to all.")
    for number in range(25):
        decide(daemon, f"Postgres entries, part {number}", put(f"ledger part {number}", "Postgres entries"), new=True)
    new = decide(daemon, "A file for each day", put("ledger", "files"), why="Simple to read.")
    for query in ("Ledger entries in Postgres", "why Ledger entries in Postgres?"):
        hits = daemon.post("/v1/recall", {"query": query})["hits"]
        ids = [hit["id"] for hit in hits]
        assert old["id"] in ids, query
        place = ids.index(old["id"])
        assert ids[place - 1] == new["id"]
        assert hits[place]["superseded_by"] == new["id"]


def test_that_a_note_was_moved_is_no_decision_in_force(daemon: OwnDaemon) -> None:
    body = {"op": "rename", "id": "no_" + "1" * 20, "name": "vault:plans/osprey.md"}
    moved = decide(daemon, "A note was moved", body, why="vault:osprey.md is vault:plans/osprey.md now.", scope="user")
    decide(daemon, "Where notes on birds go", put("birds", "in plans"))
    assert "A note was moved" not in daemon.get("/v1/context")["text"]
    birds = [hit["id"] for hit in daemon.post("/v1/recall", {"query": "what of the birds note?", "limit": 50})["hits"]]
    assert moved["id"] not in birds[:-1]
    asked = daemon.post("/v1/recall", {"query": "which note was moved?"})["hits"]
    assert asked[0]["id"] == moved["id"]
