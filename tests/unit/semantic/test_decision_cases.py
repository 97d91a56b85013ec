"""Cases that other products met, by their id: supersession, as-of, conflicts, and which project a folder is."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from semantic.errors import UnknownElement
from semantic.store import SemanticStore
from semantic.testing import SteppingClock, open_store
from semantic.writing.recording import NewDecision

BOT = {"kind": "bot", "name": "Bot"}
MAY, JUNE = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 2, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> SemanticStore:
    return open_store(tmp_path)


def put(gist: str) -> dict[str, Any]:
    return {"op": "put_element", **BOT, "gist": gist}


def end_of(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T00:00:00+00:00") + timedelta(days=1)


@pytest.mark.parametrize("hour", [0, 13])
def test_bh37_at_the_hand_over_there_is_exactly_one_value(store: SemanticStore, hour: int) -> None:
    """BH37 and behaviour 31: as-of is half-open, so the instant of the hand-over has the old value alone."""
    may, june = MAY.replace(hour=hour), JUNE.replace(hour=hour)
    (id_,) = store.decide(NewDecision("use X", "w", [put("X")], valid_at=may)).elements
    store.decide(NewDecision("use Y", "w", [put("Y")], valid_at=june))
    assert store.element_as_of(id_, end_of("2026-06-01")).gist == "X"
    assert store.element_as_of(id_, end_of("2026-06-02")).gist == "Y"
    with pytest.raises(UnknownElement):
        store.element_as_of(id_, end_of("2026-04-30"))
    assert store.element(id_).gist == "Y"
    assert store.element_as_of(id_, june).gist == "X"
    assert store.element_as_of(id_, june + timedelta(milliseconds=1)).gist == "Y"


def test_bh37_what_arrives_out_of_order_gives_the_same_past(tmp_path: Path) -> None:
    """Behaviour 31: a home that learns of both in the other order answers alike."""
    clock = SteppingClock()
    one = open_store(tmp_path / "one", "aaaaaaaaaaaa", clock=clock)
    (id_,) = one.decide(NewDecision("use X", "w", [put("X")], valid_at=MAY)).elements
    path = "log/user/aaaaaaaaaaaa.ndjson"
    first = (tmp_path / "one" / path).read_bytes()
    one.decide(NewDecision("use Y", "w", [put("Y")], valid_at=JUNE))
    whole = (tmp_path / "one" / path).read_bytes()
    other = open_store(tmp_path / "other", "bbbbbbbbbbbb", clock=clock)
    other.taking.take({path: whole[len(first) :]})
    other.taking.take({path: first})
    for at in (end_of("2026-06-01"), end_of("2026-06-02"), JUNE):
        assert other.element_as_of(id_, at).gist == one.element_as_of(id_, at).gist
    assert other.export() == one.export()


@pytest.mark.parametrize("order", [("X", "Y"), ("Y", "X")])
def test_behaviour_31_now_and_then_follow_the_order_of_recording(store: SemanticStore, order: tuple[str, str]) -> None:
    """Valid-at says from which instant a decision counts in the past; of those that count, the last recorded holds."""
    since = {"X": MAY, "Y": JUNE}
    ids = [store.decide(NewDecision(f"use {one}", "w", [put(one)], valid_at=since[one])).id for one in order]
    (element,) = store.elements()
    last = order[1]
    assert element.gist == last
    assert [one.id for one in store.heads(element.id)] == ids[1:]
    assert store.element_as_of(element.id, end_of("2026-06-01")).gist == "X"
    for later in (end_of("2026-06-02"), end_of("2027-01-01")):
        then = store.projection(later)
        assert then.elements[element.id].gist == last
        assert [one.id for one in then.heads(element.id)] == ids[1:]
    if order == ("Y", "X"):
        # What was told late is not meant to end what holds: that is recorded once more, and is the last word again.
        store.decide(NewDecision("use Y", "w", [put("Y")], valid_at=JUNE))
        assert store.element(element.id).gist == "Y"
        assert store.element_as_of(element.id, end_of("2026-06-01")).gist == "X"
        assert store.element_as_of(element.id, end_of("2026-06-02")).gist == "Y"


def test_bh38_recording_the_same_again_is_no_second_decision_and_takes_nothing_away(store: SemanticStore) -> None:
    """BH38 and behaviour 33."""
    first = store.decide(NewDecision("Use one queue", "It is enough", [put("g")]))
    same = store.decide(NewDecision("Use one queue", "It is enough", [put("g")]))
    spaced = store.decide(NewDecision("  USE one\tqueue ", "it IS  enough", [put("g")]))
    assert (same.id, same.created, spaced.id, spaced.created) == (first.id, False, first.id, False)
    assert list(store.projection().decisions) == [first.id]
    assert store.element(first.elements[0]).gist == "g"


def test_behaviour_33_a_retired_link_may_be_added_again(store: SemanticStore) -> None:
    link = {"from": BOT, "rel": "uses", "to": {"kind": "tool", "name": "uv"}}
    uv = {"op": "put_element", "kind": "tool", "name": "uv"}
    (id_, _) = store.decide(NewDecision("add", "w", [put("g"), uv, {"op": "add_link", **link}])).elements
    store.decide(NewDecision("retire", "w", [{"op": "retire_link", **link}]))
    assert store.element(id_).links == ()
    again = store.decide(NewDecision("add once more", "w", [{"op": "add_link", **link}]))
    assert again.created
    assert [one.relation for one in store.element(id_).links] == ["uses"]


def test_behaviour_30_a_later_decision_supersedes_and_history_keeps_the_chain(store: SemanticStore) -> None:
    ids = [store.decide(NewDecision(f"step {number}", "w", [put(f"g{number}")])).id for number in range(4)]
    (element,) = store.elements()
    assert [one.id for one in store.heads(element.id)] == ids[-1:]
    assert [one.id for one in store.history(element.id)] == ids
    assert [one.superseded_by for one in store.history(element.id)] == [*ids[1:], None]


def test_behaviour_32_two_unsuperseded_heads_are_a_conflict_in_one_order_everywhere(tmp_path: Path) -> None:
    clock = SteppingClock()
    homes = {name: open_store(tmp_path / name, name, clock=clock) for name in ("aaaaaaaaaaaa", "bbbbbbbbbbbb")}
    for name, home in homes.items():
        home.decide(NewDecision(f"said by {name}", "w", [put(name)]))
    shards = {f"log/user/{name}.ndjson": (tmp_path / name / f"log/user/{name}.ndjson").read_bytes() for name in homes}
    for home in homes.values():
        home.taking.take(shards)
    found = [
        [(element.id, [head.id for head in heads]) for element, heads in home.conflicts()] for home in homes.values()
    ]
    assert found[0] == found[1]
    assert len(found[0][0][1]) == 2


def test_bh40_a_worktree_is_its_repository(store: SemanticStore, tmp_path: Path) -> None:
    """BH40."""
    main = tmp_path / "w" / "myproject"
    subprocess.run(["git", "init", "--quiet", str(main)], check=True)
    commit = ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "--quiet", "--allow-empty", "-m", "x"]
    subprocess.run(["git", "-C", str(main), *commit], check=True)
    tree = tmp_path / "w" / "zurich-v1"
    subprocess.run(["git", "-C", str(main), "worktree", "add", "--quiet", str(tree)], check=True)
    places = [store.project_for(folder, mint=True) for folder in (tree, main)]
    assert [place.name for place in places if place] == ["myproject", "myproject"]
    assert len(store.projects()) == 1


def test_bh41_names_with_hyphens_and_spaces_stay_whole_and_apart(store: SemanticStore, tmp_path: Path) -> None:
    """BH41."""
    folders = [tmp_path / "code" / name for name in ("mem-palace", "mem", "日記 app")]
    for folder in folders:
        folder.mkdir(parents=True)
    places = [store.project_for(folder, mint=True) for folder in folders]
    assert [place.name for place in places if place] == ["mem-palace", "mem", "日記 app"]
    assert len({place.id for place in places if place}) == 3
