"""Questions of two asks in six languages, put to a small memory of both halves without a model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from episodic.testing import SettableClock, make_store, new
from memoryd.router.recall import Recall
from memoryd.router.request import RecallRequest
from semantic.testing import open_store
from semantic.writing.recording import NewDecision

NOW = datetime(2026, 7, 17, 9, 0, tzinfo=UTC)
ASKED = Path(__file__).parents[1] / "data" / "two_asks.jsonl"
SHOWN = 5
HAPPENED = {
    "cert.en": "Priya renewed the gateway certificate by hand.",
    "cert.de": "Mara hat das Zertifikat der Schnittstelle von Hand erneuert.",
    "cert.fr": "Chiara a renouvelé le certificat de la passerelle à la main.",
    "cert.es": "Elif renovó a mano el certificado de la pasarela.",
    "cert.zh": "小林手动更新了网关证书。",
    "cert.ja": "田中さんが証明書を手で更新しました。",
    "freezer.en": "The freezer of the shop failed in the night, all ice cream was lost.",
    "freezer.de": "Die Kühltruhe im Laden ist in der Nacht ausgefallen, das Eis war hin.",
    "freezer.fr": "Le congélateur de la boutique est tombé en panne dans la nuit.",
    "freezer.es": "El congelador de la tienda falló por la noche.",
    "freezer.zh": "商店的冷冻柜夜里坏了，冰淇淋全化了。",
    "freezer.ja": "店の冷凍庫が夜中に壊れました。",
}
KNOWN = {
    "queue.en": ("message queue", "The message queue is NATS", "NATS; we move the queue as the old one was slow."),
    "queue.de": ("Warteschlange", "Die Warteschlange ist NATS", "Wir nutzen NATS als Warteschlange."),
    "queue.fr": ("file de messages", "La file de messages est NATS", "Nous utilisons NATS."),
    "queue.es": ("cola de mensajes", "La cola de mensajes es NATS", "Usamos NATS."),
    "queue.zh": ("消息队列", "消息队列是 NATS", "我们用 NATS 做消息队列。"),
    "queue.ja": ("メッセージキュー", "メッセージキューは NATS", "NATS を使っています。"),
    "batch.en": ("import batch", "An import batch is 500 rows large", "A batch is all or nothing."),
    "batch.de": (
        "Stapel beim Import",
        "Ein Stapel beim Import ist 500 Zeilen groß",
        "Ein Stapel gilt ganz oder nicht.",
    ),
    "batch.fr": ("lot d'importation", "La taille d'un lot d'importation est de 500 lignes", "Tout ou rien."),
    "batch.es": ("lote de importación", "El tamaño de un lote de importación es de 500 filas", "Todo o nada."),
    "batch.zh": ("导入批次", "导入批次是五百行", "全部或者没有。"),
    "batch.ja": ("取り込みバッチ", "取り込みバッチの大きさは五百行", "全部か無か。"),
}


class Memory:
    """One of each in every language, and other matters between."""

    def __init__(self, folder: Path) -> None:
        self.journal = make_store(folder, clock=SettableClock(NOW))
        self.journal.open()
        self.graph = open_store(folder / "graph")
        self.ids: dict[str, str] = {}
        for number, (key, text) in enumerate(HAPPENED.items()):
            at = NOW - timedelta(days=number + 2)
            self.ids[key] = self.journal.append(new(text, at=at, session=key)).episode.id
        for number, other in enumerate(("Painted the fence.", "Zaun gestrichen.", "Paella para todos.")):
            self.journal.append(new(other, at=NOW - timedelta(days=40 + number)))
        for key, (name, title, why) in KNOWN.items():
            put = {"op": "put_element", "kind": "thing", "name": name, "gist": title}
            self.ids[key] = self.graph.decide(NewDecision(title, why, (put,), new=True)).id
        self.recall = Recall(episodic=self.journal, semantic=self.graph, clock=lambda: NOW)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    made = Memory(tmp_path_factory.mktemp("two_asks"))
    yield made
    made.journal.close()
    made.graph.close()


def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in ASKED.read_text("utf-8").splitlines()]


def test_there_are_twenty_in_six_languages() -> None:
    assert len(rows()) == 20
    assert len({row["language"] for row in rows()}) == 6


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["ask"][:40])
def test_both_halves_are_answered_and_what_nothing_answers_is_named(memory: Memory, row: dict[str, Any]) -> None:
    answer = memory.recall.recall(RecallRequest(row["ask"]))
    shown = {name for hit in answer.hits[:SHOWN] for name in (hit.id, hit.episode, *hit.sources, *hit.elements)}
    for key in row["wants"]:
        wanted = memory.ids[key]
        elements = memory.graph.decision(wanted).elements if wanted.startswith("de_") else ()
        assert shown & {wanted, *elements}, (key, answer.route.reasons, [hit.title or hit.text for hit in answer.hits])
    said = [reason for reason in answer.route.reasons if "seems to answer" in reason]
    if "unanswered" in row:
        assert [row["unanswered"] in reason for reason in said] == [True], answer.route.reasons
    else:
        assert said == []
