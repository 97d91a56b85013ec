"""Background processes of ours."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memoryd.errors import StartFailed
from memoryd.service.process import ask_to_stop, is_alive, start_detached, wait_until


def test_is_alive() -> None:
    process = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    assert is_alive(process.pid)
    ask_to_stop(process.pid)
    process.communicate()
    assert process.returncode == -15
    assert not is_alive(process.pid)
    ask_to_stop(process.pid)
    for absurd in (0, -1, 2**80):
        assert not is_alive(absurd)


def test_a_detached_start_is_in_its_own_session_and_its_output_private(tmp_path: Path) -> None:
    output = tmp_path / "start.log"
    output.write_text("old")
    output.chmod(0o644)
    process = start_detached(["--version"], output=output, environ=os.environ)
    assert process.wait(30) == 0
    assert output.read_text().startswith("memoryd ")
    assert stat.S_IMODE(output.stat().st_mode) == 0o600


def test_a_start_without_a_place_for_its_output_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StartFailed, match="cannot start the daemon"):
        start_detached([], output=tmp_path / "none" / "x", environ={})


def test_wait_until() -> None:
    left = [False, False, True]
    assert wait_until(lambda: left.pop(0), timeout_s=5)
    assert not wait_until(lambda: False, timeout_s=0)
