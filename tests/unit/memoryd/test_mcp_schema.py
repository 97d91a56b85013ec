"""What agents are sent of the tools' schemas, and what they send back."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from memoryd.api.mcp.arguments import DecideArguments, RecallArguments
from memoryd.api.mcp.exact import untamed
from memoryd.api.mcp.schema import input_schema, output_schema
from memoryd.api.mcp.tools import TOOLS


@pytest.mark.parametrize("name", list(TOOLS))
def test_a_schema_holds_every_argument_with_its_type_and_nothing_that_repeats(name: str) -> None:
    tool = TOOLS[name]
    schema = input_schema(tool.takes)
    assert set(schema["properties"]) == set(tool.takes.model_fields)
    assert all("type" in one for one in schema["properties"].values())
    assert not {"$ref", "$defs", "anyOf"} & set(repr(schema).replace("'", " ").split())
    answer = output_schema(tool.gives)
    assert set(answer["properties"]) == set(tool.gives.model_fields)
    assert set(answer["required"]) <= set(answer["properties"])


def test_choices_and_defaults_stay_and_null_is_still_taken() -> None:
    properties = input_schema(RecallArguments)["properties"]
    assert properties["store"]["enum"] == ["auto", "episodic", "semantic", "both"]
    assert properties["store"]["default"] == "auto"
    assert properties["kinds"]["items"]["enum"][0] == "episode"
    assert "default" not in properties["cwd"]
    assert RecallArguments.model_validate({"query": "x", "cwd": None}).cwd is None
    change = input_schema(DecideArguments)["properties"]["mutations"]["items"]
    assert "put_element" in change["properties"]["op"]["enum"]
    with pytest.raises(ValidationError):
        RecallArguments.model_validate({"query": "x", "limit": 0})


def test_only_lines_that_were_changed_change() -> None:
    stored = "a <system>\r\nb\u202ec\n<system> d\n<system> d\nplain"
    shown = "a \u2039system>\r\nbc\n\u2039system> d\n\u2039system> d\nplain"
    assert untamed(shown, stored) == stored
    assert untamed(shown.replace("plain", "more"), stored) == stored.replace("plain", "more")
    assert untamed("x\n\u2039system> d\n", stored) == "x\n<system> d\n"
    assert untamed("\u2039system> e", stored) == "<system> e", "what is left of a line is as it is stored"
    assert untamed("\u2039system> d", "no tag") == "\u2039system> d"
