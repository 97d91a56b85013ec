"""The wheel holds exactly the four packages, with their data, and nothing of the tests."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    run = subprocess.run(
        [sys.executable, "-c", build, str(folder)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return zipfile.ZipFile(folder / run.stdout.splitlines()[-1])


def test_top_level_is_the_four_packages(wheel: zipfile.ZipFile) -> None:
    top = {name.partition("/")[0] for name in wheel.namelist()}
    assert {name for name in top if not name.endswith(".dist-info")} == {"memoryd", "episodic", "semantic", "clients"}
    assert sum(name.endswith(".dist-info") for name in top) == 1


def test_the_samples_of_the_demo_are_inside(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    assert any(name.startswith("memoryd/cli/samples/journal/") for name in names)
    assert any(name.startswith("memoryd/cli/samples/vault/") for name in names)


def test_the_page_is_inside(wheel: zipfile.ZipFile) -> None:
    inside = {name.removeprefix("memoryd/ui/") for name in wheel.namelist() if name.startswith("memoryd/ui/")}
    files = {one.name for one in (ROOT / "memoryd" / "ui").iterdir()}
    assert {"index.html", "page.css", "app.js"} <= inside == files


def test_the_commands_are_declared(wheel: zipfile.ZipFile) -> None:
    entry = next(name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert "memoryd = memoryd.cli:main" in wheel.read(entry).decode()
