"""How a turn is told: the few lines that the journal keeps, and the longer excerpt beside it.

All sizes are in characters (code points). A text that is longer is cut between graphemes, says how much is missing, and
leaves no code fence open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath

import regex

from memoryd.capture.turn import Call, Step, Turn

MOST_ASKED = 2_000
MOST_ANSWERED = 4_000
MOST_STEERED = 500
MOST_FILES = 40
MOST_COMMANDS = 20
MOST_LINE = 160
"""A command, or what a sub-agent was sent for."""
MOST_TITLE = 72
MOST_TEXT_KEPT = 20_000
"""Each text of an excerpt."""
MOST_RESULT_KEPT = 400
MOST_FAILURE_KEPT = 1_200
MOST_AGENT_KEPT = 4_000
MOST_EXCERPT = 60_000
"""An excerpt; the steps in its middle are left out first."""

COMPACTION_TITLE = "What a compaction kept"

_BOOKKEEPING = frozenset({"TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskList"})
"""Tools with which an agent keeps its own list: the same words again and again."""
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_GRAPHEME = regex.compile(r"\X")
_MARKUP = re.compile(r"^[#>*\-\s]+|[`*]{1,3}")
_HALF_A_MARK = re.compile(r"\[redacted[^\]]*\Z")
_UNANSWERED = re.compile(r"Asked: .*\n\nOutcome: (?:interrupted|no answer|failed: [^\n]*)", re.DOTALL)
_BLOCK_START = re.compile(r"(?:[-*+>#|`~]|\d+[.)] |<| {4})")
_HEADING = re.compile(r"^(#{1,3})(?=[ \t])", re.MULTILINE)


def title_of(turn: Turn) -> str:
    """Return a heading for the turn, in one line; empty where nothing was asked that can stand in one."""
    if turn.kind == "compaction":
        return COMPACTION_TITLE
    lines = (" ".join(_MARKUP.sub("", line).split()) for line in turn.asked.split("\n") if not _FENCE.match(line))
    first = next((line for line in lines if re.search(r"\w", line)), "")
    if turn.kind == "continued":
        first = f"Continued: {first}"
    if len(first) <= MOST_TITLE:
        return first
    kept = _cut(first, MOST_TITLE - 1)
    # Half a mark would read as if something were missing from what was asked.
    return f"{kept[: kept.rfind('[')] if _HALF_A_MARK.search(kept) else kept}".rstrip() + "…"


def journal_text(turn: Turn, *, note_of: Callable[[str], str | None] = lambda _: None) -> str:
    """Return what the journal says of a turn.

    ``note_of`` gives the name of the note that a written file is, ``None`` for a file that is none.
    """
    if turn.kind == "compaction":
        return bounded(turn.answered, MOST_ASKED + MOST_ANSWERED)
    parts = [_labelled("Asked", bounded(turn.asked, MOST_ASKED))] if turn.asked else []
    parts += [_labelled("Added", bounded(step.text, MOST_STEERED)) for step in turn.steps if step.kind == "steered"]
    if turn.answered:
        parts.append(_labelled("Answered", bounded(turn.answered, MOST_ANSWERED)))
    return "\n\n".join([*parts, "\n".join(_facts(turn, note_of))])


def is_unanswered(text: str) -> bool:
    """Tell whether a journal's text says only what was asked, and that nothing came of it."""
    return _UNANSWERED.fullmatch(text.strip()) is not None and "\n\nAnswered: " not in text


def excerpt_text(turn: Turn) -> str:
    """Return what is kept of a turn beside the journal: all that was said, and each tool with what came of it."""
    head = [f"### Asked\n\n{_lowered(bounded(turn.asked, MOST_TEXT_KEPT))}"] if turn.asked else []
    if turn.kind == "compaction":
        return bounded(turn.answered, MOST_EXCERPT)
    told = [_step(step) for step in turn.steps if step.call is None or step.call.name not in _BOOKKEEPING]
    if turn.steps and turn.steps[-1].kind != "said" and turn.answered and not _is_said(turn):
        told.append(_step(Step("said", turn.answered)))
    if not turn.steps and turn.answered:
        told = [_step(Step("said", turn.answered))]
    return "\n\n".join([*head, "### Then", *_fitting(told, MOST_EXCERPT - sum(map(len, head)))])


def outcome_of(turn: Turn) -> str:
    """Return how a turn ended, in words."""
    if turn.is_interrupted:
        ended = "interrupted"
    elif turn.failure:
        ended = f"failed: {turn.failure}"
    else:
        ended = "answered" if turn.answered else "no answer"
    failed = sum(call.is_failed for call in turn.calls)
    return f"{ended}; {failed} of {len(turn.calls)} tool calls failed" if failed else ended


