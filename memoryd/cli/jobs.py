"""``memoryd jobs``: what the daemon does in the background."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import click

from memoryd.cli.frame import USAGE, Failure, Frame, Group, local_time, pass_frame
from memoryd.cli.progress import run_job

_BOOLEANS = {"yes": True, "true": True, "no": False, "false": False}


@click.group(cls=Group)
def command() -> None:
    """What is done in the background: when it ran, when it runs next, what went wrong."""


@command.command("list")
@pass_frame
def list_jobs(frame: Frame) -> None:
    """List the jobs with the last run, the next one, and why the last one failed."""
    frame.ask("GET", "/v1/jobs", _describe_list, query={"limit": 500})


@command.command("show")
@click.argument("name")
@pass_frame
def show(frame: Frame, name: str) -> None:
    """Show one job: what it does, what it may be told, how far it is."""
    frame.ask("GET", f"/v1/jobs/{quote(name, safe='')}", _describe)


@command.command("run")
@click.argument("name")
@click.argument("told", metavar="[KEY=VALUE]...", nargs=-1)
@pass_frame
def run(frame: Frame, name: str, told: tuple[str, ...]) -> None:
    """Run a job now and wait for its end; `memoryd jobs show NAME` lists what it may be told."""
    given = dict(_pair(one) for one in told)
    frame.called = {f"args.{key}": key for key in given}
    arguments: dict[str, str | int | bool] = {}
    if given:
        known = frame.client.call("GET", f"/v1/jobs/{quote(name, safe='')}").body["args"]
        kinds = {one["name"]: one["type"] for one in known}
        arguments = {key: _value(key, text, kinds.get(key, "string")) for key, text in given.items()}
    result = run_job(frame, quote(name, safe=""), arguments)
    if not frame.as_json:
        click.echo(f"{name} is done")
        for line in _result(result):
            click.echo(line)


@command.command("cancel")
@click.argument("name")
@pass_frame
def cancel(frame: Frame, name: str) -> None:
    """Ask the run under way to end; what it did until then stays."""
    frame.ask("POST", f"/v1/jobs/{quote(name, safe='')}/cancel", _describe_cancelled)


def _pair(told: str) -> tuple[str, str]:
    key, sign, value = told.partition("=")
    if not sign or not key:
        raise Failure(f"{told!r} says nothing: write it as KEY=VALUE", USAGE)
    return key, value


def _value(key: str, text: str, kind: str) -> str | int | bool:
    if kind == "boolean":
        if text.lower() not in _BOOLEANS:
            raise Failure(f"{key} is yes or no", USAGE)
        return _BOOLEANS[text.lower()]
    if kind == "integer":
        if not text.removeprefix("-").isdecimal():
            raise Failure(f"{key} is a whole number", USAGE)
        return int(text)
    return text


def _describe_list(body: dict[str, Any]) -> Iterator[str]:
    width = max((len(job["name"]) for job in body["items"]), default=0)
    for job in body["items"]:
        yield f"{job['name']:{width}}  {_when(job)}"
        if "last_error" in job:
            yield f"{'':{width}}  failed: {job['last_error']}"


def _describe(job: dict[str, Any]) -> Iterator[str]:
    yield f"{job['name']}: {job['summary']}"
    yield f"  {_when(job)}"
    if progress := job.get("progress"):
        of = f" of {progress['total']:,}" if progress["total"] else ""
        yield f"  {progress['text']} ({progress['done']:,}{of})"
    if "last_error" in job:
        yield f"  failed: {job['last_error']}"
    for one in job["args"]:
        choices = f" ({', '.join(one['choices'])})" if "choices" in one else ""
        needed = ", needed" if one["required"] else ""
        yield f"  {one['name']}={one['type']}{needed}: {one['meaning']}{choices}"


def _describe_cancelled(body: dict[str, Any]) -> Iterator[str]:
    job = body["job"]
    said = "is asked to end" if job["state"] == "running" else "does not run"
    yield f"{job['name']} {said}"


def _when(job: dict[str, Any]) -> str:
    parts = [str(job["state"])]
    parts.append(f"ran {local_time(job['last_run'])}" if "last_run" in job else "never ran")
    if "next_run" in job:
        parts.append(f"next {local_time(job['next_run'])}")
    return ", ".join(parts)


def _result(result: dict[str, Any]) -> Iterator[str]:
    for key, value in result.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield f"  {key}: {shown}"
