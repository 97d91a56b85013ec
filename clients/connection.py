"""Opening a connection to the daemon: its Unix socket first, since nobody else can be behind it, else TCP."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from clients.endpoint import DaemonUnreachable, Endpoint, Places, is_owned

CONNECT_S = 2.0


def open_socket(endpoint: Endpoint, places: Places, timeout_s: float) -> tuple[socket.socket, bool]:
    """Return a connected socket, and whether it is the Unix socket.

    Raises:
        DaemonUnreachable: Nobody is there; nothing was sent.
    """
    if endpoint.socket:
        unix = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            unix.settimeout(CONNECT_S)
            unix.connect(endpoint.socket)
        except OSError:
            unix.close()
        else:
            unix.settimeout(timeout_s)
            return unix, True
    # A dead daemon's port may be anybody's by now; the token is sent there only while the memory is owned.
    if not is_owned(places):
        raise DaemonUnreachable("the daemon does not run, though it left its address")
    address = urlsplit(endpoint.url)
    try:
        opened = socket.create_connection((address.hostname or "", address.port or 0), timeout=CONNECT_S)
    except OSError as error:
        raise DaemonUnreachable(f"nobody answers at {endpoint.url}") from error
    opened.settimeout(timeout_s)
    return opened, False
