"""From the messages of a session file to its turns."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from memoryd.capture.child import OWN_PROMPT
from memoryd.capture.dialogue import Reading, read_transcript
from tests.session_file import START, answer, fork, line, prompt, result, said, used, write

DATA = Path(__file__).parents[2] / "data" / "transcripts"
NOW = datetime(2026, 12, 1, tzinfo=UTC)


def read(path: Path, start: int = 0) -> Reading:
    return read_transcript(path, start=start, asked_at=NOW)


def test_a_day_of_everything() -> None:
    reading = read(DATA / "day.jsonl")
    assert [(turn.kind, turn.id) for turn in reading.turns] == [
        ("prompt", "u1"),
        ("command", "u4"),
        ("compaction", "compact-c2"),
        ("prompt", "u6"),
        ("prompt", "u7"),
        ("prompt", "u8"),
    ]
    first, review, kept, stopped, failed, last = reading.turns
    assert first.asked == "Why does the cart lose its discount?"
    assert first.answered.startswith("The discount was kept in the session")
    assert [step.kind for step in first.steps] == ["said", "call", "call", "steered", "call", "said"]
    assert first.steps[3].text == "it only happens after a reload"
    assert first.files == ["src/cart.py"]
    assert first.prompt == "p1"
    assert review.asked == "/review the cart change"
    assert review.calls[0].agent == "Explore"
    assert review.calls[0].result == "Two callers: checkout.py and invoice.py."
    assert "invoice.py is to follow" in kept.answered
    assert stopped.is_interrupted
    assert failed.failure == "API Error: 529 overloaded"
    assert failed.answered == ""
    assert last.answered == "invoice.py reads `cart.discount_id` now."
    assert last.id != failed.id, "the same word twice is two turns"
    assert reading.skipped["sub-agent"] == 2
    assert reading.skipped["local command"] == 2


def test_results_are_paired_whatever_their_order() -> None:
    first = read(DATA / "day.jsonl").turns[0]
    shown, tests, _ = first.calls
    assert (shown.name, shown.result, shown.is_failed) == ("Read", "def total(self): ...", False)
    assert (tests.command, tests.is_failed) == ("pytest tests/test_cart.py -q", True)


def test_memorys_own_answers_are_not_kept() -> None:
    recalled = read(DATA / "day.jsonl").turns[-1].calls[0]
    assert recalled.name == "mcp__memoryd__recall"
    assert recalled.result == ""


def test_nothing_secret_or_private_is_left() -> None:
    asked = read(DATA / "day.jsonl").turns[3].asked
    assert "sk-proj" not in asked
    assert "fool" not in asked
    assert asked.startswith("Change invoice.py too.")


def test_parts_of_an_answer_are_joined_once(tmp_path: Path) -> None:
    lines = [
        prompt("u1", 0, "Where?"),
        said("a1", 1, "Here", group="g"),
        said("a2", 2, "Here", group="g"),
        said("a3", 3, "and there.", group="g"),
    ]
    assert read(write(tmp_path / "s.jsonl", lines)).turns[0].answered == "Here\n\nand there."


def test_what_was_rewound_happened_too(tmp_path: Path) -> None:
    lines = [
        prompt("u1", 0, "Start"),
        said("a1", 1, "Ready"),
        prompt("u2", 2, "First try", parentUuid="a1"),
        said("a2", 3, "One"),
        prompt("u3", 4, "Second try", parentUuid="a1"),
        said("a3", 5, "Two"),
    ]
    assert [turn.id for turn in read(write(tmp_path / "s.jsonl", lines)).turns] == ["u1", "u2", "u3"]


def test_a_compaction_in_the_middle_of_a_turn_does_not_end_it(tmp_path: Path) -> None:
    lines = [
        prompt("u1", 0, "Refactor everything"),
        used("a1", 1, "t1", "Edit", {"file_path": "/code/shop/a.py"}),
        line("system", "b", 2, subtype="compact_boundary"),
        prompt("c1", 2, "We were refactoring.", isCompactSummary=True),
        result("r1", 3, "t1", "ok"),
        said("a2", 4, "Done.", end=True),
    ]
    reading = read(write(tmp_path / "s.jsonl", lines))
    turn, kept = reading.turns
    assert (turn.id, turn.answered, turn.files) == ("u1", "Done.", ["a.py"])
    assert kept.kind == "compaction"
    assert reading.open_turn is turn


def test_what_sends_the_agent_on_begins_a_turn_only_when_it_rests(tmp_path: Path) -> None:
    report = "<task-notification>done</task-notification>"
    lines = [
        prompt("u1", 0, "Measure it"),
        used("a1", 1, "t1", "Bash", {"command": "make bench", "run_in_background": True}),
        prompt("n1", 2, report),
        said("a2", 3, "Started.", end=True),
        prompt("n2", 4, report, origin={"kind": "task-notification"}),
        said("a3", 5, "The median is 41 ms. " * 20, end=True),
        prompt("n3", 6, "<tick>1</tick>"),
        said("a4", 7, "Nothing new.", end=True),
    ]
    reading = read(write(tmp_path / "s.jsonl", lines))
    assert [(turn.kind, turn.id) for turn in reading.turns] == [("prompt", "u1"), ("continued", "n2")]
    assert reading.turns[0].answered == "Started."
    assert reading.skipped["nothing to remember"] == 1


def test_turns_of_our_own_children_are_dropped(tmp_path: Path) -> None:
    lines = [
        prompt("u1", 0, f"{OWN_PROMPT}\nSum up."),
        said("a1", 1, "The user fixed the cart."),
        prompt("u2", 2, "Hi"),
    ]
    assert [turn.id for turn in read(write(tmp_path / "s.jsonl", lines)).turns] == ["u2"]


def test_a_fork_has_the_marks_and_names_of_its_original() -> None:
    original, forked, resumed = (read(DATA / f"{name}.jsonl").turns[0] for name in ("day", "fork", "resumed"))
    assert forked.origin == ("s1", "u1")
    assert {original.id, forked.id, resumed.id} == {"u1", "s2-u1", "s3-u1"}
    assert original.mark == forked.mark == resumed.mark
    assert original.mark is not None


def test_the_same_sentence_at_another_time_has_another_mark() -> None:
    turns = read(DATA / "day.jsonl").turns
    marks = [turn.mark for turn in turns]
    assert len(set(marks)) == len(marks)


def test_without_instants_there_is_no_mark_and_repetitions_differ(tmp_path: Path) -> None:
    bare = {"type": "user", "message": {"role": "user", "content": "continue"}}
    reading = read(write(tmp_path / "s.jsonl", [bare, bare]))
    assert [turn.mark for turn in reading.turns] == [None, None]
    assert reading.turns[0].id != reading.turns[1].id
    assert [turn.id for turn in reading.turns] == [turn.id for turn in read(tmp_path / "s.jsonl").turns]


def test_reading_from_a_turn_on_gives_that_turn_alone(tmp_path: Path) -> None:
    lines = [
        prompt("u1", 0, "One"),
        said("a1", 1, "1", end=True),
        prompt("u2", 2, "Two"),
        answer("a2", 3, [{"type": "text", "text": "2"}]),
    ]
    file = write(tmp_path / "s.jsonl", lines)
    whole = read(file)
    assert whole.open_start is not None
    later = read(file, whole.open_start)
    assert [turn.id for turn in later.turns] == ["u2"]
    assert later.turns[0].mark == whole.turns[1].mark
    assert later.turns[0].at > START


def test_a_cut_behind_a_turn_leaves_its_late_answer_out(tmp_path: Path) -> None:
    file = write(tmp_path / "s.jsonl", [prompt("u1", 0, "One")])
    end = read(file).end
    write(file, [prompt("u1", 0, "One"), said("a1", 1, "1"), *fork([prompt("u2", 2, "Two")], "s1")])
    later = read(file, end)
    assert [turn.asked for turn in later.turns] == ["Two"]
    assert later.skipped["answer to nothing"] == 1
