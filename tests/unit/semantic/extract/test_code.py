"""Program text: what files define, import and call; what git ignores; kept up with edits. Covers BH34, BH35."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from semantic.errors import AmbiguousName
from semantic.extract.code.project import CodeProject
from semantic.extract.code.projects import CodeProjects
from semantic.extract.code.reading import LARGEST_BYTES, read_source
from semantic.extract.code.worktree import list_sources
from semantic.graph.model import Graph
from semantic.graph.naming import NodeNames
from semantic.graph.path import find_path
from semantic.graph.survey import shape_of
from semantic.graph.testcode import is_test_path
from semantic.writing.recording import NewDecision
from tests.unit.semantic.graph.test_graph import vault


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def graph(root: Path) -> Graph:
    project = CodeProject("p-1", root, os.environ)
    project.refresh()
    parts = project.parts()
    return Graph.of(parts.nodes, parts.edges)


def ties(root: Path, *relations: str) -> set[tuple[str, str, str]]:
    found = graph(root)
    return {
        (found.nodes[edge.source].name, edge.relation, found.nodes[edge.target].name)
        for edge in found.edges
        if edge.relation in relations
    }


SAMPLES = {
    "python": (
        {
            "app.py": (
                '"""The app."""\n'
                "from lib.tool import work, Box as B\n"
                "import lib.other as other\n"
                "import requests\n"
                "\n"
                "def main():\n"
                '    """Begin here.\n'
                "\n"
                '    More."""\n'
                "    work()\n"
                "    other.go()\n"
                "    B().open()\n"
                "    unknown()\n"
                "    print()\n"
            ),
            "lib/__init__.py": "",
            "lib/tool.py": (
                "from . import other\n"
                "\n"
                "class Box:\n"
                "    def open(self):\n"
                "        self.shut()\n"
                "        other.go()\n"
                "\n"
                "    def shut(self): ...\n\ndef work(): ...\n"
            ),
            "lib/other.py": "def go(): ...\n",
        },
        {
            ("main", "calls", "work"),
            ("main", "calls", "go"),
            ("main", "calls", "Box"),
            ("Box.open", "calls", "Box.shut"),
            ("Box.open", "calls", "go"),
            ("app.py", "imports", "lib/tool.py"),
            ("app.py", "imports", "lib/other.py"),
            ("lib/tool.py", "imports", "lib/other.py"),
            ("app.py", "uses_package", "requests"),
        },
    ),
    "typescript": (
        {
            "src/a.ts": 'import {work as w} from "./b";\nimport * as n from "./c.js";\nimport React from "react";\n'
            "export class A { run() { this.stop(); w(); n.go(); } stop() {} }\nexport const f = () => { w(); };\n",
            "src/b.ts": "/** Does it. */\nexport function work() {}\n",
            "src/c.ts": 'const b = require("./b");\nexport function go() {}\n',
        },
        {
            ("A.run", "calls", "A.stop"),
            ("A.run", "calls", "work"),
            ("A.run", "calls", "go"),
            ("f", "calls", "work"),
            ("src/a.ts", "imports", "src/b.ts"),
            ("src/a.ts", "imports", "src/c.ts"),
            ("src/a.ts", "uses_package", "react"),
        },
    ),
    "javascript": (
        {
            "a.js": 'const b = require("./b");\nfunction f() { b.work(); }\n',
            "b.js": "function work() {}\nmodule.exports = { work };\n",
        },
        {("f", "calls", "work"), ("a.js", "imports", "b.js")},
    ),
    "go": (
        {
            "main.go": (
                "package main\n"
                "import (\n"
                ' "fmt"\n'
                ' u "example.org/m/util"\n'
                ")\n"
                "// Main begins.\n"
                "func main() { u.Work(); help(); fmt.Println() }\n"
            ),
            "help.go": "package main\ntype T struct{}\nfunc (t *T) M() {}\nfunc help() {}\n",
            "util/util.go": "package util\nfunc Work() {}\n",
        },
        {
            ("main", "calls", "Work"),
            ("main", "calls", "help"),
            ("main.go", "imports", "util/util.go"),
            ("main.go", "uses_package", "fmt"),
        },
    ),
    "rust": (
        {
            "src/lib.rs": (
                "mod a;\nuse crate::a::work;\nuse serde::Serialize;\n/// Begins.\npub fn start() { work(); }\n"
            ),
            "src/a.rs": "pub struct S;\nimpl S { pub fn m(&self) { self.n() } fn n(&self) {} }\npub fn work() {}\n",
        },
        {
            ("start", "calls", "work"),
            ("S.m", "calls", "S.n"),
            ("src/lib.rs", "imports", "src/a.rs"),
            ("src/lib.rs", "uses_package", "serde"),
        },
    ),
    "java": (
        {
            "src/a/b/X.java": (
                "package a.b;\n"
                "import a.c.Y;\n"
                "import java.util.List;\n"
                "/** An X. */\n"
                "public class X { void m() { n(); Y.work(); this.n(); } void n() {} }\n"
            ),
            "src/a/c/Y.java": "package a.c;\npublic class Y { static void work() {} }\n",
        },
        {
            ("X.m", "calls", "X.n"),
            ("X.m", "calls", "Y.work"),
            ("src/a/b/X.java", "imports", "src/a/c/Y.java"),
            ("src/a/b/X.java", "uses_package", "java.util"),
        },
    ),
    "c": (
        {
            "a.c": (
                '#include "inc/b.h"\n'
                "#include <stdio.h>\n"
                "static int help(int a) { return a; }\n"
                "int main(void) { return help(1); }\n"
            ),
            "inc/b.h": "struct S { int a; };\n",
        },
        {
            ("main", "calls", "help"),
            ("a.c", "imports", "inc/b.h"),
            ("a.c", "uses_package", "stdio.h"),
        },
    ),
    "cpp": (
        {
            "a.cpp": (
                "namespace n { class A { void m(); }; }\n"
                "void n::A::m() { help(); }\n"
                "void help() {}\n"
                "void go() { help(); }\n"
            )
        },
        {("n.A.m", "calls", "help"), ("go", "calls", "help")},
    ),
}


