"""``memoryd settings``: every option, as it holds here, with what it means."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from memoryd.cli.frame import Command, Failure, Frame, clean, pass_frame
from memoryd.errors import SettingsUnusable
from memoryd.paths import find_paths
from memoryd.settings import Settings, load_settings


@click.command(cls=Command)
@pass_frame
def command(frame: Frame) -> None:
    """Show every option, as it holds here, and what it means; the daemon reads them when it starts.

    An option is set in the file that the first line names: port of service is port = 7077 below [service]. Where that
    file cannot be used, the defaults are shown, and the run ends with 1.
    """
    file = find_paths().config_file
    try:
        settings, fault = load_settings(file), None
    except SettingsUnusable as error:
        # Whoever has to mend the file needs the names of the options most.
        settings, fault = Settings.model_construct(), error
    listed = list(_options(settings))
    if frame.as_json:
        items = [{"option": name, "value": value, "meaning": field.description} for name, value, field in listed]
        click.echo(json.dumps({"file": str(file), "items": items}, ensure_ascii=False))
    else:
        _print(file, listed, is_usable=fault is None)
    if fault is not None:
        raise Failure(f"these are the defaults, since {fault}")


def _print(file: Path, listed: Sequence[tuple[str, Any, FieldInfo]], *, is_usable: bool) -> None:
    state = "" if file.exists() else " (is not there; the defaults hold)"
    click.echo(clean(f"{file}{state if is_usable else ' (cannot be used; these are the defaults)'}"))
    for name, value, field in listed:
        shown = "not set" if value is None else json.dumps(value, ensure_ascii=False)
        click.echo(clean(f"{name} = {shown}"))
        click.echo(clean(f"    {field.description}"))


def _options(settings: Settings) -> Iterator[tuple[str, Any, FieldInfo]]:
    """Yield name, value and definition of each option; a secret is told to be set, and not shown."""
    for section, above in Settings.model_fields.items():
        held = getattr(settings, section)
        if not isinstance(held, BaseModel):
            yield section, _plain(held), above
            continue
        for name, field in type(held).model_fields.items():
            yield f"{section}.{name}", _plain(getattr(held, name)), field


def _plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, SecretStr):
        return "…"
    if isinstance(value, BaseModel):
        return {name: _plain(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
