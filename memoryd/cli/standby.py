"""A daemon on standby: the service manager listens on its socket, and starts it at the first connection."""

from __future__ import annotations

import os
import socket

from clients.endpoint import DaemonUnreachable, Places, read_endpoint
from memoryd.paths import find_paths
from memoryd.service.process import wait_until

START_S = 60.0
_CONNECT_S = 2.0


def wake(timeout_s: float = START_S) -> bool:
    """Connect where nobody has said yet that he listens; tell whether a daemon then said so within the time.

    A socket that a killed daemon left refuses the connection, and nothing is waited for.
    """
    paths = find_paths()
    places = Places(str(paths.state), str(paths.config))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as first:
        first.settimeout(_CONNECT_S)
        try:
            first.connect(os.fspath(paths.socket))
        except OSError:
            return False
        # The connection stays open meanwhile: it is what the manager starts the daemon for.
        return wait_until(lambda: _is_found(places), timeout_s=timeout_s)


def _is_found(places: Places) -> bool:
    try:
        read_endpoint(places)
    except DaemonUnreachable:
        return False
    return True
