"""What can go wrong with a peer: PeerUnavailable. It costs the peer's figures, never the run."""

from __future__ import annotations

from memoryd.errors import MemorydError


class PeerUnavailable(MemorydError):
    """The peer cannot be installed, started or asked here."""
