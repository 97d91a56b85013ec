"""What a Prometheus reads: counts of this daemon, and no word of what anyone wrote."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2
from prometheus_client.parser import text_string_to_metric_families

from memoryd.bench.daemon import OwnDaemon
from tests.e2e.test_mcp import SETTINGS


def test_metrics_count_and_name_nothing(start: Callable[..., OwnDaemon]) -> None:
    daemon = start("home", SETTINGS)
    daemon.post(
        "/v1/episodes", {"text": "a very private word", "session": "a-session", "turn": "1", "project": "secret"}
    )
    daemon.get("/v1/episodes", session="a-session")
    address = f"{daemon.client.endpoint.url}/metrics"
    assert httpx2.get(address).status_code == 401
    token = (daemon.home / "config" / "token").read_text().strip()
    answer = httpx2.get(address, headers={"Authorization": f"Bearer {token}"})
    assert answer.headers["content-type"].startswith("text/plain")
    found: dict[tuple[str, str], float] = {}
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            found[sample.name, _shown(sample.labels)] = sample.value
    assert found["memoryd_requests_total", "GET /v1/episodes 200"] == 1
    assert found["memoryd_things", "chunk"] == 1
    assert found["memoryd_ready", ""] == 1
    assert found["memoryd_job_failed", "scan"] == 0
    assert not {"private", "a-session", "secret"} & set(answer.text.replace("_", " ").split())
    assert "a-session" not in answer.text


def _shown(labels: dict[str, Any]) -> str:
    order = ("method", "route", "status", "kind", "job")
    return " ".join(str(labels[name]) for name in order if name in labels)
