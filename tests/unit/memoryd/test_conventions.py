"""Cursors, actors, sessions and instants."""

import base64
import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.api.conventions import (
    Actor,
    Listing,
    decode_cursor,
    encode_cursor,
    parse_actor,
    settle_session,
    snapshot_headers,
)
from memoryd.api.errors import BadParameter
from memoryd.api.instant import parse_instant, parse_window
from memoryd.api.present import Presenter

VIENNA = ZoneInfo("Europe/Vienna")
NOW = datetime(2026, 11, 30, 14, 5, 12, tzinfo=VIENNA)


@given(st.text(max_size=50), st.integers(-(2**53), 2**53))
def test_cursors_come_back_and_are_url_safe(text: str, number: int) -> None:
    cursor = encode_cursor(text, number)
    assert set(cursor) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    assert decode_cursor(cursor, str, int) == (text, number)


def _cursor(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "!!!",
        "ab cd",
        "é",
        "A" * 5000,
        _cursor([]),
        _cursor({"a": 1}),
        _cursor(7),
        _cursor(None),
        _cursor([2, "a", 1]),
        _cursor([1, "a"]),
        _cursor([1, 1, "a"]),
        _cursor([1, "a", True]),
        _cursor([1, "a", 1, 1]),
        _cursor([1, "a", None]),
        "WzEsImEiLDFd\n",
        base64.urlsafe_b64encode(b"\xff\xff").decode(),
    ],
)
def test_cursors_of_others_are_refused(cursor: str) -> None:
    with pytest.raises(BadParameter, match="next_cursor") as caught:
        decode_cursor(cursor, str, int)
    assert caught.value.field == "query/cursor"


def test_the_end_of_a_list_says_so() -> None:
    assert Listing[int](items=[]).model_dump() == {"items": [], "next_cursor": None}


@pytest.mark.parametrize(
    ("text", "actor"),
    [
        (None, Actor("person")),
        ("person", Actor("person")),
        ("agent", Actor("agent")),
        ("agent:claude-code", Actor("agent", "claude-code")),
        ("job:embed", Actor("job", "embed")),
    ],
)
def test_actors(text: str | None, actor: Actor) -> None:
    assert parse_actor(text) == actor
    assert str(actor) == (text or "person")


@pytest.mark.parametrize(
    "text", ["", "root", "person:x", "job", "job:", "agent:", "agent: x y", "Agent", "agent:" + "x" * 65, "agent:é"]
)
def test_other_actors_are_refused(text: str) -> None:
    with pytest.raises(BadParameter, match="must be person, agent") as caught:
        parse_actor(text)
    assert caught.value.field == "header/memoryd-actor"


def test_sessions() -> None:
    assert settle_session(None, None) is None
    assert settle_session("a", "b") == "a"
    assert settle_session(None, "b") == "b"
    for wrong in ("", " ", "x" * 201, "a\nb", "a\x00"):
        with pytest.raises(BadParameter) as caught:
            settle_session(wrong, None)
        assert caught.value.field == "body/session"


def test_snapshot_headers() -> None:
    assert snapshot_headers(log_seq=0, index_seq=12) == {"Memoryd-Log-Seq": "0", "Memoryd-Index-Seq": "12"}
    assert snapshot_headers() == {}


def at(text: str, **options: object) -> str:
    return parse_instant(text, field="query/since", zone=VIENNA, **options).isoformat()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-30T14:05:12+01:00", "2026-11-30T14:05:12+01:00"),
        ("2026-11-30T14:05:12Z", "2026-11-30T14:05:12+00:00"),
        ("2026-11-30t14:05:12z", "2026-11-30T14:05:12+00:00"),
        ("2026-11-30 14:05:12", "2026-11-30T14:05:12+01:00"),
        ("2026-07-30T14:05", "2026-07-30T14:05:00+02:00"),
        ("2026-11-30T14:05:12.5Z", "2026-11-30T14:05:12.500000+00:00"),
        ("2026-11-30T14:05:12.123456789Z", "2026-11-30T14:05:12.123456+00:00"),
        ("2026-11-30T14:05:12 01:00", "2026-11-30T14:05:12+01:00"),
        ("2026-11-30T14:05:12-03:30", "2026-11-30T14:05:12-03:30"),
        ("2026-11-30", "2026-11-30T00:00:00+01:00"),
    ],
)
def test_instants(text: str, expected: str) -> None:
    assert at(text) == expected


