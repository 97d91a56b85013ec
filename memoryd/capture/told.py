"""What each event of a session means for its turns."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path

from memoryd.capture.child import is_own_prompt
from memoryd.capture.dialogue import Reading, compaction_id, read_transcript
from memoryd.capture.ending import ended_by, is_told, turn_that_ends, up_to
from memoryd.capture.missed import changed_at, fill, siblings
from memoryd.capture.noise import is_machine_made, read_said
from memoryd.capture.opening import is_regular
from memoryd.capture.payload import Payload
from memoryd.capture.record import HOOK_MADE, Recorder
from memoryd.capture.sessions import Known, OpenPrompt, Sessions
from memoryd.capture.turn import Call, Step, Turn, clean, make_call
from memoryd.text.canonical import digest

_PATIENCE_S = 0.2
"""How long a stop waits for its prompt: two processes start one after the other, and the hook itself waits so long."""


class Told:
    """Takes events in, one at a time."""

    def __init__(
        self,
        sessions: Sessions,
        recorder: Recorder,
        *,
        clock: Callable[[], datetime],
        on_touched: Callable[[Path], None] = lambda _: None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._timer = timer
        self._held: dict[str, tuple[Payload, float]] = {}
        self._sessions = sessions
        self._recorder = recorder
        self._clock = clock
        self._on_touched = on_touched
        self._own: set[str] = set()
        self._unread: list[Known] = []
        self.outcomes: Counter[str] = Counter()

    def begin(self, payload: Payload) -> list[Known]:
        """Note that a session begins or goes on; return the sessions that may have turns nobody told of."""
        known = {one.transcript for one in self._sessions.known() if one.transcript is not None}
        self._note(payload)
        behind = [one for one in self._sessions.known() if one.transcript is not None]
        if payload.transcript is not None:
            behind += siblings(Path(payload.transcript), since=self._sessions.since, known=known)
        return behind

    def take(self, payload: Payload) -> list[Known]:
        """Take an event in; return the sessions whose file is not read to its end yet.

        Raises:
            JournalUnwritable: A turn cannot be written; it stays open and is tried again.
        """
        self._unread = []
        if payload.session is not None and payload.session not in self._own:
            held, _ = self._held.pop(payload.session, (None, 0.0))
            if held is None:
                self._take(payload)
            elif payload.event == "UserPromptSubmit":
                self._take(payload)
                self._settle(held)
            else:
                try:
                    self._settle(held)
                finally:  # a turn that cannot be written takes no event with it
                    self._take(payload)
        return self._unread

    @property
    def patience_s(self) -> float | None:
        """How long until a stop that waits for its prompt is taken without one; ``None`` where none waits."""
        if not self._held:
            return None
        return max(0.0, min(until for _, until in self._held.values()) - self._timer())

    def holds(self, session: str) -> bool:
        """Tell whether a stop of a session waits for its prompt."""
        return session in self._held

    def release(self, *, is_final: bool = False) -> list[Known]:
        """Take the stops that waited long enough, or all; return the sessions whose file is not read to its end yet.

        Raises:
            JournalUnwritable: As ``take``.
        """
        self._unread = []
        now = self._timer()
        for session in [name for name, (_, until) in self._held.items() if is_final or until <= now]:
            self._settle(self._held.pop(session)[0])
        return self._unread

    def _take(self, payload: Payload) -> None:
        event = payload.event
        if event == "UserPromptSubmit":
            self._ask(payload)
        elif event in {"Stop", "StopFailure"} and payload.agent is None:
            self._stop(payload)
        elif event in {"PostToolUse", "PostToolUseFailure"}:
            self._use(payload)
        elif event == "SubagentStop":
            self._report(payload)
        elif event == "PreCompact":
            self._fill(self._note(payload))
        elif event == "PostCompact":
            self._compact(payload)
        elif event == "SessionEnd":
            self._end(payload)

    def _note(self, payload: Payload) -> Known:
        assert payload.session is not None
        self._sessions.note(payload.session, transcript=payload.transcript, cwd=payload.cwd, at=self._clock())
        return self._sessions.known(payload.session)[0]

    def _ask(self, payload: Payload) -> None:
        if payload.prompt is None or payload.agent is not None or payload.session is None:
            return
        if is_own_prompt(payload.prompt):
            self._own.add(payload.session)
            return
        self._note(payload)
        said = read_said(payload.prompt)
        is_machine = is_machine_made(payload.source) or said.kind == "continued"
        if said.kind in {"prompt", "command", "continued"}:
            self._sessions.open_prompt(
                payload.session,
                clean(said.text),
                prompt_id=payload.prompt_id,
                at=self._clock(),
                machine=is_machine,
            )

    def _stop(self, payload: Payload) -> None:
        """Take a stop; one that overtook its prompt waits for it a moment, so that question and answer stay one turn.

        Two hooks are two processes, and the one that was started first may be heard second.
        """
        assert payload.session is not None
        if self._overtook(payload):
            self._held[payload.session] = (payload, self._timer() + _PATIENCE_S)
        else:
            self._settle(payload)

    def _overtook(self, payload: Payload) -> bool:
        if payload.is_continued or payload.event != "Stop" or payload.prompt_id is None:
            return False  # there is no prompt to come, or none that it could be told by
        if _is_readable(payload.transcript):
            return False  # the session's file has it
        prompts = self._sessions.prompts(payload.session or "")
        if any(one.prompt_id in {payload.prompt_id, None} for one in prompts):
            return False
        answer = digest(clean(payload.answer or ""), length=16)
        return self._sessions.last_answer(payload.session or "") != answer

    def _settle(self, payload: Payload) -> None:
        known = self._note(payload)
        prompts = self._sessions.prompts(known.session)
        reading = self._read(known)
        answer = clean(payload.answer or "") if payload.event == "Stop" else ""
        failure = clean(payload.error or "the service failed")[:200] if payload.event == "StopFailure" else None
        if reading is None:
            turns, rest = self._untold(known, prompts, answer, failure, is_continued=payload.is_continued), None
        elif (ended := turn_that_ends(payload, prompts, answer, reading)) is not None:
            turns, rest = up_to(ended, ended_by(ended, answer, failure), reading)
        else:
            turns, rest = list(reading.turns), reading.end
            left = reading.open_turn
            if prompts and not is_told(prompts[-1], reading):
                turns.append(self._from_hooks(known, prompts[-1], answer, failure))
            elif left is not None:
                turns[turns.index(left)] = ended_by(left, answer, failure)
        for turn in turns:
            self.outcomes[self._recorder.record(turn)] += 1
        if rest is not None:
            self._sessions.set_cursor(Path(known.transcript or ""), rest)
        self._close(known.session, prompts, answer)

    def _untold(
        self, known: Known, prompts: Sequence[OpenPrompt], answer: str, failure: str | None, *, is_continued: bool
    ) -> list[Turn]:
        """Return the turns that only hooks tell of: the session's file cannot be read."""
        turns = [replace(self._bare(known, one), is_interrupted=True) for one in prompts[:-1]]
        if prompts:
            return [*turns, self._from_hooks(known, prompts[-1], answer, failure)]
        if not answer or self._sessions.last_answer(known.session) == digest(answer, length=16):
            return turns  # this stop came before
        asked = "a stop hook sent it on" if is_continued else ""
        bare = OpenPrompt(0, None, asked, self._clock(), is_machine_made=is_continued)
        return [*turns, self._from_hooks(known, bare, answer, failure)]

    def _from_hooks(self, known: Known, prompt: OpenPrompt, answer: str, failure: str | None) -> Turn:
        steps = tuple(Step("call", call=Call(**body)) for _, _, body, _ in self._sessions.take_calls(known.session))
        return replace(ended_by(self._bare(known, prompt), answer, failure), steps=steps)

    def _bare(self, known: Known, prompt: OpenPrompt) -> Turn:
        milliseconds = int(prompt.at.timestamp() * 1000)
        return Turn(
            session=known.session,
            id=f"{HOOK_MADE}{prompt.prompt_id or f'{milliseconds}-{digest(prompt.asked, length=12)}'}",
            at=prompt.at,
            kind="continued" if prompt.is_machine_made else "prompt",
            asked=prompt.asked,
            cwd=known.cwd,
            prompt=prompt.prompt_id,
        )

    def _use(self, payload: Payload) -> None:
        """Note a tool that was used, where the session's file will not tell of it; look at what it wrote."""
        if payload.session is None or payload.tool is None:
            return
        call = make_call(payload.tool_id or "", payload.tool, payload.tool_values)
        call = replace(call, is_done=True, is_failed=payload.event == "PostToolUseFailure")
        if call.path is not None and not call.is_failed:
            self._on_touched(Path(call.path))
        if call.id and not _is_readable(payload.transcript):
            self._sessions.note_call(payload.session, call.id, call.name, asdict(call), failed=call.is_failed)

    def _report(self, payload: Payload) -> None:
        """Note what a sub-agent reported, where the session's file will not tell of it."""
        if payload.session is None or _is_readable(payload.transcript):
            return
        answer = clean(payload.answer or "")
        call = Call(
            f"agent-{payload.agent}", "Agent", answer.split("\n")[0], answer, is_done=True,
            agent=clean(payload.agent_kind or "agent"),
        )  # fmt: skip
        self._sessions.note_call(payload.session, call.id, call.name, asdict(call), failed=False)

    def _compact(self, payload: Payload) -> None:
        known = self._note(payload)
        if payload.summary is None:
            return
        kept = clean(payload.summary)
        turn = Turn(
            session=known.session,
            id=compaction_id(digest(kept, length=16)),
            at=self._clock(),
            kind="compaction",
            answered=kept,
            cwd=known.cwd,
            is_ended=True,
        )
        self.outcomes[self._recorder.record(turn)] += 1

    def _end(self, payload: Payload) -> None:
        known = self._note(payload)
        prompts = self._sessions.prompts(known.session)
        if _is_readable(known.transcript):
            self._fill(known, is_final=True)
        else:
            for prompt in prompts:
                turn = replace(self._from_hooks(known, prompt, "", None), is_interrupted=True)
                self.outcomes[self._recorder.record(turn)] += 1
        self._close(known.session, prompts, "")
        self._sessions.end(known.session)

    def _fill(self, known: Known, *, is_final: bool = False) -> None:
        filled = fill(known, self._sessions, self._recorder, now=self._clock(), is_final=is_final)
        self.outcomes += filled.outcomes
        self._unread += [known] if filled.goes_on else []

    def _close(self, session: str, prompts: Sequence[OpenPrompt], answer: str) -> None:
        self._sessions.close_prompts([one.number for one in prompts])
        self._sessions.take_calls(session)
        if answer:
            self._sessions.set_last_answer(session, digest(answer, length=16))

    def _read(self, known: Known) -> Reading | None:
        if known.transcript is None:
            return None
        path = Path(known.transcript)
        try:
            start = self._sessions.cursor(path)
            reading = read_transcript(path, start=start, session=known.session, asked_at=changed_at(path))
        except OSError:
            return None
        if not reading.is_to_end:
            # The turn that ends now stands at the far end; the hooks tell of it, and the rest is read in pieces.
            self._unread.append(known)
            return None
        return reading


def _is_readable(transcript: str | None) -> bool:
    return transcript is not None and is_regular(Path(transcript))
