from __future__ import annotations

import unicodedata

import pytest

from semantic.vault.resolve import Names, Resolution, link_keys, name_key


def names(*paths: str, **aliases: list[str]) -> Names:
    held = Names()
    for path in paths:
        held.put(path, aliases.get(path.removesuffix(".md"), []))
    return held


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("", "x/Source.md"),
        ("A", "A.md"),
        ("A.md", "A.md"),
        ("a", "A.md"),
        ("dir/B", "dir/B.md"),
        ("/dir/B", "dir/B.md"),
        ("DIR/b.MD", "dir/B.md"),
        ("B", "dir/B.md"),
        ("./C", "x/C.md"),
        ("../A", "A.md"),
        ("../dir/b.md", "dir/B.md"),
        ("deep/B", "dir/deep/B.md"),
        ("pic.png", "img/pic.png"),
        ("v1.2", "v1.2.md"),
    ],
)
def test_rules_in_order(written: str, path: str) -> None:
    held = names("A.md", "dir/B.md", "x/C.md", "x/Source.md", "img/pic.png", "v1.2.md", "dir/deep/B.md")
    assert held.resolve("x/Source.md", written).path == path


@pytest.mark.parametrize("written", ["nothing", "pic", "../../A", "./A", "ir/B", "..", "/", "B.png"])
def test_what_nothing_is_called_waits(written: str) -> None:
    held = names("A.md", "dir/B.md", "img/pic.png", "x/Source.md")
    assert held.resolve("x/Source.md", written) == Resolution(None)


def test_ties_same_folder_then_fewest_segments_then_code_points() -> None:
    held = names("z/N.md", "a/b/N.md", "b/N.md", "src/S.md")
    assert held.resolve("src/S.md", "N") == Resolution("b/N.md", ("z/N.md", "a/b/N.md"))
    assert held.resolve("a/b/S.md", "N") == Resolution("a/b/N.md", ("b/N.md", "z/N.md"))


def test_an_exact_path_is_not_ambiguous() -> None:
    held = names("N.md", "x/N.md")
    assert held.resolve("x/S.md", "N") == Resolution("N.md")
    assert held.resolve("x/S.md", "n") == Resolution("x/N.md", ("N.md",))


def test_an_alias_comes_last_and_is_inferred() -> None:
    held = names("N.md", "Other.md", N=["The Alias", "Other"])
    assert held.resolve("S.md", "the  alias") == Resolution("N.md", inferred=True)
    assert held.resolve("S.md", "Other") == Resolution("Other.md")


def test_composed_and_decomposed_names_are_one() -> None:
    held = names("x/grössen.md")
    assert held.resolve("S.md", unicodedata.normalize("NFD", "Grössen")).path == "x/grössen.md"


def test_sharp_s_is_not_a_double_s() -> None:
    held = names("x/Maße.md", "x/Masse.md")
    assert held.resolve("S.md", "maße") == Resolution("x/Maße.md")
    assert held.resolve("S.md", "masse") == Resolution("x/Masse.md")


def test_changes_name_the_keys_that_links_wait_for() -> None:
    held = Names()
    assert held.put("dir/Note B.md") == {name_key("note b.md")}
    assert name_key("dir/Note B.md") in link_keys("[[x]]/Note B") or name_key("dir/Note B.md") in link_keys("Note B")
    assert held.put("dir/Note B.md", ["Bee"]) == {"alias:bee"}
    assert held.put("dir/Note B.md", ["Bee"]) == set()
    assert held.drop("dir/Note B.md") == {name_key("note b"), "alias:bee"}
    assert held.drop("dir/Note B.md") == set()
    assert held.resolve("S.md", "Bee") == Resolution(None)
