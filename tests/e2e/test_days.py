"""A day through the interface: every entry of it, in order, to its end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

from memoryd.bench.daemon import OwnDaemon

ENTRIES = 110


def test_a_day_of_many_entries_is_read_to_its_end_by_recall_and_by_days(
    start: Callable[..., OwnDaemon], tmp_path: Path
) -> None:
    zone = {"TZ": "UTC", "MEMORYD_EMBEDDING__MODEL": "none", "MEMORYD_JOURNAL__ZONE": "Europe/Berlin"}
    journal = tmp_path / "home" / "memory" / "journal"
    journal.mkdir(parents=True)
    vault = tmp_path / "home" / "memory" / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    # Its own present decides what yesterday is, so the days around it are filled.
    today = date.today()
    for back in range(3):
        past = today - timedelta(days=back)
        lines = "".join(
            f"## {n // 6:02}:{n % 6 * 10:02} Session\n- did thing {n} of {past}\n\n" for n in range(ENTRIES)
        )
        (journal / f"{past}.md").write_text(lines, "utf-8")
    (vault / f"{today - timedelta(days=9)}.md").write_text("a daily note of a vault about quokkas\n", "utf-8")
    daemon = start(settings=zone)
    daemon.wait_until_indexed(60)

    day = ""
    for question in ("what did I do yesterday?", "what happened yesterday, morning to night?", "昨天我们做了什么"):
        answer = daemon.post("/v1/recall", {"query": question})
        since, until = answer["route"]["range"]["since"], answer["route"]["range"]["until"]
        day = since[:10]
        assert (date.fromisoformat(until[:10]) - date.fromisoformat(day)).days == 1
        assert [hit["text"] for hit in answer["hits"]] == [f"- did thing {n} of {day}" for n in range(ENTRIES)]
    items = daemon.get(f"/v1/days/{day}")["items"]
    assert [item["text"] for item in items] == [f"- did thing {n} of {day}" for n in range(ENTRIES)]
    counted = {item["date"]: item["episodes"] for item in daemon.get("/v1/days")["items"]}
    assert counted[day] == ENTRIES
    # The daily note of a vault is an entry of its day, and no note.
    assert counted[f"{today - timedelta(days=9)}"] == 1
    hits = daemon.post("/v1/recall", {"query": "quokkas", "store": "both"})["hits"]
    assert [hit["path"] for hit in hits] == [f"vault:{today - timedelta(days=9)}.md"]
