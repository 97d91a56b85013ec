"""Days of memsearch become episodes, once, at their own times; they read as days of ours before and after."""

from __future__ import annotations

from pathlib import Path

import pytest

from episodic.episode import NewEpisode
from memoryd.errors import ImportFailed
from memoryd.text.fence import wrap
from tests.unit.memoryd.importing import Home, home, write

__all__ = ["home"]

TOKEN = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
DAY = f"""\
# 2026-10-05

## Session 09:12

### 09:12
<!-- session:3f2a turn:aaaa transcript:/home/u/.claude/projects/p/3f2a.jsonl -->
- User asked why the cart loses items.
- The token {TOKEN} was in the log.

### 09:40
<!-- session:3f2a turn:bbbb transcript:/home/u/.claude/projects/p/3f2a.jsonl -->
- User asked about the badger.
{wrap("an old memory of ours", "memoryd")}

## Memory Compact 18:00

The day was about carts.
"""


@pytest.fixture
def days(home: Home) -> Path:
    folder = home.peers / "shop" / ".memsearch" / "memory"
    write(folder / "2026-10-05.md", DAY)
    write(folder / "PROJECT.md", "# Project\n\nThe shop sells birds.\n")
    return folder


def test_turns_become_episodes_and_what_is_no_day_a_note(home: Home, days: Path) -> None:
    done = home.take(home.peers / "shop")
    assert (done["source"], done["files"]) == ("memsearch", 2)
    assert done["kinds"] == {"episode": {"recorded": 3}, "note": {"recorded": 1}}
    assert [(f"{e.at:%m-%d %H:%M}", e.session, e.turn, e.project) for e in home.entries] == [
        ("10-05 09:12", "3f2a", "aaaa", "shop-00000000"),
        ("10-05 09:40", "3f2a", "bbbb", "shop-00000000"),
        ("10-05 18:00", None, None, "shop-00000000"),
    ]
    assert home.entries[2].text == "The day was about carts.\n\n(from memsearch: shop/2026-10-05.md)"
    note = home.notes["memsearch/shop/PROJECT.md"]
    assert note.front_matter["imported_from"] == "memsearch shop/PROJECT.md"
    assert note.text.endswith("# Project\n\nThe shop sells birds.\n")


def test_secrets_and_what_memory_injected_stay_out(home: Home, days: Path) -> None:
    home.take(days)
    everything = b"".join(home.truth().values())
    assert TOKEN.encode() not in everything
    assert b"an old memory of ours" not in everything
    assert b"[redacted:" in everything


@pytest.mark.parametrize("below", [".", ".memsearch", ".memsearch/memory", ".memsearch/memory/2026-10-05.md"])
def test_each_place_is_recognised_and_brings_nothing_twice(home: Home, days: Path, below: str) -> None:
    home.take(days)
    before = home.truth()
    again = home.take(home.peers / "shop" / below)
    assert again["source"] == "memsearch"
    assert set(again["turns"]) == {"known"}
    assert home.truth() == before


def test_state_may_be_gone(home: Home, days: Path, tmp_path: Path) -> None:
    home.take(days)
    home.close()
    (tmp_path / "again").mkdir()
    other = Home(tmp_path / "again")
    for path, data in home.truth().items():
        place = other.memory / Path(path).relative_to(home.memory)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    other.episodic.reconcile()
    other.semantic.reconcile()
    assert other.take(days)["turns"] == {"known": 4}
    other.close()


def test_a_dry_run_tells_and_writes_nothing(home: Home, days: Path) -> None:
    before = home.truth()
    done = home.take(days, is_dry=True)
    assert done["turns"] == {"recorded": 4}
    assert done["first"] == {
        "episode": ["2026-10-05 09:12", "2026-10-05 09:40", "2026-10-05 18:00 Memory Compact 18:00"],
        "note": ["PROJECT"],
    }
    assert home.truth() == before


def test_what_changed_since_is_named_and_left_alone(home: Home, days: Path) -> None:
    home.take(days)
    before = home.truth()
    write(days / "2026-10-05.md", DAY.replace("badger", "otter").replace("about carts", "long"))
    write(days / "PROJECT.md", "# Project\n\nThe shop sells fish.\n")
    done = home.take(days)
    assert done["turns"] == {"differs": 3, "known": 1}
    assert done["differs"] == [
        f"2026-10-05 09:40: {home.entries[1].id}",
        f"2026-10-05 18:00 Memory Compact 18:00: {home.entries[2].id}",
        "PROJECT: vault:memsearch/shop/PROJECT.md",
    ]
    assert home.truth() == before


def test_what_was_forgotten_stays_so(home: Home, days: Path) -> None:
    home.take(days)
    home.forget(home.entries[0].id, home.entries[2].id)
    assert home.take(days)["kinds"]["episode"] == {"forgotten": 2, "known": 1}
    assert len(home.entries) == 1


def test_a_turn_that_its_session_told_is_not_told_again(home: Home, days: Path) -> None:
    home.episodic.append(NewEpisode("Asked: why?", home.clock(), session="3f2a", turn="aaaa"))
    assert home.take(days)["kinds"]["episode"] == {"captured": 1, "recorded": 2}


def test_lines_above_and_other_machines_change_no_identity(home: Home, days: Path) -> None:
    home.take(days)
    moved = home.peers / "elsewhere" / "shop" / ".memsearch" / "memory" / "2026-10-05.md"
    write(moved, "A line above.\n\n" + DAY)
    assert home.take(moved)["turns"] == {"known": 3, "recorded": 1}


def test_a_folder_without_days_is_said(home: Home) -> None:
    (home.peers / "empty").mkdir()
    with pytest.raises(ImportFailed, match="no Markdown lies below"):
        home.take(home.peers / "empty", "memsearch")


def test_bytes_that_are_no_text_are_named_and_the_rest_is_read(home: Home, days: Path) -> None:
    (days / "2026-10-06.md").write_bytes(b"## Session 08:00\n\n### 08:00\n<!-- session:s turn:t -->\n- caf\xe9\n")
    (days / "2026-10-07.md").write_bytes("## Session 08:00\r\n\r\n- naïve\r\n".encode("utf-16"))
    done = home.take(days)
    assert done["kinds"]["episode"] == {"recorded": 5}
    assert len(done["problems"]) == 2
    assert "caf\ufffd" in home.entries[3].text
    assert home.entries[4].text.startswith("- naïve")
    assert home.take(days)["turns"] == {"known": 6}