def bounded(text: str, most: int) -> str:
    """Return a text of at most about ``most`` characters; where it is cut it says how many are missing."""
    if len(text) <= most:
        return text
    kept = _cut(text, most).rstrip()
    fence = _open_fence(kept)
    return f"{kept}{f'{chr(10)}{fence}' if fence else ''}\n\n[… {len(text) - len(kept):,} more characters]"


def fenced(text: str) -> str:
    """Return a text as a code block that nothing in it can end."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    mark = "`" * (longest + 1)
    return f"{mark}\n{text}\n{mark}"


def _facts(turn: Turn, note_of: Callable[[str], str | None]) -> Iterator[str]:
    written = [call.path for call in turn.calls if call.path and not call.is_failed]
    notes = {path: name for path in written if (name := note_of(path)) is not None}
    if files := turn.files:
        links = [f"[[{name}]]" for name in dict.fromkeys(notes.values())]
        names = {PurePath(path).name for path in notes}
        others = [f"`{file}`" for file in files if PurePath(file).name not in names]
        yield f"Files: {_listed([*others, *links], MOST_FILES)}"
    commands = [f"`{_line(call.command)}`{_failed(call)}" for call in turn.calls if call.command]
    if commands:
        yield f"Commands: {_listed(list(dict.fromkeys(commands)), MOST_COMMANDS)}"
    agents = [f"`{call.agent}` {_line(call.what)}{_failed(call)}" for call in turn.calls if call.agent]
    if agents:
        yield f"Sub-agents: {_listed(agents, MOST_COMMANDS)}"
    yield f"Outcome: {outcome_of(turn)}"


def _failed(call: Call) -> str:
    return " (failed)" if call.is_failed else ""


def _line(text: str) -> str:
    """Return a text on one line that can stand between backticks."""
    line = " ".join(text.replace("`", "'").split())
    return line if len(line) <= MOST_LINE else f"{_cut(line, MOST_LINE - 1).rstrip()}…"


def _listed(items: Sequence[str], most: int) -> str:
    more = len(items) - most
    return ", ".join(items[:most]) + (f" and {more} more" if more > 0 else "")


def _labelled(label: str, text: str) -> str:
    # A list, a table or a fence must start on a line of its own to be one.
    return f"{label}:\n\n{text}" if _BLOCK_START.match(text) else f"{label}: {text}"


def _is_said(turn: Turn) -> bool:
    return any(step.kind == "said" and step.text == turn.answered for step in turn.steps)


def _step(step: Step) -> str:
    if step.call is None:
        text = _lowered(bounded(step.text, MOST_TEXT_KEPT))
        return f"The person added: {text}" if step.kind == "steered" else text
    call = step.call
    what = f"- {call.agent or call.name}: `{_line(call.what)}`{_failed(call)}" if call.what else f"- {call.name}"
    most = MOST_AGENT_KEPT if call.agent else MOST_FAILURE_KEPT if call.is_failed else MOST_RESULT_KEPT
    result = bounded(call.result, most).strip()
    return f"{what}\n\n{fenced(result)}" if result else what


def _lowered(text: str) -> str:
    """Return a text whose headings stand below those of the excerpt."""
    return _HEADING.sub("####", text) if "#" in text and not _FENCE.search(text) else text


def _fitting(told: Sequence[str], most: int) -> list[str]:
    """Return the steps that fit, from both ends: what was done first, and how it came out."""
    if sum(map(len, told)) <= most:
        return list(told)
    head: list[str] = []
    tail: list[str] = []
    room = most
    for place in range(len(told)):
        source, taken = (told[len(head)], head) if place % 2 == 0 else (told[-1 - len(tail)], tail)
        if len(source) > room:
            break
        taken.append(source)
        room -= len(source)
    left = len(told) - len(head) - len(tail)
    return [*head, f"[… {left} steps left out]", *reversed(tail)]


def _cut(text: str, most: int) -> str:
    """Return the beginning of a text, cut at a space in its last tenth or else between graphemes."""
    end = most
    for match in _GRAPHEME.finditer(text, max(0, most - 64)):
        if match.end() > most:
            break
        end = match.end()
    space = max(text.rfind(" ", 0, end), text.rfind("\n", 0, end))
    return text[: space if space > end * 9 // 10 else end]


def _open_fence(text: str) -> str | None:
    """Return the mark that ends the fence which a text leaves open."""
    opened: str | None = None
    for mark in _FENCE.findall(text):
        if opened is None:
            opened = mark
        elif mark[0] == opened[0] and len(mark) >= len(opened):
            opened = None
    return opened
