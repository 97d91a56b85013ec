"""Summaries: made by what the user names, checked, and tried again."""

from __future__ import annotations

import http.server
import json
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from memoryd.capture.child import CHILD_MARK, OWN_PROMPT
from memoryd.capture.summarise import (
    MOST_TRIES,
    Summaries,
    by_command,
    by_ollama,
    checked,
)
from memoryd.errors import SummaryFailed
from tests.session_file import prompt, said, write
from tests.unit.memoryd.capturing import Capturing

TEXT = (
    "Asked: Why does the cart lose its discount?\nThe session is replaced by a reload; the discount moved to the row."
)
GOOD = "The cart lost its discount because a reload replaced the session; the discount moved to the cart row."


@pytest.fixture
def capturing(tmp_path: Path) -> Iterator[Capturing]:
    made = Capturing(tmp_path / "home")
    lines = [prompt("u1", 0, "Why does the cart lose its discount?"), said("a1", 1, TEXT, end=True)]
    made.take(write(tmp_path / "s1.jsonl", lines))
    yield made
    made.close()


def summaries(capturing: Capturing, answers: list[str]) -> Summaries:
    def summarize(_text: str) -> str:
        return answers.pop(0)

    made = Summaries(summarize, episodic=capturing.store, sessions=capturing.sessions, clock=capturing.clock)
    made.want(capturing.entries[0].id)
    return made


def test_a_summary_stands_at_the_top_of_the_excerpt_and_is_found(capturing: Capturing) -> None:
    made = summaries(capturing, [GOOD])
    assert made.make_due() == 1
    entry = capturing.entries[0]
    kept = capturing.store.context_of(entry.id, "transcript")
    assert kept.index(GOOD) < kept.index("### Asked")
    assert GOOD not in entry.text, "the journal is not written again"
    assert made.make_due() == 0


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "ok",
        "API Error: 529 overloaded, the cart discount reload session row",
        "Rate limit reached for the cart discount reload session row",
        "You've hit your limit · resets 3pm (cart, discount, reload, session, row)",
        "Credit balance is too low to sum up the cart, its discount, the reload, the session and the row",
        "I'm sorry, I can't sum up the cart, the discount, the reload, the session or the row",
        "Invalid API key · Please run /login: cart discount reload session row",
        "A pangolin is a mammal that is covered with scales of keratin.",
        "The cart lost its discount. " * 200,
    ],
)
def test_what_is_no_summary_is_never_stored_and_tried_again(capturing: Capturing, answer: str) -> None:
    made = summaries(capturing, [answer, GOOD])
    before = capturing.store.context_of(capturing.entries[0].id, "transcript")
    assert made.make_due() == 0
    assert capturing.store.context_of(capturing.entries[0].id, "transcript") == before
    assert made.make_due() == 0, "it rests first"
    capturing.clock.advance(timedelta(minutes=2))
    assert made.make_due() == 1


def test_after_many_failures_it_is_given_up(capturing: Capturing) -> None:
    made = summaries(capturing, [""] * MOST_TRIES)
    for _ in range(MOST_TRIES):
        made.make_due()
        capturing.clock.advance(timedelta(hours=7))
    assert capturing.sessions.next_summary() is None


def test_a_forgotten_turn_wants_no_summary(capturing: Capturing) -> None:
    made = summaries(capturing, [GOOD])
    capturing.store.forget([capturing.entries[0].id])
    assert made.make_due() == 0
    assert capturing.sessions.next_summary() is None
    assert capturing.files_with(GOOD) == []


def test_secrets_in_a_summary_are_taken_out() -> None:
    kept = checked(f"{GOOD} The key sk-proj-FAKE00000000000000000000 was used.", TEXT)
    assert "sk-proj" not in kept


def test_a_command_is_marked_as_ours_and_runs_in_the_private_folder(tmp_path: Path) -> None:
    code = (
        "import os, sys; text = sys.stdin.read(); print('child', os.environ.get('MEMORYD_CHILD'), os.getcwd(),"
        " os.environ.get('MEMORYD_HOME'), text.startswith(" + repr(OWN_PROMPT) + "), 'discount' in text)"
    )
    run = by_command([sys.executable, "-c", code], folder=tmp_path, environ={"MEMORYD_HOME": "/h", "PATH": "/bin"})
    assert CHILD_MARK == "MEMORYD_CHILD"
    assert run(TEXT).strip() == f"child 1 {tmp_path} None True True"


@pytest.mark.parametrize("command", [["/no/such/program"], [sys.executable, "-c", "import sys; sys.exit(3)"]])
def test_a_command_that_fails_gives_no_summary(tmp_path: Path, command: list[str]) -> None:
    with pytest.raises(SummaryFailed):
        by_command(command, folder=tmp_path, environ={})(TEXT)


def test_ollama_is_asked_and_its_failures_are_no_summary() -> None:
    asked: list[dict[str, object]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(body)
            answer = json.dumps({"response": GOOD} if body["model"] == "good" else {"error": "no such model"}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        uri = f"http://127.0.0.1:{server.server_port}"
        assert by_ollama(uri, "good")(TEXT) == GOOD
        assert asked[0]["stream"] is False
        with pytest.raises(SummaryFailed):
            by_ollama(uri, "bad")(TEXT)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    with pytest.raises(SummaryFailed):
        by_ollama(uri, "good")(TEXT)
