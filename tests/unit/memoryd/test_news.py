"""What others wrote since a session looked: all of it, once, in whatever pieces it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memoryd.render.news import News, Written
from semantic.model import Decision
from semantic.projection.picture import Projection
from semantic.testing import SteppingClock, open_store
from semantic.writing.recording import NewDecision

AT = datetime(2026, 11, 30, tzinfo=UTC)
_WRITTEN = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([None, "p", "q"]), st.sampled_from(["s", "t"])))


def picture(written: list[tuple[str, str | None, str]]) -> Projection:
    decisions = [
        Decision(f"de_{lamport}", "x", "y", AT, AT, "agent", session, "project" if project else "user", project, (),
                 order=(lamport, install, 1))
        for lamport, (install, project, session) in enumerate(written, start=1)
    ]  # fmt: skip
    return Projection(decisions={one.id: one for one in decisions})


def present_cursor(picture: Projection) -> Mapping[str, int]:
    return Written().cursor(picture)


def news_since(picture: Projection, cursor: Mapping[str, int], **wanted: Any) -> News:
    return Written().since(picture, cursor, **wanted)


@given(_WRITTEN, _WRITTEN, st.integers(1, 4))
def test_everything_of_others_comes_once_and_in_order(
    before: list[tuple[str, str | None, str]], after: list[tuple[str, str | None, str]], limit: int
) -> None:
    cursor = dict(present_cursor(picture(before)))
    whole = picture([*before, *after])
    wanted = [one.id for one in whole.decisions.values() if one.order[0] > len(before) and one.session != "s"]
    told: list[str] = []
    for _ in range(len(wanted) + 1):
        news = news_since(whole, cursor, session="s", limit=limit)
        told += [one.id for one in news.decisions]
        assert len(told) + news.more == len(wanted)
        cursor = dict(news.cursor)
    assert told == wanted
    assert news_since(whole, cursor, session="s").decisions == ()


def test_what_a_second_machine_wrote_earlier_and_came_later_is_news() -> None:
    mine = [("b", None, "t"), ("b", None, "t")]
    cursor = present_cursor(picture([*mine[:0], ("b", None, "t"), ("b", None, "t")]))
    late = picture([("a", "p", "u"), *mine])
    assert [one.order[1] for one in news_since(late, cursor, session="s").decisions if one.order[1] == "a"] == ["a"]


def test_what_does_not_concern_a_session_is_passed_over_for_good() -> None:
    whole = picture([("a", "p", "t"), ("a", "q", "t")])
    news = news_since(whole, {}, session="s", concerns=lambda one: one.project == "p")
    assert [one.project for one in news.decisions] == ["p"]
    assert news_since(whole, news.cursor, session="s").decisions == ()


def test_what_is_followed_from_picture_to_picture_is_what_a_first_look_finds(tmp_path: Path) -> None:
    """Writes of two installs, things forgotten and projects merged: nothing is kept of them that is no more."""
    clock = SteppingClock()
    one, other = (open_store(tmp_path, install * 12, clock=clock) for install in "ab")
    written, pictures = Written(), [one.projection()]

    def decide(store: Any, title: str, project: str | None = None, session: str = "s") -> str:
        put = {"op": "put_element", "kind": "tool", "name": title.split(maxsplit=1)[0], "gist": title}
        new = NewDecision(title, "w", [put], project=project, session=session)
        return str(store.decide(new).id)

    def check() -> None:
        one.refresh([tmp_path / "log"])
        other.refresh([tmp_path / "log"])
        pictures.append(one.projection())
        for picture in (*pictures[-3:], pictures[0], pictures[-1]):
            assert written.cursor(picture) == present_cursor(picture)
            for cursor in ({}, present_cursor(pictures[len(pictures) // 2])):
                assert written.since(picture, cursor, session="t") == news_since(picture, cursor, session="t")

    for number in range(4):
        decide(one, f"hammer {number}", project="shop")
        decide(other, f"saw {number}", project="store", session="t")
        check()
    gone = decide(one, "nail 1")
    check()
    one.forget([gone])
    check()
    one.merge_projects("store", "shop")
    check()
    decide(other, "saw 9", project="shop")
    check()
