"""``memoryd show``: every id and place that a command prints finds the call that has it."""

from typing import Any

import pytest

from tests.unit.memoryd.test_cli import DECISION, ELEMENT, FakeClient, daemon, problem, run

__all__ = ["daemon"]

NOTE = {"vault": "vault", "path": "a b.md", "text": "the text\n", "etag": "e7"}
ENTRY = {
    "id": "ep_1",
    "title": "T",
    "text": "all of it",
    "at": "2026-11-30T14:05:12+01:00",
    "path": "journal/2026-11-30.md",
    "lines": [3, 6],
}
PROJECT = {"id": "shop-0a1b2c3d", "name": "shop", "remotes": ["h/shop"], "roots": []}


@pytest.mark.parametrize(
    ("id_", "path", "answer", "said"),
    [
        ("ep_1", "/v1/episodes/ep_1", ENTRY, "all of it"),
        ("0" * 32, f"/v1/episodes/{'0' * 32}", ENTRY, "journal/2026-11-30.md:3-6 (ep_1)"),
        ("el_1", "/v1/elements/el_1", ELEMENT, "tool Milvus"),
        ("de_1", "/v1/decisions/de_1", DECISION, "why: W"),
        (
            "pl_1",
            "/v1/plans/pl_1",
            {"id": "pl_1", "state": "open", "title": "t", "kind": "k", "steps": []},
            "pl_1 open",
        ),
        ("journal/2026-11-30.md", "/v1/days/2026-11-30", {"items": [ENTRY]}, "all of it"),
        ("journal/2026-11-30.md:3-6", "/v1/days/2026-11-30", {"items": []}, "nothing is written on 2026-11-30"),
        ("vault:a b.md:4-10", "/v1/notes/vault/a%20b.md", NOTE, "the text"),
        ("shop-0a1b2c3d", "/v1/projects", {"items": [PROJECT]}, "h/shop"),
    ],
)
def test_what_is_asked(daemon: FakeClient, id_: str, path: str, answer: Any, said: str) -> None:
    daemon.answer = answer
    done = run("show", id_)
    assert done.exit_code == 0, done.output
    assert said in done.stdout
    assert daemon.calls[0][:2] == ("GET", path)


def test_a_note_is_found_by_its_id(daemon: FakeClient) -> None:
    daemon.answers = {
        "POST /v1/graph/explain": {"node": {"id": "no_1", "path": "vault:a b.md"}},
        "GET /v1/notes/vault/a%20b.md": NOTE,
    }
    done = run("show", "no_1")
    assert (done.stdout, done.stderr) == ("the text\n", "vault:a b.md (ETag e7)\n")


@pytest.mark.parametrize("id_", ["ep_nope", "no_1", "vault:none.md", "2026-11-31"])
def test_what_is_not_there_ends_with_four_and_the_way_out(daemon: FakeClient, id_: str) -> None:
    daemon.error = problem(404, "not-found")
    done = run("show", id_)
    assert done.exit_code == 4
    assert id_ in done.stderr
    assert "`memoryd recall WORDS` finds what there is" in done.stderr


@pytest.mark.parametrize(("id_", "said"), [("fo_1", "was forgotten"), ("nonsense", "no id, place or project")])
def test_what_shows_nothing_says_why(daemon: FakeClient, id_: str, said: str) -> None:
    daemon.answer = {"items": []}
    done = run("show", id_)
    assert done.exit_code == 4
    assert said in done.stderr


@pytest.mark.parametrize(
    ("node", "way"),
    [
        ({"id": "el_1", "kind": "tool", "name": "cache"}, "there is the tool cache: `memoryd kg show el_1` shows it"),
        ({"id": "no_1", "kind": "note", "name": "Cache"}, "there is the note Cache: `memoryd show no_1` shows it"),
        ({"id": "tag:x", "kind": "tag", "name": "x"}, "`memoryd recall WORDS` finds what there is"),
    ],
)
def test_a_name_leads_to_the_command_that_shows_it(daemon: FakeClient, node: dict[str, str], way: str) -> None:
    daemon.answers = {"GET /v1/projects": {"items": [PROJECT]}, "POST /v1/graph/explain": {"node": node}}
    done = run("show", "cache")
    assert (done.exit_code, done.stdout) == (4, "")
    assert done.stderr == f"memoryd: cache is no id, place or project that is known; {way}\n"


@pytest.mark.parametrize("id_", ["no_24db94d6ea4faa34a8dc", "ep_01ABCDEFGHIJ"])
def test_who_asks_for_an_element_by_another_id_is_sent_here(daemon: FakeClient, id_: str) -> None:
    daemon.answer = {"items": []}
    done = run("kg", "show", id_)
    assert done.exit_code == 4
    assert f"`memoryd show {id_}`" in done.stderr
