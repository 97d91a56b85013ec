"""How the account of an answer is shown: what was read from the question, who found what, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

SHOWN = 5
"""So many of each arm's list; ``--json`` has all."""


def describe_account(account: Mapping[str, Any], hits: list[dict[str, Any]]) -> Iterator[str]:
    """Return the lines of ``explain``; hits are named by their numbers in the answer above where they are in it."""
    numbers = {hit["id"]: number for number, hit in enumerate(hits, start=1)}

    def name(id_: str) -> str:
        return f"{id_} (hit {numbers[id_]})" if id_ in numbers else id_

    yield ""
    yield "how this was found"
    language = account["language"] or "not known, read as English"
    yield f"  language: {language}; {'a span of time, in order' if account['mode'] == 'timeline' else 'a search'}"
    yield from (f"  cue: {cue}" for cue in account["cues"])
    if span := account["range"]:
        rest = f'; looked for: "{span["remainder"]}"' if span["has_content"] else ""
        yield f'  time: "{span["words"]}" is {span["since"] or "the beginning"} to {span["until"] or "now"}{rest}'
    for store, asked in account["stores"].items():
        weight = account["weights"].get(store, 1.0)
        yield f'  {store}: {asked["hits"]} hits for "{asked["text"]}" in {asked["took_ms"]} ms, weight {weight:g}'
        for arm, rows in asked["arms"].items():
            best = ", ".join(f"{name(row['id'])} {row['score']:.3f}" for row in rows[:SHOWN])
            yield f"    {arm}: {len(rows)} found{': ' if best else ''}{best}{', …' if len(rows) > SHOWN else ''}"
    for hit in account["hits"]:
        places = ", ".join(f"{arm} #{place['rank']} ({place['score']:.3f})" for arm, place in hit["arms"].items())
        yield f"  {name(hit['id'])}: {hit['score']:.2f}{' from ' if places else ''}{places}"
    yield from (
        f"  merged: {name(one['merged'])} into {name(one['kept'])}: {one['reason']}" for one in account["merged"]
    )
    for key, what in _FATES.items():
        if account[key]:
            yield f"  {what}: {', '.join(map(name, account[key]))}"
    if account["cut"]:
        yield f"  text shortened: {name(account['cut'])}"
    if judged := account["relevance"]:
        lead = "" if judged["lead"] is None else f", lead of the nearest vector {judged['lead']:.3f}"
        verdict = "an answer" if judged["is_relevant"] else "no answer"
        yield f"  judged as {verdict}: {judged['words']:.0%} of the telling words in one of the first hits{lead}"
    yield from (f"  note: {note}" for note in account["notes"])


_FATES = {
    "outdated": "says what a decision replaced",
    "moved": "placed behind what superseded it",
    "repeats": "placed last, since a better hit says the same",
    "over_limit": "over the limit",
    "dropped": "no room for",
}
