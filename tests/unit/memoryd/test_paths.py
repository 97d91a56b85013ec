"""Paths: where things lie, and that they are private whatever the umask."""

import errno
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from memoryd import paths as module
from memoryd.errors import PathUnusable
from memoryd.paths import SUN_PATH_BYTES, Paths, find_paths, make_private, make_runtime, write_private


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o000, 0o022, 0o777])
def _umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def test_home_puts_everything_below_it(tmp_path: Path) -> None:
    paths = find_paths({"MEMORYD_HOME": str(tmp_path / "h")})
    assert (paths.memory, paths.state, paths.config) == (
        tmp_path / "h/memory",
        tmp_path / "h/state",
        tmp_path / "h/config",
    )
    assert paths.socket == paths.state / "memoryd.sock"
    assert not (tmp_path / "h").exists()


def test_home_may_be_relative_or_start_with_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_paths({"MEMORYD_HOME": "h"}).memory == tmp_path / "h" / "memory"
    assert find_paths({"MEMORYD_HOME": "~/h"}).memory == Path.home() / "h" / "memory"


def test_without_home_the_platform_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    found = find_paths({})
    assert len({found.memory, found.state, found.config}) == 3
    assert found.memory == platformdirs.user_data_path("memoryd", appauthor=False)


def test_where_the_platform_has_one_folder_for_all_they_are_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    class OneFolder:
        user_data_path = user_state_path = user_config_path = Path("/Users/u/Library/Application Support/memoryd")

    monkeypatch.setattr(module, "PlatformDirs", lambda *_, **__: OneFolder())
    found = find_paths({})
    root = OneFolder.user_data_path
    assert (found.memory, found.state, found.config) == (root / "memory", root / "state", root / "config")


@pytest.mark.parametrize("extra", [0, 1])
def test_the_socket_goes_to_the_runtime_folder_when_its_path_is_too_long(tmp_path: Path, extra: int) -> None:
    room = SUN_PATH_BYTES - 1 - len(os.fsencode(tmp_path)) - len("//state/memoryd.sock")
    found = find_paths({"MEMORYD_HOME": str(tmp_path / ("x" * (room + extra)))})
    assert (found.socket.parent == found.state) == (extra == 0)
    assert len(os.fsencode(found.socket)) < SUN_PATH_BYTES


def test_the_length_is_counted_in_bytes(tmp_path: Path) -> None:
    found = find_paths({"MEMORYD_HOME": str(tmp_path / ("記" * 25))})
    assert found.socket.parent == found.runtime


def test_runtime_prefers_the_users_own_folder_and_differs_by_memory(tmp_path: Path) -> None:
    environ = {"XDG_RUNTIME_DIR": str(tmp_path)}
    one = find_paths({**environ, "MEMORYD_HOME": "/a"})
    two = find_paths({**environ, "MEMORYD_HOME": "/b"})
    assert one.runtime.parent == tmp_path
    assert one.runtime != two.runtime
    assert str(os.getuid()) in find_paths({"MEMORYD_HOME": "/a"}).runtime.name


@pytest.mark.usefixtures("_umask")
def test_folders_and_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    paths = Paths(tmp_path / "a/memory", tmp_path / "a/state", tmp_path / "a/config", tmp_path / "run")
    paths.make()
    write_private(paths.token_file, b"x")
    for folder in (
        tmp_path / "a",
        paths.memory,
        paths.memory / "vault",
        paths.state,
        paths.config,
        paths.log,
        paths.runtime,
    ):
        assert mode(folder) == 0o700
    assert mode(paths.token_file) == 0o600


def test_the_runtime_folder_goes_with_what_is_left_in_it(tmp_path: Path) -> None:
    paths = Paths(tmp_path / "memory", tmp_path / "state", tmp_path / "config", tmp_path / "run")
    paths.make()
    (paths.runtime / "engine").mkdir()
    (paths.runtime / "engine" / "left").touch()
    paths.clear_runtime()
    paths.clear_runtime()
    assert not paths.runtime.exists()


def test_an_open_folder_of_ours_is_closed_and_its_parent_left(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    folder = tmp_path / "memory"
    folder.mkdir()
    folder.chmod(0o755)
    make_private(folder)
    assert mode(folder) == 0o700
    assert mode(tmp_path) == 0o755


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "memory").write_text("")
    with pytest.raises(PathUnusable, match=r"memory is not a folder"):
        make_private(tmp_path / "memory")
    with pytest.raises(PathUnusable, match="cannot make the folder"):
        make_private(tmp_path / "memory" / "below")


def test_a_link_in_place_of_the_runtime_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "real")
    with pytest.raises(PathUnusable, match="is a link"):
        make_runtime(tmp_path / "run")


def test_a_runtime_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run").mkdir(0o700)
    monkeypatch.setattr(os, "getuid", lambda: 54321)
    with pytest.raises(PathUnusable, match="belongs to another user"):
        make_runtime(tmp_path / "run")


def test_write_private_replaces_whole_and_leaves_nothing_behind(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_text("old")
    file.chmod(0o644)
    write_private(file, b"new")
    assert (file.read_bytes(), mode(file)) == (b"new", 0o600)
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_write_private_that_fails_keeps_the_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(PathUnusable, match=r"cannot write .*f: no space left on device"):
        write_private(file, b"new")
    assert file.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_write_private_onto_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").mkdir()
    with pytest.raises(PathUnusable, match="cannot write"):
        write_private(tmp_path / "f", b"")


@pytest.mark.parametrize(("code", "way_out"), [(errno.EROFS, "make it writable"), (errno.ENOSPC, "make room")])
def test_a_folder_that_takes_no_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, way_out: str
) -> None:
    paths = find_paths({"MEMORYD_HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)})
    paths.make()
    paths.require_writable()
    before = set(tmp_path.rglob("*"))
    opened = os.open

    def refuse(path: Any, flags: int, *more: Any) -> int:
        if flags & os.O_CREAT and Path(path).parent == paths.state:
            raise OSError(code, os.strerror(code))
        return opened(path, flags, *more)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PathUnusable, match=rf"{re.escape(str(paths.state))}: .*{way_out}"):
        paths.require_writable()
    assert set(tmp_path.rglob("*")) == before


def test_a_path_that_is_too_long_is_named(tmp_path: Path) -> None:
    folder = tmp_path / ("a" * 300)
    with pytest.raises(PathUnusable, match="a" * 300):
        make_private(folder / "memory")
