"""What each event of a session means for its turns."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memoryd.capture.child import OWN_PROMPT
from tests.session_file import fork, line, prompt, result, said, used, write
from tests.unit.memoryd.capturing import Capturing

ASKED = "Why does the cart lose its discount?"
ANSWERED = "A reload replaces the session."
TURN = [prompt("u1", 0, ASKED), said("a1", 1, ANSWERED, end=True)]


@pytest.fixture
def capturing(tmp_path: Path) -> Iterator[Capturing]:
    made = Capturing(tmp_path / "home")
    yield made
    made.close()


def test_a_prompt_and_its_stop_are_one_entry_with_its_excerpt(capturing: Capturing, tmp_path: Path) -> None:
    file = write(tmp_path / "s1.jsonl", TURN)
    capturing.tell("UserPromptSubmit", file, prompt=ASKED)
    assert capturing.entries == []
    capturing.at(1)
    capturing.tell("Stop", file, last_assistant_message=ANSWERED, stop_hook_active=False)
    (entry,) = capturing.entries
    assert (entry.session, entry.turn, entry.project) == ("s1", "u1", "shop-00000000")
    assert entry.text == f"Asked: {ASKED}\n\nAnswered: {ANSWERED}\n\nOutcome: answered"
    assert entry.transcript == "transcripts/s1/u1.md"
    assert ANSWERED in capturing.store.context_of(entry.id, "transcript")
    assert "<!--" not in capturing.store.context_of(entry.id, "transcript")
    assert capturing.written == [entry.id]


def test_events_that_come_again_change_nothing(capturing: Capturing, tmp_path: Path) -> None:
    file = write(tmp_path / "s1.jsonl", TURN)
    for _ in range(3):
        capturing.tell("SessionStart", file, source="startup")
        capturing.tell("UserPromptSubmit", file, prompt=ASKED)
        capturing.tell("Stop", file, last_assistant_message=ANSWERED)
        capturing.tell("Stop", file, last_assistant_message=ANSWERED)
        capturing.tell("SessionEnd", file, reason="other")
        capturing.lose_state()
    assert len(capturing.entries) == 1


def test_a_stop_without_its_prompt_is_filled_from_the_file(capturing: Capturing, tmp_path: Path) -> None:
    capturing.tell("Stop", write(tmp_path / "s1.jsonl", TURN), last_assistant_message=ANSWERED)
    assert [entry.turn for entry in capturing.entries] == ["u1"]


def test_the_file_may_lag_behind_the_answer(capturing: Capturing, tmp_path: Path) -> None:
    file = write(tmp_path / "s1.jsonl", TURN[:1])
    capturing.tell("UserPromptSubmit", file, prompt=ASKED)
    capturing.at(1)
    capturing.tell("Stop", file, last_assistant_message=ANSWERED)
    write(file, [*TURN, prompt("u2", 5, "And now?"), said("a2", 6, "Now it is kept.", end=True)])
    capturing.at(6)
    capturing.tell("UserPromptSubmit", file, prompt="And now?")
    capturing.tell("Stop", file, last_assistant_message="Now it is kept.")
    assert [entry.turn for entry in capturing.entries] == ["u1", "u2"]
    assert ANSWERED in capturing.entries[0].text


def test_the_file_may_lag_behind_the_prompt(capturing: Capturing, tmp_path: Path) -> None:
    file = write(tmp_path / "s1.jsonl", TURN)
    capturing.tell("Stop", file, last_assistant_message=ANSWERED)
    capturing.at(10)
    capturing.tell("UserPromptSubmit", file, prompt="And now?")
    capturing.tell("Stop", file, last_assistant_message="Now it is kept.")
    assert capturing.asked == [f"Asked: {ASKED}", "Asked: And now?"]
    write(file, [*TURN, prompt("u2", 10, "And now?"), said("a2", 11, "Now it is kept.", end=True)])
    capturing.at(20)
    capturing.tell("SessionEnd", file, reason="other")
    assert len(capturing.entries) == 2, "the file tells of the same turn"


@pytest.mark.parametrize("has_ids", [False, True])
@pytest.mark.parametrize("days_off", [0, 3])
def test_the_file_may_be_ahead_of_the_stop(capturing: Capturing, tmp_path: Path, has_ids: bool, days_off: int) -> None:
    """Events wait while the stores are opened; by then the agent is at work on what was asked next."""
    ids: list[dict[str, Any]] = [{"prompt_id": "p1"}, {"prompt_id": "p2"}] if has_ids else [{}, {}]
    in_file = [{"promptId": "p1"}, {"promptId": "p2"}] if has_ids else [{}, {}]
    first = [prompt("u1", 0, ASKED, **in_file[0]), said("a1", 0.1, ANSWERED, end=True)]
    second = [prompt("u2", 0.2, "And now?", **in_file[1]), said("a2", 0.3, "It is kept", end=False)]
    file = write(tmp_path / "s1.jsonl", [*first, *second])
    capturing.at(days_off * 24 * 60)
    capturing.tell("UserPromptSubmit", file, prompt=ASKED, **ids[0])
    capturing.tell("Stop", file, last_assistant_message=ANSWERED, **ids[0])
    assert [entry.text.split("\n")[2] for entry in capturing.entries] == [f"Answered: {ANSWERED}"]
    write(file, [*first, *second, said("a3", 0.4, "It is kept in the row.", end=True)])
    capturing.tell("UserPromptSubmit", file, prompt="And now?", **ids[1])
    capturing.tell("Stop", file, last_assistant_message="It is kept in the row.", **ids[1])
    capturing.tell("SessionEnd", file, reason="other")
    assert [entry.turn for entry in capturing.entries] == ["u1", "u2"]
    assert "Answered: It is kept in the row." in capturing.entries[1].text


@pytest.mark.parametrize("is_late", [False, True])
def test_a_picture_beside_a_prompt_makes_no_other_turn_of_it(
    capturing: Capturing, tmp_path: Path, is_late: bool
) -> None:
    """A hook may tell of the words alone, the file of the picture too."""
    shown = [{"type": "text", "text": "Why is this cut off?"}, {"type": "image", "source": {"data": "aGk="}}]
    lines = [line("user", "u1", 0, {"role": "user", "content": shown}), said("a1", 1, "The box is small.", end=True)]
    file = tmp_path / "s1.jsonl"
    if not is_late:
        write(file, lines)
        capturing.at(24 * 60)
    capturing.tell("UserPromptSubmit", file, prompt="Why is this cut off?")
    capturing.tell("Stop", file, last_assistant_message="The box is small.")
    write(file, lines)
    capturing.tell("SessionEnd", file, reason="other")
    assert len(capturing.entries) == 1


def test_of_two_prompts_of_the_same_words_each_has_its_own_answer(capturing: Capturing, tmp_path: Path) -> None:
    one = [prompt("u1", 0, "continue"), said("a1", 0.1, "The first half.", end=True)]
    two = [prompt("u2", 0.2, "continue"), said("a2", 0.3, "The second half.", end=True)]
    file = write(tmp_path / "s1.jsonl", [*one, *two])
    for answer in ("The first half.", "The second half."):
        capturing.tell("UserPromptSubmit", file, prompt="continue")
        capturing.tell("Stop", file, last_assistant_message=answer)
    assert [entry.text.split("\n")[2] for entry in capturing.entries] == [
        "Answered: The first half.", "Answered: The second half.",
    ]  # fmt: skip


def test_without_a_file_hooks_alone_make_the_turn(capturing: Capturing) -> None:
    capturing.tell("UserPromptSubmit", prompt=ASKED, prompt_id="p1")
    capturing.tell(
        "PostToolUse", tool_name="Edit", tool_use_id="t1", tool_input={"file_path": "/code/shop/src/cart.py"}
    )
    capturing.tell("PostToolUseFailure", tool_name="Bash", tool_use_id="t2", tool_input={"command": "pytest -q"})
    capturing.tell("SubagentStop", agent_id="g1", agent_type="Explore", last_assistant_message="Two callers.")
    capturing.tell("Stop", last_assistant_message=ANSWERED)
    (entry,) = capturing.entries
    assert entry.files == ("src/cart.py",)
    assert "Commands: `pytest -q` (failed)" in entry.text
    assert "Sub-agents: `Explore` Two callers." in entry.text
    assert capturing.touched == [Path("/code/shop/src/cart.py")]


def test_a_stop_that_overtakes_its_prompt_waits_for_it(capturing: Capturing) -> None:
    """Two hooks are two processes: no question is lost, and none is parted from its answer."""
    capturing.tell("Stop", last_assistant_message="It is mended.", prompt_id="p1")
    assert capturing.entries == []
    assert (capturing.told.patience_s or 0) > 0
    capturing.tell("UserPromptSubmit", prompt="Mend the cart", prompt_id="p1")
    capturing.tell("Stop", last_assistant_message="It is mended.", prompt_id="p1")
    (entry,) = capturing.entries
    assert entry.text.startswith("Asked: Mend the cart\n\nAnswered: It is mended.")
    assert capturing.told.patience_s is None


@pytest.mark.parametrize("then", ["another event", "time", "the end"])
def test_a_stop_whose_prompt_does_not_come_is_taken_without(capturing: Capturing, then: str) -> None:
    capturing.tell("UserPromptSubmit", prompt="An earlier one, interrupted", prompt_id="p0")
    capturing.tell("Stop", last_assistant_message="An answer to something.", prompt_id="p1")
    capturing.tell("Stop", session="s2", last_assistant_message="Of another session.", prompt_id="q1")
    assert capturing.entries == []
    if then == "another event":
        capturing.tell("PreCompact")
        capturing.tell("PreCompact", session="s2")
    else:
        deadline = time.monotonic() + 20
        while capturing.told.patience_s is not None and time.monotonic() < deadline:
            capturing.told.release(is_final=then == "the end")
    text = "\n".join(entry.text for entry in capturing.entries)
    assert all(one in text for one in ("An answer to something.", "Of another session."))
    capturing.tell("SessionEnd", reason="exit")
    assert "An earlier one, interrupted" in "\n".join(entry.text for entry in capturing.entries)


def test_a_turn_of_hooks_alone_is_known_when_the_file_turns_up(capturing: Capturing, tmp_path: Path) -> None:
    capturing.tell("UserPromptSubmit", prompt=ASKED)
    capturing.tell("Stop", last_assistant_message=ANSWERED)
    capturing.lose_state()
    file = write(tmp_path / "s1.jsonl", TURN)
    assert capturing.take(file).turns["known"] == 1
    assert len(capturing.entries) == 1


def test_a_turn_of_hooks_is_known_by_the_prompts_id(capturing: Capturing, tmp_path: Path) -> None:
    capturing.tell("UserPromptSubmit", prompt="[Image #1] " + ASKED, prompt_id="p1")
    capturing.tell("Stop", last_assistant_message=ANSWERED)
    file = write(tmp_path / "s1.jsonl", [prompt("u1", 0, ASKED, promptId="p1"), TURN[1]])
    assert capturing.take(file).turns["known"] == 1


def test_a_repeated_sentence_is_two_turns(capturing: Capturing, tmp_path: Path) -> None:
    lines = [
        prompt("u1", 0, "continue"),
        said("a1", 1, "One.", end=True),
        prompt("u2", 2, "continue"),
        said("a2", 3, "Two.", end=True),
    ]
    for minute, until in ((1, 2), (3, 4)):
        file = write(tmp_path / "s1.jsonl", lines[:until])
        capturing.at(minute - 1)
        capturing.tell("UserPromptSubmit", file, prompt="continue")
        capturing.at(minute)
        capturing.tell("Stop", file, last_assistant_message=("One.", "Two.")[minute // 2])
    assert [entry.turn for entry in capturing.entries] == ["u1", "u2"]


def test_a_repeated_sentence_of_hooks_alone_is_two_turns(capturing: Capturing) -> None:
    for minute, answered in ((0, "One."), (2, "Two.")):
        capturing.at(minute)
        capturing.tell("UserPromptSubmit", prompt="continue")
        capturing.tell("Stop", last_assistant_message=answered)
        capturing.tell("Stop", last_assistant_message=answered)
    assert len(capturing.entries) == 2


def test_a_fork_is_one_turn_whichever_comes_first(tmp_path: Path) -> None:
    original = write(tmp_path / "s1.jsonl", TURN)
    forked = write(tmp_path / "s2.jsonl", fork(TURN, "s2"))
    resumed = write(tmp_path / "s3.jsonl", fork(TURN, "s3", tells=False))
    for number, order in enumerate(
        ((original, forked, resumed), (forked, resumed, original), (resumed, original, forked))
    ):
        capturing = Capturing(tmp_path / f"home{number}")
        for file in order:
            capturing.take(file)
        assert len(capturing.entries) == 1
        capturing.close()


def test_a_forgotten_turn_does_not_come_back_by_any_file(capturing: Capturing, tmp_path: Path) -> None:
    original = write(tmp_path / "s1.jsonl", TURN)
    capturing.take(original)
    (entry,) = capturing.entries
    shadows = capturing.store.shadow_ids([entry.id])
    capturing.store.set_refused([entry.id, *shadows])
    capturing.store.forget([entry.id])
    forked = write(tmp_path / "s2.jsonl", fork(TURN, "s2"))
    resumed = write(tmp_path / "s3.jsonl", fork(TURN, "s3", tells=False))
    assert capturing.take(original, forked, resumed).turns["forgotten"] == 3
    capturing.tell("Stop", original, last_assistant_message=ANSWERED)
    assert capturing.entries == []
    assert capturing.files_with(ANSWERED) == []


def test_missed_turns_are_filled_at_the_next_start(capturing: Capturing, tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    write(folder / "s1.jsonl", [*TURN, prompt("u2", 5, "And now?")])
    write(folder / "s0.jsonl", [prompt("v1", 0, "A session that no hook told of") | {"sessionId": "s0"}])
    write(folder / "agent-1.jsonl", [prompt("w1", 0, "Find all callers", isSidechain=True)])
    new = write(folder / "s9.jsonl", [prompt("y1", 9, "Hello") | {"sessionId": "s9"}])
    capturing.clock.now = capturing.sessions.since  # the files are newer than the memory of sessions
    capturing.tell("SessionStart", folder / "s1.jsonl", session="s1", source="resume")
    assert capturing.asked == [f"Asked: {ASKED}"], "the last turn of a session under way is left to its stop"
    capturing.at(60 * 24 * 3650)
    capturing.tell("SessionStart", new, session="s9", source="startup")
    found = ["Asked: A session that no hook told of", "Asked: And now?", "Asked: Hello", f"Asked: {ASKED}"]
    assert sorted(capturing.asked) == found


def test_an_interrupted_turn_is_told_at_the_end_of_the_session(capturing: Capturing, tmp_path: Path) -> None:
    lines = [
        prompt("u1", 0, ASKED),
        used("a1", 1, "t1", "Edit", {"file_path": "/code/shop/src/cart.py"}),
        result("r1", 2, "t1", "ok"),
        prompt("i1", 3, "[Request interrupted by user]"),
    ]
    file = write(tmp_path / "s1.jsonl", lines)
    capturing.tell("UserPromptSubmit", file, prompt=ASKED)
    capturing.tell("SessionEnd", file, reason="prompt_input_exit")
    assert "Outcome: interrupted" in capturing.entries[0].text
    assert capturing.entries[0].files == ("src/cart.py",)


def test_what_a_compaction_kept_is_one_entry_whoever_tells_of_it(capturing: Capturing, tmp_path: Path) -> None:
    kept = prompt("c1", 2, "We moved the discount to the cart row.", isCompactSummary=True)
    file = write(tmp_path / "s1.jsonl", [*TURN, kept, prompt("u2", 3, "Go on"), said("a2", 4, "Done.", end=True)])
    capturing.at(2)
    capturing.tell("PreCompact", file, trigger="auto", custom_instructions=None)
    capturing.tell("PostCompact", file, trigger="auto", compact_summary="The discount was moved.")
    capturing.at(4)
    capturing.tell("Stop", file, last_assistant_message="Done.")
    titles = [entry.title for entry in capturing.entries]
    assert titles.count("What a compaction kept") == 1
    assert len(titles) == 3


def test_a_failed_turn_is_told_and_the_error_is_no_answer(capturing: Capturing, tmp_path: Path) -> None:
    file = write(tmp_path / "s1.jsonl", TURN[:1])
    capturing.tell("UserPromptSubmit", file, prompt=ASKED)
    capturing.tell("StopFailure", file, error="overloaded", last_assistant_message="API Error: 529 overloaded")
    (entry,) = capturing.entries
    assert entry.text == f"Asked: {ASKED}\n\nOutcome: failed: overloaded"


@pytest.mark.parametrize(
    "fields",
    [
        {"prompt": "check the deployment", "source": "loop_wakeup"},
        {"prompt": "<tick>3</tick>"},
        {"prompt": "<task-notification>done</task-notification>", "source": "system"},
    ],
)
def test_short_turns_that_no_person_began_are_not_kept(capturing: Capturing, fields: dict[str, Any]) -> None:
    capturing.tell("UserPromptSubmit", None, **fields)
    capturing.tell("Stop", last_assistant_message="Nothing new.")
    assert capturing.entries == []


def test_a_turn_that_a_stop_hook_lengthened_is_kept_beside_its_beginning(capturing: Capturing, tmp_path: Path) -> None:
    more = [
        prompt("n1", 2, "Stop hook feedback:\nthe tests fail", isMeta=True),
        used("a2", 3, "t1", "Edit", {"file_path": "/code/shop/src/cart.py"}),
        said("a3", 4, "Now they pass.", end=True),
    ]
    file = write(tmp_path / "s1.jsonl", TURN)
    capturing.tell("Stop", file, last_assistant_message=ANSWERED, stop_hook_active=False)
    write(file, [*TURN, *more])
    capturing.tell("Stop", file, last_assistant_message="Now they pass.", stop_hook_active=True)
    assert [entry.turn for entry in capturing.entries] == ["u1", "n1"]
    assert capturing.entries[1].title == "Continued: a stop hook sent it on"


def test_events_inside_a_sub_agent_begin_and_end_no_turn(capturing: Capturing, tmp_path: Path) -> None:
    file = write(tmp_path / "s1.jsonl", TURN[:1])
    capturing.tell("UserPromptSubmit", file, prompt=ASKED)
    capturing.tell("UserPromptSubmit", file, prompt="Find all callers", agent_id="g1")
    capturing.tell("Stop", file, last_assistant_message="Two callers.", agent_id="g1")
    assert capturing.entries == []


def test_a_child_of_ours_is_not_captured(capturing: Capturing) -> None:
    capturing.tell("UserPromptSubmit", session="child", prompt=f"{OWN_PROMPT}\nSum up.")
    capturing.tell("Stop", session="child", last_assistant_message="The user asked about the cart.")
    capturing.tell("SessionEnd", session="child", reason="other")
    assert capturing.entries == []


def test_neither_key_nor_password_is_in_any_file(capturing: Capturing, tmp_path: Path) -> None:
    """BH46: what was asked is kept, the two secrets in it are not: in no file, index and database included."""
    asked = "OPENAI_API_KEY=sk-proj-FAKE00000000000000000000 and DATABASE_URL=postgres://admin:FAKEPW@h/db fails"
    lines = [
        prompt("u1", 100, asked),
        used("a1", 101, "t1", "Bash", {"command": f"env {asked}"}),
        result("r1", 102, "t1", asked),
        said("a2", 103, f"It said: {asked}", end=True),
    ]
    for number, file in enumerate((None, write(tmp_path / "t" / "s1.jsonl", lines))):
        capturing.at(number * 100)
        capturing.tell("UserPromptSubmit", file, prompt=asked)
        capturing.tell("PostToolUse", file, tool_name="Bash", tool_use_id="t1", tool_input={"command": asked})
        assert capturing.files_with("FAKE") == []
        capturing.tell("Stop", file, last_assistant_message=asked)
    capturing.tell("PostCompact", compact_summary=asked)
    assert len(capturing.entries) == 3
    assert capturing.files_with("FAKE") == []
    assert capturing.entries[0].text.startswith("Asked: OPENAI_API_KEY=[redacted: ")
    assert "@h/db fails" in capturing.entries[0].text


def test_names_that_are_no_file_names_stay_inside_the_folder(capturing: Capturing) -> None:
    for session in ("../../evil", "/etc/passwd", ".hidden", "a/b", "x" * 300, "ünï"):
        capturing.tell("UserPromptSubmit", session=session, prompt=ASKED, prompt_id="../../../p")
        capturing.tell("Stop", session=session, last_assistant_message=ANSWERED)
    files = [path for path in capturing.home.rglob("*.md") if "transcripts" in path.parts]
    assert len(files) == 6
    assert all(path.parent.parent == capturing.memory / "transcripts" for path in files)
    assert len(capturing.entries) == 6


def test_without_excerpts_only_the_journal_is_written(tmp_path: Path) -> None:
    capturing = Capturing(tmp_path / "home", keeps_excerpts=False)
    capturing.take(write(tmp_path / "s1.jsonl", TURN))
    assert capturing.entries[0].transcript is None
    assert list((capturing.memory / "transcripts").iterdir()) == []
    capturing.close()


def test_a_turn_that_cannot_be_written_stays_open(capturing: Capturing, tmp_path: Path) -> None:
    file = write(tmp_path / "s1.jsonl", TURN)
    capturing.tell("UserPromptSubmit", file, prompt=ASKED)
    blocker = capturing.memory / "transcripts" / "s1"
    blocker.write_text("in the way", "utf-8")
    with pytest.raises(Exception, match="s1"):
        capturing.tell("Stop", file, last_assistant_message=ANSWERED)
    blocker.unlink()
    capturing.tell("SessionEnd", file, reason="other")
    assert [entry.turn for entry in capturing.entries] == ["u1"]
