"""What the daemon itself can fail at. The stores have error trees of their own.

The tree::

    MemorydError
    ├── SettingsError        config.toml, a variable or a flag cannot be used
    ├── PathError            a folder or file of memoryd cannot be made or written
    ├── ShadowError          another distribution stands in front of one of our packages
    ├── AlreadyRunning       another daemon owns this memory
    ├── TokenError           the token file cannot be used
    ├── SocketError          an address cannot be listened on
    │   └── PortBusy         another program has the TCP port
    ├── StartError           the daemon did not come up
    └── StopError            the daemon did not go down
"""

from __future__ import annotations


class MemorydError(Exception):
    """Something that memoryd was asked to do cannot be done; the message names it and the way out."""


class SettingsError(MemorydError):
    """A setting cannot be used."""


class PathError(MemorydError):
    """A folder or file of memoryd cannot be made, read or written."""


class ShadowError(MemorydError):
    """A package that belongs to memoryd was found somewhere else."""


class AlreadyRunning(MemorydError):
    """Another daemon owns this memory."""


class TokenError(MemorydError):
    """The token file cannot be used."""


class SocketError(MemorydError):
    """An address cannot be listened on."""


class PortBusy(SocketError):
    """Another program listens on the TCP port."""


class StartError(MemorydError):
    """The daemon did not come up."""


class StopError(MemorydError):
    """The daemon did not go down."""
