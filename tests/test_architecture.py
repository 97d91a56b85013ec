"""The folders are the architecture: direction of imports, size of modules, what clients may load."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("memoryd", "episodic", "semantic", "clients")
MAX_LINES = 400


def modules() -> list[Path]:
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def test_import_contracts_are_kept() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("module", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_module_holds_one_idea(module: Path) -> None:
    lines = len(module.read_text("utf-8").splitlines())
    assert lines <= MAX_LINES, f"{lines} lines: split it by idea"


def test_clients_load_the_standard_library_alone() -> None:
    code = (
        "import sys, pkgutil, importlib, clients\n"
        "for module in pkgutil.walk_packages(clients.__path__, 'clients.'):\n"
        "    importlib.import_module(module.name)\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "foreign = loaded - sys.stdlib_module_names - {'clients', '__main__'}\n"
        "print(sorted(name for name in foreign if not name.startswith('_')))\n"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "[]"


def test_no_module_is_called_by_what_it_is_not() -> None:
    vague = {"utils", "helpers", "common", "manager", "misc", "base"}
    named = {path.stem for path in modules() if path.parts[-2] != "schemas"}
    assert not named & vague


@pytest.mark.parametrize(
    "module", [path for path in modules() if path.name == "errors.py"], ids=lambda path: str(path.relative_to(ROOT))
)
def test_the_tree_of_errors_is_drawn_whole(module: Path) -> None:
    tree = ast.parse(module.read_text("utf-8"))
    drawn = set(re.findall(r"\w+", ast.get_docstring(tree) or ""))
    errors = {one.name for one in tree.body if isinstance(one, ast.ClassDef) and one.bases}
    assert errors
    assert errors <= drawn, sorted(errors - drawn)
