"""Which conventions are a project's."""

from __future__ import annotations

import os
from pathlib import Path

from memoryd.api.facets import conventions_for, declared_tags
from semantic.model import Note


def note(name: str, *tags: str) -> Note:
    return Note(f"no_{name}", "vault", f"{name}.md", name, "", "", tags=tags)


def test_tags_are_declared_by_a_line_anywhere_up_to_the_repository(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("memoryd: client/above\n")
    shop = tmp_path / "shop"
    deep = shop / "src" / "deep"
    deep.mkdir(parents=True)
    (shop / ".git").mkdir()
    (shop / "CLAUDE.md").write_text(
        "# Shop\n- memoryd: tool/Milvus, #domain/retail ,\n<!-- memoryd: type/x -->\nmemoryd is good\n"
    )
    (deep / "CLAUDE.md").write_text("memoryd: tool/milvus, client/acme")
    assert declared_tags(deep) == ("tool/milvus", "client/acme", "domain/retail", "type/x")
    assert declared_tags(tmp_path / "shop" / "src") == ("tool/milvus", "domain/retail", "type/x")
    assert declared_tags(tmp_path / "elsewhere") == ()


def test_what_is_no_file_declares_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "CLAUDE.md")
    (tmp_path / "CLAUDE.local.md").mkdir()
    assert declared_tags(tmp_path) == ()


def test_conventions_are_those_of_a_declared_facet_and_those_for_everywhere() -> None:
    notes = [
        note("global", "convention/git", "scope/global"),
        note("milvus", "convention/db", "tool/milvus"),
        note("toolbox", "convention/db", "toolbox/milvus"),
        note("both", "convention/db", "tool/milvus", "client/acme"),
        note("plain", "tool/milvus"),
    ]

    def named(tags: tuple[str, ...] | None) -> list[str]:
        return [one.title for one in conventions_for(notes, tags)]

    assert named(("tool", "client/acme")) == ["both", "milvus", "global"]
    assert named(("convention/db",)) == ["milvus", "toolbox", "both", "global"]
    assert named(()) == ["global"]
    assert named(None) == ["global", "milvus", "toolbox", "both"]
