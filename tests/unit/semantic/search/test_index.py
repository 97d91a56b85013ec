from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pytest

from memoryd.text.embedder import Vectors
from memoryd.text.hit import Found
from memoryd.text.window import Window
from semantic.model import Decision, Element, Link
from semantic.projection.picture import Projection
from semantic.search.index import SemanticIndex
from semantic.search.query import SemanticQuery
from semantic.vault.contract import Contract
from semantic.vault.library import Library

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MILVUS = "el_" + "1" * 20
QUEUE = "el_" + "2" * 20
FIRST = "de_" + "1" * 24
SECOND = "de_" + "2" * 24


def element(id_: str, name: str, gist: str, project: str | None = None, heads: Sequence[str] = ()) -> Element:
    scope = "user" if project is None else "project"
    return Element(id_, "tool", name, gist, scope, project, heads=tuple(heads), at=NOW)  # type: ignore[arg-type]  # one of two words


def decision(
    id_: str, title: str, why: str, at: datetime = NOW, project: str | None = None, superseded_by: str | None = None
) -> Decision:
    return Decision(
        id_, title, why, at, at, "person", "s1", "user" if project is None else "project", project, (),
        evidence=("ep_1",), superseded_by=superseded_by, elements=(MILVUS,),
    )  # fmt: skip


def projection(*known: Element | Decision) -> Projection:
    return Projection(
        elements={one.id: one for one in known if isinstance(one, Element)},
        decisions={one.id: one for one in known if isinstance(one, Decision)},
    )


class Memory:
    """A vault, a projection and an index over both."""

    def __init__(self, root: Path, *known: Element | Decision) -> None:
        self.root = root
        self.library = Library({"v": root}, Contract(), lambda: datetime.now(UTC), UTC)
        self.known = projection(*known)
        self.index = SemanticIndex(lambda: (self.known, self.library.snapshot()))

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        self.library.refresh([file])

    def update(self) -> None:
        self.index.upkeep.update()

    def search(self, text: str, embedder: Words | None = None, **query: Any) -> Found:
        self.update()
        return self.ask(text, embedder, **query)

    def ask(self, text: str, embedder: Words | None = None, **query: Any) -> Found:
        return self.index.search(SemanticQuery(text, **query), self.known, self.library.snapshot(), embedder)

    def found(self, text: str, **query: Any) -> list[str]:
        return [hit.path or hit.id for hit in self.search(text, **query).hits]


class Words:
    """An embedder whose space is a handful of words: a text is the sum of those that it holds."""

    fingerprint = "words"

    def __init__(self, *groups: str) -> None:
        self.groups = [group.split() for group in groups]
        self.dimension = len(groups) + 1

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        vector = np.array([sum(word in text.lower() for word in group) for group in self.groups] + [0.1], np.float32)
        return vector / np.linalg.norm(vector)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.array([self.embed_query(text) for text in texts], np.float32)


def embed(memory: Memory, embedder: Words, limit: int = 1_000) -> list[tuple[str, str]]:
    wanting = memory.index.wanting_vectors(embedder.fingerprint, limit)
    vectors = {unit: embedder.embed_query(text) for unit, text in wanting}
    memory.index.add_vectors(embedder.fingerprint, embedder.dimension, vectors)
    return wanting


def kinds(found: Found) -> list[str]:
    return [hit.kind for hit in found.hits]


