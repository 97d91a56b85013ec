"""``bench mixed``: one question, one answer, over a year of both memories (``memoryd.bench.year``).

The year is laid into a temporary home as another install would have written it, a daemon indexes it, and each question
is put to it over REST: to either memory, to both, and as the router chooses. Judged is what the join of both promises:
nothing is lost to the choice, nothing replaced is given as current, an answer as of a day is that of the day, an answer
keeps to its budget, and one that there is none to is said to be none. Notes have no past, and stand in any answer.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from episodic.episode import NewEpisode
from episodic.journal.identity import written_id
from episodic.journal.text import day_heading, render_section
from memoryd.bench.corpus import SEED
from memoryd.bench.daemon import OwnDaemon
from memoryd.bench.machine import machine_facts
from memoryd.bench.table import Report, Table
from memoryd.bench.year import Asked, Year, make_year
from memoryd.render.meter import utf16_units
from memoryd.router.relevance import NOTHING
from semantic.identity import element_id
from semantic.store import SemanticStore
from semantic.vault.contract import Contract
from semantic.writing.recording import NewDecision

WRITER = "aaaaaaaaaaaa"
KIND = "choice"
DEPTH = 10
STORES = ("auto", "both", "episodic", "semantic")
BUDGETS = (300, 800, 2_000)
"""Characters allowed in turn, a question each."""
START_S, INDEX_S = 120.0, 1_800.0

Progress = Callable[[str], None]


@dataclass(slots=True)
class Home:
    """The year as it lies in a home: ids of a memory by key, and what each states."""

    ids: dict[str, str] = field(default_factory=dict)
    states: dict[str, tuple[str, str]] = field(default_factory=dict)
    elements: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Judged:
    """What became of the questions put to one store, in their order."""

    found: list[bool] = field(default_factory=list)
    out_of_date: list[bool] = field(default_factory=list)
    is_right_then: list[bool] = field(default_factory=list)
    said_nothing: list[bool] = field(default_factory=list)


def run_mixed(*, seed: int = SEED, model: str | None = None, progress: Progress = lambda _: None) -> Report:
    """Measure a year.

    Args:
        seed: Of the year.
        model: Of the vectors; the default one if it is not given.
        progress: Told in words how far it is.

    Raises:
        StartFailed: The daemon does not come up, or does not finish indexing.
    """
    year = make_year(seed)
    settings = {} if model is None else {"MEMORYD_EMBEDDING__MODEL": model}
    with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as folder:
        home = lay_year(Path(folder), year)
        with OwnDaemon(Path(folder), settings).start(START_S) as daemon:
            daemon.wait_until_indexed(INDEX_S, progress=lambda left: progress(f"indexing: {left} left"))
            judged = {store: _ask(daemon, year, home, store, progress) for store in STORES}
            over, out_of_date = _ask_briefly(daemon, year, home)
            status = daemon.get("/v1/status")
    facts = {
        "entries": len(year.entries),
        "decisions": len(year.decisions),
        "notes": len(year.notes),
        "questions": len(year.questions),
        "model": status["episodic"]["model"],
        "engine": status["episodic"]["engine"],
        "seed": seed,
        **machine_facts(),
    }
    promises = _promises(year, judged, over, out_of_date)
    return Report("A year of both memories", [promises, _by_kind(year, judged)], facts)


def lay_year(home: Path, year: Year) -> Home:
    """Write the year into a home, as files; the log is that of another install."""
    laid = Home()
    days: dict[str, list[str]] = {}
    for entry in year.entries:
        id_ = written_id(entry.at, session=entry.session, turn=entry.key, key=None, entropy=os.urandom)
        laid.ids[entry.key] = id_
        if entry.states is not None:
            laid.states[id_] = entry.states
        new = NewEpisode(entry.text, entry.at, session=entry.session, turn=entry.key)
        days.setdefault(f"{entry.at:%Y-%m-%d}", []).append(render_section(id_, new, key=None))
    for day, sections in days.items():
        head = day_heading(datetime.fromisoformat(day).date())
        _write(home / "memory" / "journal" / f"{day}.md", head + "".join(f"\n{one}" for one in sections))
    for note in year.notes:
        path = f"{note.title}.md"
        laid.ids[note.key] = path
        _write(home / "memory" / "vault" / path, f"# {note.title}\n\n{note.body}\n")
    _decide(home / "memory", year, laid)
    return laid


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8", newline="\n")


def _decide(memory: Path, year: Year, laid: Home) -> None:
    now = [datetime.now(UTC)]
    store = SemanticStore(
        memory=memory,
        install=WRITER,
        clock=lambda: now[0],
        entropy=secrets.token_bytes,
        zone=UTC,
        vaults={},
        contract=Contract(),
    )
    store.open()
    for one in year.decisions:
        now[0] = one.at
        put = {"op": "put_element", "kind": KIND, "name": one.subject, "gist": one.value}
        new = NewDecision(one.title, one.why, (put,), session=one.session, evidence=(laid.ids[one.entry],))
        id_ = store.decide(new).id
        laid.ids[one.key] = id_
        laid.states[id_] = (one.subject, one.value)
        laid.elements[element_id(None, KIND, one.subject)] = one.subject
    store.close()


def _ask(daemon: OwnDaemon, year: Year, home: Home, store: str, progress: Progress) -> Judged:
    judged = Judged()
    for number, question in enumerate(year.questions, start=1):
        answer = daemon.post("/v1/recall", _body(question, store))
        hits, reasons = answer["hits"], answer["route"]["reasons"]
        wanted = {home.ids[key] for key in question.wanted}
        judged.found.append(any(wanted & _names(hit) for hit in hits))
        judged.out_of_date.append(any(_stale(year, home, question, hits)))
        judged.is_right_then.append(_is_right_then(year, home, question, hits))
        judged.said_nothing.append(not hits or NOTHING in reasons)
        if number % 50 == 0:
            progress(f"{store}: {number} of {len(year.questions)} questions")
    return judged


def _ask_briefly(daemon: OwnDaemon, year: Year, home: Home) -> tuple[int, int]:
    """Ask with little room; return how many answers took more, and how many gave something replaced as current."""
    over = out_of_date = 0
    for number, question in enumerate(year.questions):
        room = BUDGETS[number % len(BUDGETS)]
        hits = daemon.post("/v1/recall", {**_body(question, "auto"), "max_chars": room})["hits"]
        over += sum(utf16_units(hit["title"] or "") + utf16_units(hit["text"]) for hit in hits) > room
        out_of_date += any(_stale(year, home, question, hits))
    return over, out_of_date


def _body(question: Asked, store: str) -> dict[str, Any]:
    body: dict[str, Any] = {"query": question.text, "store": store, "limit": DEPTH}
    return body if question.as_of is None else {**body, "as_of": question.as_of.isoformat()}


def _names(hit: Mapping[str, Any]) -> set[str]:
    """Return all ids that a hit goes by; a note goes by its path in the vault."""
    path = str(hit.get("path") or "").partition(":")[2]
    return {hit["id"], hit.get("episode") or "", path, *hit["sources"]}


def _stated(year: Year, home: Home, hit: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the subject and the value that a hit gives it, if it does."""
    if hit["id"] in home.elements:
        subject = home.elements[hit["id"]]
        text = f"{hit['title']} {hit['text']}"
        return next(
            ((subject, one.value) for one in year.decisions if one.subject == subject and one.value in text), None
        )
    return home.states.get(hit["id"]) or home.states.get(hit.get("episode") or "")


