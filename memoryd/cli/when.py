"""When a decision was recorded, and from when it holds, as a person reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def recorded_at(decision: Mapping[str, Any]) -> str:
    """Return day and minute of its recording, and from which day it holds where that is another."""
    return f"{str(decision.get('at') or '')[:16].replace('T', ' ')}{holds_since(decision)}"


def holds_since(decision: Mapping[str, Any]) -> str:
    """Return from which day a decision holds, where that is not the day it was recorded on; else nothing."""
    recorded = str(decision.get("at") or "")[:10]
    valid = str(decision.get("valid_at") or recorded)[:10]
    return "" if valid == recorded else f" (holds {'since' if valid < recorded else 'from'} {valid})"