def test_a_note_is_one_hit_with_its_best_section(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    filler = "filler " * 300
    memory.write(
        "A.md", f"---\nsummary: about owls\n---\n# Owls\n\n{filler}\n\n## Food\n\nmice and voles\n\n## End\n\n{filler}"
    )
    memory.write("B.md", "something else")
    [hit] = memory.search("voles mice").hits
    assert (hit.kind, hit.path, hit.title, hit.summary) == ("note", "v:A.md", "Owls", "about owls")
    assert "mice and voles" in hit.text
    assert hit.lines is not None
    rows = (tmp_path / "A.md").read_text().split("\n")
    assert "mice and voles" in rows[hit.lines[0] - 1 : hit.lines[1]]
    assert 0 < hit.score <= 1
    assert hit.arms["lexical"].rank == 1


def test_same_front_matter_crowds_out_nothing(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    for number in range(20):
        memory.write(
            f"n{number}.md", f"---\ntags: [type/log]\nsummary: weekly log\nowner: me\n---\nbody about animal{number}\n"
        )
    assert memory.found("animal7")[0] == "v:n7.md"
    assert all("---" not in hit.text for hit in memory.search("weekly log").hits)


def test_names_are_found_with_slips_accents_and_width(tmp_path: Path) -> None:
    memory = Memory(tmp_path, element(MILVUS, "Milvus", "the vector engine"))
    memory.write("cafe.md", "---\ntitle: Café Größe\naliases: [Kaffeehaus]\n---\nx\n")
    memory.write("other.md", "unrelated words about engines")
    assert memory.found("Mlivus")[0] == MILVUS
    assert memory.found("ｍｉｌｖｕｓ")[0] == MILVUS
    assert memory.found("cafe grosse")[0] == "v:cafe.md"
    assert memory.found("kaffehaus")[0] == "v:cafe.md"
    found = memory.search("Milvus")
    assert found.arms["names"][0][0] == MILVUS
    assert found.hits[0].arms["names"].rank == 1


@pytest.mark.parametrize("text", ["花园导览", "日本語の検索", "parse_blocks", "ENOENT-2", "größe", "v1.2.3"])
def test_any_script_and_identifiers_find_their_note(tmp_path: Path, text: str) -> None:
    memory = Memory(tmp_path)
    memory.write("hit.md", f"Some words, then {text}, then more.")
    for number in range(5):
        memory.write(f"{number}.md", "Some words, then other things, then more.")
    assert memory.found(text)[0] == "v:hit.md"


def test_elements_show_gist_and_heads(tmp_path: Path) -> None:
    memory = Memory(
        tmp_path,
        replace(element(MILVUS, "Milvus", "the vector engine", "p-00000000", [SECOND]), evidence=("ep_9",)),
        decision(SECOND, "Use Lite 2.5", "it holds"),
    )
    hit = memory.search("vector engine", kinds={"element"}).hits[0]
    assert (hit.id, hit.kind, hit.project, hit.evidence) == (MILVUS, "element", "p-00000000", ("ep_9",))
    assert hit.text == "the vector engine\nDecided 2026-11-30: Use Lite 2.5"


def test_a_note_is_found_by_what_others_say_where_they_link_to_it(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.write("Origami.md", "# Origami\n\nAn old art.\n")
    memory.write("Craft.md", "# Craft\n\nFolding paper cranes is called [[Origami]].\n\nGlue is called [[Paste]].\n")
    memory.write("Pear.md", "# Pear\n\nA fruit.\n")
    assert memory.found("folding paper cranes") == ["v:Craft.md", "v:Origami.md"]
    assert memory.found("folding paper cranes", spreads=False) == ["v:Craft.md"]
    assert memory.found("folding paper cranes", tags=("tool",)) == []  # a filter holds in this way of searching too
    assert memory.found("glue") == ["v:Craft.md", "v:Origami.md"]  # what is linked with it comes last
    assert memory.found("glue", spreads=False) == ["v:Craft.md"]
    memory.write("Paste.md", "# Paste\n\nSticky.\n")  # what waited for its note is settled by it
    assert memory.found("glue") == ["v:Craft.md", "v:Paste.md", "v:Origami.md"]
    memory.write("Craft.md", "# Craft\n\nFolding paper cranes is an art.\n")
    assert memory.found("folding paper cranes") == ["v:Craft.md"]
    assert memory.found("glue") == []


def test_a_search_kept_up_to_date_answers_like_one_made_anew(tmp_path: Path) -> None:
    """Behaviour 27, for the search: whatever was edited in whatever order, the same hits with the same scores."""
    memory = Memory(tmp_path)
    names = [f"n{number}" for number in range(12)]
    words = ["quay", "heron", "crane", "plum", "mast", "rope"]
    random = Random(7)
    for step in range(60):
        name = random.choice(names)
        if step % 7 == 6 and (tmp_path / f"{name}.md").exists():
            (tmp_path / f"{name}.md").unlink()
            memory.library.refresh([tmp_path / f"{name}.md"])
        else:
            line = " ".join([*random.sample(words, 3), f"[[{random.choice(names)}]]"])
            memory.write(f"{name}.md", f"# {name}\n\n{line}\n\n{' '.join(random.sample(words, 2))}\n")
        memory.update()
    fresh = SemanticIndex(lambda: (memory.known, memory.library.snapshot()))
    fresh.upkeep.update()
    for word in words:
        asked = SemanticQuery(f"{word} n3", dense=False, limit=50)
        kept = memory.index.search(asked, memory.known, memory.library.snapshot(), None)
        made = fresh.search(asked, memory.known, memory.library.snapshot(), None)
        assert [(hit.id, hit.score, hit.arms) for hit in kept.hits] == [
            (hit.id, hit.score, hit.arms) for hit in made.hits
        ]


def test_an_elements_text_names_the_local_day_on_which_it_was_decided(tmp_path: Path) -> None:
    late = NOW.replace(hour=20)
    held = replace(decision(SECOND, "Use Lite 2.5", "it holds", late), valid_at=NOW - timedelta(days=30))
    memory = Memory(tmp_path, element(MILVUS, "Milvus", "the vector engine", heads=[SECOND]), held)
    index = SemanticIndex(lambda: (memory.known, {}), zone=ZoneInfo("Asia/Tokyo"))
    index.upkeep.update()
    [hit] = index.search(SemanticQuery("vector engine", kinds={"element"}), memory.known, {}, None).hits
    assert hit.text == "the vector engine\nDecided 2026-12-01: Use Lite 2.5"


def test_decisions_rank_below_what_superseded_them(tmp_path: Path) -> None:
    memory = Memory(
        tmp_path,
        decision(FIRST, "Engine engine engine", "engine engine", superseded_by=SECOND),
        decision(SECOND, "Another choice", "the engine after long thought about many other things"),
    )
    found = memory.search("engine")
    assert [hit.id for hit in found.hits] == [SECOND, FIRST]
    assert found.hits[1].superseded_by == SECOND
    assert (found.hits[0].title, found.hits[0].evidence, found.hits[0].session) == ("Another choice", ("ep_1",), "s1")


def test_a_joined_note_and_its_element_are_one_hit(tmp_path: Path) -> None:
    memory = Memory(tmp_path, element(MILVUS, "Milvus", "the vector engine"))
    memory.write("m.md", f"---\nelement: {MILVUS}\nsummary: notes on milvus\ntags: [tool/milvus]\n---\nporridge recipe")
    note = memory.library.notes()[0]
    [hit] = memory.search("milvus").hits
    assert (hit.id, hit.kind, hit.path, hit.sources) == (MILVUS, "element", "v:m.md", (note.id,))
    [hit] = memory.search("porridge").hits
    assert (hit.id, hit.lines) == (MILVUS, (6, 6))
    assert hit.text == "the vector engine\n\nporridge recipe"
    assert [hit.id for hit in memory.search("porridge", tags=("tool",)).hits] == [MILVUS]
    assert [hit.id for hit in memory.search("vector", tags=("tool",)).hits] == [MILVUS]
    assert [hit.id for hit in memory.search("porridge", kinds={"note"}).hits] == [note.id]


def test_a_recorded_join_counts_as_well(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.write("m.md", "porridge")
    note = memory.library.notes()[0]
    link = Link(MILVUS, "same_as", note.id, SECOND)
    memory.known = projection(replace(element(MILVUS, "Milvus", "engine"), links=(link,)))
    assert [hit.id for hit in memory.search("porridge").hits] == [MILVUS]


def test_equal_names_alone_join_nothing(tmp_path: Path) -> None:
    """Behaviour 28: a note that is called as an element is stays a hit of its own."""
    memory = Memory(tmp_path, element(MILVUS, "Milvus", "the vector engine"))
    memory.write("Milvus.md", "# Milvus\n\nMy notes on Milvus.\n")
    note = memory.library.notes()[0]
    assert {hit.id for hit in memory.search("milvus").hits} == {MILVUS, note.id}
    assert all(hit.sources == () for hit in memory.search("milvus").hits)


def test_what_is_linked_with_what_was_found_comes_after_it(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.write("owl.md", "# Owl\n\nBarn owls hunt voles. See [[night]].\n")
    memory.write("night.md", "# Night\n\nDark.\n")
    memory.write("day.md", "# Day\n\nThe [[owl]] sleeps.\n")
    memory.write("other.md", "# Other\n\nNothing.\n")
    found = memory.found("barn owls hunt voles", limit=3)
    assert found[0] == "v:owl.md"
    assert set(found[1:]) == {"v:night.md", "v:day.md"}
    assert memory.found("barn owls hunt voles", spreads=False) == ["v:owl.md", "v:day.md"]


def test_a_question_that_only_meaning_answers_is_not_outweighed_by_words_that_say_little(tmp_path: Path) -> None:
    words = Words("dental dentist molar filling", "station street", "pasta")
    memory = Memory(tmp_path)
    memory.write("right.md", "Tuesday: a filling in my lower left molar.\n")
    memory.write("wrong.md", "The station is where the other people had it when I was there and did wait.\n")
    for number in range(30):
        memory.write(f"{number}.md", f"pasta number {number}\n")
    memory.update()
    embed(memory, words)
    assert memory.found("When did I have the dental treatment?", embedder=words)[0] == "v:right.md"


def test_hubs_lead_softly(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.write("a.md", "---\ntags: [type/note]\n---\nowl facts\n")
    memory.write("b.md", "---\ntags: [type/hub]\n---\nowl facts\n")
    assert memory.found("owl facts")[0] == "v:b.md"
    assert memory.found("owl facts", priors=False)[0] == "v:a.md"
    memory.write("c.md", "---\ntitle: Owl facts\n---\nowl owl facts facts\n")
    assert memory.found("owl facts")[0] == "v:c.md"


@pytest.mark.parametrize("names", [("hub.md", "limits.md"), ("limits.md", "hub.md")])
def test_a_hub_never_beats_the_note_that_a_question_is_about(tmp_path: Path, names: tuple[str, str]) -> None:
    words = Words("rate limit limiting", "harbor")
    memory = Memory(tmp_path)
    hub, limits = names
    memory.write(hub, "---\nsummary: Entry point\ntags: [type/hub]\n---\n# Harbor\n\n- Limits: [[Rate limiting]]\n")
    memory.write(limits, "---\ntitle: Rate limiting\n---\nThe rate limit is 120 calls a minute; above it stands 429.\n")
    memory.write("other.md", "Harbor takes lists.\n")
    memory.update()
    embed(memory, words)
    assert memory.found("What is the rate limit?")[0] == f"v:{limits}"
    assert memory.found("What is the rate limit?", embedder=words)[0] == f"v:{limits}"


def test_the_score_is_the_fusions_own_whatever_the_order(tmp_path: Path) -> None:
    memory = Memory(tmp_path, element(MILVUS, "A", "owl"), element(QUEUE, "A", "owl", "p-12345678"))
    memory.write("hub.md", "---\ntags: [type/hub, project/p]\n---\nowl\n")
    plain = {hit.id: hit.score for hit in memory.search("owl", priors=False, near_project="p-12345678").hits}
    found = memory.search("owl", near_project="p-12345678").hits
    assert {hit.id: hit.score for hit in found} == plain
    assert [hit.id for hit in found] != list(plain)
    assert max(plain.values()) == 1.0


def test_filters_hold_in_every_arm(tmp_path: Path) -> None:
    words = Words("owl")
    memory = Memory(
        tmp_path,
        element(MILVUS, "Owl", "owl"),
        element(QUEUE, "Owl queue", "owl", "p-12345678"),
        decision(FIRST, "Owl", "owl", NOW - timedelta(days=9)),
        decision(SECOND, "Owl", "owl", project="p-12345678"),
    )
    memory.write("old.md", "---\ntitle: Owl\ndate: 2020-01-01\ntags: [tool/x]\n---\nowl")
    memory.write("new.md", "---\ntitle: Owl\ndate: 2026-11-30\ntags: [toolbox/x, project/p]\n---\nowl")
    memory.update()
    embed(memory, words)
    every = {"v:old.md", "v:new.md", MILVUS, QUEUE, FIRST, SECOND}
    expected: list[tuple[dict[str, Any], set[str]]] = [
        ({}, every),
        ({"tags": ("tool",)}, {"v:old.md"}),
        ({"tags": ("tool", "project/p")}, set()),
        ({"project": "p-12345678"}, {"v:new.md", QUEUE, SECOND}),
        ({"project": "other-12345678"}, set()),
        ({"scope": "user"}, {"v:old.md", MILVUS, FIRST}),
        ({"scope": "project"}, {"v:new.md", QUEUE, SECOND}),
        ({"kinds": {"decision"}}, {FIRST, SECOND}),
        ({"window": Window(datetime(2026, 11, 30, tzinfo=UTC), None)}, {"v:new.md", MILVUS, QUEUE, SECOND}),
        ({"window": Window(None, datetime(2021, 1, 1, tzinfo=UTC))}, {"v:old.md"}),
    ]
    for query, wanted in expected:
        for arms in ({"dense": False}, {"lexical": False}, {}):
            found = memory.search("owl", embedder=words, **query, **arms)
            assert {hit.path or hit.id for hit in found.hits} == wanted, (query, arms)
        found = memory.search("", **query)
        assert {hit.path or hit.id for hit in found.hits} == wanted, query


def test_a_decision_is_from_when_it_holds_too(tmp_path: Path) -> None:
    held = datetime(2026, 3, 3, tzinfo=UTC)
    memory = Memory(tmp_path, replace(decision(FIRST, "Owl", "owl"), valid_at=held))
    march = Window(datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC))
    assert [hit.at for hit in memory.search("owl", window=march).hits] == [held]
    assert [hit.at for hit in memory.search("owl").hits] == [NOW]


def test_a_question_without_words_lists_the_newest_first(tmp_path: Path) -> None:
    memory = Memory(tmp_path, decision(FIRST, "a", "a", NOW - timedelta(days=1)), decision(SECOND, "b", "b"))
    memory.write("n.md", "---\ndate: 2026-11-29T18:00:00Z\n---\nnote")
    assert memory.found("  ", window=Window(NOW - timedelta(days=3), None)) == [SECOND, "v:n.md", FIRST]
    assert memory.found("", limit=1) == [SECOND]


def test_near_project_only_ranks(tmp_path: Path) -> None:
    memory = Memory(tmp_path, element(MILVUS, "A", "owl"), element(QUEUE, "A", "owl", "p-12345678"))
    assert memory.found("owl") == [MILVUS, QUEUE]
    assert memory.found("owl", near_project="p-12345678") == [QUEUE, MILVUS]


def test_meaning_finds_what_words_do_not(tmp_path: Path) -> None:
    words = Words("car automobile vehicle", "fish")
    memory = Memory(tmp_path, element(MILVUS, "Garage", "where an automobile stands"))
    memory.write("car.md", "my vehicle")
    memory.write("fish.md", "my fish")
    memory.update()
    embed(memory, words)
    found = memory.search("car", embedder=words)
    assert {hit.path or hit.id for hit in found.hits[:2]} == {"v:car.md", MILVUS}
    assert found.degraded == ()
    assert memory.index.wanting_vectors("words", 10) == []
    assert memory.index.counts("words") == (3, 3)


def test_what_was_just_written_is_not_ranked_below_all_that_has_a_vector(tmp_path: Path) -> None:
    words = Words("owl", "fish")
    memory = Memory(tmp_path)
    memory.write("pond.md", "a fish and an owl in the pond")
    memory.update()
    embed(memory, words)
    memory.write("evening.md", "owl, the owl, only the owl")
    memory.update()
    assert memory.index.wanting_vectors("words", 10)
    assert memory.found("owl", embedder=words)[0] == "v:evening.md"


def test_a_rename_or_new_tag_embeds_the_same_strings(tmp_path: Path) -> None:
    words = Words("owl")
    memory = Memory(tmp_path)
    memory.write("A.md", "# Heading\n\nowl text\n\n## Sub\n\n" + "more text " * 200)
    memory.update()
    before = embed(memory, words)
    memory.write("A.md", "---\ntags: [tool/x]\n---\n# Heading\n\nowl text\n\n## Sub\n\n" + "more text " * 200)
    memory.update()
    assert memory.index.wanting_vectors("words", 100) == []
    (tmp_path / "A.md").rename(tmp_path / "B.md")
    memory.library.refresh([tmp_path / "A.md", tmp_path / "B.md"])
    memory.update()
    after = memory.index.wanting_vectors("words", 100)
    assert sorted(text for _, text in after) == sorted(text for _, text in before)
    assert not {unit for unit, _ in after} & {unit for unit, _ in before}


def test_a_vector_of_an_older_text_is_not_used(tmp_path: Path) -> None:
    words = Words("owl")
    memory = Memory(tmp_path, element(MILVUS, "X", "owl"))
    memory.update()
    [(handle, _)] = memory.index.wanting_vectors("words", 10)
    memory.known = projection(element(MILVUS, "X", "fish"))
    memory.update()
    # Somebody else looks at what is wanting while the model still works on the old text.
    assert memory.index.count_wanting("words") == len(memory.index.wanting_vectors("words", 10)) == 1
    memory.index.add_vectors("words", 2, {handle: words.embed_query("owl"), "nothing": words.embed_query("owl")})
    assert memory.search("owl", embedder=words, lexical=False).hits == ()
    [(again, text)] = memory.index.wanting_vectors("words", 10)
    assert again != handle
    assert "fish" in text
    memory.index.add_vectors("words", 2, {again: words.embed_query(text)})
    assert memory.index.count_wanting("words") == 0
    assert [hit.id for hit in memory.search("fish", embedder=words, lexical=False).hits] == [MILVUS]


def test_vectors_are_wanted_newest_first(tmp_path: Path) -> None:
    memory = Memory(tmp_path, decision(FIRST, "old", "x", NOW - timedelta(days=9)), decision(SECOND, "new", "x"))
    memory.update()
    assert [text for _, text in memory.index.wanting_vectors("words", 1)] == ["new\nx"]
    memory.index.add_vectors("words", 1, {memory.index.wanting_vectors("words", 1)[0][0]: np.ones(1, np.float32)})
    assert [text for _, text in memory.index.wanting_vectors("words", 9)] == ["old\nx"]


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    class Broken(Words):
        def embed_query(self, text: str) -> npt.NDArray[np.float32]:
            raise RuntimeError(text)

    memory = Memory(tmp_path, element(MILVUS, "Owl", "owl"))
    assert memory.search("owl").degraded == ("semantic: no embedding model, found by words alone",)
    assert "no vectors yet" in memory.search("owl", embedder=Words("owl")).degraded[0]
    broken = memory.search("owl", embedder=Broken("owl"))
    assert "RuntimeError" in broken.degraded[0]

    class Lost(Words):
        @property
        def fingerprint(self) -> str:  # type: ignore[override]  # a model that was taken away while it was asked
            raise OSError("the file is gone")

    lost = memory.search("owl", embedder=Lost("owl"))
    assert "OSError" in lost.degraded[0]
    assert [hit.id for hit in lost.hits] == [MILVUS]
    assert [hit.id for hit in broken.hits] == [MILVUS]
    assert memory.search("owl", dense=False).degraded == ()


def test_as_of_shows_the_past_and_says_that_notes_have_none(tmp_path: Path) -> None:
    memory = Memory(tmp_path, element(MILVUS, "Engine", "now porridge"), decision(SECOND, "Later", "porridge"))
    memory.write("n.md", "porridge")
    memory.update()
    memory.known = projection(element(MILVUS, "Engine", "then owl"), decision(FIRST, "Then", "owl"))
    found = memory.search("owl", as_of=NOW, dense=False)
    assert {hit.id for hit in found.hits} == {MILVUS, FIRST}
    assert found.degraded == ("notes have no past: they are shown as they are now",)
    assert memory.found("porridge", as_of=NOW) == ["v:n.md"]
    memory.known = projection(element(MILVUS, "Engine", "now porridge"), decision(SECOND, "Later", "porridge"))
    assert set(memory.found("porridge")) == {MILVUS, SECOND, "v:n.md"}


def test_an_index_that_grew_answers_like_one_built_anew(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    for number in range(80):
        memory.write(f"n{number}.md", f"# Note {number}\n\nowl {'fox ' * (number % 5)}text\n")
        if number % 9 == 0:
            memory.search("owl")
    for number in range(0, 80, 3):
        (tmp_path / f"n{number}.md").unlink()
        memory.library.refresh([tmp_path / f"n{number}.md"])
    memory.known = projection(element(MILVUS, "Owl", "fox"), decision(FIRST, "fox", "owl"))
    memory.update()
    fresh = Memory(tmp_path)
    fresh.known = memory.known
    fresh.library.reconcile()
    for text in ("owl", "fox text", "note 7", "owl fox"):
        assert memory.search(text, limit=50) == fresh.search(text, limit=50)


def test_questions_and_updates_in_many_threads(tmp_path: Path) -> None:
    memory = Memory(tmp_path, element(MILVUS, "Owl", "owl"))
    words = Words("owl")
    failures: list[BaseException] = []

    def run(call: Callable[[int], object]) -> None:
        try:
            for number in range(60):
                call(number)
        except BaseException as error:  # noqa: BLE001 - whatever a thread dies of is shown by the assertion below
            failures.append(error)

    threads = [
        threading.Thread(target=run, args=(call,))
        for call in (
            lambda number: memory.write(f"n{number % 7}.md", f"owl {number}"),
            lambda _: memory.update(),
            lambda _: memory.search("owl 3", embedder=words),
            lambda _: embed(memory, words, 3),
        )
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    memory.index.upkeep.close()
    assert failures == []
    memory.update()
    assert len(memory.search("owl").hits) == 8


def test_limit_and_odd_questions(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    for number in range(12):
        memory.write(f"n{number}.md", "owl")
    assert len(memory.search("owl", limit=5).hits) == 5
    for text in ("\0", "?!", "\ud800", "owl " * 5_000, "[[", "🦉"):
        memory.search(text)


def test_a_superseded_title_is_found_with_what_superseded_it_though_that_holds_no_word_of_it(tmp_path: Path) -> None:
    others = [
        decision("de_" + f"{n:024x}", f"Cache {n} in Postgres", "cache postgres " * 3) for n in range(0x100, 0x120)
    ]
    memory = Memory(
        tmp_path,
        decision(FIRST, "Cache answers in Postgres", "because of many other things", superseded_by=SECOND),
        decision(SECOND, "Memory alone", "quick"),
        *others,
    )
    for limit in (2, 10):
        found = memory.search("Cache answers in Postgres", limit=limit)
        assert [hit.id for hit in found.hits[:2]] == [SECOND, FIRST]
        assert found.hits[1].superseded_by == SECOND
        assert found.hits[0].score >= found.hits[1].score > 0


def test_a_chain_is_shown_from_what_stands_down(tmp_path: Path) -> None:
    third = "de_" + "3" * 24
    memory = Memory(
        tmp_path,
        decision(FIRST, "Cache answers in Postgres", "known", superseded_by=SECOND),
        decision(SECOND, "Memory alone", "quick", superseded_by=third),
        decision(third, "A file", "simple"),
        decision("de_" + "4" * 24, "Cache something in Postgres", "answers"),
    )
    assert [hit.id for hit in memory.search("cache answers postgres").hits[:3]] == [third, SECOND, FIRST]


def test_that_a_note_was_moved_stands_behind_all_else_unless_it_is_asked_for(tmp_path: Path) -> None:
    rename = {"op": "rename", "id": "no_" + "1" * 20, "name": "v:plans/heron.md"}
    moved = replace(decision(FIRST, "A note was moved", "v:heron.md is v:plans/heron.md since"), mutations=(rename,))
    memory = Memory(tmp_path, moved, decision(SECOND, "Where herons nest", "a note of plans on many other birds"))
    ordinary, asked, by_path = map(memory.search, ("plans heron note", "was the note moved", "plans/heron.md"))
    assert [(hit.id, hit.is_bookkeeping) for hit in ordinary.hits] == [(SECOND, False), (FIRST, True)]
    assert (asked.hits[0].id, asked.hits[0].is_bookkeeping) == (FIRST, False)
    assert by_path.hits[0].id == FIRST


def test_who_quotes_a_passage_is_led_to_what_hangs_beside_it_and_not_to_what_it_names(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    line = "The long trail along the coast needs [[Lighthouse]], [[Ferry]] and a good pair of boots for the rocks"
    memory.write("Trail.md", f"{line}\n")
    memory.write("Lighthouse.md", "# Lighthouse\n")
    memory.write("Ferry.md", "# Ferry\n")
    memory.write("Tide Table.md", "# Tide Table\n")
    memory.write("Packing.md", "- [[Lighthouse]], [[Ferry]], [[Tide Table]]\n")
    question = "The long trail along the coast needs Lighthouse, Ferry and a good pair of boots for the rocks"
    found = memory.found(question)
    assert found[0] == "v:Trail.md"
    assert found.index("v:Tide Table.md") < found.index("v:Ferry.md")
    assert {"v:Lighthouse.md", "v:Ferry.md"} <= set(found)  # further down, and not gone
    plain = memory.search(question, quotes=False)
    assert plain.hits[1].path in {"v:Lighthouse.md", "v:Ferry.md"}
    assert "beside" not in plain.arms
    assert "beside" not in memory.search("lighthouse and ferry").arms  # who quotes nothing stands nowhere


def test_what_hangs_beside_a_passage_is_the_same_after_a_new_start(tmp_path: Path) -> None:
    """Behaviour 27: incremental equals rebuilt."""
    memory = Memory(tmp_path)
    names = [f"Stone {number}" for number in range(6)]
    question = "The long trail along the coast needs a good pair of boots for all of the rocks"
    chance = Random(5)
    for step in range(24):
        links = " ".join(f"[[{one}]]" for one in chance.sample(names, 3))
        name = chance.choice(names)
        memory.write(f"{name}.md", f"# {name}\n\n{question} {links}\n\n# More\n\n{links}\n")
        memory.update()
        if step % 6 == 5:
            fresh = SemanticIndex(lambda: (memory.known, memory.library.snapshot()))
            fresh.upkeep.update()
            again = fresh.search(SemanticQuery(question), memory.known, memory.library.snapshot(), None)
            now = memory.ask(question)
            assert now.arms["beside"] == again.arms["beside"]
            assert [hit.id for hit in now.hits] == [hit.id for hit in again.hits]
