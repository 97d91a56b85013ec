"""The job ``models``: fetch a model's files, or make a model the one that serves."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from memoryd.embedding.catalog import NONE
from memoryd.embedding.errors import PullError, PullStopped
from memoryd.embedding.hub import Hub
from memoryd.embedding.pull import Pulling, pull
from memoryd.embedding.shelf import Shelf
from memoryd.jobs.argument import Argument
from memoryd.jobs.registry import Job, Run
from memoryd.jobs.switch import ModelSwitch

_TELL_EVERY_S = 0.2
_LOOK_S = 0.25


def models_job(switch: ModelSwitch, shelf: Shelf, hub: Hub) -> Job:
    """Return the job."""

    def run(arguments: Mapping[str, Any], handle: Run) -> dict[str, Any]:
        name = arguments["model"]
        if arguments["do"] == "pull":
            return pull_model(name, handle, switch=switch, shelf=shelf, hub=hub)
        return use_model(name, handle, switch=switch, waits=arguments["wait"])

    return Job(
        name="models",
        summary="Fetch a model's files, or make a model the one that serves.",
        run=run,
        arguments=(
            Argument(name="do", choices=("pull", "use"), is_required=True, meaning="What to do."),
            Argument(name="model", is_required=True, meaning="The model's name; GET /v1/models lists them."),
            Argument(
                name="wait",
                kind=bool,
                default=True,
                meaning="With use: run until the model serves, not only until its vectors are being made.",
            ),
        ),
    )


def pull_model(name: str, run: Run, *, switch: ModelSwitch, shelf: Shelf, hub: Hub) -> dict[str, Any]:
    """Fetch what is missing of a model. One that the settings name already is then put to use.

    Raises:
        EmbeddingError: There is no such model, or its files cannot be fetched; what came is kept.
    """
    manifest = shelf.find(name)
    if manifest is None:
        raise PullError(f"{NONE} stands for no model: there is nothing to fetch")
    told_at = 0.0

    def tell(now: Pulling) -> None:
        nonlocal told_at
        if time.monotonic() - told_at >= _TELL_EVERY_S or now.done == now.total:
            told_at = time.monotonic()
            run.tell(f"fetches {now.file}", now.done, now.total)

    run.tell(f"looks what is missing of {name}")
    try:
        found = pull(
            manifest, shelf.models_dir, hub, progress=tell, should_stop=lambda: run.is_cancelled, rest=run.rest
        )
    except PullStopped:
        run.check()
        raise
    result = {"do": "pull", "model": name, "files": found.files, "bytes": found.fetched_bytes}
    if switch.wanted == name and name not in {switch.serving_name, switch.coming_name}:
        result["state"] = switch.use(name)
    return result


def use_model(name: str, run: Run, *, switch: ModelSwitch, waits: bool) -> dict[str, Any]:
    """Make a model the one that serves; where the pieces have to be embedded first, that goes on in the background.

    Raises:
        EmbeddingError: There is no such model, its files are not here, or it does not work: nothing has changed.
        MemorydError: The choice cannot be written.
    """
    run.tell(f"loads {name}" if name != NONE else "takes the model out of use")
    state = switch.use(name)
    total = 0
    while waits and state == "building":
        left = next((one.wanting or 0 for one in switch.models() if one.name == name), 0)
        total = max(total, left)
        run.tell(f"makes the vectors of {name}; {switch.serving_name} answers meanwhile", total - left, total)
        run.rest(_LOOK_S)
        if switch.coming_name != name:
            state = "serving" if switch.serving_name == name else "given up"
    return {"do": "use", "model": name, "state": state}
