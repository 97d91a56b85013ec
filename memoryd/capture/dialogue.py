"""From the messages of a session file to its turns.

Turns follow the order of the file, not the chain of parents: what was rewound happened too. The parts of an answer
are joined by its id, results are paired with calls, sub-agents' own dialogues are passed over (their report stands in
the result of the call that sent them), and what the harness wrote begins no turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from memoryd.capture.child import is_own_prompt
from memoryd.capture.noise import Said, read_said
from memoryd.capture.transcript import Block, Message, read_lines
from memoryd.capture.turn import Kind, Step, Turn, clean, make_call, result_of
from memoryd.text.canonical import digest


@dataclass(frozen=True, slots=True)
class Reading:
    """What a session file holds from some byte on.

    Attributes:
        turns: In the order of the file; the last one may not be over yet.
        end: The byte behind the last whole line.
        skipped: What was passed over, by reason.
        open_start: The byte at which the turn starts that nothing has ended yet; it need not be worth a place in
            ``turns``. ``None`` where the file holds none from where it was read.
        is_to_end: False where the file goes on: it is read in pieces.
    """

    turns: tuple[Turn, ...]
    end: int
    skipped: Counter[str]
    open_start: int | None = None
    is_to_end: bool = True

    @property
    def open_turn(self) -> Turn | None:
        """The turn that nothing has ended yet."""
        return next((t for t in self.turns if t.start == self.open_start and t.kind != "compaction"), None)


def read_transcript(path: Path, *, start: int = 0, session: str | None = None, asked_at: datetime) -> Reading:
    """Read the turns of a session file.

    Args:
        path: The file.
        start: The byte to begin at: the start of a turn, or of a line behind one.
        session: The session of entries that name none; without it, the file's name.
        asked_at: The instant of turns whose entries have none.

    Raises:
        OSError: The file cannot be read.
    """
    lines = read_lines(path, start)
    dialogue = _Dialogue(session or path.stem, asked_at, lines.skipped)
    dialogue.read(lines.messages)
    turns = tuple(sorted(dialogue.turns, key=lambda turn: turn.start))
    return Reading(turns, lines.end, lines.skipped, dialogue.open_start, lines.is_to_end)


@dataclass(slots=True)
class _Draft:
    """A turn in the making."""

    message: Message
    kind: Kind
    asked: str
    raw: str
    at: datetime
    steps: list[Step] = field(default_factory=list)
    groups: dict[str, int] = field(default_factory=dict)
    beginning: str | None = None
    failure: str | None = None
    is_interrupted: bool = False
    is_ended: bool = False
    is_own: bool = False

    @property
    def looks_over(self) -> bool:
        """Whether the agent rests: not every version says how an answer ended."""
        return self.is_ended or (bool(self.steps) and self.steps[-1].kind == "said")


class _Dialogue:
    def __init__(self, session: str, at: datetime, skipped: Counter[str]) -> None:
        self._session = session
        self._at = at
        self._skipped = skipped
        self._draft: _Draft | None = None
        self._command: tuple[Message, Said] | None = None
        self._nameless: Counter[str] = Counter()
        self.turns: list[Turn] = []
        self.open_start: int | None = None

    def read(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self._at = message.at or self._at
            if message.is_sidechain:
                self._skipped["sub-agent"] += 1
            elif message.role == "assistant":
                self._hear(message)
            else:
                self._listen(message)
        if self._command is not None:
            self._skipped["local command"] += 1
        if self._draft is not None:
            self.open_start = self._draft.message.start
        self._close()

    def _listen(self, message: Message) -> None:
        """Take in a user's entry: a prompt, results, or something of the harness."""
        for block in message.blocks:
            if block.kind == "result":
                self._pair(block)
        raw = "\n\n".join(block.text for block in message.blocks if block.kind in {"text", "image"} and block.text)
        if message.is_summary:
            self._summarize(message, raw)
            return
        if not raw.strip():
            if not message.blocks:
                self._skipped["empty"] += 1
            return
        has_results = any(block.kind == "result" for block in message.blocks)
        said = _read_blocks(message)
        if said.kind == "summary":
            self._summarize(message, said.text)
        elif said.kind == "interrupted":
            self._interrupt()
        elif said.kind == "continued" or (message.sender not in {None, "human"} and not message.is_meta):
            self._send_on(message, said, raw)
        elif message.is_meta or has_results:
            # A meta entry behind a command is the command's own text; results may carry a notice beside them.
            self._skipped["meta"] += 1
        elif said.kind == "command":
            self._drop_command()
            self._command = (message, said)
        elif said.kind == "local":
            self._skipped["local command"] += 1 + (self._command is not None)
            self._command = None
        elif said.kind == "noise":
            self._skipped["harness notice"] += 1
        elif message.is_queued and self._draft is not None:
            self._draft.steps.append(Step("steered", clean(said.text)))
        else:
            self._drop_command()
            self._begin(message, said, raw)

    def _hear(self, message: Message) -> None:
        """Take in a part of an answer."""
        if self._command is not None:
            command, said = self._command
            self._command = None
            self._begin(command, said, said.text)
        draft = self._draft
        if draft is None:
            self._skipped["answer to nothing"] += 1
            return
        if message.is_error:
            self._skipped["service error"] += 1
            draft.failure = clean(next((block.text for block in message.blocks if block.text), ""))[:200] or None
            return
        for block in message.blocks:
            if block.kind == "text" and block.text.strip():
                self._say(draft, message, block)
            elif block.kind == "call":
                if any(step.call is not None and step.call.id == block.id for step in draft.steps if block.id):
                    continue
                draft.beginning = draft.beginning or f"call {block.id}"
                draft.steps.append(Step("call", call=make_call(block.id, block.name, block.values)))
                draft.is_ended = False
        if message.is_last:
            draft.is_ended = True

    def _say(self, draft: _Draft, message: Message, block: Block) -> None:
        text = clean(block.text)
        draft.beginning = draft.beginning or f"text {block.text}"
        draft.failure = None
        draft.is_interrupted = False
        place = draft.groups.get(message.group) if message.group else None
        if place is not None and place == len(draft.steps) - 1:
            before = draft.steps[place].text
            if text not in before.split("\n\n"):
                draft.steps[place] = Step("said", f"{before}\n\n{text}")
            return
        if message.group:
            draft.groups[message.group] = len(draft.steps)
        draft.steps.append(Step("said", text))

    def _pair(self, block: Block) -> None:
        draft = self._draft
        for place, step in enumerate(draft.steps if draft is not None else ()):
            call = step.call
            if draft is not None and call is not None and call.id == block.id and not call.is_done:
                done = replace(call, result=result_of(call, block.text), is_failed=block.is_error, is_done=True)
                draft.steps[place] = Step("call", call=done)
                return
        self._skipped["result of nothing"] += 1

    def _interrupt(self) -> None:
        if self._draft is not None:
            self._draft.is_interrupted = self._draft.is_ended = True

    def _send_on(self, message: Message, said: Said, raw: str) -> None:
        """Take in what sends the agent on without a person; while it is at work, that begins no turn."""
        if self._draft is not None and not self._draft.looks_over:
            self._skipped["harness notice"] += 1
            return
        words = said.text if said.kind == "continued" else "the harness sent it on"
        self._begin(message, Said("continued", words), raw)

    def _drop_command(self) -> None:
        if self._command is not None:
            self._skipped["local command"] += 1
            self._command = None

    def _begin(self, message: Message, said: Said, raw: str) -> None:
        self._close()
        kind: Kind = "command" if said.kind == "command" else "continued" if said.kind == "continued" else "prompt"
        at = message.at or self._at
        self._draft = _Draft(message, kind, clean(said.text), raw, at, is_own=is_own_prompt(raw))

    def _close(self) -> None:
        draft, self._draft = self._draft, None
        if draft is None:
            return
        if draft.is_own:
            self._skipped["our own child's turn"] += 1
            return
        turn = self._turn(draft)
        if turn.is_substantial:
            self.turns.append(turn)
        else:
            self._skipped["nothing to remember"] += 1

    def _turn(self, draft: _Draft) -> Turn:
        message = draft.message
        answered = next((step.text for step in reversed(draft.steps) if step.kind == "said"), "")
        return Turn(
            session=message.session or self._session,
            id=self._name(message, draft.raw),
            at=draft.at,
            kind=draft.kind,
            asked=draft.asked,
            answered=answered,
            steps=tuple(draft.steps),
            failure=draft.failure,
            cwd=message.cwd,
            prompt=message.prompt,
            origin=message.origin,
            mark=_mark(message, draft.raw, draft.beginning),
            start=message.start,
            is_interrupted=draft.is_interrupted,
            is_ended=draft.is_ended,
        )

    def _summarize(self, message: Message, raw: str) -> None:
        """Keep what a compaction left; the turn that it fell into goes on."""
        if not raw.strip():
            return
        self.turns.append(
            Turn(
                session=message.session or self._session,
                id=compaction_id(self._name(message, raw)),
                at=self._at,
                kind="compaction",
                answered=clean(raw),
                cwd=message.cwd,
                origin=None if message.origin is None else (message.origin[0], compaction_id(message.origin[1])),
                mark=_mark(message, raw, None),
                start=message.start,
                is_ended=True,
            )
        )

    def _name(self, message: Message, raw: str) -> str:
        """Return the turn's id: the entry's, or where it has none a hash of what is said and how often before."""
        if message.uuid:
            return message.uuid
        stem = digest(message.at.isoformat() if message.at else None, raw, length=20)
        self._nameless[stem] += 1
        return f"t-{stem}-{self._nameless[stem]}"


def compaction_id(name: str) -> str:
    """Return the turn id of a compaction's summary."""
    return f"compact-{name}"


def _read_blocks(message: Message) -> Said:
    """Tell what a user's entry is; its texts are looked at one by one, since notices stand beside a prompt."""
    written: list[str] = []
    found: Said | None = None
    for block in message.blocks:
        if block.kind == "image":
            written.append(block.text)
        elif block.kind == "text":
            said = read_said(block.text)
            if said.kind == "prompt":
                written.append(said.text)
            elif found is None or found.kind in {"noise", "local"}:
                found = said
    if found is not None and found.kind in {"interrupted", "continued", "summary", "command"}:
        return found
    return Said("prompt", "\n\n".join(written)) if written else found or Said("noise")


def _mark(message: Message, raw: str, beginning: str | None) -> str | None:
    """Return what copies of a turn have in common: who said what and when, and the id of the first tool used.

    The instant of the answer is no part: a fork gives its last entry a new one.
    """
    if message.at is None:
        return None
    return digest(message.role, raw, message.at.isoformat(), beginning, length=32)
