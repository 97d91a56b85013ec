"""Other memories beside us: their processes are played by small scripts, and nothing is installed or downloaded."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memoryd.bench.corpus import Corpus, Dialogue, Question, Turn
from memoryd.bench.peers import environment as environments
from memoryd.bench.peers.drivers import KINDS, Kind, version_of
from memoryd.bench.peers.environment import Environment, make_environment, run_to_end
from memoryd.bench.peers.errors import PeerUnavailable
from memoryd.bench.peers.run import Figures, _ask_peer, drawn, lay_files, report_of
from memoryd.bench.peers.talk import Talk, ToolTalk
from memoryd.bench.peers.weights import MINILM, Weights, lay_for_fastembed, minilm

AT = datetime(2024, 3, 1, 9, tzinfo=UTC)
BY_NAME = {kind.package: kind for kind in KINDS}
ECHO = "import sys\nfor line in sys.stdin: print('noise'); print(line, end='', flush=True)\n"
SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    print(json.dumps({"jsonrpc": "2.0", "method": "notifications/progress"}))
    params = asked["params"]
    if asked["method"] == "initialize":
        result = {"serverInfo": {"name": "fake"}}
    elif params["name"] == "breaks":
        result = {"isError": True, "content": [{"type": "text", "text": "no such note"}]}
    else:
        limit = params["arguments"].get("limit") or params["arguments"].get("page_size")
        hits = [{"source_file": f"t{n}.md", "file_path": f"a/t{n}.md"} for n in range(limit)]
        text = json.dumps({"results": hits, "asked": params["arguments"]})
        result = {"content": [{"type": "text", "text": text}]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def corpus(dialogues: int = 3) -> Corpus:
    found = [
        Dialogue(f"d{n}", tuple(Turn(f"d{n}t{k}", f"text {k}", AT + timedelta(seconds=k)) for k in range(4)))
        for n in range(dialogues)
    ]
    questions = tuple(Question(one.id, f"which {k}?", "kind", (f"{one.id}t{k}",)) for one in found for k in range(4))
    return Corpus("made", tuple(found), questions)


def program(environment: Environment, name: str, code: str) -> None:
    place = Path(environment.program(name))
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!{sys.executable}\n{code}", "utf-8")
    place.chmod(0o700)


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    found = Environment(tmp_path / "environment", tmp_path / "home")
    found.home.mkdir()
    return found


def weights(folder: Path) -> Weights:
    folder.mkdir()
    for name in ("model.onnx", "tokenizer.json", "vocab.txt"):
        (folder / name).write_text(name, "utf-8")
    return minilm(folder)


def talk(tmp_path: Path, code: str) -> Talk:
    return Talk([sys.executable, "-c", code], dict(os.environ), tmp_path / "said.txt")


def test_lines_that_are_no_objects_are_passed_over(tmp_path: Path) -> None:
    with talk(tmp_path, ECHO) as one:
        assert one.ask({"do": "é"}, 20) == {"do": "é"}
        with pytest.raises(PeerUnavailable, match="out of order"):
            one.ask({"error": "out of order"}, 20)


def test_a_process_that_ends_or_is_silent_is_told_with_its_last_words(tmp_path: Path) -> None:
    with talk(tmp_path, "import sys; sys.exit('no model here')") as one:
        with pytest.raises(PeerUnavailable, match="no model here"):
            one.hear(20)
        with pytest.raises(PeerUnavailable, match="ended"):
            one.hear(20)
    with talk(tmp_path, "import sys; sys.stdin.read()") as one, pytest.raises(PeerUnavailable, match="did not answer"):
        one.hear(0.05)
    with pytest.raises(PeerUnavailable, match="cannot be started"):
        Talk([str(tmp_path / "nothing")], {}, tmp_path / "said.txt")


def test_tools_are_called_past_notifications(tmp_path: Path) -> None:
    with talk(tmp_path, SERVER) as one:
        tools = ToolTalk(one, start_s=20)
        assert tools.call("search", {"limit": 2}, 20)["results"][1] == {"source_file": "t1.md", "file_path": "a/t1.md"}
        with pytest.raises(PeerUnavailable, match="no such note"):
            tools.call("breaks", {}, 20)


def test_an_environment_is_made_once_and_a_failed_one_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[str]] = []

    def run(command: list[str], timeout_s: float, environ: object) -> str:
        ran.append([str(part) for part in command])
        if command[1:3] == ["-m", "venv"]:
            program(Environment(Path(command[3]), tmp_path), "python", "")
        elif command[-1] == "broken==1":
            raise PeerUnavailable("no such version")
        return ""

    monkeypatch.setattr(environments, "run_to_end", run)
    made = [make_environment(tmp_path / "one", tmp_path / "home", ["peer==1"], least=(3, 11)) for _ in range(2)]
    assert [command[2] for command in ran] == ["venv", "pip"]
    assert made[1].environ()["HOME"] == str(tmp_path / "home")
    with pytest.raises(PeerUnavailable, match="no such version"):
        make_environment(tmp_path / "two", tmp_path / "home", ["broken==1"], least=(3, 11))
    assert not (tmp_path / "two").exists()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PeerUnavailable, match=r"needs Python 9\.9"):
        make_environment(tmp_path / "three", tmp_path / "home", [], least=(9, 9))


def test_a_peer_sees_no_variable_of_ours_and_may_not_download(
    environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYD_HOME", "/nowhere")
    given = environment.environ(MORE="1")
    assert "MEMORYD_HOME" not in given
    assert (given["HF_HUB_OFFLINE"], given["MORE"], given["HOME"]) == ("1", "1", str(environment.home))


def test_a_program_that_fails_says_why(environment: Environment) -> None:
    with pytest.raises(PeerUnavailable, match=r"code 3: .*out of luck"):
        run_to_end([sys.executable, "-c", "import sys; print('out of luck'); sys.exit(3)"], 20, os.environ)
    program(environment, "python", "print(' 1.2.3 ')")
    assert version_of(KINDS[0], environment) == "1.2.3"


def test_without_the_model_that_it_would_download_a_peer_is_named(tmp_path: Path) -> None:
    with pytest.raises(PeerUnavailable, match="would download"):
        minilm(None)
    with pytest.raises(PeerUnavailable, match=r"model\.onnx"):
        minilm(tmp_path)
    lay_for_fastembed(weights(tmp_path / "w"), tmp_path / "cache")
    hub = tmp_path / "cache" / f"models--Qdrant--{MINILM}-onnx"
    revision = (hub / "refs" / "main").read_text("ascii")
    assert (hub / "snapshots" / revision / "model.onnx").read_text("utf-8") == "model.onnx"


@pytest.mark.parametrize("package", ["bm25s", "memsearch"])
def test_a_peer_that_a_script_of_ours_calls(tmp_path: Path, environment: Environment, package: str) -> None:
    answers = """
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["do"] == "index":
        print(json.dumps({"rows": sum(len(files) for _, _, files in os.walk(asked["folder"]))}), flush=True)
    else:
        print(json.dumps({"found": [asked["scope"] + "t1"] * 2}), flush=True)
