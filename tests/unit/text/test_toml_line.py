"""The line of a setting: of its key, else of its section."""

from __future__ import annotations

from memoryd.text.toml_line import find_line


def test_the_deepest_match_is_taken() -> None:
    text = '# x\n[service]\nport = 1\n[projects."a.b"]\n"tags" = []\nvault.paths.x = 1\n'
    assert find_line(text, ["service", "port"]) == 3
    assert find_line(text, ["service", "host"]) == 2
    assert find_line(text, ["projects", "a.b", "tags"]) == 5
    assert find_line(text, ["engine"]) is None


def test_a_quoted_name_is_one_name_whatever_stands_in_it() -> None:
    text = "[vault.paths]\n\"my notes.old\" = '/n'\n'x' = '/x'\n"
    assert find_line(text, ["vault", "paths", "my notes.old"]) == 2
    assert find_line(text, ["vault", "paths", "x"]) == 3
    assert find_line(text, ["vault", "paths", "y"]) == 1
