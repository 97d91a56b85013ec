"""A month of work by three agents on two projects, as a script: whoever plays it twice gets the same month.

``harbor`` imports price lists of suppliers and is noted in English and German, ``kiosk`` is a shop's front, in English
and Japanese. What is decided about a part of a project follows from the part and from how often it was decided before,
so that a test can say what holds in the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

PARTS = {
    "harbor": (
        "price importer", "supplier mailbox", "stock sync", "order intake", "invoice writer", "PDF renderer",
        "address check", "VAT table", "job queue", "audit trail", "REST API", "admin page", "nightly backup",
        "rate limiter", "search index", "currency table",
    ),
    "kiosk": (
        "cart", "checkout", "catalogue", "product page", "login", "session store", "image service", "sitemap",
        "newsletter", "price display", "coupon box", "order status", "cookie notice", "translation table",
        "storefront API", "review page",
    ),
}  # fmt: skip
"""The parts of each project, in the order in which they are worked on."""

ASPECTS = {
    "retries": (
        "The {part} gives up after {n} tries",
        (
            "The {part} tries {n} times, with a pause that doubles from {m} s, and then parks the item; a person "
            "finds it in the back office under its order and sends it again from there."
        ),
        "Suppliers and banks answer late at month's end; with fewer tries items were lost.",
    ),
    "storage": (
        "The {part} has a table of its own and keeps {n} months",
        (
            "What the {part} keeps lies in Postgres, in a table of its own that is split by month and goes after {n} "
            "months in one piece; the archive on the second disk has the older ones, without addresses."
        ),
        "One big table took {m} minutes to clean up, and everybody waited for its lock.",
    ),
    "limits": (
        "The {part} refuses more than {m} items a minute",
        (
            "The {part} takes {n} items at once and {m} a minute; above that it answers 429 with the seconds to wait, "
            "and counts the refusal by caller for the monthly talk with them."
        ),
        "A single caller kept all workers busy for an hour.",
    ),
    "log lines": (
        "No names in the log of the {part}",
        (
            "The {part} logs one line a request as JSON, with the id of the order and never with a name or an address; "
            "what went wrong has a line of its own, with the code of the error and not its text."
        ),
        "The data protection officer found addresses in the archive; {n} fields were taken out.",
    ),
    "tests": (
        "Tests of the {part} run on {n} recorded answers",
        (
            "Tests of the {part} run against recorded answers; {n} of them are renewed by hand each quarter; the day "
            "stands in the file, so that nobody wonders how old they are."
        ),
        "The live service was down during {m} of the last builds.",
    ),
    "ownership": (
        "The warehouse group looks after the {part}, {n} of them",
        "The {part} is looked after by the group of the warehouse; changes need a word from one of its {n} members.",
        "Nobody answered when it broke over the weekend.",
    ),
}
"""Title, gist and why of what is decided about a part."""

TONGUES = {
    "harbor": {
        "Zeitüberschreitung": (
            "{part}: Abbruch nach {n} Sekunden",
            "Der Dienst {part} bricht eine Anfrage nach {n} Sekunden ab und meldet den Lieferanten im Prüfprotokoll.",
            "Ein hängender Lieferant hielt den ganzen Nachtlauf {m} Minuten auf.",
        ),
        "Rundung": (
            "{part}: gerundet wird erst am Ende, auf {n} Stellen",
            "Beträge werden im {part} kaufmännisch auf {n} Stellen gerundet, erst ganz am Ende der Rechnung.",
            "Zwischenrundung ergab auf großen Rechnungen {m} Cent Unterschied.",
        ),
    },
    "kiosk": {
        "表示": (
            "{part} は税込みで表示し、{n} 桁ごとに区切る",
            (
                "{part} は金額を税込みで表示し、端数は切り捨て、{n} 桁ごとに区切る。"
                "割引のあるときは元の金額に線を引いて並べ、送料は会計の画面まで含めない。"
            ),
            "税抜き表示への問い合わせが月に {m} 件あった。",
        ),
        "キャッシュ": (
            "{part} のキャッシュは {n} 秒",
            (
                "{part} の応答は {n} 秒だけキャッシュし、在庫が変わったらすぐに捨てる。"
                "利用者ごとの内容は入れず、鍵には言語と通貨を必ず含める。"
            ),
            "古い在庫が表示され、{m} 件の注文を取り消した。",
        ),
    },
}  # fmt: skip
"""The same for the second language of each project."""

OWN = (
    ("commit messages", "Commit messages are in English, in the imperative, with the ticket's number at the end.",
     "Two projects are read by colleagues abroad."),
    ("working hours", "No deployment after 15:00 on Fridays, in any project.", "A weekend was spent on a rollback."),
    ("answers", "Answers are wanted short, with the file and the line, and without a summary at the end.",
     "Long summaries hid what mattered."),
    ("editor", "Code is formatted on save; a change of format alone is a commit of its own.", "Reviews drowned in it."),
)  # fmt: skip
"""What holds for the person in all projects: name, gist, why."""

CONVENTIONS = {
    "branch names.md": (["convention/git", "scope/global"], "Branches are short and dashed, with the ticket in front."),
    "SQL style.md": (["convention/sql", "tool/postgres"], "Keywords in capitals, one column a line, no SELECT *."),
    "カートの用語.md": (["convention/words", "project/kiosk"], "カート、注文、会計の三語だけを使う。"),
    "Rechnungstexte.md": (["convention/words", "project/harbor"], "Rechnungen siezen; keine Abkürzungen."),
    "mobile layout.md": (["convention/css", "domain/shop"], "Every page is designed for 360 pixels first."),
}
"""Notes of the vault by file name: tags and summary."""

DECLARED = {"harbor": "tool/postgres", "kiosk": "domain/shop"}
"""What each project's CLAUDE.md declares."""

