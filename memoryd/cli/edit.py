"""``memoryd kg edit, share, trust``: what is known, changed as a decision, and a project's log in its repository."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from memoryd.cli.frame import FAILED, NOT_FOUND, Command, Failure, Frame, clean, pass_frame, write_raw
from memoryd.cli.naming import find_element

_POLL_S = 0.2
_WHY = "Corrected by hand."
_ANEW = "(worded anew)"
_HELP = "# Change gist and props, save, and close. A prop that is removed here is removed. Lines with # are left out.\n"


@click.command("share", cls=Command)
@click.argument("folder", default=".")
@pass_frame
def share(frame: Frame, folder: str) -> None:
    """Place this project's decision log in its repository, under .memoryd/log, and keep it there.

    Commit it like any other file. Only what was decided for the project is in it, nothing of yours.
    """
    _join(frame, "share", folder)


@click.command("trust", cls=Command)
@click.argument("folder", default=".")
@pass_frame
def trust(frame: Frame, folder: str) -> None:
    """Take in the decision log that lies in this clone, now and after each pull.

    Whoever may write to it may make, change, supersede and forget what is known of this project, here too. It reaches
    nothing of yours, of another project or of the journal; what tries to is named in `memoryd status` and not applied.
    """
    _join(frame, "trust", folder)


def _join(frame: Frame, job: str, folder: str) -> None:
    place = str(Path(folder).expanduser().absolute())
    frame.client.call("POST", f"/v1/jobs/{job}/run", body={"args": {"folder": place}})
    while (answer := frame.client.call("GET", f"/v1/jobs/{job}")).body["state"] == "running":
        time.sleep(_POLL_S)
    if frame.as_json:
        write_raw(answer.raw)
    if answer.body.get("last_error"):
        raise Failure(f"it failed: {answer.body['last_error']}")
    if frame.as_json:
        return
    result = answer.body["result"]
    for one in result["problems"]:
        click.echo(clean(one))
    click.echo(clean(f"{result['project']}: {result['folder']} ({result['given']} given, {result['taken']} taken)"))


@click.command("edit", cls=Command)
@click.argument("name", metavar="[ID|NAME]", required=False)
@click.option("--gist", help="The new gist.")
@click.option("--set", "props", multiple=True, metavar="KEY=VALUE", help="Set a prop; VALUE is JSON or plain words.")
@click.option("--title", help="What is decided; without it, what the change is of is decided anew.")
@click.option("--why", help="The reason, in words; without it, that of what was decided.")
@click.option("--lines", is_flag=True, help="List the lines of the log that were changed by hand.")
@click.option("--line", metavar="FILE:NUMBER", help="Record what a changed line says now.")
@pass_frame
def edit(
    frame: Frame,
    name: str | None,
    gist: str | None,
    props: tuple[str, ...],
    title: str | None,
    why: str | None,
    lines: bool,
    line: str | None,
) -> None:
    """Change what is known of an element. The log is never edited: the change is a decision.

    It takes the place of the one that stands, and keeps its title, its reason and what it cites unless --title and
    --why say others: a corrected word is no new reason.

    Without options an editor opens on the element's gist and props. What a hand changed in a file of the log is not
    used; --lines lists it and --line records it.
    """
    if lines:
        frame.ask("GET", "/v1/changed-lines", _describe_changed)
    elif line:
        _record_line(frame, line, why)
    elif name is None:
        raise click.UsageError("name an element by its id or its name, or use --lines or --line")
    else:
        _edit_element(frame, find_element(frame, name), gist, props, title=title, why=why)


def _edit_element(
    frame: Frame, id_: str, gist: str | None, props: tuple[str, ...], *, title: str | None, why: str | None
) -> None:
    found = frame.client.call("GET", f"/v1/elements/{quote(id_, safe='')}")
    element = found.body
    wanted = _by_options(element, gist, props) if gist is not None or props else _by_editor(element)
    mutations = _mutations(element, *wanted)
    if not mutations:
        raise Failure("nothing was changed, so nothing was recorded", FAILED)
    body = {
        **(_standing(frame, element, mutations) if not (title and why) else {}),
        **({"title": title} if title else {}),
        **({"why": why} if why else {}),
        "mutations": mutations,
        **({"project": element["project"]} if element["project"] else {"scope": "user"}),
    }
    # What was decided while the editor was open is not written over.
    headers = {"If-Match": found.headers["etag"]}
    answer = frame.client.call("POST", "/v1/decisions", body=body, headers=headers)
    frame.show(answer, _describe_recorded(answer.body))


def _standing(frame: Frame, element: dict[str, Any], mutations: list[dict[str, Any]]) -> dict[str, Any]:
    """Return title, reason and evidence of the decision that an edit replaces."""
    heads = element["heads"]
    if len(heads) > 1:
        raise Failure(
            f"{len(heads)} decisions stand on {element['name']}, and an edit would settle which holds; say so with "
            f"--title and --why (`memoryd kg history {element['id']}` shows them)",
            FAILED,
        )
    if not heads:
        return {"title": f"{element['name']} was edited", "why": _WHY}
    head = frame.client.call("GET", f"/v1/decisions/{quote(heads[0], safe='')}").body
    keys = [one["key"] for one in mutations if one["op"] == "set_prop"]
    note = f"(changed by hand: {', '.join(keys)})" if keys else _ANEW
    why = head["why"].removesuffix(_ANEW).rstrip()
    return {"title": head["title"], "why": f"{why} {note}".strip(), "evidence": head["evidence"]}


def _by_options(element: dict[str, Any], gist: str | None, props: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    wanted = dict(element["props"])
    for pair in props:
        key, found, value = pair.partition("=")
        if not found or not key:
            raise click.BadParameter("must be KEY=VALUE", param_hint="--set")
        wanted[key] = _value(value)
    return element["gist"] if gist is None else gist, wanted


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _by_editor(element: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    shown = {"gist": element["gist"], "props": element["props"]}
    text = f"# {element['kind']} {element['name']} ({element['id']})\n{_HELP}"
    edited = click.edit(text + json.dumps(shown, ensure_ascii=False, indent=2) + "\n", extension=".json")
    if edited is None:
        return element["gist"], dict(element["props"])
    kept = "\n".join(line for line in edited.splitlines() if not line.lstrip().startswith("#"))
    try:
        read = json.loads(kept)
    except ValueError:
        read = None
    gist, props = (read.get("gist"), read.get("props")) if isinstance(read, dict) else (None, None)
    if not isinstance(gist, str) or not isinstance(props, dict):
        raise Failure("what was saved is no object of gist and props; nothing was recorded", FAILED)
    return gist, props


def _mutations(element: dict[str, Any], gist: str, props: dict[str, Any]) -> list[dict[str, Any]]:
    changed = {key: value for key, value in props.items() if element["props"].get(key) != value}
    removed = [key for key in element["props"] if key not in props]
    found: list[dict[str, Any]] = []
    if gist != element["gist"]:
        found.append({"op": "put_element", "id": element["id"], "gist": gist})
    found += [{"op": "set_prop", "id": element["id"], "key": key, "value": value} for key, value in changed.items()]
    found += [{"op": "set_prop", "id": element["id"], "key": key, "value": None} for key in removed]
    return found


def _record_line(frame: Frame, place: str, why: str | None) -> None:
    items = frame.client.call("GET", "/v1/changed-lines").body["items"]
    for one in items:
        if f"{one['path']}:{one['line']}" == place:
            break
    else:
        raise Failure(f"no changed line stands at {place}; `memoryd kg edit --lines` lists them", NOT_FOUND)
    body = {name: one[name] for name in ("title", "mutations", "evidence", "about")}
    body |= {"why": why or one["why"] or _WHY, "new": True}
    body |= {"project": one["project"]} if one["project"] else {"scope": "user"}
    answer = frame.client.call("POST", "/v1/decisions", body=body)
    frame.show(answer, _describe_recorded(answer.body))


def _describe_changed(body: dict[str, Any]) -> Iterator[str]:
    if not body["items"]:
        yield "no line of the log was changed by hand"
    for one in body["items"]:
        yield f"{one['path']}:{one['line']} “{one['title']}”: {one['why']}"
        for mutation in one["mutations"]:
            yield clean(f"    {json.dumps(mutation, ensure_ascii=False)}")


def _describe_recorded(body: dict[str, Any]) -> Iterator[str]:
    yield f"recorded {body['id']}"
    for warning in body.get("warnings") or ():
        yield f"  warning: {warning}"
