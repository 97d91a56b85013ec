"""Questions over REST, with the default model and Milvus Lite: words in ten scripts, times, routes, budgets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clients.http import ProblemError
from memoryd.bench.daemon import OwnDaemon

ENTRIES = {
    "zh": ("2026-03-02T09:00:00+00:00", "今天玩成语接龙游戏，备份任务失败，数据库迁移延期。"),
    "ja": ("2026-03-03T09:00:00+00:00", "昨日は成語しりとりをした。データベースの移行は延期。"),
    "fr": ("2026-03-04T09:00:00+00:00", "Réunion au café avec Zoë : la clé d'accès expire en été."),
    "code": (
        "2026-03-05T09:00:00+00:00",
        "Fixed `parse_config_file` in src/config/reader.py; error ERR-4021 was misleading.",
    ),
    "de": (
        "2026-03-06T09:00:00+00:00",
        "Der Export nach Nordwind läuft jetzt um halb vier, die Häuser sind verständigt.",
    ),
    "en": ("2026-03-09T10:00:00+00:00", "We rolled the payment service back because refunds were counted twice."),
}
NOTE = """---
summary: How we deploy.
tags: [type/howto, scope/project]
---
# Deployment

Run make release, then wait one night.
"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnDaemon]:
    home = tmp_path_factory.mktemp("recall")
    vault = home / "memory" / "vault"
    vault.mkdir(parents=True)
    (vault / "Deployment.md").write_text(NOTE, "utf-8")
    with OwnDaemon(home).start() as running:
        for name, (at, text) in ENTRIES.items():
            running.post("/v1/episodes", {"text": text, "at": at, "session": "s", "turn": name})
        running.wait_until_indexed(120)
        yield running


def ask(daemon: OwnDaemon, query: str, **more: Any) -> dict[str, Any]:
    answer = daemon.post("/v1/recall", {"query": query, **more})
    assert isinstance(answer, dict)
    return answer


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("备份", "zh"), ("成语接龙", "zh"), ("移行", "ja"), ("しりとり", "ja"), ("cafe Zoe", "fr"), ("clé", "fr"),
        ("parse_config_file", "code"), ("config reader", "code"), ("ERR-4021", "code"), ("Haus verständigen", "de"),
        ("refund double counting", "en"),
    ],
)  # fmt: skip
def test_each_script_finds_its_line(daemon: OwnDaemon, query: str, wanted: str) -> None:
    hits = ask(daemon, query, store="episodic")["hits"]
    assert hits[0]["text"] == ENTRIES[wanted][1]


def test_meaning_finds_what_words_do_not(daemon: OwnDaemon) -> None:
    hits = ask(daemon, "Why was money given back to customers two times?", store="episodic")["hits"]
    assert hits[0]["text"] == ENTRIES["en"][1]


def test_route_is_explained(daemon: OwnDaemon) -> None:
    assert ask(daemon, "What did we do about refunds last spring?")["route"]["store"] == "episodic"
    standing = ask(daemon, "How do we deploy?")
    assert standing["route"]["store"] == "semantic"
    assert standing["route"]["reasons"]
    assert standing["hits"][0]["path"] == "vault:Deployment.md"


def test_every_hit_is_traced_to_its_arms_and_leads_on(daemon: OwnDaemon) -> None:
    answer = ask(daemon, "export database café error", store="both", explain=True)
    traced = {hit["id"]: hit for hit in answer["explain"]["hits"]}
    assert list(traced) == [hit["id"] for hit in answer["hits"]]
    for hit in answer["hits"]:
        arms = traced[hit["id"]]["arms"]
        assert arms
        assert all(place["rank"] >= 1 for place in arms.values())
        if hit["store"] == "episodic":
            assert daemon.get(f"/v1/episodes/{hit['id']}", expand="section")["expanded"] == hit["text"]
            assert hit["text"] in daemon.get(f"/v1/episodes/{hit['id']}", expand="day")["expanded"]


def test_window_filters_and_reads_in_order(daemon: OwnDaemon) -> None:
    answer = ask(daemon, "", since="2026-03-03", until="2026-03-05")
    texts = [hit["text"] for hit in answer["hits"] if hit["store"] == "episodic"]
    assert texts == [ENTRIES[name][1] for name in ("ja", "fr", "code")]


def test_empty_query_without_a_window_is_refused(daemon: OwnDaemon) -> None:
    with pytest.raises(ProblemError) as refused:
        ask(daemon, "")
    assert refused.value.status == 422


def test_budget_counts_titles_and_texts(daemon: OwnDaemon) -> None:
    answer = ask(daemon, "backup export refunds error café", store="episodic", max_chars=120)
    units = sum(len((hit["title"] + hit["text"]).encode("utf-16-le")) // 2 for hit in answer["hits"])
    assert answer["hits"]
    assert units <= 120


def test_scores_do_not_rise(daemon: OwnDaemon) -> None:
    scores = [hit["score"] for hit in ask(daemon, "export database café error", store="both")["hits"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


@pytest.mark.parametrize(
    "query", ["don't use agents", "C++ && rm -rf", '"unbalanced', "100%", "a*b (c)", "' or 1==1", "\\"]
)
def test_no_query_raises(daemon: OwnDaemon, query: str) -> None:
    assert "hits" in ask(daemon, query)


@pytest.mark.parametrize("field", ["limit", "store", "since", "as_of", "kinds", "nonsense"])
def test_bad_fields_are_refused_without_echo(daemon: OwnDaemon, field: str) -> None:
    with pytest.raises(ProblemError) as refused:
        ask(daemon, "anything", **{field: "sesame-secret"})
    assert refused.value.status == 422
    assert b"sesame-secret" not in refused.value.raw
    assert field in refused.value.raw.decode() or field == "nonsense"


def test_a_decision_supersedes_and_is_found(daemon: OwnDaemon) -> None:
    stack = {"kind": "component", "name": "storage engine"}
    first = daemon.post(
        "/v1/decisions",
        {
            "title": "Storage is PostgreSQL",
            "why": "we know it",
            "mutations": [{"op": "put_element", **stack, "gist": "PostgreSQL"}],
        },
    )
    second = daemon.post(
        "/v1/decisions",
        {
            "title": "Storage is MySQL",
            "why": "the host has it",
            "mutations": [{"op": "put_element", **stack, "gist": "MySQL"}],
        },
    )
    assert second["superseded"] == [first["id"]]
    hits = ask(daemon, "which storage engine do we use?")["hits"]
    assert "MySQL" in hits[0]["text"] + hits[0]["title"]
    current = [hit for hit in hits if hit["kind"] == "decision" and "superseded_by" not in hit]
    assert all("PostgreSQL" not in hit["title"] for hit in current)
