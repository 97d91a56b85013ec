"""What hooks send: four fields are sure, everything else may be anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.capture.payload import EVENTS, read_event, read_payload

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
FIELDS = [
    "session_id",
    "transcript_path",
    "cwd",
    "prompt",
    "prompt_id",
    "tool_input",
    "last_assistant_message",
    "source",
]


def test_the_fields_of_a_stop() -> None:
    payload = read_payload(
        "Stop",
        {
            "session_id": "s1",
            "transcript_path": "/t/s1.jsonl",
            "cwd": "/code",
            "hook_event_name": "Stop",
            "stop_hook_active": True,
            "last_assistant_message": "Done.",
            "background_tasks": [],
            "of_a_later_version": {"x": 1},
        },
    )
    assert (payload.session, payload.transcript, payload.answer) == ("s1", "/t/s1.jsonl", "Done.")
    assert payload.is_continued
    assert payload.fields["of_a_later_version"] == {"x": 1}


@pytest.mark.parametrize("event", EVENTS)
def test_every_event_is_read_with_the_sure_fields_alone(event: str) -> None:
    base = {"session_id": "s1", "transcript_path": "/t", "cwd": "/w", "hook_event_name": event}
    payload = read_payload(event, base)
    assert (payload.event, payload.session, payload.transcript, payload.cwd) == (event, "s1", "/t", "/w")
    assert (payload.prompt, payload.answer, payload.tool, payload.agent) == (None, None, None, None)


def test_names_of_events() -> None:
    assert read_event("user-prompt-submit") == "UserPromptSubmit"
    assert read_event("SessionStart") == "SessionStart"
    assert read_event("OfALaterVersion") == "OfALaterVersion"


@given(event=st.sampled_from(EVENTS), body=st.dictionaries(st.sampled_from(FIELDS) | st.text(), JSON))
def test_nothing_in_a_payload_is_an_error(event: str, body: dict[str, object]) -> None:
    payload = read_payload(event, body)
    assert payload.session is None or isinstance(payload.session, str)
    assert payload.fields is body
