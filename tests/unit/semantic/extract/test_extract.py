"""What is read out of a note without a model, in three languages; and what is not.

Covers BH36, behaviour 28.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from semantic.extract.association import associated, log_likelihood, normalised_pmi
from semantic.extract.definition import find_definitions
from semantic.extract.facts import Facts
from semantic.extract.generic import is_generic
from semantic.extract.naming import NameTable, longest, may_hold, name_of
from semantic.extract.prose import Prose
from semantic.extract.reading import read_note_text
from semantic.extract.span import find_mentions, normal_url
from semantic.model import Note
from tests.unit.semantic.graph.test_graph import decide, edges, put, tool, vault


def defined(text: str, title: str = "T") -> dict[str, str]:
    return {one.name: one.text for one in find_definitions(Prose(text), title, ())}


READ = {
    # (a sentence, the name that it defines): of three public vaults, shortened; the ones with "Unter" and with
    # "bezeichnet" are made up.
    "English": [
        ("GeoPackage is a standard format for distributing geospatial data as SQLite databases.", "GeoPackage"),
        ("Deno Deploy is a hosted Deno service that promises an engine in 25 data centers.", "Deno Deploy"),
        (
            "An [Actually Portable Executable](https://x.org/ape) is a wildly clever hack.",
            "Actually Portable Executable",
        ),
        ("`mb` is the [make bucket](https://cloud.google.com/mb) command.", "mb"),
        ("- `innocuous` means that the function is unlikely to cause problems.", "innocuous"),
        ("A `SKILL.md` is a way of supplying an agent with methodological knowledge.", "SKILL.md"),
        ("A conceptualization is an abstract, simplified view of the world. ^s2", "conceptualization"),
        ("**Context Engineering** is the systematic organisation of what a system requires.", "Context Engineering"),
        ("The Privileged LLM is the core of an AI assistant that accepts trusted input.", "Privileged LLM"),
        ("- Context Rot means that the LLMs get worse as the context window fills.", "Context Rot"),
        ("The `selectors_all` option in YAML means that the box includes all of them.", "selectors_all"),
        ("The `-so -al` option produces a summary of the file (`-so` means it is all).", None),
        ("138M is a lot of data to work with.", None),
        ("`shot-scraper` is a lot more ergonomic and has a lot more features.", None),
        ("The result is a `jpegs/` directory containing a file for every one of them.", None),
        ("The dividing line is the one part 5 draws.", None),
        ("This is a very solid proof of concept.", None),
        ("The problem with this is that seconds there is an integer.", None),
        ("With Codespaces a fresh development environment is a case of clicking a button.", None),
        ("The layout is a scheme for the structure of a single argument.", None),
        ("A destination mark is the one case that sits beside a label.", None),
        ("Its specification artefact is a five-field kernel of purpose and capabilities.", None),
    ],
    "German": [
        ("Eine Matrix ist eine Form der Gegenüberstellung.", "Matrix"),
        ("Das Feld `knowledge-sources` ist das Strukturmerkmal der Vorlage.", "knowledge-sources"),
        ("CLAUDE.md ist der Action-Layer der Wissensbasis: imperativ, verhaltenssteuernd.", "CLAUDE.md"),
        ("HerData ist der Reichtums-Pol und gleichzeitig die Quelle der Vorlage.", "HerData"),
        ("**`--signature`** ist der eine laute Ort, ein Verlauf am Fuß der Kopfzeile.", "--signature"),
        ("## Mapping\n\nMapping ist die systematische Zuordnung von Quelle und Ziel.", "Mapping"),
        ("## Glossar\n\n- Anforderung: festgehaltene Erwartung an das System.", "Anforderung"),
        ("## Begriffe\n\n- Snapshot-Serie: Berichte eines Scopes über mehrere Stichtage.", "Snapshot-Serie"),
        ("Unter Distillation versteht man das Verdichten auf das Tragende.", "Distillation"),
        ("**RO-Crate** bezeichnet ein Paket aus Daten und ihrer Beschreibung.", "RO-Crate"),
        ("Die letzte Phase ist die Umsetzung.", None),
        ("Die Site ist eine Spezifikationsdokumentation, wie sie eine Bibliothek führt.", None),
        ("Dieses Video ist eine Einführung in Promptotyping.", None),
        ("Das ist ein Nachteil, wenn es um Reproduzierbarkeit geht.", None),
        ("Wesentlich ist der Grund für diesen Rückkanal.", None),
        ("**Full sentence.** Die Story ist ein wohlgeformter vollständiger Satz.", None),
        ("Gestartet ist der Vorlagen-Sweep, ein Workflow über 35 lokale Repos.", None),
        ("Erstens ist die projektübergreifende Lesbarkeit niedrig.", None),
        ("Konkret bedeutet das beim Coden: weniger.", None),
        ("Am 2026-07-27 ist das Dokument erstmals verdichtet worden.", None),
    ],
    "Chinese": [
        ("便佞是指善于花言巧语之人。", "便佞"),
        ("云计算是一种通过互联网连接到远程服务器来处理数据的技术。", "云计算"),
        ("“疆域”指的是事物本身，而不是人对事物的感知。", "疆域"),
        ("所谓心智，通俗地说，就是我们看待人和事的态度。", "心智"),
        ("所谓的独立性是指并发的事务之间不会互相影响。", "独立性"),
        ("胰岛素抵抗广义上是指机体对胰岛素浓度的反应低于正常水平。", "胰岛素抵抗"),
        ("双曲线(Hyperbola)是指与两个定点的距离之差为定值的点的轨迹。", "双曲线"),
        ("# 自下而上\n\n自下而上，就是先有局部，再慢慢扩充到整体。", "自下而上"),
        ("超等长收缩，是指肌肉在缓冲制动的阶段被拉长。", "超等长收缩"),
        ("📌 延迟性肌肉酸痛（DOMS）是指运动后一段时间内出现的肌肉酸痛现象。", "延迟性肌肉酸痛"),
        ("我司一个有效解决方案就是 owner 制度。", None),
        ("空不是无，空是一种存在，你得用空这种存在填满自己。", None),
        ("克服的办法就是，要么不要去参与拍卖活动。", None),
        ("把开始当成结果，这是大部分人都有的心理习惯。", None),
        ("确定好工具，剩下就是实际执行了。", None),
        ("也就是背的上部及外侧", None),
        ("第二个问题：你是宁愿今天拿到1000欧元还是一个月后拿到1100欧元呢？", None),
        ("游戏本质就是短平快的体验的无限循环。", None),
        ("另一种存在形态，被称为助记媒介。", None),
        ("高中的时候做过一个装逼吸引注意力的行为，就是喜欢上课吃零食。", None),
    ],
}


@pytest.mark.parametrize(
    ("text", "name"),
    [pytest.param(*one, id=f"{language} {at}") for language in READ for at, one in enumerate(READ[language])],
)
def test_sentences_as_people_wrote_them(text: str, name: str | None) -> None:
    assert list(defined(text)) == ([] if name is None else [name])


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("**RRF** is a way to join rankings.", "RRF", "a way to join rankings."),
        ("The **action layer** is the imperative document of a repository.", None, None),
        ("SQLite is a library that holds a database.", "SQLite", "a library that holds a database."),
        (
            "Context Engineering is the work on what a model reads.",
            "Context Engineering",
            "the work on what a model reads.",
        ),
        ("# Lake\n\nA lake is a body of water on land.", "lake", "a body of water on land."),
        ("`memory_map` refers to a file that is read as memory.", "memory_map", "a file that is read as memory."),
        ("**Rückhaltebecken** ist ein Becken für Regenwasser.", "Rückhaltebecken", "ein Becken für Regenwasser."),
        ("Unter Provenienz versteht man die Herkunft eines Stücks.", "Provenienz", "die Herkunft eines Stücks."),
        (
            "## Speicher\n\nDer Speicher ist die Stelle, an der alles liegt.",
            "Speicher",
            "die Stelle, an der alles liegt.",
        ),
        ("光环效应是指我们让某一个方面照花了眼睛。", "光环效应", "我们让某一个方面照花了眼睛。"),
        ("数据仓库是一种面向主题的数据集合。", "数据仓库", "面向主题的数据集合。"),
        ("# 复利\n\n复利是利息产生利息的过程。", "复利", "利息产生利息的过程。"),
        ("## Glossary\n\n- Shard: one file of the log of one install", "Shard", "one file of the log of one install"),
        (
            "## Glossar\n\n**Kachel** – ein Ausschnitt der Karte, der allein geladen wird",
            "Kachel",
            "ein Ausschnitt der Karte, der allein geladen wird",
        ),
        ("## 术语表\n\n- 双链：两个笔记互相指向的链接", "双链", "两个笔记互相指向的链接"),
        (
            "# Glossary\n\n### Lane\n\nKind: design\n\nA strip at the side that names a phase.",
            "Lane",
            "A strip at the side that names a phase.",
        ),
        (
            "| Term | Definition |\n|---|---|\n| Hub | A note that leads to others |",
            "Hub",
            "A note that leads to others",
        ),
        ("| 术语 | 解释 |\n|---|---|\n| 节点 | 图里面的一个点和它的数据 |", "节点", "图里面的一个点和它的数据"),
        ("七问分析法又叫5W2H是一种思考的方法。", "七问分析法", "思考的方法。"),
        ("It joins them by Reciprocal Rank Fusion (RRF).", "RRF", "Reciprocal Rank Fusion"),
    ],
)
def test_a_definition_is_read(text: str, name: str | None, said: str | None) -> None:
    found = defined(text)
    if name is None:
        assert not {"layer", "The"} & found.keys()
    else:
        assert found.get(name) == said, found


@pytest.mark.parametrize(
    "text",
    [
        "This is a test of what is there.",
        "It is a long way to go from here.",
        "Lunch is a good thing to have every day.",
        "There is a place where nothing is.",
        "Der Tag ist ein guter Tag zum Wandern.",
        "Das ist die Stelle, an der alles liegt.",
        "这是一个很好的例子，可以参考。",
        "我是一个普通的上班族，每天通勤。",
        "- **Status**: done since the last meeting",
        "**Note**: read this before you begin",
        "- Date: 2024-05-06 and later than that",
        "Am 2026-07-27 ist das Dokument verdichtet worden.",
        "Raising Template Errors is a clean way to report.",
        "```\nSQLite is a library that holds a database.\n```",
        "It joins Reciprocal Fusion (XYZ) and others.",
        "| Name | Age |\n|---|---|\n| Ada Lovelace | a long time ago |",
        "## Definitions of done in the light of terms\n\n- Shard: one file of the log of one install",
    ],
)
def test_what_is_no_definition_is_not_read(text: str) -> None:
    assert defined(text) == {}


def test_a_definition_has_its_line() -> None:
    (found,) = find_definitions(Prose("---\na: b\n---\n\nText.\n\n**RRF** is a way to join rankings.\n"), "T", ())
    assert found.lines == (7, 7)


@pytest.mark.parametrize(
    "name",
    [
        "Introduction",
        "Notes",
        "TODO",
        "Monday",
        "1. Introduction",
        "Einleitung",
        "Montag",
        "Nächste Schritte",
        "简介",
        "周一",
        *["2024-05-06", "12", "README.md", "Step 3", "第一章", "Notizen:", "## Tasks", "Was nicht reingehört", "…"],
    ],
)
def test_generic_names_join_nothing(name: str) -> None:
    assert is_generic(name)


@pytest.mark.parametrize("name", ["Kafka", "Rückhaltebecken", "双链", "Introduction to graphs", "Monday Club"])
def test_other_names_do(name: str) -> None:
    assert not is_generic(name)


def mentions(text: str) -> set[tuple[str, str]]:
    prose = Prose(text)
    return {(one.kind, one.name) for one in find_mentions(prose, prose.data, text)}


def test_what_is_named_by_its_form() -> None:
    text = """---
