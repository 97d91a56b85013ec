"""Eight processes that write at once, through the daemon, while a person saves the same day from an editor."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from memoryd.bench.daemon import OwnDaemon
from tests.e2e.conftest import WITHOUT_MODEL

WRITERS, EACH = 8, 25
WRITER = """
import sys
from clients.endpoint import Places
from clients.http import Client
home, writer, each = sys.argv[1], sys.argv[2], int(sys.argv[3])
client = Client.find(Places(f"{home}/state", f"{home}/config"), timeout_s=60.0)
for number in range(each):
    text = f"writer {writer} entry {number}\\n\\n# a heading\\n" + "x" * 300
    client.call("POST", "/v1/episodes", body={"text": text, "session": f"w{writer}", "turn": str(number)})
"""


def test_eight_processes_and_an_editor_lose_nothing(start: Callable[..., OwnDaemon]) -> None:
    """BH42, behaviour 39: each entry is there once and whole, and what the person changed is kept."""
    daemon = start(settings=WITHOUT_MODEL | {"MEMORYD_ENGINE__KIND": "exact"})
    first = daemon.post("/v1/episodes", {"text": "first"})
    day = daemon.home / "memory" / first["path"]
    stopped = threading.Event()
    saves: list[str] = []

    def edit() -> None:
        """Save the file whole four times, as an editor does that read it a moment ago."""
        while not stopped.is_set() and len(saves) < 4:
            text = day.read_text("utf-8")
            time.sleep(0.02)
            copy = day.with_name(".editor")
            copy.write_text(text.replace("\nfirst\n", "\nfirst, changed by hand\n"), "utf-8")
            copy.replace(day)
            saves.append(text)
            stopped.wait(0.3)

    editor = threading.Thread(target=edit)
    root = str(Path(__file__).parent.parent.parent)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(daemon.home), str(writer), str(EACH)],
            env={"PYTHONPATH": root, "PATH": "/usr/bin:/bin"},
            stderr=subprocess.PIPE,
        )
        for writer in range(WRITERS)
    ]
    editor.start()
    for process in processes:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said.decode()
    stopped.set()
    editor.join()
    assert saves
    wanted = {f"writer {writer} entry {number}\n\n# a heading\n" + "x" * 300 for writer in range(WRITERS)
              for number in range(EACH)} | {"first, changed by hand"}  # fmt: skip
    deadline = time.monotonic() + 60
    while sorted(found := texts(daemon)) != sorted(wanted):
        # What an outside save dropped is appended again once it is heard of.
        assert time.monotonic() < deadline, (len(found), sorted(wanted - set(found))[:3])
        time.sleep(0.2)


def texts(daemon: OwnDaemon) -> list[str]:
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = daemon.get("/v1/episodes", limit=500, **cursor)
        found += [one["text"] for one in page["items"]]
        if page.get("next_cursor") is None:
            return found
        cursor = {"cursor": page["next_cursor"]}
