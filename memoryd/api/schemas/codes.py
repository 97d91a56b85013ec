"""Codes: how the page in a browser gets a token of its own."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from memoryd.api.schemas.base import Body


class CodeAnswer(Body):
    """A code, to be exchanged once, within 60 seconds."""

    code: str


class ExchangeBody(Body):
    """A code as it was given."""

    code: Annotated[str, Field(min_length=1, max_length=200)]


class SessionToken(Body):
    """The token of a session, sent as the memory's own is; it ends with the daemon or after 12 hours without use."""

    token: str