@pytest.mark.parametrize("language", SAMPLES)
def test_a_language(tmp_path: Path, language: str) -> None:
    files, wanted = SAMPLES[language]
    write(tmp_path, files)
    found = ties(tmp_path, "calls", "imports", "uses_package")
    if language == "typescript":
        found -= {("src/c.ts", "imports", "src/b.ts")}
    assert found == wanted


def test_documentation_is_what_a_thing_is(tmp_path: Path) -> None:
    for files, _ in SAMPLES.values():
        write(tmp_path, files)
    about = {node.name: node.about for node in graph(tmp_path).nodes.values() if node.about}
    assert about["main"] in {"Begin here.", "Main begins."}
    assert about["app.py"] == "The app."
    assert about["start"] == "Begins."
    assert about["X"] == "An X."
    assert about["work"] == "Does it."


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "class Base: ...\nclass Own(Base[int], t.Generic[T], metaclass=Base): ...\n"),
        ("a.ts", "class Base<T> {}\nclass Own extends Base<Map<string, number>> implements Other {}\n"),
        ("a.js", "class Base {}\nclass Own extends Base {}\n"),
        ("A.java", "class Base {}\nclass Own extends Base implements Comparable<Own> {}\n"),
        ("a.cpp", "class Base {};\nclass Own : public Base {};\n"),
    ],
)
def test_what_a_class_is_made_from(tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path, {name: text})
    assert ties(tmp_path, "extends") == {("Own", "extends", "Base")}


