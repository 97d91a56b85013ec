"""What an agent's hooks send. Four fields are sure to come; everything else may be there, in any shape, or not.

A field that is not known, or not of the kind that it should be, is left alone and is never an error: an agent's next
version must not stop the capture.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from memoryd.text.canonical import digest
from memoryd.text.secrets import find_secrets, redact_id

EVENTS = (
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "UserPromptSubmit",
    "UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "StopFailure", "SubagentStart", "SubagentStop",
    "PreCompact", "PostCompact", "PreModelSwitch", "PostModelSwitch", "PermissionRequest", "PermissionDenied", "Setup",
    "TeammateIdle", "TaskCreated", "TaskCompleted", "Elicitation", "ElicitationResult", "ConfigChange",
    "WorktreeCreate", "WorktreeRemove", "InstructionsLoaded", "CwdChanged", "FileChanged", "DirectoryAdded",
    "MessageDisplay", "PreSkillShellCommand",
)  # fmt: skip
"""The events that are known; any other name is taken as it comes."""

_BY_FOLDED = {name.lower(): name for name in EVENTS}
_LONGEST_ID = 200
_EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Payload:
    """One event of a session.

    Attributes:
        event: Its name, as the agent writes it.
        session: The session.
        transcript: The session's file.
        cwd: The agent's working folder.
        prompt_id: The id of the prompt it belongs to.
        agent: The sub-agent inside which it happened; ``None`` for the session's own agent.
        source: Of a prompt, who made it; of a session, how it began.
        prompt: What was asked.
        answer: The last thing that the agent said.
        error: Why a turn or a tool failed.
        summary: What a compaction kept.
        is_continued: Whether the turn goes on because of an earlier stop hook.
        tool: The tool that was used.
        tool_id: The id of its call.
        tool_values: What it was called with.
        agent_kind: The kind of sub-agent.
        fields: The whole payload, with all that is not known.
    """

    event: str
    session: str | None
    transcript: str | None = None
    cwd: str | None = None
    prompt_id: str | None = None
    agent: str | None = None
    source: str | None = None
    prompt: str | None = None
    answer: str | None = None
    error: str | None = None
    summary: str | None = None
    is_continued: bool = False
    tool: str | None = None
    tool_id: str | None = None
    tool_values: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)
    agent_kind: str | None = None
    fields: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)


def read_event(name: str) -> str:
    """Return an event's name as the agent writes it, from that or from ``user-prompt-submit``."""
    return _BY_FOLDED.get(re.sub(r"[-_]", "", name).lower(), name)


def read_payload(event: str, body: Mapping[str, Any]) -> Payload:
    """Return what a hook sent for an event; nothing in it is an error."""
    values = body.get("tool_input")
    return Payload(
        event=read_event(event),
        session=_id(body, "session_id"),
        transcript=_path(body, "transcript_path"),
        cwd=_path(body, "cwd"),
        prompt_id=_id(body, "prompt_id"),
        agent=_id(body, "agent_id"),
        source=_text(body, "source"),
        prompt=_text(body, "prompt"),
        answer=_text(body, "last_assistant_message"),
        error=_text(body, "error"),
        summary=_text(body, "compact_summary"),
        is_continued=body.get("stop_hook_active") is True,
        tool=_text(body, "tool_name"),
        tool_id=_id(body, "tool_use_id"),
        tool_values=values if isinstance(values, Mapping) else _EMPTY,
        agent_kind=_text(body, "agent_type"),
        fields=body,
    )


def _text(body: Mapping[str, Any], name: str) -> str | None:
    value = body.get(name)
    if not isinstance(value, str) or not value.strip():
        return None
    return value.encode("utf-8", "replace").decode()


def _id(body: Mapping[str, Any], name: str) -> str | None:
    """Return an id as it may be stored; one that is too long to be one is told by its hash."""
    text = _text(body, name)
    if text is None:
        return None
    return redact_id(text) if len(text) <= _LONGEST_ID and text.isprintable() else f"long-{digest(text, length=20)}"


def _path(body: Mapping[str, Any], name: str) -> str | None:
    """Return a path; one that no file can have, or that holds a secret, is none: it is noted in files of ours."""
    text = _text(body, name)
    return None if text is None or "\0" in text or find_secrets(text) else text
