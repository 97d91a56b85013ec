"""Over REST: a question of two asks, and what the journal repeats and offers as knowledge."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from memoryd.bench.daemon import OwnDaemon

RULE = "Migrations run before the deployment of the workers."
EXACT = {"MEMORYD_EMBEDDING__MODEL": "none", "MEMORYD_ENGINE__KIND": "exact"}


def test_each_ask_is_answered_and_what_recurs_is_proposed(start: Callable[..., OwnDaemon]) -> None:
    daemon = start(settings=EXACT)
    today = datetime.now(UTC)
    ids = [
        daemon.post("/v1/episodes", {"text": f"A long shift. {RULE}", "at": (today - timedelta(days=n)).isoformat()})[
            "id"
        ]
        for n in range(5)
    ]
    put = {"op": "put_element", "kind": "component", "name": "Database", "gist": "PostgreSQL 17"}
    daemon.post("/v1/decisions", {"title": "Use PostgreSQL", "why": "It is known.", "mutations": [put]})

    question = "What did we do yesterday and which database do we use?"
    answer = daemon.post("/v1/recall", {"query": question, "explain": True})
    assert answer["route"]["store"] == "both"
    assert "each ask is looked for by itself" in answer["route"]["reasons"]
    found = [hit["id"] for hit in answer["hits"][:3]]
    assert ids[1] in found
    assert any("PostgreSQL" in f"{hit['title']} {hit['text']}" for hit in answer["hits"][:3])
    texts = {store: asked["text"] for store, asked in answer["explain"]["stores"].items()}
    assert "which database do we use?" in texts.values()

    (plan,) = daemon.post("/v1/plans", {"kind": "promotion"})["items"]
    assert set(plan["steps"][0]["evidence"]) == set(ids)
    assert daemon.post(f"/v1/plans/{plan['id']}/apply", {})["state"] == "applied"
    facts = daemon.get("/v1/elements", kind="fact")["items"]
    assert [fact["gist"] for fact in facts] == [RULE.rstrip(".")]
    assert daemon.post("/v1/plans", {"kind": "promotion"})["items"] == []