def test_documentation_is_told_to_the_end_of_its_first_sentence(tmp_path: Path) -> None:
    text = 'def a():\n    """Return what is\n    asked for, e.g. this. More.\n\n    Further."""\n'
    write(tmp_path, {"a.py": text})
    assert {node.about for node in graph(tmp_path).nodes.values() if node.name == "a"} == {
        "Return what is asked for, e.g. this."
    }


def test_a_bare_import_in_a_package_means_nothing_in_it(tmp_path: Path) -> None:
    root = tmp_path / "app"
    write(root, {"__init__.py": "", "logging.py": "x = 1\n", "main.py": "import logging\nimport app.logging\n"})
    assert ties(root, "imports", "uses_package") == {("main.py", "imports", "logging.py")}
    (edge,) = (one for one in graph(root).edges if one.relation == "imports")
    assert edge.lines == (2, 2), "the first is the one that Python brings"


def test_what_a_file_contains_makes_no_hub_of_it(tmp_path: Path) -> None:
    many = "".join(f"def f{at}():\n    g()\n" for at in range(60))
    text = f"from b import Thing\n\n{many}\n\ndef g():\n    pass\n\n\ndef make():\n    return Thing\n"
    write(tmp_path, {"a.py": text, "b.py": "class Thing:\n    def work(self):\n        pass\n"})
    found = graph(tmp_path)
    named = {node.name: id_ for id_, node in found.nodes.items()}
    steps = find_path(found, named["make"], named["Thing"]).steps or ()
    assert [step.edge.relation for step in steps] == ["contains", "imports", "contains"]
    assert found.passing(named["a.py"]) < found.degree(named["a.py"])


def test_names_handed_on_are_followed_and_circles_of_names_end(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "pkg/__init__.py": "from .deep import *\nfrom .round import a\n",
            "pkg/deep.py": "def far(): ...\n",
            "pkg/round.py": "from pkg import a\n",
            "use.py": "import pkg\nfrom pkg import far, a\n\ndef f():\n    far()\n    pkg.far()\n    a()\n",
        },
    )
    assert ties(tmp_path, "calls") == {("f", "calls", "far")}


def test_imports_for_types_and_inside_functions_close_no_circle(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.py": "import b\n",
            "b.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\n\ndef f():\n    import c\n",
            "c.py": "import b\nimport d\n",
            "d.py": "import c\n",
        },
    )
    assert shape_of(graph(tmp_path)).cycles == (("c.py", "d.py", "c.py"),)


def test_what_is_broken_or_huge_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "def whole(): ...\n\ndef (((:\n"})
    (tmp_path / "big.py").write_bytes(b"x = 1\n" * (LARGEST_BYTES // 5))
    (tmp_path / "bytes.py").write_bytes(b"def f():\n    return '\xff'\n")
    (tmp_path / "deep.py").write_text("x = " + "(" * 3000 + ")" * 3000)
    project = CodeProject("p-1", tmp_path, os.environ)
    project.refresh()
    assert {node.name for node in project.parts().nodes} >= {"whole", "f", "big.py"}
    assert any("larger than" in problem for problem in project.problems)


def test_no_other_file_is_read() -> None:
    assert read_source("a.md", b"def f(): ...") is None


# Which files


def test_what_git_ignores_is_ignored_with_and_without_git(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.py": "x = 1\n",
            "gen/b.py": "x = 1\n",
            "sub/keep.py": "x = 1\n",
            "sub/c.py": "x = 1\n",
            "node_modules/d.js": "x\n",
            ".gitignore": "gen/\nnode_modules/\n",
            "sub/.gitignore": "*.py\n!keep.py\n",
        },
    )
    wanted = ("a.py", "sub/keep.py")
    assert list_sources(tmp_path, {"PATH": str(tmp_path)}).paths == wanted
    if shutil.which("git") is None:
        pytest.skip("git is not there")
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, env=environ)
    assert list_sources(tmp_path, os.environ).paths == wanted


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "in", {"a.py": "x = 1\n"})
    write(tmp_path / "out", {"b.py": "secret = 1\n"})
    (tmp_path / "in" / "b.py").symlink_to(tmp_path / "out" / "b.py")
    (tmp_path / "in" / "folder").symlink_to(tmp_path / "out")
    assert list_sources(tmp_path / "in", os.environ).paths == ("a.py",)


