from __future__ import annotations

from datetime import UTC, datetime

import pytest

from semantic.vault.contract import Contract
from semantic.vault.note import read_note


def check(block: str, contract: Contract | None = None, body: str = "body\n") -> tuple[str, ...]:
    data = f"---\n{block}\n---\n{body}".encode()
    note = read_note("v", "n.md", data, modified=datetime(2026, 1, 1, tzinfo=UTC), zone=UTC, contract=Contract())
    return (contract or Contract()).check(note)


def test_a_good_note_breaks_nothing() -> None:
    assert (
        check("summary: what it is\ntags: [type/reference, tool/milvus, scope/global]", body="free #any/deep/tag\n")
        == ()
    )


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("tags: [tool/x]", "`summary` is missing: add `summary: <one line>` to the front matter"),
        ("summary: ''\ntags: [tool/x]", "`summary` must be a text that is not empty: write `summary: <one line>`"),
        ("summary: [a]\ntags: [tool/x]", "`summary` must be a text that is not empty: write `summary: <one line>`"),
        ("summary: s", "no tag in any facet: add one to `tags`, such as `type/<value>`"),
        ("summary: s\ntags: [tool/x, tool/a/b]", "tag `tool/a/b` is nested: facets are flat, write `tool/a-b`"),
        ("summary: s\ntags: [tool/x, type]", "tag `type` names a facet and no value: write `type/<value>`"),
        ("summary: s\ntags: [tool/x, scope/team]", "tag `scope/team`: write `scope/global` or `scope/project`"),
        (
            "summary: s\ntags: [tool/x, toolbox/y]",
            "tag `toolbox/y` is in no facet: put it under one of type/, client/, project/, domain/, tool/, convention/",
        ),
    ],
)
def test_each_breach_says_its_repair(block: str, message: str) -> None:
    assert check(block) == (message,)


def test_facets_and_keys_are_settings() -> None:
    own = Contract(facets=("kind",), required_keys=("owner",), required_facets=("kind",))
    assert check("owner: me\ntags: [kind/x]", own) == ()
    assert check("tags: []", own) == (
        "`owner` is missing: add `owner: <one line>` to the front matter",
        "no tag in `kind/`: add `kind/<value>` to `tags`",
    )
