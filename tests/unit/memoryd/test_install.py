"""The install id outlives the state and never belongs to two homes."""

import platform
import shutil
import socket
import stat
import subprocess
import uuid
from itertools import count
from pathlib import Path

import pytest

from memoryd.errors import PathUnusable
from memoryd.service import install as module
from memoryd.service.install import Install, identify_machine, settle_install


class Home:
    """A home folder whose ids are counted up, so that a newly minted one shows."""

    numbers = count(1)

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("memory", "state", "config"):
            (root / name).mkdir(parents=True, exist_ok=True)

    def settle(self, machine: str = "machine-1") -> Install:
        return settle_install(
            self.root / "config" / "install",
            home=self.root / "memory",
            machine=machine,
            entropy=lambda n: next(self.numbers).to_bytes(n),
        )


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def test_a_new_home_gets_an_id_of_twelve_hex(home: Home) -> None:
    found = home.settle()
    assert found.origin == "new"
    assert len(found.id) == 12
    assert set(found.id) <= set("0123456789abcdef")
    assert stat.S_IMODE((home.root / "config" / "install").stat().st_mode) == 0o600


def test_a_restart_keeps_it_and_so_does_the_loss_of_state(home: Home) -> None:
    first = home.settle()
    assert home.settle() == Install(first.id, "kept")
    shutil.rmtree(home.root / "state")
    assert home.settle() == Install(first.id, "kept")


def test_a_copy_gets_one_of_its_own_and_the_original_keeps_its(home: Home, tmp_path: Path) -> None:
    first = home.settle()
    shutil.copytree(home.root, tmp_path / "copy")
    copied = Home(tmp_path / "copy").settle()
    assert copied.origin == "copied"
    assert copied.id != first.id
    assert Home(tmp_path / "copy").settle() == Install(copied.id, "kept")
    assert home.settle() == Install(first.id, "kept")


def test_the_same_path_on_another_machine_is_another_home(home: Home) -> None:
    first = home.settle("machine-1")
    assert home.settle("machine-2").id != first.id


def test_a_link_to_the_home_is_the_home(home: Home, tmp_path: Path) -> None:
    first = home.settle()
    (tmp_path / "link").symlink_to(home.root)
    assert Home(tmp_path / "link").settle() == Install(first.id, "kept")


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe", b"[]", b'{"id": "x"}', b'{"id": "../../etc/pass", "binding": 1}'])
def test_a_damaged_file_is_said_and_replaced(home: Home, damage: bytes) -> None:
    home.settle()
    (home.root / "config" / "install").write_bytes(damage)
    found = home.settle()
    assert found.origin == "damaged"
    assert home.settle() == Install(found.id, "kept")


def test_a_file_that_cannot_be_read_is_an_error_and_mints_nothing(home: Home) -> None:
    (home.root / "config" / "install").mkdir()
    with pytest.raises(PathUnusable, match="cannot read"):
        home.settle()


def test_the_machine_is_the_same_each_time() -> None:
    assert identify_machine() == identify_machine() != ""


def test_a_mac_is_known_by_its_platform_uuid(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = '  | {\n  |   "IOPlatformUUID" = "0F1E2D3C-0000-1111-2222-333344445555"\n'
    done = subprocess.CompletedProcess([], 0, stdout=shown)
    monkeypatch.setattr(module, "_MACHINE_FILES", ())
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    assert identify_machine() == "0F1E2D3C-0000-1111-2222-333344445555"


def test_a_machine_without_an_id_is_known_by_its_name_and_card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    monkeypatch.setattr(module, "_MACHINE_FILES", (tmp_path / "none", tmp_path / "empty"))
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(socket, "gethostname", lambda: "host")
    monkeypatch.setattr(uuid, "getnode", lambda: 0x0242AC110002)
    assert identify_machine() == "host 0242ac110002"
    # A made-up card would be another at the next start.
    monkeypatch.setattr(uuid, "getnode", lambda: 0x0342AC110002)
    assert identify_machine() == "host"


def test_a_mac_that_does_not_tell_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(module, "_MACHINE_FILES", ())
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    monkeypatch.setattr(subprocess, "run", fail)
    monkeypatch.setattr(socket, "gethostname", lambda: "host")
    assert identify_machine().startswith("host")
