from __future__ import annotations

import re

import pytest

from memoryd.text.canonical import digest
from semantic.errors import AmbiguousName, InvalidDecision
from semantic.project.checkout import Checkout
from semantic.project.naming import (
    Project,
    Root,
    id_from_folder,
    id_from_name,
    id_from_origin,
    is_project_id,
    match_checkout,
    match_name,
    new_by_name,
    slug_of,
)

ME = "aaaaaaaaaaaa"
KNOWN = Project("widget-11111111", "widget", ("github.com/a/widget",), (Root(ME, "/w/widget/.git"),))


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("mem-palace", "mem-palace"),
        ("日记 app", "日记-app"),
        ("My  Project!", "my-project"),
        ("v1.2_final", "v1.2_final"),
        ("ÅÉ", "åé"),
        ("हिन्दी", "हिन्दी"),
        ("!!!", "project"),
        ("x" * 60, "x" * 48),
        ("a/../b", "a-..-b"),
    ],
)
def test_slugs_keep_the_letters_of_every_script(name: str, slug: str) -> None:
    assert slug_of(name) == slug


def test_ids_are_slug_and_eight_hex_of_what_they_are_minted_from() -> None:
    assert id_from_origin("Widget", "github.com/a/widget") == f"widget-{digest('github.com/a/widget', length=8)}"
    assert id_from_folder("w", Root(ME, "/w")) == f"w-{digest(ME, '/w', length=8)}"
    assert id_from_name("My Name") == f"my-name-{digest('name', 'my name', length=8)}"
    for one in (id_from_origin("日记 app", "o"), id_from_name("..")):
        assert is_project_id(one)


@pytest.mark.parametrize("text", ["../../etc-00000000", "a/b-00000000", "x", "widget", "-00000000", "a\x00b-00000000"])
def test_what_could_leave_the_folder_is_no_id(text: str) -> None:
    assert not is_project_id(text)


def test_a_known_origin_comes_first_and_adds_the_new_root() -> None:
    match = match_checkout({KNOWN.id: KNOWN}, Checkout("w", "github.com/a/widget", ("/else/.git",)), ME)
    assert (match.id, match.known) == (KNOWN.id, True)
    assert match.roots == (Root(ME, "/else/.git"),)
    assert match.is_news


def test_a_known_root_comes_second_and_adds_the_new_origin() -> None:
    match = match_checkout({KNOWN.id: KNOWN}, Checkout("w", "gitlab.com/a/w", ("/w/widget/.git",)), ME)
    assert (match.id, match.remotes, match.roots) == (KNOWN.id, ("gitlab.com/a/w",), ())


def test_the_same_path_on_another_install_is_not_the_same_root() -> None:
    match = match_checkout({KNOWN.id: KNOWN}, Checkout("w", None, ("/w/widget/.git",)), "bbbbbbbbbbbb")
    assert not match.known


def test_nothing_new_is_no_news() -> None:
    assert not match_checkout({KNOWN.id: KNOWN}, Checkout("w", "github.com/a/widget", ("/w/widget/.git",)), ME).is_news


def test_the_nearest_known_folder_above_is_the_project() -> None:
    outer = Project("outer-00000000", "outer", (), (Root(ME, "/code"),))
    inner = Project("inner-00000000", "inner", (), (Root(ME, "/code/inner"),))
    checkout = Checkout("x", None, ("/code/inner/x", "/code/inner", "/code"))
    match = match_checkout({one.id: one for one in (outer, inner)}, checkout, ME)
    assert (match.id, match.is_news) == (inner.id, False)


def test_a_stated_id_names_a_new_project_freely() -> None:
    match = match_checkout({}, Checkout("x", None, ("/x/.git",), "widget-11111111"), ME)
    assert (match.id, match.known) == ("widget-11111111", False)


def test_a_stated_id_opens_a_known_project_only_once_trusted() -> None:
    checkout = Checkout("x", None, ("/x/.git",), KNOWN.id)
    untrusted = match_checkout({KNOWN.id: KNOWN}, checkout, ME)
    assert untrusted.id == id_from_folder("x", Root(ME, "/x/.git"))
    trusted = match_checkout({KNOWN.id: KNOWN}, checkout, ME, trusted={KNOWN.id})
    assert (trusted.id, trusted.known) == (KNOWN.id, True)


def test_a_stated_id_that_could_leave_the_folder_is_ignored() -> None:
    match = match_checkout({}, Checkout("x", None, ("/x/.git",), "../../x-00000000"), ME)
    assert re.fullmatch("x-[0-9a-f]{8}", match.id)


def test_names_and_ids_find_a_project_and_two_of_one_name_are_a_question() -> None:
    twin = Project("widget-22222222", "Widget")
    projects = {KNOWN.id: KNOWN}
    by_name, by_id = match_name(projects, "WIDGET"), match_name(projects, KNOWN.id)
    assert by_name == by_id
    assert match_name(projects, "gadget") is None
    with pytest.raises(AmbiguousName) as caught:
        match_name(projects | {twin.id: twin}, "widget")
    assert [one.id for one in caught.value.candidates] == [KNOWN.id, twin.id]


def test_a_blank_name_mints_nothing() -> None:
    with pytest.raises(InvalidDecision):
        new_by_name("  ")
