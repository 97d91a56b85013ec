"""``memoryd models``: what turns text into vectors."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from memoryd.cli.frame import NOT_FOUND, REFUSED, Command, Failure, Frame, Group, clean, pass_frame, write_raw
from memoryd.embedding.errors import EmbeddingError
from memoryd.errors import SettingsUnusable
from memoryd.paths import Paths
from memoryd.service.checkup import Finding
from memoryd.settings import load_settings

_POLL_S = 0.25
_MARKS = {"serving": "*", "building": ">", "ready": " ", "absent": "-"}

Tell = Callable[[str, int, int], None]


def examine_model(paths: Paths) -> list[Finding]:
    """Return what `memoryd doctor` says of the chosen model, with the daemon or without. Nothing is loaded."""
    from memoryd.parts import shelf_of

    try:
        settings = load_settings(paths.config_file)
    except SettingsUnusable:
        return []  # said by the check of the settings
    shelf = shelf_of(settings, paths)
    name = settings.embedding.model
    findings = [Finding("model", "problem", problem) for problem in shelf.problems]
    try:
        manifest = shelf.find(name)
    except EmbeddingError as error:
        return [*findings, Finding("model", "problem", f"embedding.model: {error}")]
    if manifest is None:
        return [*findings, Finding("model", "note", "no embedding model is set: words are searched alone")]
    if not shelf.is_here(manifest):
        told = f"the files of {name} are not on this machine: `memoryd models pull {name}` fetches them"
        return [*findings, Finding("model", "problem", told)]
    if manifest.runner == "flag" and importlib.util.find_spec("FlagEmbedding") is None:
        told = f"{name} needs FlagEmbedding, which is not installed: install memoryd with the extra `flag`"
        return [*findings, Finding("model", "problem", told)]
    return [*findings, Finding("model", "fine", f"the files of {name} are here")]


@click.group(cls=Group)
def command() -> None:
    """The embedding models: which there are, which serves, and how to change that."""


@command.command("list", cls=Command)
@pass_frame
def list_models(frame: Frame) -> None:
    """List the models: which serves (*), which is being built (>), which are not on this machine (-)."""
    frame.ask("GET", "/v1/models", _describe)


@command.command("pull", cls=Command)
@click.argument("name")
@pass_frame
def pull(frame: Frame, name: str) -> None:
    """Fetch a model's files, or what is missing of them.

    It goes on in the daemon when this command is broken off, and where it stopped when it is given again.
    """
    _state_of(frame, name)
    frame.client.call("POST", "/v1/jobs/models/run", body={"args": {"do": "pull", "model": name}})
    result = _watch_job(frame, unit="bytes")
    if not frame.as_json:
        said = f"{result['bytes'] / 1e6:,.1f} MB fetched" if result["bytes"] else "everything was there"
        click.echo(clean(f"{name}: {result['files']} files, {said}"))
        if result.get("state") is None:
            click.echo(clean(f"`memoryd models use {name}` makes it the one that serves"))


@command.command("use", cls=Command)
@click.argument("name")
@click.option("--no-wait", is_flag=True, help="Do not wait until all vectors are made.")
@pass_frame
def use(frame: Frame, name: str, no_wait: bool) -> None:
    """Make a model the one that serves; `none` searches by words alone.

    Its vectors are made in the background while the old model answers, also when this command is broken off.
    """
    state = _state_of(frame, name)
    if state == "absent":
        raise Failure(
            f"the files of {name} are not on this machine: `memoryd models pull {name}` fetches them", REFUSED
        )
    arguments = {"do": "use", "model": name, "wait": False}
    frame.client.call("POST", "/v1/jobs/models/run", body={"args": arguments})
    result = _watch_job(frame, unit="")
    if result["state"] == "building" and not no_wait:
        _watch_building(frame, name)
        result = {**result, "state": "serving"}
    if not frame.as_json:
        click.echo(clean(f"{name} {'serves' if result['state'] == 'serving' else 'is being built'}"))


def _state_of(frame: Frame, name: str) -> str:
    """Return the state of a model, before anything is chosen or fetched; ``none`` has one as well.

    Raises:
        Failure: There is no such model.
    """
    items = frame.client.call("GET", "/v1/models").body["items"]
    found = next((one for one in items if one["name"] == name), None)
    if found is None and name != "none":
        known = ", ".join(one["name"] for one in items)
        raise Failure(f"there is no model {name}; known are {known}, and none", NOT_FOUND)
    return str(found["state"]) if found else "ready"


def _watch_job(frame: Frame, *, unit: str) -> Any:
    """Wait for the job's end and return what it came to."""
    with _bar(frame, unit) as tell:
        while (answer := frame.client.call("GET", "/v1/jobs/models")).body["state"] == "running":
            if progress := answer.body.get("progress"):
                tell(progress["text"], progress["done"], progress["total"])
            time.sleep(_POLL_S)
    if frame.as_json:
        write_raw(answer.raw)
    if answer.body.get("last_error"):
        raise Failure(str(answer.body["last_error"]))
    return answer.body["result"]


def _watch_building(frame: Frame, name: str) -> None:
    total = 0
    with _bar(frame, "pieces") as tell:
        while True:
            models = frame.client.call("GET", "/v1/models").body["items"]
            found = next((one for one in models if one["name"] == name), None)
            if found is None or found["state"] not in {"serving", "building"}:
                raise Failure(f"{name} was given up: another model was chosen meanwhile")
            if found["state"] == "serving":
                return
            left = found.get("wanting", 0)
            total = max(total, left)
            tell(f"vectors of {name}", total - left, total)
            time.sleep(_POLL_S)


@contextmanager
def _bar(frame: Frame, unit: str) -> Iterator[Tell]:
    """Show progress on a terminal; elsewhere nothing is shown until the end."""
    if frame.as_json or not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    numbers = {"bytes": (DownloadColumn(), TransferSpeedColumn()), "pieces": (MofNCompleteColumn(),)}.get(unit, ())
    text = TextColumn("{task.description}", markup=False)
    columns = (SpinnerColumn(), text, BarColumn(), *numbers, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("…", total=None)
        yield lambda words, done, total: progress.update(
            task, description=clean(words), completed=done, total=total or None
        )


def _describe(body: Any) -> Iterator[str]:
    width = max(len(one["name"]) for one in body["items"])
    for one in body["items"]:
        size = f"{one['download_bytes'] / 1e6:,.0f} MB" if one["download_bytes"] else "in a package"
        notes = [
            one["state"] + (f", {one['wanting']:,} pieces to go" if one.get("wanting") else ""),
            f"{one['dimension']} numbers",
            size,
            *(["token weights"] if one["lexical"] else []),
            one["licence"],
        ]
        yield f"{_MARKS[one['state']]} {one['name']:<{width}}  {'; '.join(notes)}"
        if one.get("problem"):
            yield f"  {'':<{width}}  {one['problem']}"
