"""The schemas of tools as agents are sent them: each agent reads all of them before it says a word, so they are short.

What only repeats is left out: titles, that an argument which need not be given may be null, bounds of lengths that the
answer to a wrong call tells anyway. The checks themselves stay with the models.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

_NOISE = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "additionalProperties"})


def input_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return what a tool takes. A name that is not in it is refused with the names there are, so it need not say so."""
    return _schema(model, "validation")


def output_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return what a tool answers with; whatever has no value is left out of an answer, and so is never null."""
    return _bare(_schema(model, "serialization"))


def _schema(model: type[BaseModel], mode: Any) -> dict[str, Any]:
    whole = model.model_json_schema(mode=mode, by_alias=True)
    definitions = {name: {**one, "description": None} for name, one in whole.pop("$defs", {}).items()}
    # The descriptions of the tool and of its argument say more than those of our classes.
    whole.pop("description", None)
    short = _short(whole, definitions)
    assert isinstance(short, dict)
    return short


def _short(value: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [_short(one, definitions) for one in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        # No model of ours holds itself.
        return _short(definitions[value["$ref"].rpartition("/")[2]], definitions)
    if "properties" in value:
        fields = {name: _short(one, definitions) for name, one in value["properties"].items()}
        return {**_plain({key: one for key, one in value.items() if key != "properties"}), "properties": fields}
    kept = {key: _short(one, definitions) for key, one in _plain(value).items()}
    choices = [one for one in kept.pop("anyOf", []) if one != {"type": "null"}]
    return {**kept, **choices[0]} if len(choices) == 1 else {**kept, **({"anyOf": choices} if choices else {})}


def _bare(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what an answer always holds and the type of each member: what lies inside explains itself."""
    fields = {
        name: {key: one[key] for key in ("type", "enum") if key in one} for name, one in schema["properties"].items()
    }
    return {"type": "object", "required": schema["required"], "properties": fields}


def _plain(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: one for key, one in value.items() if key not in _NOISE and key != "title" and one is not None}
