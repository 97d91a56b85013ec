"""Which turn of a session's file a stop ends, and how far the file is told by then.

The file may lag behind the agent, and not know the turn or its answer yet. It may be ahead of the events too: while
they wait to be taken in, the agent goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from memoryd.capture.dialogue import Reading
from memoryd.capture.payload import Payload
from memoryd.capture.sessions import OpenPrompt
from memoryd.capture.turn import Turn, words_of

_NEAR = timedelta(seconds=30)
"""A prompt that a hook told of and one in a file are the same when they are so near."""


def is_told(prompt: OpenPrompt, reading: Reading) -> bool:
    """Tell whether a session's file tells of a prompt; it may do so in other words, and it may lag behind."""
    for turn in reading.turns:
        if prompt.prompt_id is not None and turn.prompt is not None:
            if prompt.prompt_id == turn.prompt:
                return True
        elif abs(prompt.at - turn.at) <= _NEAR:
            return True
    left = reading.open_turn
    if left is None or (prompt.prompt_id is not None and left.prompt is not None):
        return False
    return left.at >= prompt.at or words_of(prompt.asked) == words_of(left.asked)


def turn_that_ends(payload: Payload, prompts: Sequence[OpenPrompt], answer: str, reading: Reading) -> Turn | None:
    """Return the turn of a file that a stop ends, where something says which it is; it need not be the last."""
    turns = [turn for turn in reading.turns if turn.kind != "compaction"]
    ids = {payload.prompt_id, *(one.prompt_id for one in prompts[-1:])} - {None}
    named = [turn for turn in turns if turn.prompt is not None and turn.prompt in ids]
    if named or (ids and any(turn.prompt is not None for turn in turns)):
        return named[-1] if named else None
    asked = {words_of(one.asked) for one in prompts[-1:]}
    alike = [turn for turn in turns if words_of(turn.asked) in asked] if asked else turns
    answered = [turn for turn in alike if answer and " ".join(turn.answered.split()) == " ".join(answer.split())]
    if answered:
        return answered[-1]
    return alike[-1] if asked and len(alike) == 1 else None


def up_to(ended: Turn, whole: Turn, reading: Reading) -> tuple[list[Turn], int]:
    """Return the turns of a file up to the one that ended, ``whole`` in its place, and the byte to read on from."""
    over = [turn for turn in reading.turns if turn.start <= ended.start]
    over[over.index(ended)] = whole
    later = [turn.start for turn in reading.turns if turn.start > ended.start]
    if reading.open_start is not None and reading.open_start > ended.start:
        later.append(reading.open_start)
    return over, min(later, default=reading.end)


def ended_by(turn: Turn, answer: str, failure: str | None) -> Turn:
    """Return a turn as its stop tells of it: the file may lag behind the agent."""
    return replace(
        turn, answered=answer or turn.answered, failure=failure or (None if answer else turn.failure), is_ended=True
    )
