"""Which data sets lie in a folder, what each is for, and whether its figures may be published.

A file ``bench.toml`` says so; without one, sets are known by their names and shapes. No table holds a text of a set,
so figures are published unless the file forbids it.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from memoryd.bench import beam, locomo, longmemeval, notes
from memoryd.bench.errors import BenchDataError
from memoryd.bench.page import NAME

FILE = "bench.toml"
Publish = Literal["numbers", "nothing"]
Bench = Literal["episodic", "recall", "router", "semantic"]
BENCHES: tuple[Bench, ...] = ("episodic", "recall", "router", "semantic")
_KEYS = {"name", "bench", "path", "format", "gold", "dates", "vaults", "questions", "pooled", "licence", "publish"}
_GOLD = "retrieval_gold.jsonl"
_LINKS = "wikilink_gold.jsonl"


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set and the benchmark that reads it.

    ``path`` is the questions' file for ``router`` and ``semantic``. ``questions`` draws so many with the fixed seed.
    """

    name: str
    bench: Bench
    path: Path
    form: str | None = None
    gold: Path | None = None
    dates: Path | None = None
    vaults: tuple[Path, ...] = ()
    questions: int | None = None
    pooled: bool = False
    licence: str = "not stated"
    publish: Publish = "numbers"


def data_sets(folder: Path) -> list[DataSet]:
    """Return the data sets of a folder, in the order of the file, else of their names.

    Raises:
        BenchDataError: The file cannot be used; the message names the entry.
    """
    file = folder / FILE
    found = list(_listed(file) if file.exists() else _guessed(folder))
    names = [one.name for one in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BenchDataError(f"{folder}: two data sets are called {twice}; name them in {FILE}")
    return found


def _listed(file: Path) -> Iterator[DataSet]:
    try:
        entries = tomllib.loads(file.read_text("utf-8")).get("set", [])
    except (OSError, ValueError) as error:
        raise BenchDataError(f"{file} cannot be read: {error}") from error
    if not isinstance(entries, list) or not entries:
        raise BenchDataError(f"{file} has no [[set]]")
    for number, entry in enumerate(entries, start=1):
        where = f"{file}, set {number}"
        try:
            yield _entry(file.parent, entry)
        except (KeyError, TypeError, ValueError) as error:
            raise BenchDataError(f"{where}: {error}") from error


def _entry(folder: Path, entry: Mapping[str, Any]) -> DataSet:
    if unknown := sorted(entry.keys() - _KEYS):
        raise ValueError(f"{', '.join(unknown)} is not known; known are {', '.join(sorted(_KEYS))}")
    if missing := sorted({"name", "bench", "path"} - entry.keys()):
        raise ValueError(f"{', '.join(missing)} is missing")
    if entry["bench"] not in BENCHES:
        raise ValueError(f"bench is {entry['bench']!r}, none of {', '.join(BENCHES)}")
    if (publish := entry.get("publish", "numbers")) not in {"numbers", "nothing"}:
        raise ValueError(f"publish is {publish!r}, neither numbers nor nothing")
    if NAME.fullmatch(str(entry["name"])) is None:
        raise ValueError(f"name is {entry['name']!r}: use small letters, digits, points and hyphens")
    files = {key: folder / entry[key] for key in ("path", "gold", "dates") if key in entry}
    vaults = tuple(folder / one for one in entry.get("vaults", ()))
    if lost := [str(one) for one in (*files.values(), *vaults) if not one.exists()]:
        raise ValueError(f"{', '.join(lost)} does not exist")
    return DataSet(
        name=entry["name"],
        bench=entry["bench"],
        path=files["path"],
        form=entry.get("format"),
        gold=files.get("gold"),
        dates=files.get("dates"),
        vaults=vaults,
        questions=entry.get("questions"),
        pooled=bool(entry.get("pooled", False)),
        licence=str(entry.get("licence", "not stated")),
        publish=cast("Publish", publish),
    )


def _guessed(folder: Path) -> Iterator[DataSet]:
    for place in sorted(path for path in (folder, *folder.glob("*"), *folder.glob("*/*")) if path.is_dir()):
        if place.name.startswith(".") or place.parent.name.startswith("."):
            continue
        if any(place.glob("*/chat.json")):
            yield DataSet(_name(place), "episodic", place, beam.FORMAT, gold=_beside(place))
        dates = place.with_name(f"{place.name}.dates.tsv")
        if place != folder and dates.is_file():
            yield DataSet(_name(place), "episodic", place, notes.FORMAT, dates=dates)
        for file in sorted(place.glob("*.json*")):
            yield from _by_file(file)


def _by_file(file: Path) -> Iterator[DataSet]:
    name = file.name.lower()
    if name.startswith("locomo") and file.suffix == ".json":
        yield DataSet(_name(file), "episodic", file, locomo.FORMAT, gold=_beside(file.parent))
    elif name.startswith("longmemeval") and file.suffix == ".json":
        yield DataSet(_name(file), "episodic", file, longmemeval.FORMAT)
    elif name == _LINKS:
        vaults = tuple(file.parent / one for one in _vaults_of(file) if (file.parent / one).is_dir())
        if vaults:
            yield DataSet("semantic", "semantic", file, vaults=vaults)
    elif file.suffix == ".jsonl" and {"query", "label"} <= _first_line(file).keys():
        yield DataSet(f"router-{_name(file)}" if file.stem != "queries" else "router", "router", file)


def _beside(folder: Path) -> Path | None:
    return folder / _GOLD if (folder / _GOLD).is_file() else None


def _vaults_of(file: Path) -> list[str]:
    try:
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
        return list(dict.fromkeys(str(row["vault"]) for row in rows))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BenchDataError(f"{file} is no file of links: {error!r}") from error


def _first_line(file: Path) -> dict[str, Any]:
    try:
        with file.open(encoding="utf-8") as lines:
            row = json.loads(next(lines, "{}"))
    except (OSError, ValueError):
        return {}
    return row if isinstance(row, dict) else {}


def _name(path: Path) -> str:
    plain = "".join(one if one.isascii() and one.isalnum() else "-" for one in path.stem.lower())
    return "-".join(filter(None, plain.split("-"))) or "data"
