"""Cases that other products met with notes, by their id: front matter, tags, links and the graph, through the store."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memoryd.text.hit import Hit
from semantic.errors import ContractBroken
from semantic.graph.model import Graph
from semantic.graph.path import find_path
from semantic.log.ids import note_id
from semantic.model import Note
from semantic.search.query import SemanticQuery
from semantic.store import SemanticStore
from semantic.testing import open_store
from semantic.writing.desk import Author

AGENT = Author("agent:x")


class Garden:
    """A vault under a store, asked as a daemon asks it."""

    def __init__(self, root: Path, memory: str = "m") -> None:
        self.vault = root / "v"
        self.vault.mkdir(parents=True, exist_ok=True)
        self.store: SemanticStore = open_store(root / memory, vaults={"v": self.vault})
        self.store.reconcile()

    def put(self, path: str, text: str) -> Note:
        """Write a note as an editor does, and tell of it as a watcher does."""
        file = self.vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        self.store.refresh([file])
        return self.note(path)

    def note(self, path: str) -> Note:
        return next(note for note in self.store.notes() if note.path == path)

    def targets(self, path: str) -> list[str | None]:
        """Return where the links of a note lead, by path; what waits is ``None``."""
        paths = {note.id: note.path for note in self.store.notes()}
        return [None if link.target is None else paths[link.target] for link in self.note(path).links]

    def found(self, text: str, **filters: object) -> list[Hit]:
        while self.store.pending():
            self.store.search(SemanticQuery("x"), None)
        return list(self.store.search(SemanticQuery(text, **filters), None).hits)  # type: ignore[arg-type]

    @property
    def graph(self) -> Graph:
        return self.store.graph.now().graph

    def edges(self) -> set[tuple[str, str, str]]:
        graph = self.graph
        return {(graph.nodes[one.source].name, one.relation, graph.nodes[one.target].name) for one in graph.edges}


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    return Garden(tmp_path)


# Front matter and tags


def test_bh22_a_note_whose_yaml_cannot_be_read_is_found_by_its_body_and_named(garden: Garden) -> None:
    """BH22: the fault has its file and its line, and no byte changes."""
    text = "---\ntitle: Governance: Rootkeeper Manifest\ntags: [type/reference]\n---\nbody owl\n"
    note = garden.put("g.md", text)
    assert [hit.path for hit in garden.found("owl")] == ["v:g.md"]
    assert "line 2" in note.problems[0]
    assert [one.path for one in garden.store.notes(broken=True)] == ["g.md"]
    assert (garden.vault / "g.md").read_bytes().decode() == text


def test_bh23_a_byte_order_mark_hides_no_front_matter(garden: Garden) -> None:
    """BH23: summary and tag are read, the block is in no piece, and the pieces are those of the note without it."""
    text = "---\nsummary: BOM note\ntags:\n  - tool/milvus\n---\n\nbody\n"
    marked, plain = garden.put("bom.md", "\ufeff" + text), garden.put("plain.md", text)
    assert (marked.summary, marked.tags) == ("BOM note", ("tool/milvus",))
    assert [one.text for one in marked.sections] == [one.text for one in plain.sections] == ["body"]
    assert [one.lines for one in marked.sections] == [one.lines for one in plain.sections]
    assert {hit.path for hit in garden.found("body", tags=("tool",))} == {"v:bom.md", "v:plain.md"}


def test_bh25_front_matter_that_repeats_crowds_out_nothing(garden: Garden) -> None:
    """BH25: the right note is first, no piece holds the block or a key of it, and its date sorts."""
    block = "---\ntitle: Weekly log\ntags: [type/log]\nsummary: weekly log\nowner: me\nstatus: open\ndate: {}\n---\n"
    for number in range(20):
        garden.put(f"n{number:02}.md", block.format(f"2026-01-{number + 1:02}") + f"The animal was a zebra{number}x.\n")
    assert garden.found("which was the zebra7x animal")[0].path == "v:n07.md"
    for hit in garden.found("weekly log owner status open", limit=50):
        assert not any(key in hit.text for key in ("---", "owner:", "status:", "tags:", "date:")), hit.path
    for note in garden.store.notes():
        assert [one.text for one in note.sections] == [f"The animal was a zebra{int(note.path[1:3])}x."]
    assert [hit.path for hit in garden.found("", limit=3)] == ["v:n19.md", "v:n18.md", "v:n17.md"]


def test_bh26_and_bh27_what_looks_like_a_tag_and_is_none(garden: Garden) -> None:
    """BH26, BH27: no colour in code and no number, but whatever has a letter."""
    code = garden.put("t.md", '```json\n{"bg": "#1E1E2E"}\n```\n`#inlinecode` real #tool/kitty\n')
    numbers = garden.put("n.md", "Phase #1 fixed #123, see PR #934. #1a #2024-plan\n")
    assert (code.tags, numbers.tags) == (("tool/kitty",), ("1a", "2024-plan"))
    assert [note.path for note in garden.store.notes(tag="tool")] == ["t.md"]


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ("tags:\n  - tool/x\n  - type/y", ("tool/x", "type/y")),
        ("tags: [tool/x, type/y]", ("tool/x", "type/y")),
        ("tags: tool/x, type/y", ("tool/x", "type/y")),
        ("tags: tool/x", ("tool/x",)),
        ('tags: "tool/x"', ("tool/x",)),
        ("tags: '#tool/x'", ("tool/x",)),
        ("tags:", ()),
        ("tags: null", ()),
        ("tags: 2024", ("2024",)),
        ("tags: 2026-01-01", ("2026-01-01",)),
        ("tags: [2026-01-01, 7]", ("2026-01-01", "7")),
    ],
)
def test_behaviour_18_tags_in_every_shape_have_one_form_and_no_key_is_lost(
    garden: Garden, written: str, tags: tuple[str, ...]
) -> None:
    """Behaviour 18."""
    text = f"---\n{written}\nunknown: {{a: [1, two]}}\ncount: 3\n---\nbody\n"
    note = garden.put("t.md", text)
    assert note.tags == tags
    assert note.front_matter["count"] == 3
    assert note.front_matter["unknown"] == {"a": [1, "two"]}
    assert (garden.vault / "t.md").read_bytes().decode() == text


def test_behaviour_20_a_facet_is_the_same_in_a_list_and_in_each_way_to_search(garden: Garden) -> None:
    """Behaviour 20: ``tool`` takes ``tool/*`` and not ``toolbox/x``."""
    garden.put("a.md", "---\ntags: [tool/x]\n---\nowl\n")
    garden.put("b.md", "---\ntags: [toolbox/x]\n---\nowl\n")
    assert [note.path for note in garden.store.notes(tag="tool")] == ["a.md"]
    for text in ("owl", ""):
        assert [hit.path for hit in garden.found(text, tags=("tool",))] == ["v:a.md"]


def test_behaviour_21_a_breach_is_listed_and_the_note_is_found_all_the_same(garden: Garden) -> None:
    """Behaviour 21."""
    note = garden.put("bare.md", "# Bare\n\nAn okapi without a summary.\n")
    assert len(note.violations) == 2  # neither a summary nor a tag in any facet
    assert [one.path for one in garden.store.notes(broken=True)] == ["bare.md"]
    assert [hit.path for hit in garden.found("okapi")] == ["v:bare.md"]


@pytest.mark.parametrize(
    "text",
    [
        "Before.\n\n---\n\ntags: [tool/no]\n\n---\n\nAfter.\n",
        "```\n---\ntags: [tool/no]\n---\n```\n",
        "\n---\ntags: [tool/no]\n---\nbody\n",
    ],
)
def test_behaviour_22_a_rule_is_no_front_matter(garden: Garden, text: str) -> None:
    """Behaviour 22: in the body, in a fence, or behind a blank line."""
    note = garden.put("r.md", text)
    assert (dict(note.front_matter), note.tags) == ({}, ())
    assert "tool/no" in "".join(one.text for one in note.sections)


def test_behaviour_22_no_write_makes_a_second_block(garden: Garden) -> None:
    """Behaviour 22: a second block belongs to the body, is not read, and an agent's text with one changes nothing."""
    good = "---\nsummary: s\ntags: [type/concept]\n---\nbody\n"
    made = garden.store.desk.create("v", "a.md", good, AGENT)
    again = garden.store.desk.change("v", "a.md", good.replace("body", "other"), AGENT, if_match=made.etag)
    assert (garden.vault / "a.md").read_text().count("---\n") == 2
    stacked = "---\ntags: [tool/no]\n---\n" + good
    with pytest.raises(ContractBroken):
        garden.store.desk.change("v", "a.md", stacked, AGENT, if_match=again.etag)
    assert (garden.vault / "a.md").read_text() == good.replace("body", "other")


# Links


def test_bh28_a_pipe_in_a_table_is_no_part_of_a_target(garden: Garden) -> None:
    """BH28."""
    garden.put("Target.md", "x\n")
    garden.put("Other.md", "# Sec\n")
    note = garden.put("tb.md", "| a | b |\n|---|---|\n| [[Target\\|shown]] | [[Other#Sec\\|x]] |\n")
    assert garden.targets("tb.md") == ["Target.md", "Other.md"]
    assert [(link.heading, link.shown) for link in note.links] == [(None, "shown"), ("Sec", "x")]


def test_bh29_brackets_in_code_are_no_links(garden: Garden) -> None:
    """BH29: one link, and nothing in the graph but it."""
    garden.put("Real.md", "x\n")
    garden.put("cb.md", "```bash\nif [[ -f x ]]; then :; fi\n```\n`[[inline]]` [[Real]]\n")
    assert garden.targets("cb.md") == ["Real.md"]
    assert {one for one in garden.edges() if one[1] == "links_to"} == {("cb", "links_to", "Real")}


def test_behaviour_23_the_order_of_the_rules(garden: Garden) -> None:
    """Behaviour 23: an exact path, then a name, then an alias, whatever case or Unicode form it is written in."""
    garden.put("dir/Größe.md", "by path and by name\n")
    garden.put("Other.md", "---\naliases: [Größe, Only an alias]\n---\nby alias\n")
    garden.put("s.md", "[[dir/Größe]] [[grÖßE]] [[GRO\u0308ßE]] [[only AN alias]]\n")
    assert garden.targets("s.md") == ["dir/Größe.md", "dir/Größe.md", "dir/Größe.md", "Other.md"]
    assert [link.inferred for link in garden.note("s.md").links] == [False, False, False, True]
    garden.put("b/Same.md", "x\n")
    garden.put("c/Same.md", "x\n")
    garden.put("s.md", "[[Same]] [[c/Same]]\n")
    unsure, exact = garden.note("s.md").links
    assert (unsure.ambiguous, exact.ambiguous) == (("c/Same.md",), ())


@pytest.mark.parametrize(
    ("written", "target"),
    [
        ("[[A|b]]", "dir/A.md"),
        ("[[A#h]]", "dir/A.md"),
        ("[[A#^b]]", "dir/A.md"),
        ("![[A]]", "dir/A.md"),
        ("[[dir/A]]", "dir/A.md"),
        ("[[A.md]]", "dir/A.md"),
        ("[t](dir/A.md)", "dir/A.md"),
        ("| x |\n|---|\n| [[A\\|b]] |", "dir/A.md"),
        ("[[#h]]", "s.md"),
    ],
)
def test_behaviour_24_only_the_target_counts_in_every_form(garden: Garden, written: str, target: str) -> None:
    """Behaviour 24."""
    garden.put("dir/A.md", "# h\n\ntext ^b\n")
    garden.put("s.md", f"# h\n\n{written}\n")
    assert garden.targets("s.md") == [target]
    leads = {edge.target for edge in garden.graph.edges if edge.source == note_id("v", "s.md")}
    assert not {id_ for id_ in leads if garden.graph.nodes[id_].kind == "missing"}
    assert target == "s.md" or note_id("v", target) in leads


def test_bh30_and_behaviour_25_a_link_finds_its_note_when_that_comes(garden: Garden) -> None:
    """BH30, behaviour 25: by the event of the second file alone, with its name as written until then."""
    garden.put("A.md", "- relates_to [[Note B]]\n")
    assert (garden.targets("A.md"), garden.note("A.md").links[0].written) == ([None], "Note B")
    garden.put("Note B.md", "hello\n")
    assert garden.targets("A.md") == ["Note B.md"]
    assert ("A", "links_to", "Note B") in garden.edges()
    assert "missing" not in {node.kind for node in garden.graph.nodes.values()}


# The graph


def test_bh31_long_prose_before_a_link_is_no_relation_and_the_note_stays_editable(garden: Garden) -> None:
    """BH31."""
    block = "---\nsummary: s\ntags: [type/concept]\n---\n"
    line = f"- **Lorem** {'prose and more ' * 20}documented in [[Some Note]] for context\n"
    garden.put("Some Note.md", "x\n")
    garden.put("lg.md", block + line)
    assert {one for one in garden.edges() if one[0] == "lg" and one[2] == "Some Note"} == {
        ("lg", "links_to", "Some Note")
    }
    changed = block + line + "And an edit.\n"
    garden.store.desk.change("v", "lg.md", changed, AGENT, if_match=garden.note("lg.md").etag)
    assert (garden.vault / "lg.md").read_text() == changed
    assert ("lg", "links_to", "Some Note") in garden.edges()


def test_bh32_links_at_the_start_of_a_line_and_tasks_are_no_facts(garden: Garden) -> None:
    """BH32: two links are links, one of them to a site; tasks are neither links nor things."""
    garden.put("ESLint.md", "x\n")
    links = "[ESLint](https://eslint.org/) is popular\n[[ESLint]] is popular\n"
    garden.put("ob.md", links + "- [ ] todo\n- [x] done\n- [fact] ESLint lints\n")
    assert garden.targets("ob.md") == ["ESLint.md"]
    assert garden.found("popular")[0].path == "v:ob.md"
    names = {node.name.casefold() for node in garden.graph.nodes.values()}
    assert not names & {"todo", "done", "x", "fact", "is popular"}
    assert {one for one in garden.edges() if one[1] == "links_to"} == {("ob", "links_to", "ESLint")}


def test_bh34_a_deleted_note_leaves_no_ghost(garden: Garden, tmp_path: Path) -> None:
    """BH34: it is a missing target of what links to it, with nothing of its content, as if made anew."""
    garden.put("a.md", "[[b]]\n")
    garden.put("b.md", "# B\n\nA quokka lives here.\n")
    (garden.vault / "b.md").unlink()
    garden.store.refresh([garden.vault / "b.md"])
    assert {(node.name, node.kind) for node in garden.graph.nodes.values()} == {("a", "note"), ("b", "missing")}
    assert garden.found("quokka") == []
    assert garden.graph.digest == Garden(tmp_path, "other").graph.digest


def test_bh35_a_rename_that_is_seen_as_a_new_file_leaves_one_note(garden: Garden, tmp_path: Path) -> None:
    """BH35: only the event of the new name comes; what is gone is found gone by the next look at all files."""
    garden.put("only.md", "# Only\n\nA numbat.\n")
    (garden.vault / "only.md").rename(garden.vault / "renamed.md")
    garden.store.refresh([garden.vault / "renamed.md"])
    garden.store.reconcile()
    assert [note.path for note in garden.store.notes()] == ["renamed.md"]
    assert [hit.path for hit in garden.found("numbat")] == ["v:renamed.md"]
    assert len(garden.graph.nodes) == 1
    assert garden.graph.digest == Garden(tmp_path, "other").graph.digest


def test_bh36_and_behaviour_28_two_notes_of_one_name_in_any_order(tmp_path: Path) -> None:
    """BH36, behaviour 28: two nodes, joined by nothing; the order in which they are read makes no difference."""
    texts = {"a/README.md": "# Booking\nalpha\n", "b/README.md": "# Booking\nbeta\n"}
    digests = set()
    for number, paths in enumerate((list(texts), list(reversed(texts)))):
        garden = Garden(tmp_path / str(number))
        for path in paths:
            garden.put(path, texts[path])
        nodes = [node for node in garden.graph.nodes.values() if node.name == "Booking"]
        assert sorted(node.path or "" for node in nodes) == ["v:a/README.md", "v:b/README.md"]
        assert not garden.graph.edges
        assert [hit.path for hit in garden.found("alpha")] == ["v:a/README.md"]
        digests.add(garden.graph.digest)
    assert len(digests) == 1


def test_behaviour_26_circles_and_a_hub_end_for_paths_and_explanations(garden: Garden) -> None:
    """Behaviour 26: a hub of 600 notes that link to it, to themselves and in a circle."""
    for number in range(600):
        file = garden.vault / f"n{number}.md"
        file.write_text(f"[[hub]] [[n{number}]] [[n{(number + 1) % 600}]]\n", "utf-8")
    (garden.vault / "hub.md").write_text("[[hub]] [[n0]]\n", "utf-8")
    garden.store.reconcile()
    hub, first, far = (note_id("v", f"{name}.md") for name in ("hub", "n0", "n300"))
    path = find_path(garden.graph, first, far)
    assert path.steps is not None
    assert len(path.steps) <= 3
    known = garden.store.graph.now()
    told = known.explain(garden.graph.nodes[hub])
    assert 0 < len(told.hanging) < 600
    assert len(told.hanging) + told.left_out >= 600


def test_behaviour_27_what_was_edited_is_as_if_made_anew(garden: Garden, tmp_path: Path) -> None:
    """Behaviour 27: by the canonical digest, after edits, removals, moves and an atomic save."""
    for number in range(8):
        garden.put(f"n{number}.md", f"# N{number}\n\n[[n{(number * 3) % 8}]] #tool/t{number % 3}\n")
    (garden.vault / "n1.md").unlink()
    (garden.vault / "n2.md").rename(garden.vault / "moved.md")
    (garden.vault / ".n3.tmp").write_text("# N3\n\n[[moved]] instead\n", "utf-8")
    os.replace(garden.vault / ".n3.tmp", garden.vault / "n3.md")  # noqa: PTH105 - as an editor does it
    garden.store.refresh([garden.vault / name for name in ("n1.md", "n2.md", "moved.md", "n3.md")])
    assert garden.graph.digest == Garden(tmp_path, "other").graph.digest
