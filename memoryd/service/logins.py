"""How a browser gets in: a code that works once and briefly, and the session that it is exchanged for.

The token of the memory never reaches the browser. Whoever holds it asks for a code, the page exchanges the code for a
token of its own, and that one ends with the daemon, with a change of the memory's token, and when nobody used it for
long. Nothing of this is written down: codes and tokens are kept as hashes, in memory alone.
"""

from __future__ import annotations

import hashlib
import hmac
import threading
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memoryd.errors import CodeRefused

SECRET_BYTES = 32
CODE_LIFE = timedelta(seconds=60)
IDLE = timedelta(hours=12)
"""A session that asked for nothing for so long is over."""
MOST_CODES = 16
MOST_SESSIONS = 32
"""Beyond these the oldest one goes: only a holder of the memory's token can ask for more."""
REFUSED = "this code is not known: each works once, for 60 seconds; `memoryd open` makes a new one"


@dataclass(frozen=True, slots=True)
class _Pass:
    """A code or a session, by the hash of its secret; ``at`` is when it was made or last used."""

    digest: bytes
    at: datetime
    stamp: object


class Logins:
    """The open codes and sessions. Every method may be called from any thread.

    Args:
        clock: Returns the present, aware.
        entropy: Gives so many random bytes.
        stamp: Returns what changes when the memory's token does; ``None`` while there is none.
    """

    def __init__(
        self, clock: Callable[[], datetime], entropy: Callable[[int], bytes], stamp: Callable[[], object]
    ) -> None:
        self._clock = clock
        self._entropy = entropy
        self.stamp = stamp
        self._lock = threading.Lock()
        self._codes: list[_Pass] = []
        self._sessions: list[_Pass] = []

    def issue(self) -> str:
        """Return a fresh code, to be exchanged once, within 60 seconds."""
        with self._lock:
            return self._add(self._codes, MOST_CODES)

    def exchange(self, code: str) -> str:
        """Take a code back and return the token of a new session.

        Raises:
            CodeRefused: It was used, is too old, or never was one.
        """
        with self._lock:
            known = self._find(self._codes, code, CODE_LIFE)
            if known is None:
                raise CodeRefused(REFUSED)
            self._codes.remove(known)
            return self._add(self._sessions, MOST_SESSIONS)

    def accepts(self, token: str) -> bool:
        """Tell whether this is the token of a session, which counts as used from now on."""
        with self._lock:
            known = self._find(self._sessions, token, IDLE)
            if known is None:
                return False
            self._sessions.remove(known)
            self._sessions.append(replace(known, at=self._clock()))
            return True

    def _add(self, passes: list[_Pass], most: int) -> str:
        secret = urlsafe_b64encode(self._entropy(SECRET_BYTES)).decode().rstrip("=")
        passes.append(_Pass(_digest(secret), self._clock(), self.stamp()))
        del passes[:-most]
        return secret

    def _find(self, passes: list[_Pass], secret: str, life: timedelta) -> _Pass | None:
        """Return the pass of a secret; those whose time is over are dropped on the way."""
        now, stamp = self._clock(), self.stamp()
        # A clock that was set back must not lengthen anything.
        passes[:] = [one for one in passes if timedelta() <= now - one.at < life and one.stamp == stamp]
        digest = _digest(secret)
        found = None
        for one in passes:
            if hmac.compare_digest(one.digest, digest):
                found = one
        return found


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()