def test_a_date_is_a_whole_local_day() -> None:
    assert at("2026-11-30", edge="end") == "2026-12-01T00:00:00+01:00"
    assert at("2026-12-31", edge="end") == "2027-01-01T00:00:00+01:00"
    # The day on which the clocks go back has 25 hours.
    day = parse_window("2026-10-25", "2026-10-25", now=NOW, zone=VIENNA)
    assert day.since is not None
    assert day.until is not None
    assert day.until.astimezone(UTC) - day.since.astimezone(UTC) == timedelta(hours=25)


def test_a_day_whose_midnight_is_skipped_starts_after_the_skip() -> None:
    zone = ZoneInfo("America/Sao_Paulo")
    start = parse_instant("2018-11-04", field="x", zone=zone)
    assert start.astimezone(UTC) == datetime(2018, 11, 4, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2h", "2026-11-30T12:05:12+01:00"),
        ("36h", "2026-11-29T02:05:12+01:00"),
        ("10d", "2026-11-20T14:05:12+01:00"),
        ("2w", "2026-11-16T14:05:12+01:00"),
        ("9m", "2026-02-28T14:05:12+01:00"),
        ("3m", "2026-08-30T14:05:12+02:00"),
        ("11m", "2025-12-30T14:05:12+01:00"),
        ("12m", "2025-11-30T14:05:12+01:00"),
        ("1y", "2025-11-30T14:05:12+01:00"),
        ("0d", "2026-11-30T14:05:12+01:00"),
    ],
)
def test_spans_back_from_now(text: str, expected: str) -> None:
    assert at(text, now=NOW) == expected
    with pytest.raises(BadParameter):
        at(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soonish",
        "yesterday",
        "2026",
        "2026-11",
        "20261130",
        "2026-W48-1",
        "2026-13-01",
        "2026-02-30",
        "2026-11-30T",
        "2026-11-30T24:00",
        "2026-11-30T14:05:60Z",
        "2026-11-30T14:05:12+25:00",
        "2026-11-30T14:05:12+0100",
        "2026-11-30T14:05:12,5",
        "2026-11-30X14:05",
        "1764511512",
        "-2w",
        "2 w",
        "2W",
        "w",
        "99999999d",
        "999999y",
        "999999m",
        "999999w",
        "1.5d",
        "٢w",
        "٢٠٢٦-11-30",
        "0000-01-01",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "2026-11-30T14:05:12+01:00 or so",
        "\x00",
        "2026-11-30\n2026-11-30",
    ],
)
def test_anything_else_is_refused_with_the_forms_and_without_the_value(text: str) -> None:
    with pytest.raises(BadParameter, match="not an instant; write 2026-11-30T14:05:12") as caught:
        at(text, now=NOW)
    assert caught.value.field == "query/since"
    assert len(text) < 6 or text.startswith("2026-11") or text not in str(caught.value)


def test_the_end_of_the_last_day_cannot_be_said() -> None:
    with pytest.raises(BadParameter):
        at("9999-12-31", edge="end")


@given(st.text(max_size=40))
def test_no_text_breaks_the_parser(text: str) -> None:
    try:
        found = parse_instant(text, field="x", zone=VIENNA, now=NOW)
    except BadParameter:
        return
    assert found.tzinfo is not None


def test_ranges() -> None:
    assert not parse_window(None, None, now=NOW, zone=VIENNA)
    empty = parse_window("2026-11-30T00:00:00Z", "2026-11-30T00:00:00Z", now=NOW, zone=VIENNA)
    assert empty.since == empty.until
    with pytest.raises(BadParameter, match="ends before it starts") as caught:
        parse_window("2026-11-30", "2026-11-28", now=NOW, zone=VIENNA)
    assert caught.value.field == "query/until"
    with pytest.raises(BadParameter) as caught:
        parse_window(None, "soonish", now=NOW, zone=VIENNA, place="body")
    assert caught.value.field == "body/until"


@pytest.mark.parametrize(
    ("zone", "at", "shown"),
    [
        ("America/New_York", datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00+00:00"),
        ("Europe/Vienna", datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC), "9999-12-31T23:59:59+00:00"),
        ("Europe/Berlin", datetime(1850, 5, 5, 12, tzinfo=UTC), "1850-05-05T12:00:00+00:00"),
        ("Europe/Vienna", datetime(2026, 7, 1, 12, tzinfo=UTC), "2026-07-01T14:00:00+02:00"),
    ],
)
def test_every_instant_has_an_rfc_3339_form(zone: str, at: datetime, shown: str) -> None:
    """What a zone cannot tell, or only with the seconds of the sun, is told in UTC."""
    assert Presenter(ZoneInfo(zone)).instant(at) == shown
