"""What service managers are told, and that their own programs read it as it was meant."""

from __future__ import annotations

import os
import plistlib
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from clients import start as client
from clients.endpoint import Places, find_places
from memoryd.cli.frame import root
from memoryd.cli.service import describe_line
from memoryd.errors import PathUnusable, StartFailed
from memoryd.paths import Paths
from memoryd.service import units
from memoryd.service.supervisor import find_manager
from memoryd.service.units import render_agent, render_socket, render_unit, serve_command

ODD = 'My "home" 100%h $HOME \\n'
DEPLOY = Path(__file__).parents[3] / "deploy"


def paths_at(home: Path) -> Paths:
    return Paths(home / "memory", home / "state", home / "config", home / "run")


def unquote(text: str) -> str:
    """Read a quoted word as systemd does: escapes first, then specifiers."""
    inner = re.fullmatch(r'"((?:[^"\\]|\\.)*)"', text)
    assert inner is not None
    return re.sub(r"\\(.)", r"\1", inner[1]).replace("%%", "%")


@given(
    st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1)
    .filter(str.isprintable)
    .filter(lambda t: "=" not in t)
)
@settings(max_examples=60)
def test_whatever_a_path_holds_systemd_reads_it_back(name: str) -> None:
    place = f"/srv/{name}"
    text = render_unit(paths_at(Path("/srv/x")), [place, "-m", place], {"MEMORYD_HOME": place})
    *_, program, _, argument = re.findall(r'"(?:[^"\\]|\\.)*"', re.search(r"^ExecStart=(.*)$", text, re.MULTILINE)[1])  # type: ignore[index] # a line that is always there
    assert unquote(program).replace("$$", "$") == place.replace("$$", "$")
    assert unquote(argument).replace("$$", "$") == place
    assert unquote(re.search(r"^Environment=(.*)$", text, re.MULTILINE)[1]) == f"MEMORYD_HOME={place}"  # type: ignore[index] # as above


def test_a_line_end_in_a_path_is_refused() -> None:
    with pytest.raises(PathUnusable, match="plainer path"):
        render_unit(paths_at(Path("/srv/x")), ["/a\nExecStart=/bin/sh"], {})


