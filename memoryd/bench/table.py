"""Tables of a benchmark: Markdown for people, JSON for programs, from the same rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table. ``facts`` says what it was measured on: sizes, seeds, versions."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    facts: Mapping[str, Any] = field(default_factory=dict)

    def as_markdown(self) -> str:
        """Return the table in Markdown, the facts as one line below it."""
        lines = [f"### {self.title}", "", _row(self.columns), _row(["---"] * len(self.columns))]
        lines += [_row([_cell(value) for value in row]) for row in self.rows]
        if self.facts:
            lines += ["", "; ".join(f"{name} {value}" for name, value in self.facts.items())]
        return "\n".join(lines) + "\n"

    def as_object(self) -> dict[str, Any]:
        """Return the table as plain values, its rows as records."""
        records = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": records, "facts": dict(self.facts)}

    def as_json(self) -> str:
        """Return the table as one JSON object with a list of records."""
        return json.dumps(self.as_object(), indent=2, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Report:
    """Several tables of one measurement, with the facts that hold for all of them."""

    title: str
    tables: Sequence[Table]
    facts: Mapping[str, Any] = field(default_factory=dict)

    def as_markdown(self) -> str:
        """Return the tables below each other, the facts first."""
        facts = "; ".join(f"{name} {value}" for name, value in self.facts.items())
        return "\n".join([f"## {self.title}", "", facts, "", *(table.as_markdown() for table in self.tables)])

    def as_json(self) -> str:
        """Return the tables as one JSON object."""
        tables = [table.as_object() for table in self.tables]
        return json.dumps(
            {"title": self.title, "facts": dict(self.facts), "tables": tables}, indent=2, ensure_ascii=False
        )


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