author: Ada Lovelace, Charles Babbage
url: https://www.example.org/a/
---
See <https://example.org/b?x=1&utm_source=y>. `get_user_by_id` and `src/app.py`, `true`, `plain`, `README.md`.
By @simonw and Dr. Grace Hopper; me@example.org; https://example.org
"""
    assert mentions(text) == {
        ("person", "Ada Lovelace"),
        ("person", "Charles Babbage"),
        ("url", "example.org/a"),
        ("url", "example.org/b?x=1"),
        ("code", "get_user_by_id"),
        ("file", "src/app.py"),
        ("person", "@simonw"),
        ("person", "Grace Hopper"),
    }


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("https://Example.org/A/", "example.org/A"),
        ("http://www.example.org/A#x", "example.org/A"),
        ("https://example.org/A_(b)).", "example.org/A_(b)"),
        ("https://example.org", None),
        ("https://[::1", None),
        ("https://example.org:99999/x", "example.org/x"),
        ("https://localhost/x", None),
    ],
)
def test_one_address_has_one_form(written: str, normal: str | None) -> None:
    assert normal_url(written) == normal


# Names without a link


def calls(names: list[str], text: str) -> list[tuple[str, int]]:
    table = NameTable([tokens for name in names if (tokens := name_of(name)) is not None])
    return [(" ".join(call.name), call.line) for call in longest(table.find(text))]


def test_names_are_found_as_they_are_meant() -> None:
    assert calls(["Alpha Beta"], "x\nalpha\nBETA and alphabeta") == [("alpha beta", 2)]
    assert calls(["Go"], "Go to go") == []
    assert calls(["SQLite"], "sqlite SQLite") == [("SQLite", 1)]
    assert calls(["Queue"], "the queue of Queue") == [("Queue", 1)]
    assert calls(["Checking"], "The Checking is done, x Checking Tool, a Model Checking") == [("Checking", 1)]
    assert calls(["数据仓库", "数据"], "有数据仓库的") == [("数 据 仓 库", 1)]
    assert calls(["Alpha Beta", "Alpha Beta Gamma"], "alpha beta gamma") == [("alpha beta gamma", 1)]
    assert calls(["Alpha Beta"], "alpha\n\nbeta") == []


@pytest.mark.parametrize(
    "text",
    [
        "a Research-to-Checking contract, a YAML-Checking and Checking-free ways",
        "see [GitHub Checking](x) and the SQLite Checking",
        "as a [Checking] I want; <Checking>; Checking.md; notes/Checking; #Checking",
    ],
)
def test_a_plain_word_inside_something_longer_is_no_name(text: str) -> None:
    assert calls(["Checking"], text) == []
    assert calls(["Checking"], f"{text} (Checking)") == [("Checking", 1)]


@pytest.mark.parametrize(
    ("name", "text", "is_meant"),
    [
        ("嫌疑人", "在犯罪嫌疑人身上", False),
        ("嫌疑人", "嫌疑人,就是他", True),
        ("嫌疑人", "《嫌疑人X的献身》", False),
        ("确定感", "充满不确定感,容易后悔", False),
        ("亲爱的", "我的亲爱的唐小姐", False),
        ("自重训练", "一般自重训练,就只能", True),
        ("自重训练", "一般自重训练法", False),
        ("金字塔原理", "在《金字塔原理》中", True),
        ("金字塔原理", "如金字塔原理所说", True),
        ("上下文", "因为上下文的剥离", True),
    ],
)
def test_a_name_without_spaces_is_no_part_of_a_longer_word(name: str, text: str, is_meant: bool) -> None:
    assert bool(calls([name], text)) is is_meant


def test_no_name_goes_on_in_the_next_item() -> None:
    assert calls(["Alpha Beta"], "- alpha\n- beta") == []
    assert calls(["Alpha Beta"], "alpha\nbeta") == [("alpha beta", 1)]


def test_a_files_name_made_for_addresses_is_not_what_people_say(tmp_path: Path) -> None:
    store = vault(
        tmp_path,
        **{
            "python-3.11": "# Testing against a preview of Python 3.11 on many machines\n",
            "job-queue": "# The Job Queue\n",
            "a": "It runs on Python 3.11 with a job queue.\n",
        },
    )
    assert edges(store, "mentions") == {("a", "mentions", "The Job Queue", "INFERRED")}


def test_a_name_goes_before_an_alias(tmp_path: Path) -> None:
    store = vault(
        tmp_path,
        one="# Message Broker\n",
        two="---\naliases: [Message Broker]\n---\n# Kafka cluster\n",
        a="All goes by the message broker.\n",
    )
    assert edges(store, "mentions") == {("a", "mentions", "Message Broker", "INFERRED")}


def test_half_a_name_is_no_person(tmp_path: Path) -> None:
    store = vault(tmp_path, a="---\nauthor: [威廉·, 余华]\n---\nx\n")
    assert edges(store, "names_person") == {("a", "names_person", "余华", "EXTRACTED")}


def test_a_text_that_holds_a_name_is_never_passed_over() -> None:
    for name, text in [
        ("Straße West", "STRASSE west"),
        ("ﬁle Name", "file name"),
        ("Ångström Unit", "A\u030angström unit"),
    ]:
        tokens = name_of(name)
        assert tokens is not None
        assert NameTable([tokens]).find(text)
        assert may_hold(text, [tokens])


def test_an_unlinked_name_is_an_inferred_mention(tmp_path: Path) -> None:
    store = vault(
        tmp_path, a="We moved to the Job Queue.\n", b="[[Job Queue]] and the Job Queue\n", **{"Job Queue": "x\n"}
    )
    assert edges(store, "mentions") == {("a", "mentions", "Job Queue", "INFERRED")}
    decide(store, "1", tool("Postgres"))
    store.refresh([put(tmp_path, "c", "All is in Postgres now.\n")])
    assert ("c", "mentions", "Postgres", "INFERRED") in edges(store)


def test_a_link_is_no_mention_of_what_its_target_is_called(tmp_path: Path) -> None:
    notes = {"x__Alpha Beta": "x\n", "Gamma Delta": "x\n"}
    text = "[[x/Alpha Beta|it]] [that](Gamma%20Delta.md) [other](https://example.org/Gamma Delta)\n"
    assert edges(vault(tmp_path, a=text, **notes), "mentions") == set()


def test_a_name_of_two_notes_is_ambiguous_and_the_own_folder_goes_first(tmp_path: Path) -> None:
    store = vault(tmp_path, x__Mixed_Case="x\n", y__Mixed_Case="y\n", a="In Mixed_Case.\n", x__b="In Mixed_Case.\n")
    graph = store.graph.now().graph
    found = {(graph.nodes[one.source].name, one.confidence, graph.nodes[one.target].path) for one in graph.edges}
    assert found == {
        ("a", "AMBIGUOUS", "v:x/Mixed_Case.md"),
        ("a", "AMBIGUOUS", "v:y/Mixed_Case.md"),
        ("b", "INFERRED", "v:x/Mixed_Case.md"),
    }


def test_an_alias_of_several_notes_means_none(tmp_path: Path) -> None:
    films = {f"Film {n}": "---\naliases: [就是我们]\n---\nx\n" for n in range(2)}
    assert edges(vault(tmp_path, a="这就是我们的工作。\n", **films), "mentions") == set()


def test_a_word_that_everybody_uses_is_no_name(tmp_path: Path) -> None:
    notes = {f"n{n}": "The State of things.\n" for n in range(30)}
    assert edges(vault(tmp_path, State="x\n", **notes), "mentions") == set()


def test_generic_headings_and_code_join_no_notes(tmp_path: Path) -> None:
    text = "## Introduction\n\n`true` `README.md`\n\n## Notes\n\n## TODO\n\n## Monday\n\n## 简介\n\n## Einleitung\n"
    store = vault(tmp_path, a=text, b=text)
    assert edges(store) == set()


def test_what_two_notes_define_otherwise_is_unsure(tmp_path: Path) -> None:
    store = vault(
        tmp_path,
        a="**Shard Key**: is what says where a row goes\n".replace("is what", "what"),
        b="## Glossary\n\n- **Shard Key**: the column that decides on the place of a row\n",
        c="## Glossary\n\n- **Shard Key**: quite another thing in this very note\n",
    )
    found = edges(store, "defines")
    assert {(source, confidence) for source, _, _, confidence in found} == {("b", "AMBIGUOUS"), ("c", "AMBIGUOUS")}


def test_a_defined_name_of_a_note_is_that_note(tmp_path: Path) -> None:
    store = vault(tmp_path, Kafka="x\n", b="## Glossary\n\n- **Kafka**: a log that many read at once\n")
    assert edges(store, "defines") == {("b", "defines", "Kafka", "EXTRACTED")}
    assert store.graph.now().find("Kafka").about == "a log that many read at once"


def test_code_of_two_notes_joins_them_and_of_one_does_not(tmp_path: Path) -> None:
    store = vault(tmp_path, a="`get_user_by_id` `only_here`\n", b="`get_user_by_id()`\n")
    assert edges(store) == {
        ("a", "mentions", "get_user_by_id", "EXTRACTED"),
        ("b", "mentions", "get_user_by_id", "EXTRACTED"),
    }


def test_a_file_that_is_a_note_is_that_note(tmp_path: Path) -> None:
    store = vault(tmp_path, a="See `deep/plan.md` and `other/main.py`.\n", x__deep__plan="x\n")
    assert edges(store) == {
        ("a", "mentions", "plan", "EXTRACTED"),
        ("a", "mentions", "other/main.py", "EXTRACTED"),
    }


def test_a_bare_file_name_means_the_one_of_its_folder_for_certain(tmp_path: Path) -> None:
    store = vault(tmp_path, a="See `plan.md`.\n", x__b="See `plan.md`.\n", x__plan="x\n")
    assert edges(store) == {("b", "mentions", "plan", "EXTRACTED")}


def test_a_telling_file_name_means_the_one_that_has_it_in_any_folder(tmp_path: Path) -> None:
    store = vault(tmp_path, a="See `plan-of-imports.md`.\n", **{"x__plan-of-imports": "x\n"})
    assert edges(store) == {("a", "mentions", "plan-of-imports", "INFERRED")}


def test_a_path_upwards_is_read_from_where_it_stands(tmp_path: Path) -> None:
    store = vault(tmp_path, x__a="See `../plan.md` and `../b.py`.\n", y__z__a="See `../b.py`.\n", plan="x\n")
    assert {edge for edge in edges(store) if edge[1] == "mentions"} == {
        ("a", "mentions", "plan", "EXTRACTED"),
        ("a", "mentions", "y/b.py", "EXTRACTED"),
        ("a", "mentions", "b.py", "EXTRACTED"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "the study sarkar-vibe-coding-material-loss says so",
        "we use vibe; coding is another matter",
        "it is vibe + coding",
    ],
)
def test_a_name_is_whole_or_it_is_none(tmp_path: Path, text: str) -> None:
    assert edges(vault(tmp_path, a=f"{text}\n", **{"Vibe Coding": "x\n"})) == set()


def test_a_compound_of_prose_names_what_it_begins_with(tmp_path: Path) -> None:
    store = vault(tmp_path, a="A vibe-coding-like way.\n", **{"Vibe Coding": "x\n"})
    assert edges(store) == {("a", "mentions", "Vibe Coding", "INFERRED")}


def test_a_file_that_any_project_has_means_none_in_particular(tmp_path: Path) -> None:
    store = vault(tmp_path, a="Every project has a CLAUDE.md, and CLAUDE is its name. We use AWS.md and AWS.\n")
    put(tmp_path, "x/CLAUDE", "# Rules for agents\n")
    put(tmp_path, "AWS", "x\n")
    store.reconcile()
    assert edges(store) == {("a", "mentions", "AWS", "INFERRED")}


def test_a_name_made_for_addresses_counts_only_where_it_is_the_title(tmp_path: Path) -> None:
    store = vault(tmp_path, a="Make domain knowledge explicit.\n", **{"domain-knowledge": "# Vorlage Wissen\n"})
    assert edges(store) == set()


def test_the_short_title_of_a_work_is_meant_only_where_it_is_set_off(tmp_path: Path) -> None:
    film = "---\ntitle: 难以置信\ndirector: 某人\n---\n"
    store = vault(
        tmp_path,
        a="速度快得令人难以置信。\n",
        d="**0.14**难以置信**flipped**版\n",
        b="昨天看了《难以置信》。\n",
        c="- 难以置信\n",
        难以置信=film,
    )
    found = {edge for edge in edges(store) if edge[1] == "mentions"}
    assert found == {(name, "mentions", "难以置信", "INFERRED") for name in "bc"}


def test_what_several_notes_link_to_an_address_is_a_name(tmp_path: Path) -> None:
    linked = "Made with [Datasette](https://datasette.io/) and [this](https://x.org/y).\n"
    store = vault(tmp_path, a=linked, b=linked, c=linked, d="We run Datasette here.\n")
    found = {edge for edge in edges(store) if edge[1] == "mentions"}
    assert found == {(name, "mentions", "Datasette", "EXTRACTED") for name in "abc"} | {
        ("d", "mentions", "Datasette", "INFERRED")
    }
    (tmp_path / "v" / "c.md").unlink()
    store.refresh([tmp_path / "v" / "c.md"])
    assert not [edge for edge in edges(store) if edge[1] == "mentions"], "two notes make no name"


def test_a_term_and_a_note_of_one_name_are_not_tied(tmp_path: Path) -> None:
    both = {f"n{at}": "**Ada Lake** is a body of water, see [[x/Ada Lake]].\n" for at in range(4)}
    notes = {"x/Ada Lake": "x\n", "y/Ada Lake": "x\n"} | {f"o{at}": f"[[n{at % 4}]]\n" for at in range(40)}
    store = vault(tmp_path, **both, **notes)
    assert ("n0", "defines", "Ada Lake", "EXTRACTED") in edges(store)
    assert not [edge for edge in edges(store) if edge[1] == "co_mentioned"]


def test_facts_are_read_once_a_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = vault(tmp_path, a="x\n", b="y\n")
    store.graph.now()
    read: list[str] = []

    def noting(note: Note) -> tuple[Facts, str]:
        read.append(note.path)
        return read_note_text(note)

    monkeypatch.setattr("semantic.extract.corpus.read_note_text", noting)
    store.refresh([put(tmp_path, "b", "z [[a]]\n")])
    store.graph.now()
    assert read == ["b.md"]


# Association


def test_the_measures_are_those_of_the_papers() -> None:
    # Dunning's table "the swiss": 110, 2442, 111, 29114 gives 270.72.
    assert log_likelihood(110, 110 + 2442, 110 + 111, 110 + 2442 + 111 + 29114) == pytest.approx(270.72, abs=0.01)
    assert normalised_pmi(10, 10, 10, 100) == pytest.approx(1.0)
    assert normalised_pmi(1, 10, 10, 100) == pytest.approx(0.0)
    assert log_likelihood(1, 50, 50, 100) == 0.0


def test_what_meets_by_chance_or_in_one_note_is_no_tie() -> None:
    filler = [((f"v:f{n}.md", (1, 2)), [f"x{n}"]) for n in range(200)]
    close = [((f"v:c{n}.md", (1, 2)), ["a", "b"]) for n in range(4)]
    same_note = [(("v:s.md", (n, n)), ["p", "q"]) for n in range(4)]
    ties = associated([*filler, *close, *same_note])
    assert [(tie.one, tie.other, len(tie.places)) for tie in ties] == [("a", "b", 4)]
    everywhere = [((f"v:e{n}.md", (1, 2)), ["a", "b"] if n % 2 else ["a"]) for n in range(200)]
    assert associated(everywhere) == []


def test_a_list_of_everything_ties_nothing() -> None:
    long = [((f"v:l{n}.md", (1, 2)), [f"t{m}" for m in range(40)]) for n in range(5)]
    filler = [((f"v:f{n}.md", (1, 2)), [f"x{n}"]) for n in range(200)]
    assert associated([*long, *filler]) == []


def test_a_tie_has_its_place_and_reason(tmp_path: Path) -> None:
    notes = {f"n{n}": f"Intro word {n}.\n\nAlpha Beta and Gamma Delta.\n" for n in range(4)}
    fill = {f"f{n}": "[[Alone]]\n" for n in range(60)}
    store = vault(tmp_path, **{"Alpha Beta": "x\n", "Gamma Delta": "x\n", "Alone": "x\n"}, **notes, **fill)
    (tie,) = (edge for edge in store.graph.now().graph.edges if edge.relation == "co_mentioned")
    assert tie.support == 4
    assert tie.source_path == "v:n0.md"
    assert "4 sections" in (tie.reason or "")
