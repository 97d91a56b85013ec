"""Jobs, and the state of the index."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from memoryd.api.schemas.base import Body, Instant, Page

State = Literal["idle", "running", "failed"]


class RunBody(Body):
    """What a job is told; `GET /v1/jobs/{name}` lists what it understands."""

    args: dict[str, Any] = Field(default_factory=dict)


class JobItem(Body):
    """A job. `last_run` is when its last run ended, `next_run` when a timer starts the next."""

    name: str
    state: State
    last_run: Instant | None = None
    next_run: Instant | None = None
    last_error: str | None = None


class JobPage(Page):
    """Jobs, by name."""

    items: list[JobItem]


class JobStarted(Body):
    """The job as it began."""

    job: JobItem


class JobProgress(Body):
    """How far a run is; `total` is 0 where nobody knows."""

    done: Annotated[int, Field(ge=0)]
    total: Annotated[int, Field(ge=0)]
    text: str


class JobArgument(Body):
    """What a job may be told."""

    name: str
    type: Literal["string", "boolean", "integer"]
    meaning: str
    required: bool
    choices: list[str] | None = None
    default: Any = None


class JobAnswer(JobItem):
    """A job whole: how far its run is, or what its last run came to."""

    summary: str
    args: list[JobArgument]
    progress: JobProgress | None = None
    result: Any = None


class Collection(Body):
    """A collection of the engine and its rows."""

    name: str
    rows: int


class Space(Body):
    """Vectors of one embedding space, by its fingerprint."""

    fingerprint: str
    vectors: int


class FileProblem(Body):
    """A file that could not be read whole, or what the index had to do without."""

    path: str
    reason: str


class IndexAnswer(Body):
    """The index: what the manifest knows, what the engine holds, what is pending."""

    engine: str
    model: str
    files: int
    episodes: int
    chunks: int
    notes: int
    collections: list[Collection]
    vectors: list[Space]
    pending: Annotated[int, Field(ge=0)]
    last_scan: Instant | None = None
    problems: list[FileProblem]
    degraded: list[str]