def _stale(year: Year, home: Home, question: Asked, hits: list[dict[str, Any]]) -> Iterator[bool]:
    """Yield for each hit whether it states what had been replaced when the question is asked, and is not marked."""
    for hit in hits:
        stated = _stated(year, home, hit)
        yield (
            stated is not None
            and year.value_of(stated[0], question.as_of) != stated[1]
            and hit.get("superseded_by") is None
        )


def _is_right_then(year: Year, home: Home, question: Asked, hits: list[dict[str, Any]]) -> bool:
    """Tell whether the first hit on the subject gives it the value of the time, and nothing but notes is from later."""
    if question.as_of is None or question.subject is None:
        return True
    if any(
        hit["kind"] != "note" and hit.get("at") and datetime.fromisoformat(hit["at"]) >= question.as_of for hit in hits
    ):
        return False
    stated = (_stated(year, home, hit) for hit in hits)
    first = next((one[1] for one in stated if one is not None and one[0] == question.subject), None)
    return first == year.value_of(question.subject, question.as_of)


def _promises(year: Year, judged: Mapping[str, Judged], over: int, out_of_date: int) -> Table:
    auto, total = judged["auto"], len(year.questions)
    better = [any(pair) for pair in zip(judged["episodic"].found, judged["semantic"].found, strict=True)]
    kept = [ours for ours, theirs in zip(auto.found, better, strict=True) if theirs]
    then = [right for right, one in zip(auto.is_right_then, year.questions, strict=True) if one.as_of is not None]
    answered = [bool(one.wanted) for one in year.questions]
    silent = [said for said, is_answered in zip(auto.said_nothing, answered, strict=True) if not is_answered]
    hushed = [said for said, is_answered in zip(auto.said_nothing, answered, strict=True) if is_answered]
    said = sum(silent) + sum(hushed)
    rows = [
        ["of what the better single memory finds among ten, the router finds", _share(sum(kept), len(kept)), "0.990"],
        ["answers that give something replaced as current", f"{sum(auto.out_of_date)} of {total}", "0"],
        ["the same, with little room", f"{out_of_date} of {total}", "0"],
        ["answers as of a day that are that day's", _share(sum(then), len(then)), "0.980"],
        ["answers over their budget", f"{over} of {total}", "0"],
        ["questions without an answer that are called so", _share(sum(silent), len(silent)), "none"],
        ["questions with an answer that are called to have none", f"{sum(hushed)} of {len(hushed)}", "none"],
        ["right, of those that are called to have none", _share(sum(silent), said), "none"],
    ]
    return Table("What the join promises", ["promise", "measured", "aim"], rows)


def _by_kind(year: Year, judged: Mapping[str, Judged]) -> Table:
    rows: list[list[Any]] = []
    for kind in dict.fromkeys(one.kind for one in year.questions if one.wanted):
        places = [place for place, one in enumerate(year.questions) if one.kind == kind]
        cells = [sum(judged[store].found[place] for place in places) / len(places) for store in STORES]
        rows.append([kind, len(places), *cells])
    return Table("An answer among ten, by kind of question", ["kind", "questions", *STORES], rows)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f} ({part} of {whole})" if whole else "none"