# Kept up


def test_edits_renames_and_removals_leave_what_a_first_look_gives(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "from b import f\n\ndef g():\n    f()\n", "b.py": "def f(): ...\n", "c.py": "x = 1\n"})
    project = CodeProject("p-1", tmp_path, os.environ)
    project.refresh()
    (tmp_path / "b.py").rename(tmp_path / "d.py")
    write(tmp_path, {"a.py": "from d import f\n\ndef h():\n    f()\n", "e/f.py": "import d\n"})
    (tmp_path / "c.py").unlink()
    project.refresh()
    fresh = CodeProject("p-1", tmp_path, os.environ)
    fresh.refresh()
    assert project.parts() == fresh.parts()
    assert "b.py" not in str(project.parts())


def test_a_file_is_read_once_a_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.py": "x = 1\n", "b.py": "y = 1\n"})
    project = CodeProject("p-1", tmp_path, os.environ)
    project.refresh()
    version = project.version
    read: list[str] = []

    def noting(path: str, data: bytes) -> object:
        read.append(path)
        return read_source(path, data)

    monkeypatch.setattr("semantic.extract.code.project.read_source", noting)
    project.refresh()
    assert (read, project.version) == ([], version)
    write(tmp_path, {"b.py": "def y(): ...\n"})
    project.refresh()
    assert read == ["b.py"]
    assert project.version == version + 1


def test_a_folder_that_is_away_or_half_empty_loses_nothing_unasked(tmp_path: Path) -> None:
    root = tmp_path / "r"
    write(root, {f"f{n}.py": "x = 1\n" for n in range(20)})
    project = CodeProject("p-1", root, os.environ)
    project.refresh()
    root.rename(tmp_path / "away")
    project.refresh()
    assert len(project) == 20
    (tmp_path / "away").rename(root)
    for n in range(15):
        (root / f"f{n}.py").unlink()
    project.refresh()
    assert len(project) == 20
    assert any("15 of 20 files are missing" in problem for problem in project.problems)
    project.refresh(accept_loss=True)
    assert len(project) == 5


def test_tests_are_no_gods_and_make_none(tmp_path: Path) -> None:
    many = "".join(f"def test_{number}():\n    make()\n    work()\n\n" for number in range(9))
    calls = "".join(f"def use_{number}():\n    work()\n\n" for number in range(4))
    write(
        tmp_path,
        {
            "lib/tool.py": "def work(): ...\n\ndef make(): ...\n",
            "lib/app.py": f"from lib.tool import work\n\n{calls}",
            "tests/test_tool.py": f"from lib.tool import work, make\nfrom tests.helper import helper\n\n{many}",
            "tests/helper.py": "def helper(): ...\n",
        },
    )
    gods = [node.name for node, _ in shape_of(graph(tmp_path)).gods]
    assert gods[0] == "work"
    assert not {"helper", "test_1"} & set(gods)
    assert gods.index("make") > gods.index("use_1")


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("tests/helper.py", True),
        ("src/test_queue.py", True),
        ("pkg/queue_test.go", True),
        ("web/queue.spec.ts", True),
        ("src/main/QueueTest.java", True),
        ("src/__tests__/queue.js", True),
        ("src/contest.py", False),
        ("latest/queue.py", False),
        ("src/tester.py", False),
    ],
)
def test_what_a_test_is(path: str, is_one: bool) -> None:
    assert is_test_path(path) is is_one