ENTRIES = (
    ("Why does the {part} lose items at night?",
     "The lock of the clean-up outlives its transaction. Moved it to its own table; the night run is whole again."),
    ("Please make the {part} faster.",
     "Most of the time went into one query without an index. Added it: 340 ms became 12 ms on the copy of Monday."),
    ("Review the {part}, please.",
     "Two findings: a timeout that nobody sets, and a test that passes without the network. Both are mended."),
)  # fmt: skip
"""What was asked and answered in a session."""


@dataclass(frozen=True)
class Agent:
    """One of the three: its name, and the projects that it works on, day by day in turn."""

    name: str
    projects: tuple[str, ...]

    def works_on(self, day: int) -> str:
        return self.projects[day % len(self.projects)]


AGENTS = (Agent("claude", ("harbor",)), Agent("codex", ("kiosk",)), Agent("gemini", ("kiosk", "harbor")))


def aspects(project: str) -> dict[str, tuple[str, str, str]]:
    return ASPECTS | TONGUES[project]


def part_of_day(project: str, day: int, turn: int) -> str:
    """Return the part that is worked on: each for a few days, then the next, and again from the start."""
    parts = PARTS[project]
    return parts[(day * 3 // 4 + turn) % len(parts)]


def numbers(part: str, aspect: str, version: int) -> dict[str, int]:
    seed = sum(map(ord, part + aspect)) + 7 * version
    return {"n": 2 + seed % 9, "m": 11 + (seed * 5) % 37}


def named(part: str, aspect: str) -> dict[str, str]:
    return {"kind": "rule", "name": f"{part}: {aspect}"}


def gist_of(project: str, part: str, aspect: str, version: int) -> str:
    return aspects(project)[aspect][1].format(part=part, **numbers(part, aspect, version))


def file_of(part: str) -> str:
    return f"src/{part.replace(' ', '_').lower()}.py"


def decided(project: str, part: str, aspect: str, version: int) -> dict[str, Any]:
    """Return the decision on one thing about a part; the first also makes the part and ties the thing to it."""
    title, gist, why = (text.format(part=part, **numbers(part, aspect, version)) for text in aspects(project)[aspect])
    thing, whole = named(part, aspect), {"kind": "component", "name": part}
    mutations: list[dict[str, Any]] = [{"op": "put_element", **thing, "gist": gist}]
    if version == 0:
        mutations += [
            {"op": "put_element", **whole, "touches": [file_of(part)]},
            {"op": "add_link", "from": thing, "rel": "part_of", "to": whole},
        ]
    return {"title": title, "why": why, "mutations": mutations}


def depends(part: str, other: str) -> dict[str, Any]:
    """Return the decision that one part stands on another."""
    ends = {"from": {"kind": "component", "name": part}, "to": {"kind": "component", "name": other}}
    kinds = [{"op": "put_element", "kind": "component", "name": name} for name in (part, other)]
    return {
        "title": f"The {part} asks the {other}",
        "why": f"Both held the same rows; now the {other} alone writes them.",
        "mutations": [*kinds, {"op": "add_link", "rel": "asks", **ends}],
    }


def work_of(project: str, day: int, turn: int, versions: dict[tuple[str, str, str], int]) -> Iterator[dict[str, Any]]:
    """Yield what is decided in one session; ``versions`` counts how often each thing was decided."""
    part = part_of_day(project, day, turn)
    names = list(aspects(project))
    for step in range(5):
        aspect = names[(day + step + 3 * turn) % len(names)]
        key = (project, part, aspect)
        versions[key] = versions.get(key, -1) + 1
        yield decided(project, part, aspect, versions[key])
    other = PARTS[project][(day * 5 + turn) % len(PARTS[project])]
    if other != part:
        yield depends(part, other)
