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

    def as_json(self) -> str:
        """Return the table as one JSON object with a list of records."""
        records = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        whole = {"title": self.title, "rows": records, "facts": dict(self.facts)}
        return json.dumps(whole, indent=2, ensure_ascii=False)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
