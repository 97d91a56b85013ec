"""One golden request and answer a call, and the OpenAPI document: a change of the interface fails here.

``MEMORYD_RECORD=1`` writes the files anew; read the difference before committing it.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, RootModel

from clients.http import ProblemError
from memoryd.api.problems import Problem
from memoryd.api.schemas import (
    attention,
    codes,
    decisions,
    episodes,
    graph,
    hooks,
    jobs,
    models,
    notes,
    plans,
    recall,
    status,
    sync,
)
from memoryd.bench.daemon import OwnDaemon
from tests.e2e.conftest import WITHOUT_MODEL

GOLDEN = Path(__file__).parent.parent / "golden" / "api"
OPENAPI = Path(__file__).parent.parent.parent / "docs" / "openapi.json"
RECORDS = bool(os.environ.get("MEMORYD_RECORD"))
NOTE = """---
summary: What a queue is here.
tags: [type/concept, project/harbor]
---
# Queue

Jobs wait in the [[Missing note]].
"""
QUEUE = {"kind": "component", "name": "Job queue"}
EPISODE = {
    "text": "Moved the job queue to Postgres.",
    "at": "2026-03-02T10:15:00+01:00",
    "title": "queue",
    "project": "harbor",
    "session": "session-1",
    "turn": "turn-1",
    "files": ["src/queue.py"],
}
DECISION = {
    "title": "The queue is in Postgres",
    "why": "SQLite's write lock made jobs wait.",
    "mutations": [
        {"op": "put_element", **QUEUE, "gist": "Jobs wait in Postgres.", "touches": ["path:harbor:src/queue.py"]},
        {"op": "put_element", "kind": "service", "name": "harbor", "gist": "Imports supplier lists."},
        {"op": "add_link", "from": QUEUE, "rel": "part_of", "to": {"kind": "service", "name": "harbor"}},
    ],
    "project": "harbor",
    "session": "session-1",
    "evidence": ["$episode"],
    "valid_at": "2026-03-02T10:20:00+01:00",
}
NEAR = {
    "title": "Another name for the queue",
    "why": "Somebody wrote it so.",
    "mutations": [{"op": "put_element", "kind": "component", "name": "Job queues"}],
    "project": "harbor",
    "new": True,
}
PROMPT = {
    "session_id": "session-2",
    "transcript_path": "/nowhere/session-2.jsonl",
    "cwd": "/nowhere",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "Why does the queue wait?",
    "of_a_later_version": True,
}
HEADERS = {"put_note": {"If-None-Match": "*"}, "delete_note": {"If-Match": "*"}}
"""What a call needs in its headers."""
DAY = {"since": "2026-03-02", "until": "2026-03-02"}


class Nothing(RootModel[None]):
    """An answer without a body."""


CALLS: list[tuple[str, str, str, dict[str, Any] | None, type[BaseModel]]] = [
    ("create_episode", "POST", "/v1/episodes", EPISODE, episodes.EpisodeWritten),
    ("create_episode_again", "POST", "/v1/episodes", EPISODE, episodes.EpisodeWritten),
    ("create_episode_conflict", "POST", "/v1/episodes", EPISODE | {"text": "Something else."}, Problem),
    ("list_episodes", "GET", "/v1/episodes?since=2026-03-02&until=2026-03-02", None, episodes.EpisodePage),
    ("get_episode", "GET", "/v1/episodes/$episode", None, episodes.EpisodeAnswer),
    ("get_episode_missing", "GET", "/v1/episodes/ep_00000000000000000000000000", None, Problem),
    ("list_days", "GET", "/v1/days?limit=500", None, episodes.DayPage),
    ("get_day", "GET", "/v1/days/2026-03-02", None, episodes.DayEpisodes),
    ("decide", "POST", "/v1/decisions", DECISION, decisions.DecisionRecorded),
    ("decide_again", "POST", "/v1/decisions", DECISION, decisions.DecisionRecorded),
    (
        "decide_near_duplicate",
        "POST",
        "/v1/decisions",
        {
            "title": "Another queue",
            "why": "A slip of the pen.",
            "mutations": [{"op": "put_element", "kind": "component", "name": "job-queue", "gist": "?"}],
            "project": "harbor",
        },
        Problem,
    ),
    ("get_decision", "GET", "/v1/decisions/$decision", None, decisions.DecisionAnswer),
    ("list_elements", "GET", "/v1/elements?kind=component", None, decisions.ElementPage),
    ("get_element", "GET", "/v1/elements/$element", None, decisions.ElementAnswer),
    ("explain_element", "GET", "/v1/elements/$element?explain=true", None, decisions.ElementAnswer),
    ("element_history", "GET", "/v1/elements/$element/history", None, decisions.HistoryPage),
    ("element_neighbors", "GET", "/v1/elements/$element/neighbors", None, decisions.NeighborPage),
    ("get_graph", "GET", "/v1/graph", None, graph.GraphAnswer),
    ("graph_path", "POST", "/v1/graph/path", {"from": "job queue", "to": "harbor"}, graph.PathAnswer),
    ("graph_explain", "POST", "/v1/graph/explain", {"of": "Job queue"}, graph.ExplainAnswer),
    ("graph_explain_unknown", "POST", "/v1/graph/explain", {"of": "Job query"}, Problem),
    ("graph_query", "POST", "/v1/graph/query", {"query": "what does the job quue hang on?"}, graph.QueryAnswer),
    ("attend", "POST", "/v1/attention", {"op": "pin", "ids": ["$element"]}, attention.AttentionAnswer),
    ("list_conflicts", "GET", "/v1/conflicts", None, decisions.ConflictPage),
    ("list_projects", "GET", "/v1/projects", None, decisions.ProjectPage),
    ("list_notes", "GET", "/v1/notes?tag=type", None, notes.NotePage),
    ("get_note", "GET", "/v1/notes/vault/Queue.md", None, notes.NoteAnswer),
    ("check_note", "POST", "/v1/notes/check", {"text": "no front matter"}, notes.NoteCheckAnswer),
    ("put_note_blind", "PUT", "/v1/notes/vault/Queue.md", {"text": NOTE}, Problem),
    (
        "move_note_dry",
        "POST",
        "/v1/notes/move",
        {"from": "vault:Queue.md", "to": "vault:jobs/Queue.md", "dry": True},
        notes.NoteMoveAnswer,
    ),
    ("delete_note_blind", "DELETE", "/v1/notes/vault/Queue.md", None, Problem),
    ("recall", "POST", "/v1/recall", {"query": "What did we do with the job queue?", **DAY}, recall.RecallAnswer),
    ("recall_semantic", "POST", "/v1/recall", {"query": "What is the job queue?"}, recall.RecallAnswer),
    ("recall_unknown_field", "POST", "/v1/recall", {"query": "x", "colour": "red"}, Problem),
    ("route", "POST", "/v1/route", {"query": "When did we move the queue?"}, recall.RoutedAnswer),
    ("context", "GET", "/v1/context?session=session-1", None, status.ContextAnswer),
    ("status", "GET", "/v1/status", None, status.StatusAnswer),
    ("list_models", "GET", "/v1/models", None, models.ModelPage),
    ("list_jobs", "GET", "/v1/jobs", None, jobs.JobPage),
    ("get_job", "GET", "/v1/jobs/index", None, jobs.JobAnswer),
    ("get_job_missing", "GET", "/v1/jobs/polish", None, Problem),
    ("run_job", "POST", "/v1/jobs/index/run", {"args": {"action": "verify"}}, jobs.JobStarted),
    ("run_job_invalid", "POST", "/v1/jobs/index/run", {"args": {"action": "polish", "force": True}}, Problem),
    ("cancel_job", "POST", "/v1/jobs/extract/cancel", None, jobs.JobStarted),
    ("index_status", "GET", "/v1/index", None, jobs.IndexAnswer),
    ("list_problems", "GET", "/v1/problems", None, status.ProblemPage),
    ("create_code", "POST", "/v1/codes", None, codes.CodeAnswer),
    ("exchange_code", "POST", "/v1/codes/exchange", {"code": "$code"}, codes.SessionToken),
    ("exchange_code_again", "POST", "/v1/codes/exchange", {"code": "$code"}, Problem),
    ("healthz", "GET", "/healthz", None, status.AliveAnswer),
    ("readyz", "GET", "/readyz", None, status.ReadyAnswer),
    ("hook", "POST", "/v1/hooks/UserPromptSubmit", PROMPT, hooks.HookAnswer),
    ("sync", "POST", "/v1/sync", {"session": "session-3"}, sync.SyncAnswer),
    ("sync_bad_cursor", "POST", "/v1/sync", {"session": "session-3", "cursor": "?"}, Problem),
    ("list_sessions", "GET", "/v1/sessions", None, sync.SessionPage),
    ("put_note", "PUT", "/v1/notes/vault/Line.md", {"text": NOTE}, notes.NoteAnswer),
    (
        "move_note",
        "POST",
        "/v1/notes/move",
        {"from": "vault:Line.md", "to": "vault:jobs/Line.md"},
        notes.NoteMoveAnswer,
    ),
    ("delete_note", "DELETE", "/v1/notes/vault/jobs/Line.md", None, Nothing),
    ("decide_near", "POST", "/v1/decisions", NEAR, decisions.DecisionRecorded),
    ("propose_plans", "POST", "/v1/plans", {"kind": "consolidation"}, plans.PlanPage),
    ("list_plans", "GET", "/v1/plans", None, plans.PlanPage),
    ("get_plan", "GET", "/v1/plans/$plan", None, plans.PlanAnswer),
    ("get_plan_missing", "GET", "/v1/plans/pl_000000000000000000000000", None, Problem),
    ("apply_plan", "POST", "/v1/plans/$plan/apply", None, plans.PlanAnswer),
    ("apply_plan_again", "POST", "/v1/plans/$plan/apply", None, Problem),
    ("undo_plan", "POST", "/v1/plans/$plan/undo", None, plans.PlanAnswer),
    ("refuse_plan", "POST", "/v1/plans/$plan/refuse", None, Problem),
    ("list_changed_lines", "GET", "/v1/changed-lines", None, decisions.ChangedPage),
    ("forget", "POST", "/v1/forget", {"ids": ["$episode"]}, decisions.ForgetAnswer),
    ("forget_unknown", "POST", "/v1/forget", {"ids": ["ep_00000000000000000000000001"]}, Problem),
]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Make all calls in order on one daemon; later calls use the ids of earlier ones."""
    home = tmp_path_factory.mktemp("golden")
    vault = home / "memory" / "vault"
    vault.mkdir(parents=True)
    (vault / "Queue.md").write_text(NOTE, "utf-8")
    os.utime(vault / "Queue.md", (1772442000, 1772442000))
    settings = {**WITHOUT_MODEL, "MEMORYD_JOURNAL__ZONE": "Europe/Berlin"}
    known: dict[str, str] = {}
    found: dict[str, Any] = {}
    with OwnDaemon(home, settings).start() as daemon:
        daemon.wait_until_indexed(60)
        for name, method, path, body, _ in CALLS:
            filled = json.loads(_filled(json.dumps(body), known))
            try:
                answer = daemon.client.call(method, _filled(path, known), body=filled, headers=HEADERS.get(name))
                code, got = answer.status, answer.body
            except ProblemError as problem:
                code, got = problem.status, problem.body
            _learn(name, got, known)
            found[name] = {"request": {"method": method, "path": path, "body": body}, "status": code, "answer": got}
        export = daemon.client.call("GET", "/v1/export?format=canonical")
        found["openapi"] = daemon.client.call("GET", "/openapi.json").body
        assert "Memoryd-Log-Seq" in {key.title() for key in export.headers}
    return found


