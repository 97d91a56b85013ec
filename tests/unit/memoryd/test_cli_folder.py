"""Which folder a command speaks for."""

from pathlib import Path

import pytest

from memoryd.cli import folder
from memoryd.cli.folder import working_folder


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that holds a home and a folder for temporary files."""
    for name in ("home/work", "scratch/below"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(folder, "gettempdir", lambda: str(tmp_path / "scratch"))
    return tmp_path


@pytest.mark.parametrize("name", ["home", "scratch", "scratch/below", "/"])
def test_folders_that_are_nobodys_project(places: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(places / name)
    assert working_folder() is None


def test_other_folders_are_sent(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(places / "home" / "work")
    assert working_folder() == str(places / "home" / "work")


def test_a_repository_is_a_project_wherever_it_lies(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (places / "scratch" / ".git").mkdir()
    monkeypatch.chdir(places / "scratch" / "below")
    assert working_folder() == str(places / "scratch" / "below")


def test_a_folder_that_is_gone_is_not_sent(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(places / "home" / "work")
    (places / "home" / "work").rmdir()
    assert working_folder() is None
