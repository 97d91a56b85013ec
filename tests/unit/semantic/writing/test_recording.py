"""What recording a decision does, through the store."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memoryd.text.canonical import digest
from semantic.errors import (
    AmbiguousName,
    InvalidDecision,
    InvalidMutation,
    NearDuplicate,
    Purged,
    SecretFound,
    StaleHeads,
    UnknownDecision,
    UnknownElement,
)
from semantic.identity import element_id
from semantic.log.event import Head, seal
from semantic.log.intent import intent_of
from semantic.store import SemanticStore
from semantic.testing import open_store
from semantic.writing.recording import NewDecision, Recorded

THEIRS = "bbbbbbbbbbbb"


@pytest.fixture
def store(tmp_path: Path) -> SemanticStore:
    return open_store(tmp_path)


def tool(name: str, **fields: Any) -> dict[str, Any]:
    return {"op": "put_element", "kind": "tool", "name": name, **fields}


def decide(store: SemanticStore, title: str, *mutations: Any, why: str = "because", **fields: Any) -> Recorded:
    return store.decide(NewDecision(title, why, mutations, **fields))


def named(name: str, kind: str = "tool") -> dict[str, str]:
    return {"kind": kind, "name": name}


def test_a_new_element_has_the_decision_as_its_head(store: SemanticStore) -> None:
    done = decide(store, "Use Qdrant", tool("Qdrant", gist="vector store"))
    assert done.created
    assert done.elements == (element_id(None, "tool", "Qdrant"),)
    assert done.heads == (done.id,)
    assert store.element(done.elements[0]).gist == "vector store"


def test_the_id_is_made_of_the_logged_intent_and_supersedes(store: SemanticStore) -> None:
    first = decide(store, "Use Qdrant", tool("Qdrant", gist="a"))
    done = decide(store, "Use  Qdrant ", tool("QDRANT", gist="b"))
    held = store.decision(done.id)
    intent = intent_of(None, "use qdrant", "because", held.mutations)
    assert done.id == "de_" + digest(intent, [first.id], length=24)
    assert held.mutations[0]["name"] == "Qdrant"


def test_recording_the_same_again_is_a_no_op_whatever_case_and_spacing(store: SemanticStore) -> None:
    first = decide(store, "Use Qdrant", tool("Qdrant", gist="a"), why="It is fast")
    again = decide(store, " use   QDRANT", {**tool("ｑｄｒａｎｔ", gist="a"), "kind": "Tool"}, why="it is  FAST")
    assert (again.id, again.created, again.heads) == (first.id, False, (first.id,))
    assert store.log_seq() == 1


def test_a_bare_put_recorded_again_is_a_no_op(store: SemanticStore) -> None:
    first = decide(store, "There is X", tool("X"))
    assert not decide(store, "There is X", tool("X")).created
    decide(store, "X is more", tool("X", gist="more"))
    again = decide(store, "There is X", tool("X"))
    assert (again.id, again.created) == (first.id, False)
    assert "superseded" in again.warnings[0]


@pytest.mark.parametrize(("key", "sent"), [("kind", "service"), ("name", "Milvus")])
def test_an_id_with_a_kind_or_name_of_another_is_refused(store: SemanticStore, key: str, sent: str) -> None:
    id_ = decide(store, "Use Qdrant", tool("Qdrant", gist="a", aliases=["qd"])).elements[0]
    put = {"op": "put_element", "id": id_, "kind": "tool", "name": "qdrant", "gist": "b"}
    with pytest.raises(
        InvalidMutation, match=rf"^mutations\[0\]\.{key}: .*{id_} has the kind tool and the name Qdrant"
    ):
        decide(store, "Use it", put | {key: sent})
    assert store.log_seq() == 1
    for named_as in ("QDRANT", "qd"):
        assert decide(store, f"Call it {named_as}", put | {"name": named_as}).elements == (id_,)
    decide(store, "Call it Q", {"op": "rename", "id": id_, "name": "Q"})
    decide(store, "Say more", put | {"gist": "c"})
    assert (store.element(id_).name, store.element(id_).gist) == ("Q", "c")


def test_a_b_a_ends_at_a(store: SemanticStore) -> None:
    a = decide(store, "Use A", tool("Store", gist="A"))
    b = decide(store, "Use B", tool("Store", gist="B"))
    again = decide(store, "Use A", tool("Store", gist="A"))
    assert again.created
    assert again.id not in {a.id, b.id}
    assert (again.superseded, again.heads) == ((b.id,), (again.id,))
    assert store.element(a.elements[0]).gist == "A"
    assert [one.id for one in store.history(a.elements[0])] == [a.id, b.id, again.id]


def test_a_later_decision_supersedes_the_head_and_hides_its_why_only(store: SemanticStore) -> None:
    first = decide(store, "Use X", tool("X", gist="one", notes=["n"]))
    second = decide(store, "X has a port", {"op": "set_prop", "id": named("x"), "key": "port", "value": 1})
    assert second.superseded == (first.id,)
    assert store.decision(first.id).superseded_by == second.id
    element = store.element(first.elements[0])
    assert (element.gist, element.props, element.notes) == ("one", {"port": 1}, ("n",))
    assert [one.id for one in store.heads(element.id)] == [second.id]


@pytest.mark.parametrize(
    ("mutation", "authority"),
    [
        ({"op": "put_element", **named("X"), "gist": "g"}, True),
        ({"op": "put_element", **named("X"), "props": {}}, True),
        ({"op": "put_element", **named("X")}, False),
        ({"op": "put_element", **named("X"), "notes": ["n"], "touches": ["a.py"], "aliases": ["Ex"]}, False),
        ({"op": "set_prop", "id": named("X"), "key": "a", "value": 1}, True),
        ({"op": "rename", "id": named("X"), "name": "Z"}, True),
        ({"op": "merge", "ids": [named("X"), named("Y")]}, True),
        ({"op": "add_link", "from": named("X"), "rel": "uses", "to": named("Y")}, True),
        ({"op": "retire_link", "from": named("X"), "rel": "uses", "to": named("Y")}, True),
        ({"op": "add_link", "from": named("Y"), "rel": "uses", "to": named("X")}, False),
        ({"op": "drop", "id": named("X"), "field": "notes", "value": "n"}, False),
    ],
)
def test_what_makes_a_head(store: SemanticStore, mutation: dict[str, Any], *, authority: bool) -> None:
    first = decide(store, "There are", tool("X"), tool("Y"))
    x = first.elements[0]
    done = decide(store, "A change", mutation)
    # As written, and as a replay from nothing finds it.
    assert ([one.id for one in store.heads(x)] == [done.id]) is authority
    assert (x in store.decision(done.id).elements) is authority


def test_about_mentions_without_authority(store: SemanticStore) -> None:
    first = decide(store, "There is X", tool("X"))
    done = decide(store, "Talked about X", about=[first.elements[0]])
    assert store.decision(done.id).about == first.elements
    assert [one.id for one in store.heads(first.elements[0])] == [first.id]


def test_a_decision_without_mutations_is_recorded_once(store: SemanticStore) -> None:
    first = decide(store, "Rest on Sundays")
    assert first.created
    assert not decide(store, "rest on sundays").created
    named_ = decide(store, "Never rest", supersedes=[first.id])
    assert store.decision(first.id).superseded_by == named_.id
    assert not decide(store, "Never rest").created


def test_a_decision_superseded_by_name_alone_can_be_made_again(store: SemanticStore) -> None:
    first = decide(store, "Use X", tool("X", gist="x"))
    other = decide(store, "No tools", supersedes=[first.id])
    again = decide(store, "Use X", tool("X", gist="x"))
    assert again.created
    assert again.superseded == (other.id,)
    assert [one.id for one in store.heads(first.elements[0])] == [again.id]


def test_a_named_decision_must_be_known(store: SemanticStore) -> None:
    with pytest.raises(UnknownDecision):
        decide(store, "x", supersedes=["de_" + "0" * 24])
    with pytest.raises(InvalidDecision):
        decide(store, "x", supersedes=["something"])


def test_if_match_refuses_when_the_heads_changed(store: SemanticStore) -> None:
    first = decide(store, "Use X", tool("X", gist="1"))
    seen = store.element(first.elements[0]).etag
    decide(store, "X is 2", tool("X", gist="2"), if_match=f'"{seen}"')
    with pytest.raises(StaleHeads):
        decide(store, "X is 3", tool("X", gist="3"), if_match=seen)
    assert store.log_seq() == 2


# Names


def test_an_alias_means_the_element(store: SemanticStore) -> None:
    first = decide(store, "There is", tool("PostgreSQL", aliases=["pg"]))
    done = decide(store, "pg port", {"op": "set_prop", "id": named("PG"), "key": "port", "value": 5432})
    assert done.elements == first.elements


def test_a_renamed_element_answers_to_both_names(store: SemanticStore) -> None:
    first = decide(store, "There is", tool("Old name"))
    decide(store, "Renamed", {"op": "rename", "id": first.elements[0], "name": "New  name"})
    element = store.element(first.elements[0])
    assert (element.name, element.aliases) == ("New name", ("Old name",))
    for name in ("old name", "new name"):
        assert decide(store, f"put {name}", tool(name, gist=name)).elements == first.elements


def test_a_near_duplicate_is_a_question_with_candidates(store: SemanticStore) -> None:
    first = decide(store, "There is", tool("Café Central"))
    with pytest.raises(NearDuplicate) as caught:
        decide(store, "There is", tool("Cafe-Central"))
    (candidate,) = caught.value.candidates
    assert (candidate.id, candidate.kind, candidate.name) == (first.elements[0], "tool", "Café Central")
    assert "accents" in candidate.reason
    assert store.log_seq() == 1


def test_new_true_answers_it(store: SemanticStore) -> None:
    first = decide(store, "There is", tool("Postgres"))
    update = tool("Postgres", gist="the database")
    done = decide(store, "There are both", tool("Postgrex"), update, new=True)
    assert len(store.projection().elements) == 2
    assert done.elements[1] == first.elements[0]  # the known name stays what it was
    again = decide(store, "There are both", tool("Postgrex"), update, new=True)
    assert (again.id, again.created) == (done.id, False)


def test_new_true_alone_makes_a_second_element_of_one_name_once(store: SemanticStore) -> None:
    first = decide(store, "There is Paris", tool("Paris"))
    second = decide(store, "The other Paris", tool("Paris", gist="Texas"), new=True)
    assert second.elements == (element_id(None, "tool", "Paris", set(first.elements)),)
    assert not decide(store, "The other Paris", tool("Paris", gist="Texas"), new=True).created
    with pytest.raises(AmbiguousName) as caught:
        decide(store, "Which", tool("Paris", gist="?"))
    assert {one.id for one in caught.value.candidates} == {*first.elements, *second.elements}


def test_a_freed_name_does_not_reuse_the_id_of_the_renamed_element(store: SemanticStore) -> None:
    first = decide(store, "There is", tool("One"))
    decide(store, "Renamed", {"op": "rename", "id": first.elements[0], "name": "Two"})
    decide(store, "Freed", {"op": "drop", "id": first.elements[0], "field": "aliases", "value": "One"})
    done = decide(store, "Another one", tool("One"))
    assert done.elements == (element_id(None, "tool", "One", set(first.elements)),)


def test_the_same_name_of_another_kind_is_another_element_and_a_warning(store: SemanticStore) -> None:
    decide(store, "There is", tool("Mercury"))
    done = decide(store, "And", {"op": "put_element", "kind": "planet", "name": "Mercury"})
    assert "has this name and the kind tool" in done.warnings[0]


def test_links_may_name_what_the_same_decision_puts_later(store: SemanticStore) -> None:
    link = {"op": "add_link", "from": named("A"), "rel": "uses", "to": named("B")}
    done = decide(store, "A uses B", link, tool("A"), tool("B"))
    assert len(done.elements) == 2
    (edge,) = store.element(done.elements[0]).links
    assert (edge.source, edge.relation, edge.target, edge.decision) == (
        *done.elements[:1],
        "uses",
        done.elements[1],
        done.id,
    )


def test_an_unknown_name_is_refused_with_what_is_near(store: SemanticStore) -> None:
    first = decide(store, "There is", tool("Kubernetes"))
    with pytest.raises(UnknownElement, match=r"mutations\[0\]\.from") as caught:
        decide(store, "Link", {"op": "add_link", "from": named("Kubernets"), "rel": "r", "to": named("Kubernetes")})
    assert [one.id for one in caught.value.candidates] == list(first.elements)
    with pytest.raises(UnknownElement):
        decide(store, "Set", {"op": "set_prop", "id": "el_" + "0" * 20, "key": "a", "value": 1})


def test_two_names_of_one_decision_that_are_near_are_a_question(store: SemanticStore) -> None:
    with pytest.raises(NearDuplicate):
        decide(store, "Both", tool("Café Central"), tool("Cafe Central"))


# Scopes


def test_scopes_and_projects_keep_their_names_apart(store: SemanticStore) -> None:
    mine = decide(store, "Mine", tool("Build"))
    one = decide(store, "One", tool("Build"), project="one")
    other = decide(store, "Other", tool("Build"), project="other")
    assert len({*mine.elements, *one.elements, *other.elements}) == 3
    assert store.element(one.elements[0]).scope == "project"
    private = decide(store, "Private", tool("Build", gist="mine"), scope="user", project="one")
    assert private.elements == mine.elements


def test_a_project_may_link_to_what_is_the_users_and_not_change_it(store: SemanticStore) -> None:
    mine = decide(store, "Mine", tool("Editor"))
    decide(
        store,
        "Uses",
        tool("Build"),
        {"op": "add_link", "from": named("Build"), "rel": "by", "to": named("Editor")},
        project="p",
    )
    with pytest.raises(InvalidMutation, match="belongs to user scope"):
        decide(store, "x", {"op": "set_prop", "id": mine.elements[0], "key": "a", "value": 1}, project="p")


def test_elements_of_two_scopes_cannot_be_merged(store: SemanticStore) -> None:
    mine, other = decide(store, "Mine", tool("A")), decide(store, "Other", tool("B"), project="p")
    with pytest.raises(InvalidMutation, match="different scopes"):
        decide(store, "x", {"op": "merge", "ids": [*mine.elements, *other.elements]})


def test_scope_project_needs_a_project(store: SemanticStore) -> None:
    with pytest.raises(InvalidDecision, match="needs a project"):
        decide(store, "x", scope="project")


def test_a_bare_path_is_one_of_the_project(store: SemanticStore) -> None:
    link = {"op": "add_link", "from": named("A"), "rel": "is in", "to": {"path": "src/a.py"}}
    done = decide(store, "A", tool("A"), link, project="p")
    (edge,) = store.element(done.elements[0]).links
    assert edge.target == f"path:{store.decision(done.id).project}:src/a.py"
    with pytest.raises(InvalidMutation, match="needs a project"):
        decide(store, "A", tool("A"), link)


# Words


def test_words_are_checked(store: SemanticStore) -> None:
    for bad in (
        NewDecision(" ", "w"),
        NewDecision("t" * 501, "w"),
        NewDecision("t", "w", [{}] * 1001),
        NewDecision("t", "w", valid_at=datetime(2026, 1, 1)),
        NewDecision("t", "w", evidence=["el_" + "0" * 20]),
        NewDecision("t", "w", about=["the thing"]),
        NewDecision("t", "w\ud800"),
    ):
        with pytest.raises(InvalidDecision):
            store.decide(bad)
    assert store.log_seq() == 0


def test_a_long_gist_and_a_blank_why_are_warnings(store: SemanticStore) -> None:
    done = decide(store, "Long", tool("A", gist="x" * 301), tool("B", gist="x" * 300), why=" ")
    assert [warning.split()[0] for warning in done.warnings] == ["why", "mutations[0].gist"]


def test_what_changes_no_head_is_answered_with_the_heads_there_are(store: SemanticStore) -> None:
    first = decide(store, "Use Qdrant", tool("Qdrant", gist="a"))
    noted = decide(store, "Note it", tool("Qdrant", notes=["vault:Q.md"]))
    again = decide(store, "Note it", tool("Qdrant", notes=["vault:Q.md"]))
    assert (noted.created, again.created) == (True, False)
    assert noted.heads == again.heads == (first.id,)


def test_retiring_nothing_is_a_warning(store: SemanticStore) -> None:
    link = {"op": "retire_link", "from": named("A"), "rel": "uses", "to": named("A")}
    assert "no such link" in decide(store, "x", tool("A"), link).warnings[0]


SECRET = "sk-proj-" + "FAKE" + "0" * 20
SECRET_PROP = {"op": "set_prop", "id": named("A"), "key": "api_key", "value": "a1b2c3d4"}


@pytest.mark.parametrize(
    ("decision", "place"),
    [
        (NewDecision(f"Use {SECRET}", "w"), "title"),
        (NewDecision("t", f"w {SECRET}"), "why"),
        (NewDecision("t", "w", [tool("A", gist=SECRET)]), "mutations[0].gist"),
        (NewDecision("t", "w", [tool("A", props={"password": "hunter2x"})]), "mutations[0].props.password"),
        (NewDecision("t", "w", [tool("A"), tool("B", notes=["a", SECRET])]), "mutations[1].notes[1]"),
        (NewDecision("t", "w", [SECRET_PROP]), "mutations[0].value"),
        (NewDecision("t", "w", evidence=[f"vault:{SECRET}.md"]), "evidence[0]"),
        (NewDecision("t", "w", about=[f"path:a-00000000:{SECRET}"]), "about[0]"),
        (NewDecision("t", "w", project=f"app {SECRET}"), "project"),
    ],
)
def test_a_secret_is_refused_without_being_repeated(
    store: SemanticStore, tmp_path: Path, decision: NewDecision, place: str
) -> None:
    with pytest.raises(SecretFound) as caught:
        store.decide(decision)
    assert caught.value.place == place
    assert SECRET not in str(caught.value)
    assert "hunter2x" not in str(caught.value)
    assert not list(tmp_path.rglob("*.ndjson"))


def test_a_folder_whose_path_holds_a_secret_is_minted_as_no_project(store: SemanticStore, tmp_path: Path) -> None:
    folder = tmp_path / SECRET / "app"
    folder.mkdir(parents=True)
    with pytest.raises(SecretFound):
        store.decide(NewDecision("t", "w"), cwd=folder)
    with pytest.raises(SecretFound):
        store.project_for(folder, mint=True)
    assert not list((tmp_path / "memory").rglob("*.ndjson"))


def test_hashes_and_uuids_are_no_secrets(store: SemanticStore) -> None:
    decide(store, "Fixed in 3f2a9b1c4d5e6f708192a3b4c5d6e7f801234567", why="550e8400-e29b-41d4-a716-446655440000")


def test_a_forgotten_decision_is_not_recorded_again(store: SemanticStore) -> None:
    done = decide(store, "Say it")
    store.forget([done.id])
    with pytest.raises(Purged):
        decide(store, "Say it")


def test_valid_at_is_kept_in_utc(store: SemanticStore) -> None:
    at = datetime(2026, 5, 1, tzinfo=UTC)
    done = decide(store, "Since May", tool("A"), valid_at=at)
    assert store.decision(done.id).valid_at == at
    assert store.decision(done.id).at > at


def forge(memory: Path, *decisions: tuple[str, dict[str, Any]]) -> None:
    """Write the shard of another install, in which anything may stand."""
    prev, lines = None, b""
    for seq, (id_, body) in enumerate(decisions, start=1):
        at = f"2026-01-01T00:00:0{seq}.000Z"
        head = Head(1, seq, seq, at, THEIRS, "person", None, "user", None, "decision", id_, "", prev)
        event, line = seal(head, {"nonce": str(seq), "evidence": [], "about": [], **body})
        prev, lines = event.hash, lines + line
    (memory / "log" / "user" / f"{THEIRS}.ndjson").write_bytes(lines)


def test_a_forged_ring_of_supersession_holds_up_no_writer(tmp_path: Path) -> None:
    open_store(tmp_path / "sample")
    put = decide(open_store(tmp_path / "sample"), "Use X", tool("X", gist="x"))
    (mutation,) = open_store(tmp_path / "sample").decision(put.id).mutations
    body = {"title": "Use X", "why": "because", "mutations": [dict(mutation)]}
    other = "de_" + "f" * 24
    (tmp_path / "log" / "user").mkdir(parents=True)
    forge(
        tmp_path,
        (put.id, {**body, "supersedes": [other]}),
        (other, {"title": "Not X", "why": "because", "mutations": [dict(mutation)], "supersedes": [put.id]}),
    )
    store = open_store(tmp_path)
    assert store.heads(put.elements[0]) == ()
    again = decide(store, "Use X", tool("X", gist="x"))
    assert again.created
    assert again.superseded == (other,)
    assert [one.id for one in store.heads(put.elements[0])] == [again.id]


def test_a_users_name_that_is_ambiguous_is_no_guess_for_a_project(store: SemanticStore) -> None:
    first = decide(store, "One", tool("Qdrant"))
    second = decide(store, "Two", tool("Qdrant"), new=True)
    link = {"op": "add_link", "from": named("App"), "rel": "uses", "to": named("Qdrant")}
    for new in (False, True):
        with pytest.raises(AmbiguousName) as caught:
            decide(store, "Link", tool("App"), link, project="app", new=new)
        assert {one.id for one in caught.value.candidates} == {*first.elements, *second.elements}
    chosen = {**link, "to": second.elements[0]}
    assert decide(store, "Link", tool("App"), chosen, project="app").created


def test_what_holds_from_before_what_it_replaces_says_so(store: SemanticStore) -> None:
    day = datetime(2026, 3, 1, tzinfo=UTC)
    first = decide(store, "Two shelves", tool("Shelf", gist="two"), valid_at=day)
    assert first.warnings == ()
    older = decide(store, "One shelf", tool("Shelf", gist="one"), valid_at=day.replace(month=1))
    assert older.superseded == (first.id,)
    [said] = older.warnings
    assert said.startswith(
        f"valid_at: 2026-01-01 is before what this replaces, “Two shelves” ({first.id}, holds since 2026-03-01)"
    )
    assert store.element(first.elements[0]).gist == "one"
    assert decide(store, "Three shelves", tool("Shelf", gist="three"), valid_at=day.replace(month=2)).warnings == ()
    assert decide(store, "No shelf", tool("Shelf", gist="none")).warnings == ()