@pytest.mark.parametrize(("name", "model"), [(call[0], call[4]) for call in CALLS])
def test_answer_is_the_golden_one(answers: dict[str, Any], name: str, model: type[BaseModel]) -> None:
    got = _steady(answers[name])
    file = GOLDEN / f"{name}.json"
    if RECORDS:
        file.write_text(json.dumps(got, indent=2, ensure_ascii=False) + "\n", "utf-8")
    assert got == json.loads(file.read_text("utf-8"))
    model.model_validate(answers[name]["answer"], strict=False)


def test_openapi_is_the_committed_one(answers: dict[str, Any]) -> None:
    if RECORDS:
        OPENAPI.write_text(json.dumps(answers["openapi"], indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert answers["openapi"] == json.loads(OPENAPI.read_text("utf-8"))


def test_openapi_documents_every_golden_call(answers: dict[str, Any]) -> None:
    documented = {
        operation["operationId"] for path in answers["openapi"]["paths"].values() for operation in path.values()
    }
    called = {name for name, *_ in CALLS}
    assert documented - called <= {"export", "graph_report", "forget_episode", "merge_projects", "listen"}


def _filled(text: str, known: dict[str, str]) -> str:
    return re.sub(r"\$(\w+)", lambda match: known.get(match.group(1), match.group(0)), text)


def _learn(name: str, got: Any, known: dict[str, str]) -> None:
    if name == "create_episode":
        known["episode"] = got["id"]
    if name == "propose_plans":
        known["plan"] = got["items"][0]["id"]
    if name == "decide":
        known["decision"] = got["id"]
        known["element"] = got["elements"][0]
    if name == "create_code":
        known["code"] = got["code"]
    if name == "move_note":
        got["decision"] = "<decision>"  # it says when


def _steady(value: Any) -> Any:
    """Blank what differs from run to run: instants of now, request ids, milliseconds."""
    if isinstance(value, dict):
        return {key: _steady_field(key, item) for key, item in value.items()}
    if isinstance(value, list):
        return [_steady(item) for item in value]
    return value


def _steady_field(key: str, value: Any) -> Any:
    if key in {"took_ms", "instance", "version"}:
        return f"<{key}>"
    if key == "at" and isinstance(value, str) and not value.startswith("2026-03-02"):
        return "<now>"
    if key in {"code", "token"} and isinstance(value, str) and len(value) == 43:
        return f"<{key}>"
    if key in {"last_run", "next_run", "last_scan"}:
        return "<now>"
    if key == "events":
        return ["<forget>" for _ in value]
    if key == "text" and isinstance(value, str) and value.startswith("<memoryd"):
        return "<rendered>"
    if key == "text" and isinstance(value, str):
        return re.sub(r"Decided \d{4}-\d\d-\d\d", "Decided <today>", value)
    if key == "units":
        return "<units>"
    if key == "additionalContext":
        return "<rendered>"
    if key in {"began", "last", "cursor"} and isinstance(value, str):
        return f"<{key}>"
    return _steady(value)
