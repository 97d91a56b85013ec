"""Telling the service manager how we are: the sd_notify protocol, which is one datagram a message."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping


class Notifier:
    """Sends states to the manager that started us; does nothing where none listens.

    A manager that cannot be reached is no reason to fail: nothing here raises.
    """

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        address = (os.environ if environ is None else environ).get("NOTIFY_SOCKET", "")
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


def _status(text: str) -> tuple[str, ...]:
    return (f"STATUS={' '.join(text.split())}",) if text else ()
