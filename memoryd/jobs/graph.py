"""The job ``graph``: the graph brought up to date in the background, or made anew from nothing and compared.

A question never needs it: the graph is always made of what is known when it is asked for. Where somebody asked before,
the job sees to it that the next question does not wait for what changed meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import structlog

from memoryd.errors import JobRunning, JobsStopped
from memoryd.jobs.argument import Argument
from memoryd.jobs.later import Later
from memoryd.jobs.registry import Job, Jobs, Run
from memoryd.jobs.stale import Stamp, renewing
from semantic.extract.code.projects import CodeProjects
from semantic.extract.model.memo import Memo
from semantic.extract.model.ollama import OllamaModel
from semantic.extract.model.run import read_all
from semantic.graph.sources import Graphs
from semantic.store import SemanticStore

log = structlog.get_logger("memoryd.graph")

NAME = "graph"
OLLAMA = "http://127.0.0.1:11434"
MOST_NAMED = 50
AFTER_S = 0.5
"""Changes come in bursts; the graph is made once for one."""


def graph_job(graphs: Graphs, stamp: Stamp | None = None) -> Job:
    """Return the job. ``stamp`` notes when the graph was last made from nothing."""

    def run(arguments: Mapping[str, Any], handle: Run) -> dict[str, Any]:
        handle.tell("reads the code")
        graphs.code.refresh(handle.check, accept_loss=arguments["accept_loss"])
        handle.tell("reads the notes")
        before = graphs.held_digest if arguments["anew"] else None
        picture = graphs.renew(handle.check) if arguments["anew"] else graphs.now(handle.check)
        result: dict[str, Any] = {
            "nodes": len(picture.graph.nodes),
            "edges": len(picture.graph.edges),
            "digest": picture.graph.digest,
            "problems": [*([graphs.memo.problem] if graphs.memo.problem else []), *graphs.code.problems][:MOST_NAMED],
        }
        if before is not None:
            result["differs"] = before != picture.graph.digest
            if result["differs"]:
                log.warning("graph_differed", nodes=result["nodes"], edges=result["edges"])
        if stamp is not None and (arguments["anew"] or stamp.made is None):
            stamp.set(picture.graph.digest)
        return result

    return Job(
        name=NAME,
        summary="Bring the graph up to date, or make it anew and compare.",
        run=run,
        arguments=(
            Argument(
                name="anew",
                kind=bool,
                default=False,
                meaning="Read every note again, and tell whether the graph that was kept up to date differs.",
            ),
            Argument(
                name="accept_loss",
                kind=bool,
                default=False,
                meaning="Files of code that are missing are gone for good, even where most of them are.",
            ),
        ),
    )


def extract_job(semantic: SemanticStore, now: Callable[[], float]) -> Job:
    """Return the job ``extract``: have a local model read the notes. It runs only when a person asks for it.

    Args:
        semantic: Has the notes, and keeps what the model says.
        now: A clock that never goes back, in seconds.
    """

    def run(arguments: Mapping[str, Any], handle: Run) -> dict[str, Any]:
        account = read_all(
            semantic.notes(),
            OllamaModel(arguments["uri"], arguments["model"]),
            semantic.graph.memo,
            seconds=arguments["seconds"],
            tokens=arguments["tokens"],
            now=now,
            tell=lambda done, total: handle.tell("reads sections", done, total),
            check=handle.check,
        )
        return {
            "model": arguments["model"],
            "sections": account.sections,
            "known": account.known,
            "read": account.read,
            "missing": account.missing,
            "failed": dict(account.failed),
            "dropped": account.dropped,
            "tokens": account.tokens,
            "ended": account.ended,
        }

    return Job(
        name="extract",
        summary="Have a local model read names and relations out of the notes.",
        run=run,
        arguments=(
            Argument(name="model", is_required=True, meaning="The model's name, as the Ollama server has it."),
            Argument(name="uri", default=OLLAMA, meaning="The server's address."),
            Argument(name="seconds", kind=int, default=600, least=1, meaning="No section is begun after so long."),
            Argument(name="tokens", kind=int, default=200_000, least=1, meaning="Nor after so many tokens, estimated."),
        ),
    )


def code_of(semantic: SemanticStore, install: str, wanted: Collection[str], environ: Mapping[str, str]) -> CodeProjects:
    """Return the code of the projects whose settings ask for it, where they lie on this machine.

    Args:
        semantic: Says which projects there are.
        install: The id of this install; other machines have other folders.
        wanted: Ids of projects.
        environ: The environment in which git is asked what belongs to them.
    """

    def roots() -> dict[str, Path]:
        found = {}
        for project in semantic.projects():
            if project.id not in wanted:
                continue
            for root in project.roots:
                # A repository is known by its git folder, which lies in the working tree.
                folder = Path(root.path)
                folder = folder.parent if folder.name == ".git" else folder
                if root.install == install and folder.is_dir():
                    found[project.id] = folder
                    break
        return found

    return CodeProjects(roots, environ) if wanted else CodeProjects()


def offer_graph(
    semantic: SemanticStore,
    jobs: Jobs,
    *,
    install: str,
    with_code: Collection[str],
    environ: Mapping[str, str],
    memo: Path,
    now: Callable[[], float],
    stamp: Stamp | None = None,
) -> Callable[[], None]:
    """Register the jobs of the graph; return what is to be called when notes or log changed.

    Args:
        semantic: The store; its graph gets the code and what models said.
        jobs: All jobs.
        install: The id of this install.
        with_code: Ids of the projects whose code is read.
        environ: The environment in which git is asked what belongs to them.
        memo: The file of what models said.
        now: A clock that never goes back, in seconds.
        stamp: Notes when the graph was last made from nothing.
    """
    semantic.graph.code = code_of(semantic, install, with_code, environ)
    semantic.graph.memo = Memo(memo)
    jobs.register(extract_job(semantic, now))
    return keep_current(semantic.graph, jobs, stamp)


def renew_when_old(graphs: Graphs, jobs: Jobs, stamp: Stamp) -> Callable[[], None]:
    """Return what is to be called when a session begins: a graph that is too old is made anew in the background."""

    def start() -> None:
        with suppress(JobRunning, JobsStopped):
            jobs.start(NAME, {"anew": True})

    def held() -> str | None:
        # Only one that is there already: no session waits until a graph is made.
        return graphs.held_digest if graphs.is_wanted and graphs.is_current else None

    return renewing(stamp, held, start)


def keep_current(graphs: Graphs, jobs: Jobs, stamp: Stamp | None = None) -> Callable[[], None]:
    """Register the job; return what is to be called when notes or log changed."""
    jobs.register(graph_job(graphs, stamp))

    def start() -> None:
        if graphs.is_wanted and (graphs.code.is_followed or not graphs.is_current):
            jobs.start_unless_running(NAME)

    later = Later(start, delay_s=AFTER_S)

    def changed() -> None:
        if graphs.is_wanted:
            later.ask()

    return changed
