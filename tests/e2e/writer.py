"""A process that writes decisions and entries until it has written enough, or the daemon is gone.

Run as ``python -m tests.e2e.writer <home> <number> <count>``. Each acknowledged id is a line of stdout, behind what
was written: what stands there was answered, whatever became of the daemon in the next moment.
"""

from __future__ import annotations

import sys
from pathlib import Path

from clients.endpoint import DaemonUnreachable, Places
from clients.http import Client


def main(home: Path, number: int, count: int) -> None:
    places = Places(str(home / "state"), str(home / "config"))
    for turn in range(count):
        mark = f"quokka{number}x{turn}"
        thing = {"op": "put_element", "kind": "thing", "name": mark, "gist": mark}
        # Two processes decide on one thing, so that each has to see what the other did just before.
        shared = {"op": "put_element", "kind": "shared", "name": f"common thing {number // 2}", "gist": mark}
        decided = {"title": mark, "why": "because", "mutations": [thing, shared], "new": True}
        told = {"text": f"acknowledged {mark}", "session": f"s{number}", "turn": str(turn)}
        for path, body in (("/v1/decisions", decided), ("/v1/episodes", told)):
            try:
                written = Client.find(places, timeout_s=60.0).call("POST", path, body=body)
            except (DaemonUnreachable, OSError):
                return
            sys.stdout.write(f"{mark} {written.body['id']}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