def test_a_path_goes_by_calls_before_imports_and_by_those_before_folders(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.py": "from b import work\n\ndef main():\n    work()\n\ndef other(): ...\n",
            "b.py": "def work(): ...\n",
        },
    )
    found = graph(tmp_path)
    named = {node.name: id_ for id_, node in found.nodes.items()}

    def way(start: str, goal: str) -> list[str]:
        return [step.edge.relation for step in find_path(found, named[start], named[goal]).steps or ()]

    assert way("main", "work") == ["calls"]
    assert way("a.py", "b.py") == ["imports"]
    assert way("other", "work") == ["contains", "contains", "calls"]


def test_projects_are_kept_apart_and_let_go(tmp_path: Path) -> None:
    for name in "ab":
        write(tmp_path / name, {"same.py": "def work(): ...\n"})
    roots = {"p-a": tmp_path / "a", "p-b": tmp_path / "b"}
    projects = CodeProjects(lambda: dict(roots))
    one = projects.parts()
    assert {node.id for part in one for node in part.nodes} == {
        f"path:{project}:same.py{name}" for project in roots for name in ("", "#work")
    }
    projects.refresh()
    assert projects.parts() is one
    del roots["p-a"]
    projects.refresh()
    assert {node.project for part in projects.parts() for node in part.nodes} == {"p-b"}


def test_elements_touch_the_files_of_code(tmp_path: Path) -> None:
    write(tmp_path / "code", {"queue.py": '"""Where jobs wait."""\n\ndef put(): ...\n'})
    store = vault(tmp_path, note="x\n")
    store.graph.code = CodeProjects(lambda: {"p-1": tmp_path / "code"})
    put = {"op": "put_element", "kind": "component", "name": "Job queue", "touches": ["path:p-1:queue.py"]}
    store.decide(NewDecision("t", "w", (put,)))
    picture = store.graph.now()
    file = picture.graph.nodes["path:p-1:queue.py"]
    assert (file.plane, file.about) == ("code", "Where jobs wait.")
    assert picture.path(picture.find("Job queue"), picture.find("put")).steps is not None
    assert store.graph.now() is picture
    write(tmp_path / "code", {"queue.py": "def take(): ...\n"})
    store.graph.code.refresh()
    names = {node.name for node in store.graph.now().graph.nodes.values()}
    assert "take" in names
    assert "put" not in names


@pytest.mark.parametrize("touched", ["queue.py", "./queue.py", "path:shop:queue.py", "path:{id}:queue.py"])
def test_a_file_is_one_node_however_an_element_names_it(tmp_path: Path, touched: str) -> None:
    write(tmp_path / "code", {"queue.py": "def put(): ...\n"})
    store = vault(tmp_path, note="x\n")
    store.decide(NewDecision("0", "w", ({"op": "put_element", "kind": "x", "name": "y"},), project="shop"))
    (project,) = store.projects()
    store.graph.code = CodeProjects(lambda: {project.id: tmp_path / "code"})
    touches = [touched.format(id=project.id)]
    put = {"op": "put_element", "kind": "component", "name": "Job queue", "touches": touches}
    store.decide(NewDecision("1", "w", (put,), project="shop"))
    seen = store.graph.now().graph
    (edge,) = (one for one in seen.edges if one.relation == "touches")
    assert seen.nodes[edge.target].plane == "code"


def test_of_two_definitions_of_one_name_each_has_its_file_in_its_name(tmp_path: Path) -> None:
    write(
        tmp_path, {"a.py": "def work(): ...\n", "b.py": "def work(): ...\n\nclass Recall:\n    def answer(self): ...\n"}
    )
    write(tmp_path, {"c.py": "class RecallAnswer: ...\n"})
    names = NodeNames(graph(tmp_path))
    assert names.find("a.py#work").id == "path:p-1:a.py#work"
    with pytest.raises(AmbiguousName) as clash:
        names.find("work")
    assert [one.reason.split()[-1] for one in clash.value.candidates] == ["(a.py#work)", "(b.py#work)"]
    # What is written goes before what sounds like it.
    assert names.find("Recall.answer").id == "path:p-1:b.py#Recall.answer"
    assert names.find("RecallAnswer").id == "path:p-1:c.py#RecallAnswer"
