"""The files of the page: text becomes no markup, nothing comes from elsewhere, every import is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import memoryd
from memoryd.api.page import ENTRY, KINDS, POLICY, read_files

FOLDER = Path(memoryd.__file__).parent / "ui"
SCRIPTS = sorted(FOLDER.glob("*.js"))
MOST_LINES = 400
MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|srcdoc"
    r"|\beval\(|new Function|setTimeout\(\s*[\"'`]|javascript:|localStorage|document\.cookie"
)
ELSEWHERE = re.compile(r"(?:https?:)?//[\w.-]+\.\w")
SVG_NAMESPACE = "http://www.w3.org/2000/svg"


def test_every_file_is_of_a_kind_that_is_served() -> None:
    files = {one.name for one in FOLDER.iterdir()}
    assert files == set(read_files())
    assert ENTRY in files
    assert {name.rpartition(".")[2] for name in files} <= set(KINDS)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_script_makes_markup_of_text(script: Path) -> None:
    text = script.read_text("utf-8")
    assert MARKUP.search(text) is None
    assert len(text.splitlines()) <= MOST_LINES
    for name in re.findall(r'from "\./([\w.]+)"', text):
        assert (FOLDER / name).is_file(), name


@pytest.mark.parametrize("file", sorted(FOLDER.iterdir()), ids=lambda path: path.name)
def test_nothing_is_loaded_from_elsewhere(file: Path) -> None:
    assert ELSEWHERE.search(file.read_text("utf-8").replace(SVG_NAMESPACE, "")) is None


def test_the_page_needs_nothing_that_its_policy_refuses() -> None:
    page = (FOLDER / ENTRY).read_text("utf-8")
    assert re.search(r"<script(?![^>]*\bsrc=)|\bstyle=|<style|\bon\w+=", page) is None
    assert "'unsafe" not in POLICY
    assert POLICY.startswith("default-src 'none'")