@pytest.mark.parametrize("name", ["plain", ODD])
def test_systemd_has_nothing_to_say_of_the_units(tmp_path: Path, name: str) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    home = tmp_path / name
    program = home / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    folder = tmp_path / "units"
    folder.mkdir()
    (folder / units.UNIT).write_text(
        render_unit(paths_at(home), [str(program), "-P", "-m", "memoryd.cli"], {"MEMORYD_HOME": str(home)})
    )
    (folder / units.SOCKET).write_text(render_socket(paths_at(tmp_path / "short %")))
    done = subprocess.run(
        [analyze, "--user", "verify", str(folder / units.UNIT), str(folder / units.SOCKET)],
        env={"PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    # The exit code is 0 even for a key that nobody knows; only silence is good news.
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_only_the_daemon_is_told_to_stop_and_a_socket_is_not_offered_while_it_is_down() -> None:
    """The engine is a child: a stop that reaches it too takes it from the requests that are still answered."""
    paths = paths_at(Path("/srv/x"))
    assert "KillMode=mixed" in render_unit(paths, ["/p"], {}).splitlines()
    condition = "ConditionPathExists=!/srv/x/config/down"
    assert condition in render_unit(paths, ["/p"], {}).splitlines()
    # A socket whose service may not start fails at the first connection, for good.
    assert condition in render_socket(paths).splitlines()


def test_the_agent_survives_the_round_trip() -> None:
    command = ["/a b/python", "-m", "memoryd.cli"]
    agent = plistlib.loads(render_agent(paths_at(Path("/a b/50%")), command, {"MEMORYD_HOME": "/a b"}, Path("/home")))
    assert agent["ProgramArguments"][3:] == ["/a b/50%/config/down", *command]
    assert agent["EnvironmentVariables"]["MEMORYD_HOME"] == "/a b"
    assert agent["KeepAlive"] == {"SuccessfulExit": False}
    assert agent["Umask"] == 63


def test_the_agents_shell_starts_nothing_while_down(tmp_path: Path) -> None:
    home = tmp_path / "a $HOME 'b'"
    (home / "config").mkdir(parents=True)
    command = ["/bin/echo", "up $HOME"]
    words = plistlib.loads(render_agent(paths_at(home), command, {}, tmp_path))["ProgramArguments"]
    assert subprocess.run(words, capture_output=True, check=True).stdout == b"up $HOME\n"
    (home / "config" / "down").touch()
    assert subprocess.run(words, capture_output=True, check=True).stdout == b""


def test_the_client_knows_the_unit_of_its_memory_only(tmp_path: Path) -> None:
    assert (client.UNIT, client.LABEL, client.STATE_LINE) == (units.UNIT, units.LABEL, units.STATE_LINE)
    paths = paths_at(tmp_path / ODD)
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    places = Places(str(paths.state), str(paths.config))
    assert client.find_unit(places, environ, "linux") is None
    folder = tmp_path / "systemd" / "user"
    folder.mkdir(parents=True)
    (folder / units.UNIT).write_text(render_unit(paths, serve_command(), {}))
    assert client.find_unit(places, environ, "linux") == ["systemctl", "--user", "--no-block", "start", units.UNIT]
    assert client.find_unit(Places("/other/state", "/other/config"), environ, "linux") is None


def test_the_client_knows_the_agent_of_its_memory_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / "Library" / "LaunchAgents" / f"{units.LABEL}.plist"
    file.parent.mkdir(parents=True)
    home = tmp_path / "Mein Gedächtnis"
    places = Places(str(home / "state"), str(home / "config"))
    assert client.find_unit(places, {}, "darwin") is None
    file.write_bytes(render_agent(paths_at(home), serve_command(), {"MEMORYD_HOME": str(home)}, tmp_path))
    assert client.find_unit(places, {}, "darwin") == ["launchctl", "kickstart", f"gui/{os.getuid()}/{units.LABEL}"]
    assert client.find_unit(Places("/other/state", "/other/config"), {}, "darwin") is None
    file.write_bytes(render_agent(paths_at(home), serve_command(), {}, tmp_path))
    assert client.find_unit(find_places({}, "darwin"), {}, "darwin") is not None
    for damaged in (b"", b"<plist>", b"\xff\xfe", plistlib.dumps(["a list"]), plistlib.dumps({"Label": 1})):
        file.write_bytes(damaged)
        assert client.find_unit(places, {}, "darwin") is None


@pytest.fixture
def launchctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of a Mac with spaces and umlauts, and a launchctl that writes down what it is asked; returns the file."""
    home = tmp_path / "Jörg Müller"
    home.mkdir()
    said = tmp_path / "said"
    program = tmp_path / "bin" / "launchctl"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >> {said}\n[ ! -e {tmp_path}/broken ]\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("MEMORYD_HOME", str(home / "Mein Gedächtnis"))
    monkeypatch.setattr("memoryd.cli.service.find_manager", partial(find_manager, platform="darwin"))
    monkeypatch.setattr("memoryd.cli.service.find_unit", partial(client.find_unit, platform="darwin"))
    return said


def test_an_agent_is_installed_in_a_home_with_spaces_and_umlauts(launchctl: Path, tmp_path: Path) -> None:
    code, told = run("install")
    assert code == 0, told
    home = tmp_path / "Jörg Müller"
    file = home / "Library" / "LaunchAgents" / f"{units.LABEL}.plist"
    assert (file.stat().st_mode & 0o777, file.stem) == (0o600, units.LABEL)
    agent = plistlib.loads(file.read_bytes())
    assert agent["Label"] == units.LABEL
    # launchd knows neither ~ nor variables, and makes no folder for a log.
    assert all(Path(agent[key]).is_absolute() for key in ("StandardOutPath", "StandardErrorPath", "WorkingDirectory"))
    assert Path(agent["StandardOutPath"]).parent == home / "Library" / "Logs" / "memoryd"
    assert Path(agent["StandardOutPath"]).parent.is_dir()
    assert agent["EnvironmentVariables"]["MEMORYD_HOME"] == str(home / "Mein Gedächtnis")
    assert (agent["RunAtLoad"], agent["ThrottleInterval"], agent["ProcessType"]) == (True, 10, "Background")
    domain = f"gui/{os.getuid()}"
    assert run("install", "--socket")[0] == 1, "launchd has no such socket"
    assert run("install")[0] == 0
    assert run("uninstall")[0] == 0
    assert not file.exists()
    assert launchctl.read_text().splitlines() == [
        f"bootstrap {domain} {file}",
        f"bootout {domain}/{units.LABEL}", f"print {domain}/{units.LABEL}", f"bootstrap {domain} {file}",
        f"bootout {domain}/{units.LABEL}",
    ]  # fmt: skip


def test_an_agent_that_is_refused_leaves_nothing(launchctl: Path, tmp_path: Path) -> None:
    (tmp_path / "broken").touch()
    code, told = run("install")
    assert code == 1
    assert "nothing was installed" in told
    assert launchctl.exists()
    assert not list((tmp_path / "Jörg Müller" / "Library" / "LaunchAgents").iterdir())


@pytest.fixture
def systemctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A systemctl that writes down what it is asked; returns the file."""
    said = tmp_path / "said"
    program = tmp_path / "bin" / "systemctl"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\necho "$@" >> {said}\ncat {tmp_path}/state 2>/dev/null || echo ActiveState=active\n'
        f"[ ! -e {tmp_path}/broken ]\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("MEMORYD_HOME", str(tmp_path / "home"))
    return said


def run(*words: str) -> tuple[int, str]:
    outcome = CliRunner().invoke(root, ["service", *words])
    return outcome.exit_code, outcome.output


def test_install_writes_enables_and_starts_and_uninstall_undoes_it(systemctl: Path, tmp_path: Path) -> None:
    assert run("status")[0] == 4
    code, said = run("install", "--socket")
    assert code == 0, said
    folder = tmp_path / "config" / "systemd" / "user"
    assert f'"MEMORYD_HOME={tmp_path}/home"' in (folder / units.UNIT).read_text()
    assert run("status") == (0, f"{units.SOCKET}: active (unknown)\n{units.UNIT}: active (unknown)\n")
    assert run("uninstall")[0] == 0
    assert not list(folder.iterdir())
    assert run("uninstall")[1] == "there was no service\n"
    asked = [line.removeprefix("--user ") for line in systemctl.read_text().splitlines()]
    assert [line for line in asked if not line.startswith("show")] == [
        "daemon-reload",
        # Only the socket begins with the login: a service that was enabled too would start there as well.
        f"disable {units.UNIT}", f"stop {units.UNIT}", f"enable {units.SOCKET}", f"restart {units.SOCKET}",
        f"disable --now {units.SOCKET} {units.UNIT}", "daemon-reload",
    ]  # fmt: skip


def test_an_install_without_a_socket_takes_the_socket_of_an_earlier_one_away(systemctl: Path, tmp_path: Path) -> None:
    assert run("install", "--socket")[0] == 0
    systemctl.unlink()
    assert run("install")[0] == 0
    assert [path.name for path in (tmp_path / "config" / "systemd" / "user").iterdir()] == [units.UNIT]
    assert systemctl.read_text().splitlines() == [
        f"--user disable --now {units.SOCKET}", "--user daemon-reload",
        f"--user enable {units.UNIT}", f"--user restart {units.UNIT}",
    ]  # fmt: skip


def test_status_names_a_service_that_is_started_no_more_and_a_wish(systemctl: Path, tmp_path: Path) -> None:
    assert run("install")[0] == 0
    (tmp_path / "state").write_text(
        "MainPID=0\nStatusText=serving\nNRestarts=5\nResult=watchdog\nActiveState=failed\nSubState=failed\n"
    )
    (tmp_path / "home" / "config" / "down").touch()
    code, said = run("status")
    assert code == 0
    lines = said.splitlines()
    # What the process said last of itself is no news of it.
    assert lines[0] == f"{units.UNIT}: failed (failed), ended by watchdog, restarted 5 times"
    assert lines[1].startswith("it is started no more: ended by watchdog; `journalctl --user -u memoryd.service")
    assert lines[2:] == ["the daemon is down on purpose; `memoryd up` starts it"]
    unit = tmp_path / "config" / "systemd" / "user" / units.UNIT
    unit.write_text(unit.read_text().replace("KillMode=mixed\n", ""))
    assert "`memoryd service install` renews it" in run("status")[1].splitlines()[3]


def test_up_says_at_once_that_the_service_gave_up(
    systemctl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryd.cli.up._LOOK_S", 0.01)
    assert run("install")[0] == 0
    (tmp_path / "state").write_text("Result=exit-code\nActiveState=failed\nSubState=failed\n")
    outcome = CliRunner().invoke(root, ["up", "--timeout", "600"])
    assert outcome.exit_code == 1
    assert "the service did not start the daemon: it ended by exit-code; `journalctl --user" in outcome.output


def test_the_service_of_another_memory_is_not_written_over(
    systemctl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("install")[0] == 0
    unit = tmp_path / "config" / "systemd" / "user" / units.UNIT
    before = unit.read_text()
    monkeypatch.setenv("MEMORYD_HOME", str(tmp_path / "other"))
    code, said = run("install")
    assert code == 1
    assert "serves another memory" in said
    assert unit.read_text() == before
    assert f"not of {tmp_path / 'other' / 'memory'}" in run("status")[1]


def test_an_install_that_fails_over_another_leaves_that_one(systemctl: Path, tmp_path: Path) -> None:
    assert run("install")[0] == 0
    unit = tmp_path / "config" / "systemd" / "user" / units.UNIT
    unit.write_text(before := unit.read_text().replace("KillMode=mixed\n", ""))
    systemctl.unlink()
    (tmp_path / "broken").touch()
    assert run("install")[0] == 1
    assert unit.read_text() == before
    # The first is the one that failed; by the second the manager knows the file that is there.
    assert systemctl.read_text().splitlines() == ["--user daemon-reload"] * 2


def test_what_the_manager_refuses_is_told_in_its_words(systemctl: Path, tmp_path: Path) -> None:
    (tmp_path / "broken").touch()
    code, said = run("install")
    assert code == 1
    assert "`systemctl --user daemon-reload` failed with code 1: ActiveState=active" in said
    assert systemctl.exists()
    assert not list((tmp_path / "config" / "systemd" / "user").iterdir()), "nothing stays of what failed"
    assert run("status")[0] == 4


def test_an_install_that_fails_leaves_what_was_installed_before_and_the_wish_to_be_down(
    systemctl: Path, tmp_path: Path
) -> None:
    assert run("install")[0] == 0
    unit = tmp_path / "config" / "systemd" / "user" / units.UNIT
    unit.write_text("as it was")
    marker = tmp_path / "home" / "config" / "down"
    marker.touch()
    (tmp_path / "broken").touch()
    assert run("install", "--socket")[0] == 1
    assert unit.read_text() == "as it was"
    assert [path.name for path in unit.parent.iterdir()] == [units.UNIT]
    assert marker.exists()


def test_uninstall_takes_the_file_away_where_the_manager_is_not_reached(systemctl: Path, tmp_path: Path) -> None:
    assert run("install")[0] == 0
    folder = tmp_path / "config" / "systemd" / "user"
    wants = folder / "default.target.wants"
    wants.mkdir()
    (wants / units.UNIT).symlink_to(folder / units.UNIT)
    (tmp_path / "broken").touch()
    code, said = run("status")
    assert code == 1
    assert "the service manager does not answer" in said
    code, said = run("uninstall")
    assert code == 0
    assert f"removed {folder / units.UNIT}" in said
    assert "was not reached" in said
    assert not list(folder.rglob("*.service"))
    assert not list(wants.iterdir())


def test_uninstall_needs_no_manager(systemctl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("install")[0] == 0
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    code, said = run("uninstall")
    assert code == 0, said
    assert "did not run" in said
    assert not (tmp_path / "config" / "systemd" / "user" / units.UNIT).exists()


def test_lines_of_the_log_are_readable() -> None:
    line = '{"method": "GET", "status": 200, "event": "request", "level": "info", "timestamp": "2026-11-30T15:52:51Z"}'
    said = describe_line(line)
    assert said.startswith("2026-11-30 ")
    assert said.endswith(" info request method=GET status=200")
    assert describe_line("no JSON") == "no JSON"


def test_without_a_manager_the_other_way_is_named() -> None:
    with pytest.raises(StartFailed, match="`memoryd up` starts the daemon without one"):
        find_manager({"PATH": "/nonexistent"})


def test_the_units_in_deploy_are_the_ones_that_install_writes() -> None:
    home = Path("/home/me")
    paths = Paths(
        home / ".local/share/memoryd", home / ".local/state/memoryd", home / ".config/memoryd", Path("/run/user/1000/m")
    )
    command = [str(home / ".local/share/uv/tools/memoryd/bin/python"), *serve_command()[1:]]
    assert (DEPLOY / "systemd" / units.UNIT).read_text() == render_unit(paths, command, {})
    assert (DEPLOY / "systemd" / units.SOCKET).read_text() == render_socket(paths)
    mac = Path("/Users/me")
    base = mac / "Library/Application Support/memoryd"
    command = [str(mac / ".local/share/uv/tools/memoryd/bin/python"), *serve_command()[1:]]
    agent = render_agent(Paths(base / "memory", base / "state", base / "config", Path("/tmp/m")), command, {}, mac)
    assert (DEPLOY / "launchd" / f"{units.LABEL}.plist").read_bytes() == agent
