"""A turn: what was asked, what was answered, what was done in between, and how it ended.

Before any of it is stored, three things are taken out: what memory itself injected (it would remember itself), what the
writer marked ``<private>``, and secrets. They go in this order, so that a secret inside a private part leaves no mark
at all. :func:`clean` is that rule; every text of a turn goes through it when the turn is made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import Any, Literal

from memoryd.text.fence import strip
from memoryd.text.secrets import redact, redact_id

Kind = Literal["prompt", "command", "continued", "compaction"]

PRIVATE_MARK = "[private]"
SUBSTANCE = 200
"""Characters of an answer without which a turn that no person began is not worth a place in the journal."""

_PRIVATE = re.compile(r"<private>.*?(?:</private>|\Z)", re.DOTALL | re.IGNORECASE)
_WRITERS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
_AGENTS = frozenset({"Task", "Agent"})
_OWN_TOOL = re.compile(r"mcp__(?:plugin_)?memoryd(?:_|\b)")
_OWN_COMMAND = re.compile(r"(?:^|[;&|(]\s*)(?:\S*/)?memoryd\s")
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_PICTURE = re.compile(r"\[(?:image|document)\]|\[Image #\d+\]")
_LONGEST_OUTPUT = 8_000
"""Characters of an output that are looked at; less than that is kept."""


def clean(text: str) -> str:
    """Return the text that may be stored: no fences of ours, no private parts, no secrets.

    An unclosed ``<private>`` hides everything to the end: whoever opened it meant to hide something.
    """
    return redact(_PRIVATE.sub(PRIVATE_MARK, strip(text))).strip("\n")


def words_of(prompt: str) -> str:
    """Return the words of a prompt, to be compared: who tells of it may name the pictures beside it, or not."""
    return " ".join(_PICTURE.sub(" ", prompt).split())


def plain(text: str) -> str:
    """Return a program's output without what steers a terminal, with line feeds alone."""
    return _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that was used. All texts are clean.

    Attributes:
        id: The agent's id of the call.
        name: The tool.
        what: What it was used on, in a line: a path, a command, a question.
        result: What it gave back; nothing where that was memory's own answer.
        is_failed: Whether it failed or was refused.
        is_done: Whether its result was seen.
        path: The file that it wrote.
        command: The command that it ran.
        agent: The kind of sub-agent that it sent.
    """

    id: str
    name: str
    what: str
    result: str = ""
    is_failed: bool = False
    is_done: bool = False
    path: str | None = None
    command: str | None = None
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a turn, in order: a tool used, something said by the agent, or by the person meanwhile."""

    kind: Literal["call", "said", "steered"]
    text: str = ""
    call: Call | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn, clean and unbounded.

    Attributes:
        session: The session it belongs to.
        id: Its name in the session: the uuid of the prompt's entry, or what the hooks know in its place.
        at: When it was asked, aware.
        kind: How it began; ``continued`` without a person, ``compaction`` is no turn but its summary.
        asked: What was asked.
        answered: The last thing that the agent said.
        steps: What happened in between and at the end, in order.
        failure: Why the service gave no answer.
        cwd: The agent's working folder.
        prompt: The id that hooks give to its prompt.
        origin: (session, id) of the turn that it is a fork's copy of.
        mark: Equal for copies of one turn in several sessions, whatever ids they have: a hash of roles, texts, tool
            ids and timestamps of its beginning. ``None`` where there is no timestamp to tell repetitions apart.
        start: The byte of the session file at which it starts.
        is_interrupted: Whether a person stopped the agent.
        is_ended: Whether it is known to be over.
    """

    session: str
    id: str
    at: datetime
    kind: Kind = "prompt"
    asked: str = ""
    answered: str = ""
    steps: tuple[Step, ...] = ()
    failure: str | None = None
    cwd: str | None = None
    prompt: str | None = None
    origin: tuple[str, str] | None = None
    mark: str | None = None
    start: int = 0
    is_interrupted: bool = False
    is_ended: bool = False

    @property
    def calls(self) -> list[Call]:
        """The tools used, in order."""
        return [step.call for step in self.steps if step.call is not None]

    @property
    def files(self) -> list[str]:
        """The files written, each once, in order; those in the working folder relative to it."""
        written = (call.path for call in self.calls if call.path and not call.is_failed)
        return list(dict.fromkeys(relative(path, self.cwd) for path in written))

    @property
    def is_substantial(self) -> bool:
        """Whether there is something to remember."""
        if self.kind == "continued":
            return bool(self.files) or len(self.answered) >= SUBSTANCE
        visible = self.asked.replace(PRIVATE_MARK, "").strip()
        return bool(visible or self.answered.replace(PRIVATE_MARK, "").strip() or self.calls)


def make_call(id: str, name: str, values: Mapping[str, Any]) -> Call:  # noqa: A002 - the word of the domain
    """Return a call whose result is not seen yet."""
    path = _text(values, "file_path", "notebook_path") if name in _WRITERS else None
    command = _text(values, "command") if name == "Bash" else None
    agent = (_text(values, "subagent_type") or "agent") if name in _AGENTS else None
    what = command or _text(
        values, "file_path", "notebook_path", "path", "description", "pattern", "query", "url", "prompt", "skill"
    )
    if agent is not None:
        what = _text(values, "description", "prompt")
    return Call(
        redact_id(id), clean(name), clean(what or ""), path=_clean(path), command=_clean(command), agent=_clean(agent)
    )


def result_of(call: Call, text: str) -> str:
    """Return what may be kept of a call's result."""
    if _OWN_TOOL.match(call.name) or (call.command is not None and _OWN_COMMAND.search(call.command)):
        return ""  # memory's own answer: it would remember itself
    return clean(plain(text[:_LONGEST_OUTPUT]))


def relative(path: str, cwd: str | None) -> str:
    """Return a path relative to the working folder where it lies in it."""
    if cwd is None:
        return path
    try:
        return PurePath(path).relative_to(cwd).as_posix()
    except ValueError:
        return path


def _text(values: Mapping[str, Any], *names: str) -> str | None:
    for name in names:
        value = values.get(name)
        if isinstance(value, str) and value.strip():
            return value.encode("utf-8", "replace").decode()
    return None


def _clean(text: str | None) -> str | None:
    return None if text is None else clean(text)
