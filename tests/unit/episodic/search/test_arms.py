"""What a search finds, in which order, and how it shows it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from episodic.engine.port import FloatArray
from episodic.index.finding import Finding
from episodic.index.timeline import micros
from episodic.search.arms import EpisodicQuery, prior
from episodic.store import EpisodicStore
from episodic.testing import AT, WordEmbedder, embed_all, found, new
from memoryd.text.window import Window

LONG = "\n\n".join(f"Paragraph {n} says the pump of unit{n} was tuned. " * 6 for n in range(12))
ODD_QUERIES = [
    "don't use agents",
    "Downloads/transcripts",
    "C++ && rm -rf",
    '"unbalanced',
    "100%",
    "a*b (c)",
    "x' or 1=1 --",
    "\\",
    "\0",
    "🦊",
    "\ud800",
    "a" * 20_000,
]


@pytest.mark.parametrize("query", ODD_QUERIES)
@pytest.mark.parametrize("with_model", [False, True])
def test_no_query_raises(store: EpisodicStore, query: str, *, with_model: bool) -> None:
    store.append(new("we don't use agents for billing"))
    embedder = WordEmbedder()
    embed_all(store, embedder)

    store.search(EpisodicQuery(query), embedder if with_model else None)
    assert found(store, "don't use agents") == ["we don't use agents for billing"]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("しりとり", "昨日は成語しりとりをした。データベースの移行は延期。"),
        ("移行", "昨日は成語しりとりをした。データベースの移行は延期。"),
        ("成语接龙", "今天玩成语接龙游戏，备份任务失败"),
        ("备份", "今天玩成语接龙游戏，备份任务失败"),
        ("cafe", "le café est fermé"),
        ("parse config", "renamed parse_config_file"),
        ("user name", "getUserName returns null"),
        ("v1.2.3", "released v1.2.3 today"),
        ("E4021", "it failed with E4021 again"),
    ],
)
def test_words_of_any_script_find_their_line(store: EpisodicStore, query: str, text: str) -> None:
    for other in ("昨日は晴れ", "今天下雨", "nothing at all", "released v1.2.4", "failed with E4022"):
        store.append(new(other))
    store.append(new(text))

    assert found(store, query)[0] == text


def test_unknown_words_find_nothing_and_say_nothing_else(store: EpisodicStore) -> None:
    store.append(new())

    answer = store.search(EpisodicQuery("zzyzx qwfpgj"), None)
    assert (answer.hits, answer.degraded) == ((), ("no model: lexical only",))
    assert store.search(EpisodicQuery("walrus", dense=False), None).degraded == ()


def test_one_entry_is_one_hit(store: EpisodicStore) -> None:
    store.append(new(LONG + "\n\nThe unicorn invoice was paid.\n"))
    store.append(new("pump"))

    hits = store.search(EpisodicQuery("unicorn invoice pump"), None).hits
    assert len(hits) == 2
    assert len({hit.episode for hit in hits}) == 2
    assert hits[0].kind == "section"
    assert "unicorn" in hits[0].text


def test_kinds(store: EpisodicStore) -> None:
    long = store.append(new(LONG, title="Pumps")).episode
    short = store.append(new("the pump hums")).episode

    def shown(*kinds: str) -> dict[str, str]:
        query = EpisodicQuery("pump", kinds=kinds or None)
        return {
            hit.episode or "": f"{hit.kind}{' whole' if hit.id == hit.episode else ''}"
            for hit in store.search(query, None).hits
        }

    assert shown() == {long.id: "section", short.id: "episode whole"}
    assert shown("episode", "section") == shown()
    assert shown("episode") == {long.id: "episode whole", short.id: "episode whole"}
    assert shown("section") == {long.id: "section"}
    assert shown("note", "decision") == {}


def test_a_sections_title_names_its_headings(store: EpisodicStore) -> None:
    store.append(new(f"# Pumps\n\n{LONG}\n\n## Unit nine\n\n{'The zebra valve was replaced. ' * 30}", title="Log"))

    (hit,) = store.search(EpisodicQuery("zebra valve"), None).hits
    assert hit.title == "Log > Pumps > Unit nine"


def test_equal_texts_are_one_hit_that_names_both_places(store: EpisodicStore, journal: Path) -> None:
    (journal / "2026-01-01.md").write_text("## K\nthe falcon key is 9\n", "utf-8")
    (journal / "2026-01-02.md").write_text("## K\nthe falcon key is 9\n", "utf-8")
    (journal / "2026-01-03.md").write_text("## K\nthe falcon flew\n", "utf-8")
    store.reconcile()

    hits = store.search(EpisodicQuery("falcon key", limit=2), None).hits
    assert {hits[0].path, *hits[0].sources} == {"journal/2026-01-01.md", "journal/2026-01-02.md"}
    assert hits[1].text == "the falcon flew"


def test_hits_inside_a_preferred_time_come_first(store: EpisodicStore) -> None:
    for n in range(30):
        store.append(new(f"falcon falcon falcon key {n}", at=AT + timedelta(minutes=n)))
    old = store.append(
        new("once we spoke of many other things and birds and a falcon", at=AT - timedelta(days=90))
    ).episode
    prefer = Window(AT - timedelta(days=91), AT - timedelta(days=89))

    hits = store.search(EpisodicQuery("falcon", prefer=prefer, limit=5), None).hits
    assert hits[0].id == old.id
    assert len(hits) == 5
    assert len({hit.id for hit in hits}) == 5


def test_project_and_session_filter_and_nearness_only_ranks(store: EpisodicStore) -> None:
    for project, session in [("a-00000000", "s1"), ("b-00000000", "s2")]:
        store.append(new(f"falcon in {project}", project=project, session=session))
    embedder = WordEmbedder()
    embed_all(store, embedder)

    for model in (None, embedder):
        hits = store.search(EpisodicQuery("falcon", project="a-00000000"), model).hits
        assert [hit.project for hit in hits] == ["a-00000000"]
        hits = store.search(EpisodicQuery("falcon", session="s2"), model).hits
        assert [hit.session for hit in hits] == ["s2"]
        for near in ("a-00000000", "b-00000000"):
            hits = store.search(EpisodicQuery("falcon", near_project=near), model).hits
            assert next(hit.project for hit in hits) == near
            assert len(hits) == 2


def test_priors_are_soft_and_can_be_switched_off() -> None:
    now = micros(datetime(2026, 11, 30, tzinfo=UTC))
    hit = Finding("x", "journal/x.md", 0, "ep_x", now, 0, "p", "s", 1, "h", is_excerpt=False)
    everything = EpisodicQuery("q", near_project="p", near_session="s")
    nothing = EpisodicQuery("q")

    old = hit._replace(at_us=now - 3650 * 24 * 3600 * 1_000_000, project=None, session=None)
    assert 1.0 <= prior(old, nothing, now) < prior(hit, nothing, now) < prior(hit, everything, now) < 1.17
    # An entry keeps the id of its project when that is merged into another.
    merged = EpisodicQuery("q", near_project="into")
    assert prior(hit, merged, now, near=("p",)) > prior(hit, merged, now)


def test_newer_comes_first_only_with_priors(store: EpisodicStore) -> None:
    first = store.append(new("falcon one falcon", at=AT - timedelta(days=300))).episode
    second = store.append(new("falcon two things here", at=AT)).episode

    def order(*, priors: bool) -> list[str]:
        return [hit.id for hit in store.search(EpisodicQuery("falcon", priors=priors), None).hits]

    assert order(priors=False) == [first.id, second.id]
    hits = store.search(EpisodicQuery("falcon"), None).hits
    assert {hit.id: hit.score for hit in hits}[first.id] == 1.0


def test_answers_are_the_same_every_time(store: EpisodicStore) -> None:
    for n in range(40):
        store.append(new(f"falcon {n}", key=str(n)))
    embedder = WordEmbedder()
    embed_all(store, embedder)

    answers = [store.search(EpisodicQuery("falcon", limit=20), embedder) for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]


def test_a_note_of_22_kb_without_headings_is_found_at_its_end(store: EpisodicStore, journal: Path) -> None:
    prose = "\n\n".join(f"Plain prose number {n} without any heading. " * 10 for n in range(50))
    (journal / "2026-01-01.md").write_text(f"{prose}\n\nzebra crossing code 4471\n", "utf-8")
    store.reconcile()

    hit = store.search(EpisodicQuery("zebra crossing code"), None).hits[0]
    assert hit.text.endswith("zebra crossing code 4471")
    assert hit.title == "2026-01-01"


def test_the_one_entry_that_holds_a_rare_word_stands_first(store: EpisodicStore) -> None:
    class Noise(WordEmbedder):
        """A model that has no idea what a code is: it likes the chatter best."""

        def embed_query(self, text: str) -> FloatArray:
            return super().embed_query("nothing at all" if text == "E4021" else text)

    embedder = Noise()
    store.append(new("nothing at all, but lately", at=AT + timedelta(hours=1)))
    target = store.append(new("it failed with E4021")).episode
    embed_all(store, embedder)

    assert store.search(EpisodicQuery("E4021"), embedder).hits[0].id == target.id


@pytest.mark.parametrize("kinds", [None, ("episode",), ("episode", "section"), ("section",)])
@pytest.mark.parametrize("prefer", [Window(), Window(AT - timedelta(days=1), AT + timedelta(seconds=1))])
def test_every_hit_can_be_traced_to_the_arms_that_found_it(
    store: EpisodicStore, kinds: tuple[str, ...] | None, prefer: Window
) -> None:
    store.append(new(LONG, title="Pumps"))
    for n in range(8):
        store.append(new(f"the pump hums {n}", at=AT + timedelta(minutes=n), session="s"))
    embedder = WordEmbedder()
    embed_all(store, embedder)

    answer = store.search(EpisodicQuery("pump of unit3", kinds=kinds, prefer=prefer), embedder)
    assert answer.hits
    for hit in answer.hits:
        assert {"lexical", "dense"} & set(hit.arms)
        for arm, place in hit.arms.items():
            assert place.rank >= 1
            assert (hit.id, place.score) in answer.arms[arm]


@pytest.mark.parametrize(("dense", "lexical"), [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize("kinds", [None, ("episode",), ("section",)])
def test_an_entry_is_one_hit_in_every_mode(
    store: EpisodicStore, kinds: tuple[str, ...] | None, *, dense: bool, lexical: bool
) -> None:
    long = store.append(new(LONG)).episode
    copy = store.append(new(LONG, at=AT + timedelta(hours=1))).episode
    embedder = WordEmbedder()
    embed_all(store, embedder)

    query = EpisodicQuery("pump of unit3", kinds=kinds, dense=dense, lexical=lexical)
    hits = store.search(query, embedder).hits
    assert [(hit.episode, hit.sources) for hit in hits] in ([(long.id, (copy.id,))], [(copy.id, (long.id,))])


def test_a_twin_outside_the_preferred_time_is_named_as_a_source(store: EpisodicStore, journal: Path) -> None:
    (journal / "2026-01-01.md").write_text("## K\nthe falcon key is 9\n", "utf-8")
    (journal / "2026-02-01.md").write_text("## K\nthe falcon key is 9\n", "utf-8")
    store.reconcile()
    prefer = Window(datetime(2026, 1, 1, tzinfo=UTC) - timedelta(days=1), datetime(2026, 1, 3, tzinfo=UTC))

    (hit,) = store.search(EpisodicQuery("falcon key", prefer=prefer), None).hits
    assert (hit.path, hit.sources) == ("journal/2026-01-01.md", ("journal/2026-02-01.md",))
