"""Notes of other programs: copied as they are, with a line that says whence; folders of theirs are proposed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memoryd.errors import ImportFailed, SourceDamaged
from memoryd.jobs.importing.notefile import note_path, stamped
from tests.unit.memoryd.importing import Home, home, make_database, write

__all__ = ["home"]

CART = """\
---
title: Cart
type: note
permalink: shop/design/cart
tags:
- design   # mine
---

# Cart

- [decision] Carts live in Redis, since writes hurt #storage (measured in May)
- depends_on [[Session Store]]
- relates_to [[No Such Note]]
"""
STORE = "---\ntitle: Session Store\npermalink: shop/design/session-store\n---\n\nRedis holds sessions.\n"


@pytest.fixture
def project(home: Home) -> Path:
    folder = home.peers / "shop"
    write(folder / "design" / "Cart.md", CART)
    write(folder / "design" / "session-store.md", STORE)
    write(folder / "plain.md", "No front matter.\n")
    write(folder / "a picture.png", "")
    write(folder / ".obsidian" / "hidden.md", "hidden")
    return folder


def test_a_project_of_basic_memory_goes_over_with_its_links(home: Home, project: Path) -> None:
    done = home.take(project)
    assert (done["source"], done["kinds"]) == ("basic-memory", {"note": {"recorded": 3}})
    assert done["skipped"] == {"files that are no Markdown": 1}
    cart = home.notes["basic-memory/shop/design/Cart.md"]
    assert cart.text == CART.replace("---\n", '---\nimported_from: "basic-memory shop/design/cart"\n', 1)
    store = home.notes["basic-memory/shop/design/session-store.md"]
    assert [link.target for link in cart.links] == [store.id, None]  # by the title, which is no name of a file
    assert home.take(project)["turns"] == {"known": 3}


def test_the_program_names_its_projects(home: Home, project: Path) -> None:
    home.take(project)
    config = {"projects": {"shop": {"path": str(project)}, "gone": {"path": str(home.peers / "gone")}}}
    folder = write(home.peers / ".basic-memory" / "config.json", json.dumps(config)).parent
    schema = "CREATE TABLE project (id INTEGER, name TEXT, path TEXT); CREATE TABLE entity (id INTEGER);"
    schema += "CREATE TABLE observation (id INTEGER); CREATE TABLE relation (id INTEGER);"
    make_database(folder / "memory.db", schema, {"project": [{"name": "shop", "path": str(project)}]})
    assert home.take(folder)["turns"] == {"known": 3}
    assert home.take(folder / "memory.db")["turns"] == {"known": 3}
    (folder / "memory.db").unlink()
    by_config = home.take(folder, "basic-memory")
    assert (by_config["turns"], by_config["problems"]) == (
        {"known": 3},
        [f"gone: there is no folder {home.peers / 'gone'}"],
    )


def test_a_note_that_was_moved_here_is_found_and_one_that_was_edited_left(home: Home, project: Path) -> None:
    home.take(project)
    old = home.vault / "basic-memory/shop/design/Cart.md"
    new = home.vault / "elsewhere.md"
    old.rename(new)
    home.semantic.reconcile()
    assert home.take(project)["turns"] == {"known": 3}
    new.write_text(new.read_text("utf-8") + "Mine.\n", "utf-8")
    home.semantic.reconcile()
    done = home.take(project)
    assert (done["turns"], done["differs"]) == ({"known": 2, "differs": 1}, ["Cart: vault:elsewhere.md"])
    assert new.read_text("utf-8").endswith("Mine.\n")


def test_a_name_that_leads_out_or_cannot_be_stays_inside(home: Home) -> None:
    assert note_path(("a", "../../etc", "CON.md")) == "a/etc/CON_.md"
    assert note_path(("a", "x" * 300, 'q: "w"?.md')) == f"a/{'x' * 120}/q w.md"
    assert note_path(("..", "a/b\\c", "\x00")) == "untitled/a b c/untitled.md"
    assert note_path(("a", "é" * 3_000_000)) == f"a/{'é' * 60}.md"
    assert note_path(("Con",), mark="1a2b") == "Con 1a2b.md"
    (home.peers / "out.md").write_text("---\ntitle: a\npermalink: b\n---\nout\n", "utf-8")
    folder = home.peers / "project"
    write(folder / "in.md", "---\ntitle: a\npermalink: c\n---\nin\n")
    (folder / "link.md").symlink_to(home.peers / "out.md")
    assert home.take(folder)["turns"] == {"recorded": 1}


def test_a_page_that_says_itself_whence_it_is_is_found_again(home: Home) -> None:
    folder = home.peers / "project"
    write(folder / "a.md", '---\nimported_from: "somewhere else"\n---\nTaken over before.\n')
    write(folder / "b.md", "Plain.\n")
    runs = [home.take(folder, "basic-memory")["turns"] for _ in range(3)]
    assert runs == [{"recorded": 2}, {"known": 2}, {"known": 2}]
    assert len(home.notes) == 2


def test_what_is_a_part_of_this_memory_is_not_copied_into_it(home: Home, project: Path) -> None:
    home.take(project)
    before = home.truth()
    for folder in (home.vault, home.vault / "basic-memory" / "shop", home.memory / "journal"):
        done = home.take(folder, "basic-memory")
        assert (done["turns"], len(done["problems"])) == ({}, 1)
        assert "part of this memory" in done["problems"][0]
    assert home.truth() == before
    above = home.take(home.peers.parent, "basic-memory")  # two of the notes are known by their own names
    assert above["turns"] == {"known": 2, "recorded": 1}


@pytest.mark.parametrize(
    "text", ["", "plain\n", "---\nnot: [yaml\n---\nx\n", "---\n{a: 1}\n---\nx\n", "\ufeff---\na: 1\n---\n"]
)
def test_the_mark_leaves_the_rest_as_it_is(text: str) -> None:
    marked = stamped(text, 'p "x"', ["A name"])
    assert marked.startswith(("---\n", "\ufeff---\n"))
    assert 'imported_from: "p \\"x\\""\n' in marked
    assert text.removeprefix("\ufeff").removeprefix("---\n").strip() in marked


GRAPH = {
    "directed": False,
    "graph": {"schema_version": 1, "graphify_version": "0.9.96"},
    "nodes": [
        {"id": "cart", "label": "Cart", "_origin": "ast", "file_type": "code", "community": 1},
        {"id": "why", "label": "# WHY: two tabs lost it", "_origin": "ast", "file_type": "rationale", "community": 1,
         "community_name": "Cart", "source_file": "src/shop.py", "source_location": "L6"},
        {"id": "idea", "label": "Following", "file_type": "concept", "community": 2, "community_name": "Cart",
         "rationale": "customers move"},
        {"id": "page", "label": "design.md", "_origin": "ast", "file_type": "document", "community": 3},
    ],
    "links": [
        {"source": "why", "target": "cart", "relation": "rationale_for", "confidence": "EXTRACTED"},
        {"source": "idea", "target": "cart", "relation": "conceptually_related_to", "confidence": "INFERRED"},
        {"source": "idea", "target": "nothing", "relation": "x"},
    ],
}  # fmt: skip


def test_long_names_that_begin_alike_are_two_notes(home: Home) -> None:
    nodes = [
        {"id": end, "label": end, "file_type": "rationale", "community": end, "community_name": "x" * 300 + end}
        for end in "ab"
    ]
    graph = write(home.peers / "graph.json", json.dumps({"graphify_version": "1", "nodes": nodes, "links": []}))
    assert home.take(graph)["turns"] == {"recorded": 2}
    assert {len(Path(path).stem) for path in home.notes} == {120}
    assert home.take(graph)["turns"] == {"known": 2}


def test_of_graphify_what_files_do_not_say_themselves(home: Home) -> None:
    write(home.peers / "shop" / "graphify-out" / "graph.json", json.dumps(GRAPH))
    done = home.take(home.peers / "shop")
    assert (done["source"], done["turns"]) == ("graphify", {"recorded": 2})
    assert done["skipped"] == {"nodes that memoryd reads from the files itself": 2}
    first, second = (home.notes[f"graphify/shop/Cart {number}.md"].text for number in (1, 2))
    assert "- # WHY: two tabs lost it (rationale, src/shop.py:L6)\n  - rationale_for Cart\n" in first
    assert "- Following (concept)\n  - because: customers move\n  - conceptually_related_to Cart (inferred)\n" in second
    assert home.take(home.peers / "shop" / "graphify-out" / "graph.json")["turns"] == {"known": 2}
    for text, said in (('{"nodes": 1, "graphify_version": 1}', "no node-link graph"), ('{"nodes": [', "no whole JSON")):
        with pytest.raises(SourceDamaged, match=said):
            home.take(write(home.peers / "graph.json", text), "graphify")


def test_folders_of_qmd_are_proposed_and_nothing_is_written(home: Home) -> None:
    notes = home.peers / "My Notes"
    notes.mkdir()
    settings = f"""\
