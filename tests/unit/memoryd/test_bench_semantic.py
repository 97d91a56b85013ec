"""The made-up log is one that the product itself could have written."""

from __future__ import annotations

from pathlib import Path

from memoryd.bench.semantic import WRITER, made_up_lines
from semantic.testing import open_store


def test_the_made_up_log_is_whole_and_repeatable(tmp_path: Path) -> None:
    lines = list(made_up_lines(60, seed=1))
    assert lines == list(made_up_lines(60, seed=1))
    assert lines != list(made_up_lines(60, seed=2))
    shard = tmp_path / "log" / "user" / f"{WRITER}.ndjson"
    shard.parent.mkdir(parents=True)
    shard.write_bytes(b"".join(lines))
    store = open_store(tmp_path)
    assert store.log_seq() == 60
    assert store.conflicts() == ()
    # Its instants are long past or still to come, as the clock of the test has it; nothing else is amiss.
    assert all("dated ahead" in problem for problem in store.problems())
    picture = store.projection()
    assert len(picture.elements) == 20
    assert any(decision.superseded_by for decision in picture.decisions.values())
