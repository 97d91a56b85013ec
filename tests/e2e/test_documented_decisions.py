"""The commands that ``docs/decisions.md`` shows work as they stand, in their order, and do what is said of them."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from memoryd.bench.daemon import OwnDaemon

PAGE = Path(__file__).parent.parent.parent / "docs" / "decisions.md"


def test_the_page_on_decisions_is_true(start: Callable[..., OwnDaemon], tmp_path: Path) -> None:
    daemon = start()
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    command = f'memoryd() {{ {shlex.quote(sys.executable)} -P -m memoryd.cli "$@"; }}\n'
    here = tmp_path / "here"
    here.mkdir()
    done = subprocess.run(
        ["bash", "-euc", command + "\n".join(blocks)],
        env={"MEMORYD_HOME": str(daemon.home), "PATH": "/usr/bin:/bin"},
        cwd=here,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    hits = daemon.post("/v1/recall", {"query": "Cache answers in Postgres", "kinds": ["decision"]})["hits"]
    old = next(hit for hit in hits if hit["title"] == "Cache answers in Postgres")
    above = hits[hits.index(old) - 1]
    assert (above["id"], above["title"]) == (old["superseded_by"], "Cache answers in Valkey")
    (found,) = [one for one in daemon.get("/v1/elements", q="cache")["items"] if one["name"] == "cache"]
    cache = daemon.get(f"/v1/elements/{found['id']}")
    assert cache["gist"] == "Valkey, three nodes"
    assert (cache["aliases"], cache["notes"], cache["links"]) == (["answer store"], ["emptied at night"], [])
    (head,) = cache["heads"]
    decision = daemon.get(f"/v1/decisions/{head}")
    assert decision["title"] == "Cache answers in Valkey"
    assert decision["why"] == "Postgres was too slow at noon. (worded anew)"
    titles = {one["title"] for one in daemon.get(f"/v1/elements/{cache['id']}/history")["items"]}
    assert "What operations call the cache" in titles
