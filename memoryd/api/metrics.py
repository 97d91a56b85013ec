"""``/metrics``: counts and times for a Prometheus that the user runs. No label holds what anyone wrote."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI, Response
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from memoryd.api.guard import METHODS, Served
from memoryd.api.services import Services

_BUCKETS_S = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
_RSS_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024


class Metrics:
    """What is measured of one daemon, in a registry of its own."""

    def __init__(self, services: Services) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "memoryd_requests", "Requests by route and status.", ("method", "route", "status"), registry=self.registry
        )
        self._durations = Histogram(
            "memoryd_request_duration_seconds",
            "How long requests took.",
            ("route",),
            buckets=_BUCKETS_S,
            registry=self.registry,
        )
        self.registry.register(_State(services))

    def count(self, served: Served) -> None:
        """Count a request that is done; its route is a template, its method one that is known."""
        method = served.method if served.method in METHODS else "other"
        self._requests.labels(method, served.route, str(served.status)).inc()
        self._durations.labels(served.route).observe(served.ms / 1000)

    def text(self) -> bytes:
        """Return everything in Prometheus' text format."""
        return generate_latest(self.registry)


class _State:
    """What is read from the stores when it is asked for."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def collect(self) -> Iterator[Any]:
        """Yield what there is; before the stores are open, only that they are not."""
        services = self._services
        ready = services.readiness.is_ready
        yield InfoMetricFamily("memoryd_build", "The version.", {"version": services.version})
        yield _gauge("memoryd_ready", "Whether the stores are open.", float(ready))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT_BYTES
        yield _gauge("memoryd_resident_peak_bytes", "The most memory that the daemon's process has held.", peak)
        if not ready:
            return
        chunks, known = services.episodic.counts().chunks, services.semantic.counts()
        yield _gauge("memoryd_pending", "Files, chunks and vectors that are not indexed yet.", services.pending())
        yield _gauge("memoryd_degraded", "Reasons for which memory works with less.", len(services.degraded()))
        things = GaugeMetricFamily("memoryd_things", "What is stored, by kind.", labels=("kind",))
        counted = {
            "chunk": chunks,
            "element": known.elements,
            "link": known.links,
            "decision": known.decisions,
            "note": known.notes,
        }
        for kind, number in counted.items():
            things.add_metric((kind,), number)
        yield things
        yield from self._jobs()

    def _jobs(self) -> Iterator[Any]:
        last = GaugeMetricFamily(
            "memoryd_job_last_run_timestamp_seconds", "When a job's last run ended.", labels=("job",)
        )
        failed = GaugeMetricFamily("memoryd_job_failed", "Whether a job's last run failed.", labels=("job",))
        for job in self._services.jobs.list():
            if job.last_run is not None:
                last.add_metric((job.name,), job.last_run.timestamp())
            failed.add_metric((job.name,), float(job.state == "failed"))
        yield last
        yield failed


def offer_metrics(app: FastAPI, services: Services) -> None:
    """Offer ``/metrics``, and keep the counts at ``app.state.metrics`` for the guard to feed."""
    metrics = app.state.metrics = Metrics(services)

    @app.get("/metrics", include_in_schema=False)
    def get_metrics() -> Response:
        return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST)


def count_request(app: Any, served: Served) -> None:
    """Count a request for the application that served it."""
    app.state.metrics.count(served)


def _gauge(name: str, meaning: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, meaning, value=value)
