"""The gate at a stop: held once, where code changed and nothing was decided, and only for who wants it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from memoryd.api.injection.gate import StopGate
from memoryd.capture.payload import read_payload


def gate(*decided: str, is_on: bool = True) -> StopGate:
    picture = SimpleNamespace(decisions={name: SimpleNamespace(session=name) for name in decided})
    services: Any = SimpleNamespace(holds_stops=is_on, semantic=SimpleNamespace(projection=lambda: picture))
    return StopGate(services)


def use(one: StopGate, path: str, event: str = "PostToolUse", tool: str = "Edit", **fields: Any) -> None:
    body = {"session_id": "s1", "cwd": "/code", "tool_name": tool, "tool_input": {"file_path": path}, **fields}
    one.note(read_payload(event, body))


def stop(one: StopGate, **fields: Any) -> dict[str, Any]:
    return one.hold(read_payload("Stop", {"session_id": "s1", **fields}))


def test_it_holds_once_and_names_what_changed() -> None:
    one = gate("s2")
    for path in ("src/a.py", "/code/src/a.py", "b.rs", "c.ts", "d.go", "README.MD"):
        use(one, path)
    held = stop(one)
    assert held["decision"] == "block"
    assert "(a.py, b.rs, c.ts and 1 more)" in held["reason"]
    use(one, "e.py")
    assert stop(one) == {}


def test_what_a_sub_agent_changed_counts_for_its_session_which_alone_is_held() -> None:
    one = gate()
    use(one, "a.py", agent_id="a1")
    assert stop(one, agent_id="a1") == {}
    assert stop(one, stop_hook_active=True) == {}
    assert stop(one)["decision"] == "block"


@pytest.mark.parametrize(
    ("path", "how"),
    [
        ("notes.md", {}),
        ("a.py", {"event": "PostToolUseFailure"}),
        ("a.py", {"event": "PreToolUse"}),
        ("a.py", {"tool": "Read"}),
        ("", {}),
    ],
)
def test_what_changes_no_code_holds_nothing(path: str, how: dict[str, str]) -> None:
    one = gate()
    use(one, path, **how)
    assert stop(one) == {}


def test_where_something_was_decided_or_nobody_wants_it_nothing_is_held() -> None:
    for one in (gate("s1"), gate(is_on=False)):
        use(one, "a.py")
        assert stop(one) == {}
