"""What every benchmark is read into: dated turns in sessions, and questions with the turns that answer them.

Ids of a data set may tell the answer (one set marks the sessions that hold it), so they are replaced by numbers in a
seeded order before a memory sees them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

SEED = 20261130
"""Of the numbering, of drawn questions and of the bootstrap."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One dated text, as it is remembered. ``at`` is aware; ``session`` is None where there are none."""

    id: str
    text: str
    at: datetime
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the dialogue it belongs to, its kind, and the ids of what holds its answer."""

    dialogue: str
    text: str
    kind: str
    turns: tuple[str, ...]
    sessions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One long conversation, or one folder of notes. Its turns stand in the order of time."""

    id: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """All of a data set. ``left_out`` says, in words, how many of its questions cannot be asked and why."""

    format: str
    dialogues: tuple[Dialogue, ...]
    questions: tuple[Question, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)


def sampled(corpus: Corpus, count: int | None, *, seed: int) -> Corpus:
    """Return a corpus of so many of its questions, drawn with a seed, and of the dialogues that they belong to."""
    if count is None or count >= len(corpus.questions):
        return corpus
    chosen = set(random.Random(seed).sample(range(len(corpus.questions)), count))  # noqa: S311 - no secret
    questions = tuple(question for place, question in enumerate(corpus.questions) if place in chosen)
    wanted = {question.dialogue for question in questions}
    dialogues = tuple(dialogue for dialogue in corpus.dialogues if dialogue.id in wanted)
    return replace(corpus, dialogues=dialogues, questions=questions)


def first_of_each(corpus: Corpus, count: int | None) -> Corpus:
    """Return a corpus with only the first questions of each dialogue."""
    if count is None:
        return corpus
    kept: list[Question] = []
    seen: dict[str, int] = {}
    for question in corpus.questions:
        seen[question.dialogue] = seen.get(question.dialogue, 0) + 1
        if seen[question.dialogue] <= count:
            kept.append(question)
    return replace(corpus, questions=tuple(kept))


def renumbered(corpus: Corpus, *, seed: int) -> Corpus:
    """Return the corpus with all ids replaced by numbers; sessions and dialogues are numbered in a seeded order."""
    shuffle = random.Random(seed)  # noqa: S311 - as above
    names = _numbers([dialogue.id for dialogue in corpus.dialogues], "d", shuffle)
    turns: dict[tuple[str, str], str] = {}
    sessions: dict[tuple[str, str], str] = {}
    dialogues = []
    for dialogue in corpus.dialogues:
        name = names[dialogue.id]
        inner = dict.fromkeys(turn.session for turn in dialogue.turns if turn.session is not None)
        for old, new in _numbers(list(inner), f"{name}s", shuffle).items():
            sessions[dialogue.id, old] = new
        renamed = []
        for number, turn in enumerate(dialogue.turns):
            turns[dialogue.id, turn.id] = f"{name}t{number:05}"
            session = None if turn.session is None else sessions[dialogue.id, turn.session]
            renamed.append(replace(turn, id=turns[dialogue.id, turn.id], session=session))
        dialogues.append(Dialogue(name, tuple(renamed)))
    questions = tuple(
        Question(
            names[question.dialogue],
            question.text,
            question.kind,
            tuple(turns[question.dialogue, id_] for id_ in question.turns if (question.dialogue, id_) in turns),
            tuple(
                sessions[question.dialogue, id_] for id_ in question.sessions if (question.dialogue, id_) in sessions
            ),
        )
        for question in corpus.questions
    )
    return replace(corpus, dialogues=tuple(dialogues), questions=questions)


def sessions_of(dialogue: Dialogue, turns: Sequence[str]) -> tuple[str, ...]:
    """Return the sessions in which these turns stand, each once."""
    wanted = set(turns)
    found = (turn.session for turn in dialogue.turns if turn.id in wanted and turn.session is not None)
    return tuple(dict.fromkeys(found))


def _numbers(ids: Sequence[str], prefix: str, shuffle: random.Random) -> dict[str, str]:
    numbers = list(range(1, len(ids) + 1))
    shuffle.shuffle(numbers)
    return {id_: f"{prefix}{number:03}" for id_, number in zip(ids, numbers, strict=True)}