collections:
  My Notes: {{path: {notes}, pattern: "**/*.md"}}
  known: {{path: {home.vault}}}
  gone: {{path: /no/such/folder}}
  odd: {{path: relative}}
"""
    before = home.truth()
    done = home.take(write(home.peers / "qmd" / "index.yml", settings).parent)
    assert (done["source"], done["turns"]) == ("qmd", {"proposed": 1, "known": 1, "refused": 1})
    assert done["folders"] == {"my-notes": str(notes)}
    assert done["skipped"] == {"collections whose folder is not named in full": 1}
    schema = "CREATE TABLE store_collections (name TEXT PRIMARY KEY, path TEXT, pattern TEXT);"
    rows = {"store_collections": [{"name": "n", "path": str(notes)}]}
    assert home.take(make_database(home.peers / "index.sqlite", schema, rows))["folders"] == {"n": str(notes)}
    assert home.truth() == before
    for text in ("collections: [", f"collections: {'[' * 5000}{']' * 5000}"):
        with pytest.raises(SourceDamaged, match="cannot be read as YAML"):
            home.take(write(home.peers / "x.yml", text), "qmd")


def test_folders_of_qmd_that_are_none_are_passed_over_and_equal_names_told_apart(home: Home) -> None:
    settings = 'collections:\n  a: {path: "~no-such-user/notes"}\n  b: {path: "/a\\0b"}\n  c: {path: [1]}\n'
    for name in ("my notes", "My Notes"):
        (home.peers / name).mkdir()
        settings += f"  {name}: {{path: {home.peers / name}}}\n"
    done = home.take(write(home.peers / "index.yml", settings), "qmd")
    assert done["skipped"] == {"collections whose folder is not named in full": 2}
    assert done["folders"] == {"my-notes": str(home.peers / "my notes"), "my-notes-2": str(home.peers / "My Notes")}


@pytest.mark.parametrize(
    ("source", "said"),
    [("graphify", "no graph.json"), ("qmd", r"neither index\.yml"), ("basic-memory", "no Markdown lies below")],
)
def test_where_there_is_nothing_that_is_said(home: Home, source: str, said: str) -> None:
    with pytest.raises(ImportFailed, match=said):
        home.take(home.peers, source)
