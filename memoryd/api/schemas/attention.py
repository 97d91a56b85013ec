"""``POST /v1/attention``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from memoryd.api.schemas.base import Body

AttentionOp = Literal["useful", "pin", "unpin", "archive", "restore"]


class AttentionBody(Body):
    """What the reader did, and with what."""

    op: AttentionOp
    ids: Annotated[list[str], Field(min_length=1, max_length=500)]
    session: str | None = None


class AttentionAnswer(Body):
    """What was recorded."""

    op: AttentionOp
    ids: list[str]
