"""The active set as a page for people."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from memoryd.cli.active import GENERATED_SUFFIX, MARK, page_lines, write_page
from memoryd.cli.frame import Failure
from semantic.vault.ignore import GENERATED_SUFFIX as IGNORED
from semantic.vault.ignore import Ignore


def element(id_: str, name: str, **more: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "kind": "tool",
        "gist": "",
        "aliases": [],
        "links": [],
        "touches": [],
        "notes": [],
        "project": None,
    }
    return {"id": id_, "name": name, **plain, **more}


def test_the_page_shows_scope_by_scope_what_is_known() -> None:
    milvus = element(
        "el_1", "Milvus", gist="the vector engine\n# no heading", aliases=["MV"], touches=["src/a.py"], notes=["fast"],
        links=[{"from": "el_1", "rel": "used_by", "to": "el_2"}, {"from": "el_2", "rel": "likes", "to": "el_1"}],
    )  # fmt: skip
    lines = list(page_lines([element("el_2", "app", project="app-12345678"), milvus]))
    assert lines[0] == MARK
    assert [line for line in lines if line.startswith("#")] == [
        "# Active set", "## Yours", "### Milvus", "## app-12345678", "### app",
    ]  # fmt: skip
    assert "\\# no heading" in lines  # what was stored starts no heading
    assert [line for line in lines if line.startswith("- ")] == [
        "- also called MV", "- used_by app", "- touches `src/a.py`", "- fast",
    ]  # fmt: skip


def test_a_page_is_read_only_written_anew_and_never_over_a_note(tmp_path: Path) -> None:
    place = tmp_path / "vault" / f"active{GENERATED_SUFFIX}"
    write_page(place, f"{MARK}\none\n")
    write_page(place, f"{MARK}\ntwo\n")
    assert place.read_text() == f"{MARK}\ntwo\n"
    assert stat.S_IMODE(place.stat().st_mode) == 0o400
    assert list(place.parent.iterdir()) == [place]
    own = tmp_path / f"mine{GENERATED_SUFFIX}"
    own.write_text("my own words\n")
    with pytest.raises(Failure, match="was not written by memoryd"):
        write_page(own, f"{MARK}\n")
    assert own.read_text() == "my own words\n"


def test_no_vault_takes_a_page_for_a_note() -> None:
    assert GENERATED_SUFFIX == IGNORED
    assert Ignore().hides(f"a/active set{GENERATED_SUFFIX}")
    assert not Ignore().hides("a/memoryd.md")
