from __future__ import annotations

import pytest

from semantic.errors import InvalidDecision
from semantic.log.citation import check_evidence, check_mention


@pytest.mark.parametrize(
    "text", ["ep_01JE0000000000000000000000", "ep_" + "a" * 20, "vault:notes/a b.md#Heading", "v:a.md"]
)
def test_evidence(text: str) -> None:
    assert check_evidence(text, "evidence[0]") == text


@pytest.mark.parametrize("text", ["", "0" * 32, "el_" + "0" * 20, "somewhere", ":a.md", 3, "ep_x"])
def test_no_evidence(text: object) -> None:
    with pytest.raises(InvalidDecision, match=r"evidence\[0\]"):
        check_evidence(text, "evidence[0]")


def test_mentions() -> None:
    assert check_mention("no_" + "0" * 20, "about[0]")
    with pytest.raises(InvalidDecision, match=r"about\[1\]"):
        check_mention("the thing", "about[1]")
