"""What the container file promises: no root, no open port, only what the package is made of, a check that asks."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from clients.endpoint import DaemonUnreachable

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def lines() -> list[tuple[str, str]]:
    """(instruction, rest) of each line, those that go on joined."""
    text = (ROOT / "deploy" / "container" / "Containerfile").read_text().replace("\\\n", " ")
    found = [line.split(None, 1) for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(name, rest.strip()) for name, rest in found]


def test_the_daemon_runs_as_a_user_whose_volume_is_its_memory(lines: list[tuple[str, str]]) -> None:
    of = dict(lines)
    names = [name for name, _ in lines]
    assert of["USER"] not in {"root", "0"}
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert not {"EXPOSE", "ADD"} & set(names)
    home = of["ENV"].removeprefix("MEMORYD_HOME=")
    assert of["VOLUME"] == home
    # A volume takes its owner from the folder that it covers; one that the build made as root would be root's.
    assert ("RUN", f"mkdir -m 700 {Path(home).name}") in lines[names.index("USER") : names.index("VOLUME")]
    assert (json.loads(of["ENTRYPOINT"]), json.loads(of["CMD"])) == (["memoryd"], ["serve"])


def test_only_what_the_package_is_made_of_gets_in(lines: list[tuple[str, str]]) -> None:
    copied = {word for name, rest in lines if name == "COPY" for word in rest.split()[:-1]}
    assert all((ROOT / one).exists() for one in copied)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    told = {project["project"]["readme"], *project["project"]["license-files"], "pyproject.toml", "constraints.txt"}
    assert copied == {*packages, *told}


def test_the_health_check_asks_the_daemon(
    lines: list[tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = re.search(r"CMD (\[.*\])", dict(lines)["HEALTHCHECK"])
    assert check is not None
    program, option, code = json.loads(check[1])
    assert (program, option) == ("python", "-c")
    assert "/healthz" in code
    monkeypatch.setenv("MEMORYD_HOME", str(tmp_path))
    with pytest.raises(DaemonUnreachable):
        exec(compile(code, "check", "exec"), {})
