from __future__ import annotations

from typing import Any

import orjson
import pytest

from memoryd.text.canonical import canonical_json, sha256_hex
from semantic.errors import BrokenLine
from semantic.log.event import Head, purged_line, read_line, seal, stated_hash

BODY = {
    "nonce": "0" * 32,
    "title": "Café",
    "why": "日記",
    "mutations": [],
    "evidence": [],
    "supersedes": [],
    "about": [],
}


def head(**changes: Any) -> Head:
    return Head(
        v=1,
        seq=1,
        lamport=1,
        at="2026-11-30T13:05:12.000Z",
        install="aaaaaaaaaaaa",
        actor="person",
        session=None,
        scope="user",
        project=None,
        kind="decision",
        id="de_" + "0" * 24,
        body_sha256="",
        prev=None,
    )._replace(**changes)


def forged(fields: dict[str, Any], body: Any = BODY) -> bytes:
    """Return a line whose hashes are right, whatever it says."""
    fields = fields | {"body_sha256": sha256_hex(canonical_json(body))}
    return canonical_json({"head": fields, "body": body, "hash": sha256_hex(canonical_json(fields))})


def fields_of(one: Head) -> dict[str, Any]:
    return one._asdict()


def test_a_sealed_line_reads_back() -> None:
    event, line = seal(head(), BODY)
    read = read_line(line.rstrip(b"\n"))
    assert read.event == event
    assert read.canonical
    assert line.endswith(b"}\n")


def test_hash_is_sha256_of_the_canonical_head_and_the_head_holds_that_of_the_body() -> None:
    event, line = seal(head(), BODY)
    parts = orjson.loads(line)
    assert parts["hash"] == sha256_hex(canonical_json(parts["head"])) == event.hash
    assert parts["head"]["body_sha256"] == sha256_hex(canonical_json(parts["body"]))
    assert set(parts) == {"head", "body", "hash"}


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"Caf", b"Kaf"), (b'"actor":"person"', b'"actor":"someone"'), (b'"seq":1', b'"seq":2')],
)
def test_a_changed_line_is_broken(old: bytes, new: bytes) -> None:
    _, line = seal(head(), BODY)
    changed = line.rstrip(b"\n").replace(old, new)
    assert changed != line.rstrip(b"\n")
    with pytest.raises(BrokenLine, match="was changed"):
        read_line(changed)


def test_a_line_written_anew_with_spaces_keeps_its_content() -> None:
    event, line = seal(head(), BODY)
    read = read_line(orjson.dumps(orjson.loads(line), option=orjson.OPT_INDENT_2).replace(b"\n", b" "))
    assert read.event == event
    assert not read.canonical


def test_a_decomposed_text_is_brought_to_its_canonical_form() -> None:
    event, line = seal(head(), BODY)
    read = read_line(line.rstrip(b"\n").replace("\u00e9".encode(), "e\u0301".encode()))
    assert read.event == event
    assert not read.canonical


def test_a_purged_line_keeps_its_place_in_the_chain() -> None:
    event, line = seal(head(), BODY)
    purged = read_line(purged_line(line.rstrip(b"\n"))).event
    assert purged.body is None
    assert (purged.head, purged.hash) == (event.head, event.hash)


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"null", b'{"head":1,"body":{},"hash":"x"}', b"\x00\x00", b"\xff"])
def test_what_is_no_line_is_broken(raw: bytes) -> None:
    with pytest.raises(BrokenLine):
        read_line(raw)


def test_an_unknown_kind_and_a_later_version_are_kept_and_not_known() -> None:
    assert not read_line(seal(head(kind="weather"), BODY)[1].rstrip(b"\n")).event.known
    later = fields_of(head()) | {"v": 2, "colour": "blue"}
    event = read_line(forged(later)).event
    assert not event.known
    assert event.head.seq == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"seq": 0},
        {"lamport": -1},
        {"seq": True},
        {"at": "2026-11-30T13:05:12Z"},
        {"at": "2026-13-30T13:05:12.000Z"},
        {"actor": None},
        {"session": 3},
        {"scope": "project"},
        {"project": "memoryd-00000000"},
        {"extra": "field"},
    ],
)
def test_a_head_of_another_form_is_broken_even_with_right_hashes(changes: dict[str, Any]) -> None:
    with pytest.raises(BrokenLine):
        read_line(forged(fields_of(head()) | changes))


def test_the_hash_that_a_broken_line_claims_can_still_be_read() -> None:
    event, line = seal(head(), BODY)
    assert stated_hash(line.replace(b"person", b"nobody").rstrip(b"\n")) == event.hash
    assert stated_hash(b"not json") is None