"""
    program(environment, "python", answers)
    (tmp_path / "store").mkdir()
    lay_files(corpus(), tmp_path / "texts")
    peer = BY_NAME[package].open(environment, tmp_path / "store", weights(tmp_path / "w"))
    try:
        assert peer.index(tmp_path / "texts") == 12
        assert list(peer.ask("d2", "which 1?", 10)) == ["d2t1", "d2t1"]
        assert peer.cost()[0] > 0
    finally:
        peer.close()


@pytest.mark.parametrize("package", ["mempalace", "basic-memory"])
def test_a_peer_that_is_asked_by_its_tools(tmp_path: Path, environment: Environment, package: str) -> None:
    log = tmp_path / "commands"
    program(environment, "mempalace-mcp", SERVER)
    note = f"import sys; open({str(log)!r}, 'a').write(' '.join(sys.argv[1:]) + chr(10)); print('Drawers filed: 4')\n"
    program(environment, "mempalace", note)
    program(environment, "basic-memory", f"import sys\nif sys.argv[1:] != ['mcp']:\n    {note}    sys.exit()\n{SERVER}")
    program(environment, "python", "")
    (tmp_path / "store").mkdir()
    lay_files(corpus(), tmp_path / "texts")
    peer = BY_NAME[package].open(environment, tmp_path / "store", weights(tmp_path / "w"))
    try:
        rows = peer.index(tmp_path / "texts")
        assert list(peer.ask("d1", "which 1?", 3)) == ["t0", "t1", "t2"]
    finally:
        peer.close()
    said = log.read_text("utf-8")
    assert [f"texts/d{n}" in said for n in range(3)] == [True] * 3
    assert rows == (12 if package == "mempalace" else None)


def test_figures_of_a_peer_are_counted_like_ours(tmp_path: Path) -> None:
    class Fake:
        def index(self, folder: Path) -> int | None:
            return len(list(folder.glob("*/*.md")))

        def ask(self, scope: str, question: str, limit: int) -> list[str]:
            wanted = question.removeprefix("which ").removesuffix("?")
            return [f"{scope}t{wanted}"] if wanted != "3" else []

        def cost(self) -> tuple[float, float]:
            return 12.0, 3.0

        def close(self) -> None:
            closed.append(True)

    closed: list[bool] = []
    place = tmp_path / "peers" / "fake"
    program(Environment(place, tmp_path), "python", "print('2.0')")
    kind = Kind("Fake", "fake", (), "returns what it likes", lambda *_: Fake())
    peer = _ask_peer(kind, "Fake, m", corpus(), Weights("m", tmp_path), tmp_path / "w", tmp_path / "peers", print)
    assert peer.name == "Fake, m (2.0)"
    assert closed == [True]

    ours = Figures("memoryd", "entries", rows=12)
    for question in corpus().questions:
        ours.took_ms.append(5.0)
        ours.returned.append(10)
        ours.tally.add(question.turns, question.turns)
    report = json.loads(report_of(corpus(), [ours, peer], [["Other, m", "it would download its model"]]).as_json())
    found, cost, differs, missing = (table["rows"] for table in report["tables"])
    assert [row["recall@10"] for row in found] == [1.0, 0.75]
    assert found[1]["we minus it"].startswith("+0.250")
    assert cost[1]["rows"] == "12"
    assert differs[1]["how it was asked"] == "returns what it likes"
    assert missing == [{"memory": "Other, m", "why": "it would download its model"}]


def test_a_part_is_drawn_with_its_seed() -> None:
    one = drawn(corpus(), 1, 3)
    assert len(one.dialogues) == 1
    assert [question.dialogue for question in one.questions] == [one.dialogues[0].id] * 3
    assert drawn(corpus(), 1, 3) == one
    assert drawn(corpus(), 9, None) == corpus()
