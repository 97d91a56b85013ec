"""Models: what turns text into vectors, and how each of them is."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from memoryd.api.schemas.base import Body, Page


class ModelAnswer(Body):
    """A model. `wanting` is how many pieces have no vector of it yet, where it serves or is being built."""

    name: str
    state: Literal["serving", "building", "ready", "absent"]
    wanted: Annotated[bool, Field(description="Whether the settings name it")]
    loaded: Annotated[bool, Field(description="Whether it is in memory")]
    lexical: Annotated[bool, Field(description="Whether it weighs tokens too, for a third search arm")]
    dimension: int
    download_bytes: Annotated[int, Field(ge=0, description="About how much a pull fetches; 0: nothing")]
    licence: str
    wanting: Annotated[int, Field(ge=0)] | None = None
    problem: str | None = None


class ModelPage(Page):
    """All models that are known, the default first."""

    items: list[ModelAnswer]
