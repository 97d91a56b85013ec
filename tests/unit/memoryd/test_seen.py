"""What sessions were shown: once, by session and agent, over restarts, and whatever becomes of the file."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.render.seen import KEPT_DAYS, Seen

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


def made(path: Path | None = None, at: Callable[[], datetime] = lambda: NOW) -> Seen:
    return Seen(path, at)


def test_what_was_shown_is_known_by_session_and_agent_and_after_a_restart(tmp_path: Path) -> None:
    seen = made(tmp_path / "shown.sqlite")
    seen.begin("s1", source="startup", project="shop-1")
    seen.show("s1", "SessionStart", units=120, ids=["de_1", "el_1"])
    seen.show("s1", "PreToolUse", units=30, ids=["el_2"], agent="a7")
    seen.close()
    again = made(tmp_path / "shown.sqlite")
    assert again.known("s1") == {"de_1", "el_1"}
    assert again.known("s1", "a7") == {"el_2"}
    assert again.known("s2") == frozenset()
    (one,) = again.sessions(limit=10)
    assert (one.session, one.project, one.source, one.units) == ("s1", "shop-1", "startup", 150)
    assert [(shown.event, shown.agent, shown.units, shown.ids) for shown in one.showings] == [
        ("SessionStart", "", 120, ("de_1", "el_1")),
        ("PreToolUse", "a7", 30, ("el_2",)),
    ]
    assert (tmp_path / "shown.sqlite").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("source", "is_kept"), [("startup", False), ("clear", False), ("compact", False), ("resume", True)]
)
def test_an_empty_context_was_shown_nothing(source: str, is_kept: bool) -> None:
    seen = made()
    seen.show("s1", "SessionStart", units=10, ids=["de_1"])
    seen.begin("s1", source=source)
    assert bool(seen.known("s1")) is is_kept
    assert seen.sessions(limit=1)[0].units == 10


def test_a_fork_knows_what_its_parent_was_shown() -> None:
    seen = made()
    seen.show("s1", "SessionStart", units=10, ids=["de_1"])
    seen.set_cursor("s1", {"aa": 4})
    seen.begin("s2", source="fork")
    seen.copy("s1", "s2")
    seen.mark("s2", ["el_9"])
    assert seen.known("s2") == {"de_1", "el_9"}
    assert seen.known("s1") == {"de_1"}
    assert seen.cursor("s2") == {"aa": 4}


def test_sessions_are_listed_in_pages_and_forgotten_after_a_while(tmp_path: Path) -> None:
    now = [NOW]
    seen = made(tmp_path / "shown.sqlite", lambda: now[0])
    for number in range(5):
        now[0] = NOW + timedelta(minutes=number // 2)
        seen.show(f"s{number}", "SessionStart", units=1, ids=[])
    first = seen.sessions(limit=2)
    rest = seen.sessions(limit=9, before=(first[-1].last, first[-1].session))
    assert [one.session for one in (*first, *rest)] == ["s4", "s2", "s3", "s0", "s1"]
    seen.close()
    now[0] = NOW + timedelta(days=KEPT_DAYS, minutes=1, seconds=30)
    assert [one.session for one in seen.sessions(limit=9)] == ["s4"]


def test_a_file_that_cannot_be_used_costs_nothing_but_the_memory_of_it(tmp_path: Path) -> None:
    broken = tmp_path / "shown.sqlite"
    broken.write_bytes(b"not a database at all" * 100)
    seen = made(broken)
    seen.mark("s1", ["de_1"])
    assert seen.known("s1") == {"de_1"}
    assert "set aside as shown.sqlite.broken" in (seen.problem or "")
    nowhere = made(tmp_path / "missing" / "shown.sqlite")
    nowhere.mark("s1", ["de_1"])
    assert nowhere.known("s1") == {"de_1"}
    assert "in memory only" in (nowhere.problem or "")


def test_a_file_that_is_damaged_later_is_replaced_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "shown.sqlite"
    first = made(path)
    for number in range(300):
        first.show(f"s{number}", "SessionStart", units=1, ids=[f"de_{number}_{one}" for one in range(20)])
    first.close()
    data = path.read_bytes()
    path.write_bytes(data[:8192] + b"\xff" * (len(data) - 8192))
    seen = made(path)
    assert seen.known("s200") == frozenset()
    assert seen.sessions(limit=9) == []
    assert "was damaged" in (seen.problem or "")
    seen.mark("s1", ["de_1"])
    assert seen.known("s1") == {"de_1"}


def test_of_what_can_change_the_version_that_was_shown_last_is_kept() -> None:
    now = {"no_1": "a", "no_2": "b"}
    seen = Seen(None, lambda: NOW, lambda ids: {id_: now[id_] for id_ in ids if id_ in now})
    seen.show("s1", "recall", units=1, ids=["no_1", "de_1"])
    seen.mark("s1", ["no_2"], "a7")
    assert seen.versions("s1") == {"no_1": "a"}
    assert seen.versions("s1", "a7") == {"no_2": "b"}
    now["no_1"] = "c"
    assert seen.versions("s1") == {"no_1": "a"}
    seen.copy("s1", "s2")
    seen.mark("s1", ["no_1"])
    assert (seen.versions("s1"), seen.versions("s2")) == ({"no_1": "c"}, {"no_1": "a"})
    seen.begin("s1", source="clear")
    assert seen.versions("s1") == {}


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from(["", "x"]), st.text("el_de0", min_size=1, max_size=3)),
        max_size=30,
    )
)
def test_nothing_that_was_shown_is_unknown_and_nothing_else_is_known(shown: list[tuple[str, str, str]]) -> None:
    seen = made()
    expected: dict[tuple[str, str], set[str]] = {}
    for session, agent, id_ in shown:
        seen.mark(session, [id_], agent)
        expected.setdefault((session, agent), set()).add(id_)
    for session in "ab":
        for agent in ("", "x"):
            assert seen.known(session, agent) == expected.get((session, agent), set())
