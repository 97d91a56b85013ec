"""``memoryd settings``: what is listed is what the documentation lists, and a secret stays one."""

import json
import re
from pathlib import Path

import pytest

from memoryd.cli.settings import command
from tests.unit.memoryd.test_cli import run

PAGE = Path(__file__).parents[3] / "docs" / "settings.md"


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("MEMORYD_HOME", str(tmp_path))
    (tmp_path / "config").mkdir()
    return tmp_path / "config" / "config.toml"


def test_every_option_of_the_page_is_shown_with_its_meaning(config: Path) -> None:
    said = run("settings").stdout
    assert said.splitlines()[0] == f"{config} (is not there; the defaults hold)"
    listed = re.findall(r"^\| `([a-z_]+\.[a-z_]+)` \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(listed) > 20
    assert [name for name in listed if f"\n{name} = " not in said] == []
    assert "\n    None\n" not in said, "an option has no meaning"
    assert command.help


def test_what_the_file_sets_holds_and_a_secret_is_not_shown(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.write_text('[service]\nport = 7077\n\n[vault.paths]\nwork = "/notes"\n')
    monkeypatch.setenv("MEMORYD_ENGINE__TOKEN", "very secret")
    shown = {one["option"]: one["value"] for one in json.loads(run("settings", "--json").stdout)["items"]}
    assert (shown["service.port"], shown["vault.paths"]) == (7077, {"work": "/notes"})
    assert shown["engine.token"] == "…"
    assert "very secret" not in run("settings").stdout


def test_a_broken_file_does_not_hide_what_may_stand_in_it(config: Path) -> None:
    config.write_text("[embeding]\nmodel = 1\n")
    said = run("settings")
    assert said.exit_code == 1
    assert said.stdout.splitlines()[0] == f"{config} (cannot be used; these are the defaults)"
    assert "\nembedding.model = " in said.stdout
    assert "did you mean [embedding]?" in said.stderr
    listed = run("settings", "--json")
    assert (listed.exit_code, len(json.loads(listed.stdout)["items"]) > 20) == (1, True)
