"""What a hook is answered."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class HookAnswer(BaseModel):
    """The agent's own form of an answer. An empty one has nothing to say."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    hook_specific_output: dict[str, Any] | None = Field(default=None, alias="hookSpecificOutput")
