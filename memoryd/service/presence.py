"""What a running daemon has in ``state``: the lock file, the endpoint and the socket's name. All can be deleted.

Whoever deletes ``state`` while the daemon runs makes it unfindable, not dead. The owner looks now and then, and puts
back what only says where it is; what the stores kept there is for their owner to make anew.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from memoryd.paths import Paths, make_private, make_runtime
from memoryd.service.lock import OwnerLock
from memoryd.service.sockets import Listening, publish_endpoint


@dataclass(frozen=True, slots=True)
class Missing:
    """What is not there any more.

    ``state`` is set where the lock file went, and so, most likely, all beside it; ``truth`` where another folder stands
    in the place of the memory, such as one that was restored.
    """

    state: bool
    socket: bool
    endpoint: bool
    truth: bool

    def __bool__(self) -> bool:
        return self.state or self.socket or self.endpoint or self.truth


def look(paths: Paths, lock: OwnerLock, listening: Listening) -> Missing:
    """Say what of this daemon is missing in ``state``."""
    return Missing(
        state=not lock.is_in_place,
        socket=listening.identity is not None and not listening.is_in_place,
        endpoint=not _is_published(paths, listening),
        truth=not lock.guards_truth,
    )


def put_back(paths: Paths, lock: OwnerLock, listening: Listening, missing: Missing, *, version: str) -> Listening:
    """Make the missing things again and return what is listened on now; the endpoint comes last.

    Raises:
        AlreadyRunning: Somebody else locked the new file.
        PathUnusable: A folder or file cannot be made.
        SocketError: The socket cannot be made.
    """
    for folder in (paths.state, paths.log):
        make_private(folder)
    make_runtime(paths.runtime)
    lock.renew()
    if missing.socket:
        listening = listening.rebind()
    publish_endpoint(paths, listening, version=version)
    return listening


def _is_published(paths: Paths, listening: Listening) -> bool:
    try:
        record = json.loads(paths.endpoint_file.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(record, dict) and record.get("socket") == str(listening.path)
