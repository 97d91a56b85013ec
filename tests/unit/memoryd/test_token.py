"""The token file: private, never empty, and re-read when it changes."""

import os
import stat
import threading
from pathlib import Path

import pytest

from memoryd.errors import TokenUnusable
from memoryd.service.token import TokenFile, ensure_token, read_token, rotate_token


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "token"


def test_it_is_made_private_and_long(file: Path) -> None:
    before = os.umask(0)
    try:
        assert ensure_token(file) == []
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(read_token(file)) >= 43
    assert [path.name for path in file.parent.iterdir()] == ["token"]


def test_a_second_start_keeps_it(file: Path) -> None:
    ensure_token(file)
    first = read_token(file)
    ensure_token(file)
    assert read_token(file) == first


def test_many_starts_at_once_agree(file: Path) -> None:
    threads = [threading.Thread(target=ensure_token, args=(file,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert TokenFile(file).accepts(read_token(file))
    assert [path.name for path in file.parent.iterdir()] == ["token"]


def test_an_open_file_is_closed_with_a_warning(file: Path) -> None:
    ensure_token(file)
    file.chmod(0o644)
    [warning] = ensure_token(file)
    assert "0644" in warning
    assert "token rotate" in warning
    assert read_token(file) not in warning
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_only_the_token_is_accepted(file: Path) -> None:
    ensure_token(file)
    token = read_token(file)
    held = TokenFile(file)
    assert held.accepts(token)
    for wrong in ("", token[:-1], token + "x", token.swapcase(), "ä" * 43, "\ud800"):
        assert not held.accepts(wrong)


def test_a_rotation_takes_effect_at_once(file: Path) -> None:
    ensure_token(file)
    old = read_token(file)
    held = TokenFile(file)
    assert held.accepts(old)
    rotate_token(file)
    assert not held.accepts(old)
    assert held.accepts(read_token(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"\n", b"short", b"\xff" * 50, b"x" * 20 + b" " + b"y" * 20])
def test_an_unusable_file_lets_nobody_in(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    file.chmod(0o600)
    held = TokenFile(file)
    for guess in ("", content.decode("latin-1"), content.decode("latin-1").strip()):
        assert not held.accepts(guess)
    with pytest.raises(TokenUnusable, match="token rotate"):
        ensure_token(file)


def test_a_file_that_is_removed_lets_nobody_in(file: Path) -> None:
    ensure_token(file)
    token = read_token(file)
    held = TokenFile(file)
    assert held.accepts(token)
    file.unlink()
    assert not held.accepts(token)
    with pytest.raises(TokenUnusable, match="there is no token"):
        read_token(file)


def test_a_folder_in_its_place_is_an_error(file: Path) -> None:
    file.mkdir()
    with pytest.raises(TokenUnusable, match="cannot read the token"):
        ensure_token(file)
    with pytest.raises(TokenUnusable, match="cannot write"):
        rotate_token(file)
