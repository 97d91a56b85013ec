"""The documents are true: links lead somewhere, commands exist, every dependency has its reason."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path

import click
import pytest

from memoryd.cli.frame import COMMANDS, root

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_LINK = re.compile(r"\[[^\]]+\]\(([^)#]+)(?:#[^)]*)?\)")
_CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"(?:^|`)memoryd ([a-z]+)(?: ([a-z-]+))?", re.MULTILINE)
_TEST = re.compile(r"`(tests/[\w/.]+\.py)(?:::(\w+))?`")
_PACKAGES = ("memoryd", "episodic", "semantic", "clients")


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("document", DOCUMENTS, ids=shown)
def test_links_lead_somewhere(document: Path) -> None:
    for target in _LINK.findall(document.read_text("utf-8")):
        if "://" not in target:
            assert (document.parent / target).exists(), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=shown)
def test_commands_exist(document: Path) -> None:
    context = click.Context(root)
    code = "\n".join(_CODE.findall(document.read_text("utf-8")))
    for name, following in _COMMAND.findall(code):
        assert name in COMMANDS, f"memoryd {name}"
        command = root.get_command(context, name)
        if isinstance(command, click.Group) and following:
            assert command.get_command(context, following) is not None, f"memoryd {name} {following}"


def test_every_command_has_a_module_and_help() -> None:
    context = click.Context(root)
    for name in root.list_commands(context):
        command = root.get_command(context, name)
        assert command is not None
        assert command.help, name
    assert set(root.list_commands(context)) == set(COMMANDS)


def test_the_readme_leads_to_every_page() -> None:
    linked = set(_LINK.findall((ROOT / "README.md").read_text("utf-8")))
    assert {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")} <= linked


def test_make_targets_of_the_readme_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = set(re.findall(r"^make ([a-z]+)", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE))
    assert {"demo", "test"} <= named <= targets


def test_every_dependency_has_its_reason_and_its_bound() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    reasons = (ROOT / "docs" / "dependencies.md").read_text("utf-8").lower()
    for line in project["dependencies"]:
        name = re.match(r"[A-Za-z0-9.-]+", line)
        assert name is not None
        assert name.group().lower() in reasons, line
        assert "<" in line or "==" in line or name.group() == "regex", f"{line} has no upper bound"


def test_promises_name_tests_that_exist() -> None:
    named = _TEST.findall((ROOT / "ARCHITECTURE.md").read_text("utf-8"))
    assert named
    for file, test in named:
        assert re.search(rf"^(?:async def|def|class|) ?{test}\b", (ROOT / file).read_text("utf-8"), re.MULTILINE), (
            f"{file}::{test}"
        )


def test_the_map_has_every_folder() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    for package in _PACKAGES:
        for made in (ROOT / package).rglob("__init__.py"):
            folder = f"{made.parent.relative_to(ROOT)}/"
            assert f"`{folder}`" in text, folder


def test_the_page_of_imports_has_every_program_and_every_outcome() -> None:
    words = import_module("memoryd.cli.import")
    text = (ROOT / "docs" / "import.md").read_text("utf-8")
    assert set(re.findall(r"^\| `([a-z-]+)` \|", text, re.MULTILINE)) == set(words.SOURCES)
    said = set(re.findall(r"^\| ([a-z][a-z ]+) \|", text, re.MULTILINE))
    told = {words.WORDS[name] for name in words.WORDS if name not in {"copy", "empty", "proposed"}}
    assert told <= said


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs" / "adr"
    index = (folder / "README.md").read_text("utf-8")
    for record in folder.glob("0*.md"):
        assert record.name in index
