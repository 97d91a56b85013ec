"""Telling the service manager how we are: the sd_notify protocol, which is one datagram a message."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Mapping

_TIMES_IN_INTERVAL = 3


class Notifier:
    """Sends states to the manager that started us; does nothing where none listens.

    A manager that cannot be reached is no reason to fail: nothing here raises.
    """

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        environ = os.environ if environ is None else environ
        address = environ.get("NOTIFY_SOCKET", "")
        self.watchdog_s = _watchdog_s(environ)
        # A leading @ stands for the NUL of an abstract address; anything else must be a path.
        self._address = f"\0{address[1:]}" if address.startswith("@") else address if address.startswith("/") else ""

    @property
    def listening(self) -> bool:
        """Whether a manager asked to be told."""
        return bool(self._address)

    def ready(self, status: str = "") -> bool:
        """Say that requests are served from now on."""
        return self.send("READY=1", *_status(status))

    def stopping(self, status: str = "") -> bool:
        """Say that the stop has begun."""
        return self.send("STOPPING=1", *_status(status))

    def alive(self) -> bool:
        """Say that all is well; a manager that set a watchdog starts us again where it does not hear this."""
        return self.send("WATCHDOG=1")

    def status(self, text: str) -> bool:
        """Say, in words, what goes on."""
        return self.send(*_status(text))

    def send(self, *lines: str) -> bool:
        """Send the assignments as one message; tell whether it was handed over."""
        if not self._address or not lines:
            return False
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | getattr(socket, "SOCK_CLOEXEC", 0)) as link:
                link.connect(self._address)
                link.sendall("\n".join(lines).encode())
        except OSError:
            return False
        return True


async def keep_alive(notifier: Notifier, is_well: Callable[[], bool]) -> None:
    """Tell the manager again and again that all is well, as long as it is; return at once without a watchdog.

    Args:
        notifier: Tells it.
        is_well: Asks the stores, in a thread; one that does not come back is as bad as a false one.
    """
    if notifier.watchdog_s is None:
        return
    while True:
        if await asyncio.to_thread(is_well):
            notifier.alive()
        await asyncio.sleep(notifier.watchdog_s / _TIMES_IN_INTERVAL)


def _watchdog_s(environ: Mapping[str, str]) -> float | None:
    """Return within what time the manager wants to hear from this very process, if at all."""
    given, pid = environ.get("WATCHDOG_USEC", ""), environ.get("WATCHDOG_PID", "")
    if not (given.isascii() and given.isdigit()) or int(given) == 0 or pid not in {"", str(os.getpid())}:
        return None
    return int(given) / 1_000_000


def _status(text: str) -> tuple[str, ...]:
    return (f"STATUS={' '.join(text.split())}",) if text else ()
