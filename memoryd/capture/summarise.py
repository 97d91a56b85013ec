"""A summary of a turn by a program or a model that the user names: made later, checked, and tried again.

The turn is in the journal long before. What comes back is kept only if it looks like a summary of it: an error message,
a refusal or an empty answer is never stored. The program is marked as memory's own, so that its hooks do nothing, and
it runs in a private folder, so that nothing lands in a project.
"""

from __future__ import annotations

import json
import re
import subprocess
import threading
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeAlias

import structlog

from episodic.errors import EpisodicError, TranscriptMissing, UnknownEpisode
from episodic.store import EpisodicStore
from memoryd.capture.child import OWN_PROMPT, child_environ
from memoryd.capture.sessions import Sessions
from memoryd.capture.turn import clean
from memoryd.errors import SummaryFailed
from memoryd.text.terms import terms

log = structlog.get_logger("memoryd.capture.summarise")

TIMEOUT_S = 120.0
MOST_TRIES = 8
FIRST_REST = timedelta(minutes=1)
"""How long a failed summary rests; each failure doubles it."""
MOST_REST = timedelta(hours=6)
SHORTEST, LONGEST = 20, 2_000
"""Characters of a summary; another length is no summary."""
SHARED_TERMS = 3
"""So many words at least a summary has from what it sums up."""

INSTRUCTION = (
    f"{OWN_PROMPT}\n"
    "Below is one turn of a coding session. Write two to six short sentences in its language: what was wanted, what "
    "was done, what was found out, what was decided and why. Name files, commands and versions. Only the summary, no "
    "preface."
)

_NO_SUMMARY = re.compile(
    r"^\W*(?:(?:api|execution|internal|server|http)\b.{0,12}\berror|error\b[: ]|overloaded|rate.?limit|usage limit"
    r"|you(?:'|’)?ve (?:hit|reached)|(?:your )?(?:credit|account) balance|please (?:run|log|sign)|invalid api key"
    r"|unauthori[sz]ed|not logged in|traceback|timed? ?out|connection|command not found"
    r"|(?:i(?:'|’)?m|i am) (?:sorry|unable|not able)|i can(?:no|')t|as an ai|no (?:response|output))",
    re.IGNORECASE,
)

Summarize: TypeAlias = Callable[[str], str]


def by_command(command: Sequence[str], *, folder: Path, environ: Mapping[str, str]) -> Summarize:
    """Return a summariser that runs a command: the turn on its stdin, the summary on its stdout."""

    def summarize(text: str) -> str:
        try:
            run = subprocess.run(  # noqa: S603 - the user's own command, without a shell
                list(command),
                input=f"{INSTRUCTION}\n\n{text}",
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=TIMEOUT_S,
                cwd=folder,
                env=child_environ(environ),
                check=False,
            )
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            raise SummaryFailed(f"the summary command did not run: {type(error).__name__}") from error
        if run.returncode != 0:
            raise SummaryFailed(f"the summary command ended with {run.returncode}")
        return run.stdout

    return summarize


def by_ollama(uri: str, model: str) -> Summarize:
    """Return a summariser that asks a model of an Ollama server."""

    def summarize(text: str) -> str:
        body = {"model": model, "prompt": f"{INSTRUCTION}\n\n{text}", "stream": False}
        request = urllib.request.Request(  # noqa: S310 - the address that the user set
            f"{uri.rstrip('/')}/api/generate", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - as above
                return str(json.loads(answer.read())["response"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SummaryFailed(f"Ollama gave no summary: {type(error).__name__}") from error

    return summarize


def checked(summary: str, text: str) -> str:
    """Return a summary, clean, if it is one of this text.

    Raises:
        SummaryFailed: It is empty, too long, an error message or a refusal, or of something else.
    """
    kept = clean(summary).strip()
    if not SHORTEST <= len(kept) <= LONGEST:
        raise SummaryFailed(f"what came back has {len(kept)} characters; a summary has {SHORTEST} to {LONGEST}")
    if _NO_SUMMARY.match(kept):
        raise SummaryFailed("what came back is an error or a refusal")
    if len(set(terms(kept)) & set(terms(text))) < SHARED_TERMS:
        raise SummaryFailed("what came back is not about the turn")
    return kept


class Summaries:
    """Makes the summaries that are wanted, in a thread that sleeps until the next is due."""

    def __init__(
        self,
        summarize: Summarize,
        *,
        episodic: EpisodicStore,
        sessions: Sessions,
        clock: Callable[[], datetime],
    ) -> None:
        self._summarize = summarize
        self._episodic = episodic
        self._sessions = sessions
        self._clock = clock
        self._wake = threading.Event()
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="summaries", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self, timeout_s: float = 2.0) -> None:
        """Begin no further summary; what is wanted stays wanted."""
        self._is_stopping = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def want(self, episode: str) -> None:
        """Want a summary of an entry."""
        self._sessions.want_summary(episode, tries=0, at=self._clock())
        self._wake.set()

    def make_due(self) -> int:
        """Make the summaries whose time has come; return how many were kept."""
        kept = 0
        for episode, tries in self._sessions.wanting_summaries(self._clock(), 20):
            if self._is_stopping:
                break
            kept += self._make(episode, tries)
        return kept

    def _make(self, episode: str, tries: int) -> bool:
        try:
            text = self._episodic.context_of(episode, "transcript")
            is_new = self._episodic.summarize(episode, checked(self._summarize(text), text))
        except (UnknownEpisode, TranscriptMissing):
            self._sessions.drop_summary(episode)  # it was forgotten since
            return False
        except (SummaryFailed, EpisodicError) as error:
            log.info("no_summary", reason=type(error).__name__, tries=tries + 1)
            if tries + 1 >= MOST_TRIES:
                self._sessions.drop_summary(episode)
            else:
                rest = min(FIRST_REST * 2**tries, MOST_REST)
                self._sessions.want_summary(episode, tries=tries + 1, at=self._clock() + rest)
            return False
        self._sessions.drop_summary(episode)
        return is_new

    def _run(self) -> None:
        while not self._is_stopping:
            self._wake.clear()
            try:
                self.make_due()
                due = self._sessions.next_summary()
            except Exception:
                log.exception("summaries_failed")
                due = self._clock() + FIRST_REST
            rest_s = None if due is None else max(0.05, (due - self._clock()).total_seconds())
            self._wake.wait(rest_s)
