"""Writing one option into the user's settings: one line changes, every other byte stays."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path

import pytest

from memoryd.errors import SettingsUnusable
from memoryd.service.choice import write_choice


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[embedding]\nmodel = "new"\n'),
        ("# mine\n", '# mine\n\n[embedding]\nmodel = "new"\n'),
        ("[service]\nport = 1", '[service]\nport = 1\n\n[embedding]\nmodel = "new"\n'),
        ("[embedding]", '[embedding]\nmodel = "new"\n'),
        (
            "[embedding]  # which\nthreads = 3\n[service]\nport = 1\n",
            '[embedding]  # which\nmodel = "new"\nthreads = 3\n[service]\nport = 1\n',
        ),
        ('[embedding]\nmodel = "old" # why\n', '[embedding]\nmodel = "new" # why\n'),
        ("[embedding]\n  model='old'\nthreads = 2\n", '[embedding]\n  model="new"\nthreads = 2\n'),
        ('embedding.model = "old"\n[service]\n', 'embedding.model = "new"\n[service]\n'),
        ('[ "embedding" ]\n"model" = "old"\n', '[ "embedding" ]\n"model" = "new"\n'),
        ('embedding = { model = "old", threads = 1 }\n', 'embedding = { model = "new", threads = 1 }\n'),
        ("[service]\r\nport = 1\r\n", '[service]\r\nport = 1\r\n\r\n[embedding]\r\nmodel = "new"\r\n'),
        ('\ufeff[embedding]\nmodel = "a\\"b"\n', '\ufeff[embedding]\nmodel = "new"\n'),
    ],
)
def test_one_line_changes(file: Path, before: str, after: str) -> None:
    file.write_bytes(before.encode())

    assert write_choice(file, "embedding", "model", "new")
    assert file.read_bytes().decode() == after
    assert not write_choice(file, "embedding", "model", "new")
    assert file.read_bytes().decode() == after


def test_a_missing_file_is_made_private(file: Path) -> None:
    assert write_choice(file, "embedding", "model", "bge-m3")
    assert tomllib.loads(file.read_text("utf-8")) == {"embedding": {"model": "bge-m3"}}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_behind_a_link_is_changed_where_it_lies(file: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("[service]\nport = 1\n")
    file.symlink_to(real)

    write_choice(file, "embedding", "model", "new")

    assert file.is_symlink()
    assert tomllib.loads(real.read_text())["embedding"] == {"model": "new"}


@pytest.mark.parametrize(
    "text",
    [
        "[embedding\n",
        "embedding = 1\n",
        "embedding.threads = 2\n",
        "[embedding]\nmodel = '''\nold'''\n",
        'embedding = { folder = "/x", model = "old" }\n',
        "embedding = { threads = 1 }\n",
    ],
)
def test_what_one_line_cannot_do_is_refused_and_left_alone(file: Path, text: str) -> None:
    file.write_text(text)

    with pytest.raises(SettingsUnusable, match=r'\[embedding\] model = "new"'):
        write_choice(file, "embedding", "model", "new")
    assert file.read_text() == text


def test_bytes_that_are_no_text_are_refused(file: Path) -> None:
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsUnusable, match="by hand"):
        write_choice(file, "embedding", "model", "new")


def test_the_value_is_quoted(file: Path) -> None:
    write_choice(file, "embedding", "model", 'a"b\\c')
    assert tomllib.loads(file.read_text("utf-8"))["embedding"]["model"] == 'a"b\\c'
