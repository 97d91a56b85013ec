"""A Milvus at an address: searched, restarted, halted, away, foreign, and shared by two memories.

The server is the binary of Milvus Lite 2.5 on loopback. The engine's contract runs over it in
``tests/contract/test_engine_contract.py``. Lite takes any token, so what is checked here is that ours is sent, and what
a server that refuses it leads to.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc  # type: ignore[import-untyped] # it comes without types
import pytest
from pymilvus import DataType, MilvusClient

from episodic.engine.deadline import within
from episodic.engine.milvus import MilvusEngine
from episodic.engine.port import LEXICAL, Filter, LexicalRow
from episodic.errors import EngineUnavailable
from episodic.search.arms import EpisodicQuery
from episodic.store import EpisodicStore
from episodic.testing import WordEmbedder, embed_all, found, make_store, new
from tests.milvus_server import MilvusServer, free_port

SOON_S = 30.0
WORD = {7: 1.0}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MilvusServer]:
    running = MilvusServer(tmp_path / "milvus.db").start()
    yield running
    running.kill()


@pytest.fixture
def make(server: MilvusServer, tmp_path: Path) -> Iterator[Callable[[str], EpisodicStore]]:
    """Return a function that makes a store on a home of its own over the one server."""
    made: list[EpisodicStore] = []

    def run(name: str = "home") -> EpisodicStore:
        store = make_store(
            tmp_path / name,
            engine_factory=lambda: MilvusEngine.remote(server.uri, token="root:Milvus", owner=name),
            rests_s=(0.05,),
        )
        made.append(store)
        return store

    yield run
    for store in made:
        store.close()


def soon(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + SOON_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def row(number: int) -> LexicalRow:
    return LexicalRow(id=f"{number:032x}", at_ms=number, weights=WORD)


def test_both_arms_answer_over_the_address(make: Callable[..., EpisodicStore]) -> None:
    embedder = WordEmbedder()
    store = make()
    store.open()
    for n, text in enumerate(["the falcon key is nine", "the heron key is ten", "数据库迁移失败"]):
        store.append(new(text, session="s", turn=str(n), project=f"p-0000000{n}"))
    store.reconcile()
    embed_all(store, embedder)

    answer = store.search(EpisodicQuery("falcon key"), embedder)
    assert (answer.hits[0].text, answer.hits[0].score, answer.degraded) == ("the falcon key is nine", 1.0, ())
    assert set(answer.hits[0].arms) >= {"lexical", "dense"}
    assert found(store, "数据库", project="p-00000002") == ["数据库迁移失败"]
    assert found(store, "key", project="p-00000001") == ["the heron key is ten"]
    assert (store.engine_name, store.verify(), store.counts().pending) == ("milvus", [], 0)

    store.rebuild()
    embed_all(store, embedder)
    assert store.search(EpisodicQuery("falcon key"), embedder).hits[0].score == 1.0
    assert store.verify() == []


def test_a_restart_of_the_server_in_between_loses_nothing(
    make: Callable[..., EpisodicStore], server: MilvusServer
) -> None:
    store = make()
    store.open()
    store.append(new("falcon one"))
    server.kill()
    assert store.append(new("falcon two")).created
    assert any("milvus" in reason for reason in store.degraded())
    assert found(store, "falcon") == []

    server.start()
    assert soon(lambda: sorted(found(store, "falcon")) == ["falcon one", "falcon two"])
    store.reconcile()
    assert (store.verify(), store.degraded(), store.counts().pending) == ([], [], 0)


def test_a_server_that_hangs_is_named_in_time_and_answers_again(
    make: Callable[..., EpisodicStore], server: MilvusServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("episodic.index.holding.QUERY_S", 1.0)
    monkeypatch.setattr("episodic.index.upkeep.QUERY_S", 1.0)
    monkeypatch.setattr("episodic.engine.connection.PROBE_TIMEOUT_S", 1.0)
    store = make()
    store.open()
    store.append(new("falcon one"))
    server.halt()

    started = time.monotonic()
    answer = store.search(EpisodicQuery("falcon"), WordEmbedder())
    assert any("does not answer in time" in reason for reason in answer.degraded)
    assert store.append(new("falcon two")).created
    assert time.monotonic() - started < 10

    server.go_on()
    assert soon(lambda: sorted(found(store, "falcon")) == ["falcon one", "falcon two"])


def test_a_server_that_is_away_at_the_start_is_found_when_it_comes(
    make: Callable[..., EpisodicStore], server: MilvusServer
) -> None:
    server.kill()
    store = make()
    store.open()
    store.append(new("falcon one"))
    assert (store.engine_name, found(store, "falcon")) == ("none", [])

    server.start()
    assert soon(lambda: found(store, "falcon") == ["falcon one"])
    assert store.engine_name == "milvus"


def test_a_wrong_port_is_one_clear_error() -> None:
    with pytest.raises(EngineUnavailable, match=r"127\.0\.0\.1"):
        MilvusEngine.remote(f"http://127.0.0.1:{free_port()}", token="x")


@pytest.mark.parametrize("uri", ["nonsense", "ftp://127.0.0.1:1"])
def test_an_address_that_is_none_is_one_clear_error(uri: str) -> None:
    with pytest.raises(EngineUnavailable, match="illegal"):
        MilvusEngine.remote(uri)


def test_a_call_takes_no_longer_than_its_bound(server: MilvusServer) -> None:
    engine = MilvusEngine.remote(server.uri)
    engine.put_lexical([row(1)])
    server.halt()
    started = time.monotonic()
    with within(0.5), pytest.raises(EngineUnavailable, match="in time"):
        engine.search_lexical(WORD, Filter(), 5)
    assert time.monotonic() - started < 5
    server.go_on()
    assert len(engine.search_lexical(WORD, Filter(), 5)) == 1
    engine.close()


def test_two_memories_share_a_server_and_do_not_meet(make: Callable[..., EpisodicStore], server: MilvusServer) -> None:
    one, other = make("one"), make("other")
    for store, text in ((one, "falcon of one"), (other, "falcon of other")):
        store.open()
        store.append(new(text))
        store.reconcile()
    one.rebuild()
    one.close()
    again = make("one")
    again.open()
    again.reconcile()

    assert found(again, "falcon") == ["falcon of one"]
    assert found(other, "falcon") == ["falcon of other"]
    assert (again.verify(), other.verify()) == ([], [])


def test_collections_of_others_are_left_alone(server: MilvusServer) -> None:
    stranger = MilvusEngine.remote(server.uri, owner="stranger")
    stranger.put_lexical([row(1)])
    ours = MilvusEngine.remote(server.uri, owner="ours")
    ours.put_lexical([row(2)])

    ours.drop([row(1).id])
    ours.reset()

    assert (ours.collections(), stranger.ids(LEXICAL)) == (set(), {row(1).id})
    ours.close()
    stranger.close()


def test_a_collection_that_somebody_dropped_is_made_again(
    make: Callable[..., EpisodicStore], server: MilvusServer
) -> None:
    store = make()
    store.open()
    store.append(new("falcon one"))
    vandal = MilvusEngine.remote(server.uri, owner="home")
    vandal.reset()
    vandal.close()

    assert store.search(EpisodicQuery("falcon"), None).hits == ()
    assert [problem.reason.endswith("is missing") for problem in store.verify()] == [True]
    store.rebuild()
    assert (found(store, "falcon"), store.verify()) == (["falcon one"], [])


def test_a_collection_of_an_older_shape_is_made_anew(server: MilvusServer) -> None:
    client = MilvusClient(server.uri)
    for name in ("md_ours_lex_v1", "md_stranger_lex_v1"):
        schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("id", DataType.VARCHAR, is_primary=True, max_length=64)
        schema.add_field("lex", DataType.SPARSE_FLOAT_VECTOR)
        client.create_collection(name, schema=schema)
    ours = MilvusEngine.remote(server.uri, owner="ours")
    ours.put_lexical([row(1)])

    assert ours.ids(LEXICAL) == {row(1).id}
    assert sorted(client.list_collections()) == ["md_ours_lex_v1", "md_stranger_lex_v1"]
    assert len(client.describe_collection("md_stranger_lex_v1")["fields"]) == 2
    client.close()
    ours.close()


class Refusing(grpc.GenericRpcHandler):  # type: ignore[misc] # grpc has no types
    """A server that takes no token, and remembers what was sent."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.asked = threading.Event()

    def service(self, details: Any) -> Any:
        self.sent += [value for key, value in details.invocation_metadata if key == "authorization"]
        self.asked.set()

        def refuse(_: bytes, context: Any) -> bytes:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "auth check failure, please check the token")
            return b""

        return grpc.unary_unary_rpc_method_handler(refuse)


def test_the_token_is_sent_and_a_server_that_refuses_it_is_named(tmp_path: Path) -> None:
    handler = Refusing()
    server = grpc.server(ThreadPoolExecutor(2), handlers=[handler])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        store = make_store(
            tmp_path,
            engine_factory=lambda: MilvusEngine.remote(f"http://127.0.0.1:{port}", token="ada:wrong"),
        )
        store.open()
        store.append(new("falcon one"))
        (reason,) = store.degraded()
        assert "auth check failure" in reason
        assert "wrong" not in reason
        assert "auth check failure" in store.search(EpisodicQuery("falcon"), None).degraded[-1]
        store.close()
    finally:
        server.stop(None)
    assert handler.sent
    assert set(handler.sent) == {"YWRhOndyb25n"}  # ada:wrong in base64, as Milvus wants it
