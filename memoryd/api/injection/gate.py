"""The gate at a stop, for those who switched it on: code changed, and no decision of the session is recorded."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import PurePath
from typing import Any

from memoryd.api.injection.tool import WRITERS, touched_file
from memoryd.api.services import Services
from memoryd.capture.payload import Payload

_SESSIONS_KEPT = 256
_PROSE = frozenset({".md", ".txt", ".rst", ".adoc", ".org"})
_NAMED = 3


class StopGate:
    """Holds a stop once a session. It keeps which code each session changed; after a restart it begins anew."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._lock = threading.Lock()
        self._changed: OrderedDict[str, dict[str, None]] = OrderedDict()
        self._held: OrderedDict[str, None] = OrderedDict()

    def note(self, payload: Payload) -> None:
        """Note the code that a tool changed; prose is none."""
        if not self._services.holds_stops or payload.event != "PostToolUse" or payload.tool not in WRITERS:
            return
        path = touched_file(payload)
        if path is None or payload.session is None or PurePath(path).suffix.lower() in _PROSE:
            return
        with self._lock:
            self._changed.setdefault(payload.session, {})[path] = None
            self._changed.move_to_end(payload.session)
            _forget_oldest(self._changed)

    def hold(self, payload: Payload) -> dict[str, Any]:
        """Return what sends the agent on, in its own form, or nothing."""
        session = payload.session
        if not self._services.holds_stops or payload.agent is not None or payload.is_continued or session is None:
            return {}
        with self._lock:
            changed = list(self._changed.get(session, ()))
            if not changed or session in self._held:
                return {}
            self._held[session] = None
            _forget_oldest(self._held)
        decisions = self._services.semantic.projection().decisions.values()
        if any(one.session == session for one in decisions):
            return {}
        named = ", ".join(PurePath(path).name for path in changed[:_NAMED])
        more = f" and {len(changed) - _NAMED} more" if len(changed) > _NAMED else ""
        reason = (
            f"memoryd: code changed in this session ({named}{more}) and no decision of it is recorded. A choice worth "
            "knowing later can be recorded with the tool `decide`; where there was none, the work is done."
        )
        return {"decision": "block", "reason": reason}


def _forget_oldest(kept: OrderedDict[str, Any]) -> None:
    while len(kept) > _SESSIONS_KEPT:
        kept.popitem(last=False)
