"""The anchor: percent-encoding, key order, and what other writers leave."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from episodic.journal.anchor import Anchor, is_anchor, read_anchor, read_peer_anchor, render_anchor, rfc3339

AT = datetime(2026, 11, 30, 14, 5, 12, tzinfo=timezone(timedelta(hours=1)))


def test_keys_stand_in_their_order_and_values_are_encoded() -> None:
    anchor = Anchor(
        id="ep_1", at=AT, project="p q", session="s", turn="t", transcript="a/b.md", key="k", files=("x,y", "z z")
    )

    assert render_anchor(anchor) == (
        "<!-- memoryd: id=ep_1 at=2026-11-30T14%3A05%3A12%2B01%3A00 project=p%20q session=s turn=t "
        "transcript=a%2Fb.md key=k files=x%2Cy,z%20z -->"
    )
    assert read_anchor(render_anchor(anchor)) == anchor


def test_encoding_is_that_of_encode_uri_component() -> None:
    kept = "AZaz09-_.!~*'()"
    rendered = render_anchor(Anchor(id="ep_1", at=AT, session=kept + " %#&+,/:;=?@[]<>-->é\n日"))

    assert f"session={kept}%20%25%23%26%2B%2C%2F%3A%3B%3D%3F%40%5B%5D%3C%3E--%3E%C3%A9%0A%E6%97%A5 -->" in rendered


def test_values_cannot_end_the_comment() -> None:
    rendered = render_anchor(Anchor(id="ep_1", at=AT, session="x --> <script>", turn="a\nb"))

    assert is_anchor(rendered)
    assert rendered.count("-->") == 1
    assert read_anchor(rendered).session == "x --> <script>"


def test_unknown_keys_are_passed_over() -> None:
    anchor = read_anchor("<!-- memoryd: id=ep_1 at=2026-11-30T14:05:12Z future=1 odd -->")

    assert (anchor.id, anchor.problem) == ("ep_1", None)


@pytest.mark.parametrize(
    "line", ["<!-- memoryd -->", " <!-- memoryd: id=1 -->", "<!-- memoryd: id=1 --> text", "\\<!-- memoryd: x -->"]
)
def test_other_lines_are_no_anchors(line: str) -> None:
    assert not is_anchor(line)


def test_a_peers_anchor_is_read() -> None:
    assert read_peer_anchor("<!-- session:a turn:b transcript:/c/d.jsonl -->") == {
        "session": "a",
        "turn": "b",
        "transcript": "/c/d.jsonl",
    }
    assert read_peer_anchor("<!-- a comment -->") is None


def test_offsets_are_whole_minutes() -> None:
    odd = datetime(1890, 1, 1, 12, 0, tzinfo=timezone(timedelta(minutes=53, seconds=28)))

    assert rfc3339(odd) == "1890-01-01T11:59:32+00:53"
    with pytest.raises(ValueError, match="zone"):
        rfc3339(datetime(2026, 1, 1))


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00"])
def test_a_time_that_other_zones_cannot_tell_is_none(at: str) -> None:
    anchor = read_anchor(f"<!-- memoryd: id=ep_1 at={at} -->")
    assert (anchor.id, anchor.at) == ("ep_1", None)
    assert "of the year" in (anchor.problem or "")
