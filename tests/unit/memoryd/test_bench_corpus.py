"""Reading data sets into one shape, and taking out of their ids what could tell the answer."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memoryd.bench.corpus import SEED, first_of_each, renumbered, sampled
from memoryd.bench.errors import BenchDataError
from memoryd.bench.formats import detect, read_corpus

LOCOMO: list[dict[str, Any]] = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "I bought a kite."},
                {"speaker": "Bob", "dia_id": "D1:2", "text": "Nice!", "blip_caption": "a red kite"},
            ],
            "session_2_date_time": "9:00 am on 9 June, 2023",
            "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "It flew away."}],
        },
        "qa": [
            {"question": "What did Ann buy?", "category": 4, "evidence": ["D1:1"], "answer": "a kite"},
            {"question": "What became of the kite?", "category": 1, "evidence": ["D1:1", "D2:1"], "answer": "gone"},
            {"question": "Who sang?", "category": 5, "evidence": ["D1:1"]},
            {"question": "Why?", "category": 3, "evidence": []},
        ],
    }
]
LONGMEMEVAL: list[dict[str, Any]] = [
    {
        "question_id": "q1",
        "question_type": "multi-session",
        "question": "Which tea?",
        "question_date": "2023/06/01 (Thu) 10:00",
        "haystack_session_ids": ["answer_77", "noise_1"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/19 (Fri) 23:00"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I like green tea.", "has_answer": True},
                {"role": "assistant", "content": "Noted."},
            ],
            [{"role": "user", "content": "Rain again."}, {"role": "assistant", "content": " "}],
        ],
        "answer_session_ids": ["answer_77"],
    },
    {"question_id": "q2_abs", "question_type": "multi-session", "question": "Which car?"},
]


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return path


def test_locomo(tmp_path: Path) -> None:
    file = write(tmp_path / "l.json", LOCOMO)

    corpus = read_corpus(file)
    (dialogue,) = corpus.dialogues
    assert [(turn.id, turn.session, turn.text) for turn in dialogue.turns] == [
        ("D1:1", "session_1", "Ann: I bought a kite."),
        ("D1:2", "session_1", "Bob: Nice! [shared image: a red kite]"),
        ("D2:1", "session_2", "Ann: It flew away."),
    ]
    assert dialogue.turns[1].at == datetime(2023, 5, 8, 13, 56, 1, tzinfo=UTC)
    assert [(q.kind, q.turns, q.sessions) for q in corpus.questions] == [
        ("single-hop", ("D1:1",), ("session_1",)),
        ("multi-hop", ("D1:1", "D2:1"), ("session_1", "session_2")),
    ]
    assert corpus.left_out == {"adversarial": 1, "without evidence": 1}


def test_locomo_with_corrected_evidence(tmp_path: Path) -> None:
    row = {"conv": "conv-1", "category": 2, "question": "When?", "evidence": ["D2:1"]}
    gold = write(tmp_path / "gold.jsonl", json.dumps(row) + "\n\n")

    (question,) = read_corpus(write(tmp_path / "l.json", LOCOMO), gold=gold).questions
    assert (question.kind, question.turns) == ("temporal", ("D2:1",))


def chat(tmp_path: Path) -> Path:
    batches = [
        {
            "batch_number": 1,
            "turns": [
                [
                    {"id": 0, "role": "user", "content": "Plan it.", "time_anchor": "March-15-2024"},
                    {"id": 1, "role": "assistant", "content": "Planned."},
                ]
            ],
        },
        {"batch_number": 2, "turns": [[{"id": 2, "role": "user", "content": "Done.", "time_anchor": None}]]},
    ]
    write(tmp_path / "beam" / "7" / "chat.json", batches)
    return tmp_path / "beam"


def test_beam_with_its_own_questions(tmp_path: Path) -> None:
    folder = chat(tmp_path)
    write(
        folder / "7" / "probing_questions" / "probing_questions.json",
        {
            "abstention": [{"question": "Who?"}],
            "knowledge_update": [
                {"question": "Is it done?", "source_chat_ids": {"original_info": [0], "updated_info": [2, 2]}}
            ],
            "event_ordering": [{"question": "In order?", "source_chat_ids": [1]}],
        },
    )

    corpus = read_corpus(folder)
    assert [(turn.id, turn.session, turn.text) for turn in corpus.dialogues[0].turns] == [
        ("0", "1", "user: Plan it."),
        ("1", "1", "assistant: Planned."),
        ("2", "2", "user: Done."),
    ]
    assert corpus.dialogues[0].turns[2].at == datetime(2024, 3, 15, 0, 0, 2, tzinfo=UTC)
    assert [(q.kind, q.turns, q.sessions) for q in corpus.questions] == [
        ("knowledge_update", ("0", "2"), ("1", "2")),
        ("event_ordering", ("1",), ("1",)),
    ]
    assert corpus.left_out == {"without evidence": 1}


def test_beam_with_a_gold_file_beside_the_chats(tmp_path: Path) -> None:
    folder = chat(tmp_path)
    rows = [
        {"chat": 7, "type": "abstention", "question": "Who?", "evidence": []},
        {"chat": 7, "type": "temporal_reasoning", "question": "When?", "evidence": [2]},
        {"chat": 8, "type": "temporal_reasoning", "question": "When?", "evidence": [2]},
    ]
    write(folder / "retrieval_gold.jsonl", "\n".join(map(json.dumps, rows)))

    corpus = read_corpus(folder)
    assert [(q.kind, q.turns) for q in corpus.questions] == [("temporal_reasoning", ("2",))]
    assert corpus.left_out == {"without evidence": 1, "of other chats": 1}


def test_longmemeval(tmp_path: Path) -> None:
    corpus = read_corpus(write(tmp_path / "s.json", LONGMEMEVAL))

    (dialogue,) = corpus.dialogues
    assert [(turn.text, turn.at.isoformat()) for turn in dialogue.turns] == [
        ("user: Rain again.", "2023-05-19T23:00:00+00:00"),
        ("user: I like green tea.", "2023-05-20T02:21:00+00:00"),
        ("assistant: Noted.", "2023-05-20T02:21:01+00:00"),
    ]
    (question,) = corpus.questions
    assert question.turns == (dialogue.turns[1].id,)
    assert question.sessions == ("answer_77",)
    assert corpus.left_out == {"abstention": 1}


def test_notes_ask_for_titles_and_take_them_out_of_the_texts(tmp_path: Path) -> None:
    write(tmp_path / "2024-02-03.md", "# How to tune a walrus pump\n\nTurn the left valve.\n")
    write(tmp_path / "a.md", "---\ndate: 2024-01-02\ntitle: Names of all the falcons\n---\nAda, Bo.\n")
    write(tmp_path / "b.md", "# Kite\n\nIt is red.\n")
    write(tmp_path / "c.md", "# Nobody knows the day\n\nof this.\n")
    write(tmp_path / "README.md", "# About all of these notes\n\n2024-01-01\n")
    dates = write(tmp_path / "dates.tsv", "path\tday\nb.md\t2024-05-05T10:00:00+01:00\n")

    corpus = read_corpus(tmp_path, dates=dates)
    assert [(turn.id, turn.text.strip(), turn.session) for turn in corpus.dialogues[0].turns] == [
        ("a.md", "Ada, Bo.", None),
        ("2024-02-03.md", "Turn the left valve.", None),
        ("b.md", "It is red.", None),
    ]
    assert {(q.text, q.turns) for q in corpus.questions} == {
        ("How to tune a walrus pump", ("2024-02-03.md",)),
        ("Names of all the falcons", ("a.md",)),
    }
    assert corpus.left_out == {"notes without a day": 1}


def test_notes_with_given_questions_keep_their_titles(tmp_path: Path) -> None:
    write(tmp_path / "2024-02-03.md", "# Pumps\n\nTurn the left valve.\n")
    gold = write(tmp_path / "gold.jsonl", json.dumps({"question": "Which valve?", "evidence": ["2024-02-03.md"]}))

    corpus = read_corpus(tmp_path, gold=gold)
    assert corpus.dialogues[0].turns[0].text.startswith("# Pumps")
    assert [(q.text, q.turns) for q in corpus.questions] == [("Which valve?", ("2024-02-03.md",))]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.json", "no json"),
        ("x.json", "{}"),
        ("x.json", "[]"),
        ("x.json", '[{"other": 1}]'),
        ("x.json", '[{"conversation": {}, "qa": []}]'),
        ("x.json", '[{"conversation": {"session_1": []}, "qa": [], "sample_id": "c"}]'),
        ("x.json", '[{"haystack_sessions": [], "question_id": "q"}]'),
        ("beam/1/chat.json", '[{"turns": [[{"id": 1}]]}]'),
        ("notes/empty.md", ""),
    ],
)
def test_what_is_in_no_format_is_named(tmp_path: Path, name: str, content: str) -> None:
    write(tmp_path / name, content)
    top, *_ = name.split("/")

    with pytest.raises(BenchDataError) as refused:
        read_corpus(tmp_path / top)
    assert top in str(refused.value)


def test_a_named_format_is_not_guessed(tmp_path: Path) -> None:
    file = write(tmp_path / "l.json", LOCOMO)
    assert detect(file) == "locomo"
    with pytest.raises(BenchDataError):
        read_corpus(file, form="longmemeval")


def test_new_ids_tell_nothing_and_still_hang_together(tmp_path: Path) -> None:
    old = read_corpus(write(tmp_path / "s.json", LONGMEMEVAL))
    corpus = renumbered(old, seed=SEED)

    assert "answer" not in repr(corpus)
    assert "noise" not in repr(corpus)
    assert renumbered(old, seed=SEED) == corpus
    (dialogue,) = corpus.dialogues
    (question,) = corpus.questions
    (marked,) = [turn for turn in dialogue.turns if turn.id in question.turns]
    assert marked.text == "user: I like green tea."
    assert question.sessions == (marked.session,)
    assert question.dialogue == dialogue.id
    assert [turn.text for turn in dialogue.turns] == [turn.text for turn in old.dialogues[0].turns]


def test_sessions_are_not_numbered_in_the_order_of_the_file(tmp_path: Path) -> None:
    entry = {**LONGMEMEVAL[0]}
    entry["haystack_session_ids"] = [f"s{n}" for n in range(40)]
    entry["haystack_dates"] = ["2023/05/20 (Sat) 02:21"] * 40
    entry["haystack_sessions"] = [[{"role": "user", "content": f"text {n}"}] for n in range(40)]
    corpus = renumbered(read_corpus(write(tmp_path / "s.json", [entry])), seed=SEED)

    names = [turn.session for turn in corpus.dialogues[0].turns]
    assert len(set(names)) == 40
    assert names != sorted(names, key=str)


def test_a_sample_keeps_the_dialogues_it_needs(tmp_path: Path) -> None:
    second = {**LOCOMO[0], "sample_id": "conv-2"}
    corpus = read_corpus(write(tmp_path / "l.json", [LOCOMO[0], second]))

    drawn = sampled(corpus, 1, seed=SEED)
    assert len(drawn.questions) == 1
    assert [dialogue.id for dialogue in drawn.dialogues] == [drawn.questions[0].dialogue]
    assert sampled(corpus, 1, seed=SEED) == drawn
    assert sampled(corpus, 99, seed=SEED) == corpus
    assert [q.dialogue for q in first_of_each(corpus, 1).questions] == ["conv-1", "conv-2"]
