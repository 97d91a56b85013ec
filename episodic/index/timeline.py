"""Reading entries by time, by day and by id, from the manifest.

An entry keeps the offset it was written with. A day is the local day of the daemon's zone: an entry belongs to the
day on which its instant falls there, whatever file it stands in, so that a day and a search within that day's window
show the same entries. Written on a journey, it may stand in the file of the day before or after.

The view ``entries`` leaves out the excerpts of turns: they can be found, and are no entries.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache

from episodic.episode import Episode
from episodic.errors import UnknownEpisode
from episodic.index.manifest import Manifest
from memoryd.text.shown import shown_id
from memoryd.text.window import Window

COLUMNS = (
    "e.id, e.title, e.text, e.at_us, e.offset_min, e.path, e.first, e.last, e.project, e.session, e.turn, "
    "e.transcript, e.key, e.files"
)
# Both are answered by an index alone, from one day to the next.
_NEXT_AT = "SELECT at_us FROM entries WHERE at_us >= ? ORDER BY at_us LIMIT 1"
_BETWEEN = "SELECT COUNT(DISTINCT id) FROM entries WHERE at_us >= ? AND at_us < ?"
_FIRST_US, _LAST_US = -(2**63), 2**63 - 1

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FROM = f"SELECT {COLUMNS} FROM entries e"  # noqa: S608 - no value stands in it
# An entry that stands in two files (a sync tool's copy) is one entry: its first place counts.
_IS_FIRST = "NOT EXISTS (SELECT 1 FROM entries o WHERE o.id = e.id AND (o.path, o.position) < (e.path, e.position))"
_OF_PROJECT = "(:project IS NULL OR e.project IN (SELECT value FROM json_each(:project)))"
"""A project goes by several ids once others were merged into it: they are handed over as a JSON list."""
_LIST = (
    f"{_FROM} WHERE {_IS_FIRST} AND e.at_us >= :since AND e.at_us < :until "
    f"AND {_OF_PROJECT} AND (:session IS NULL OR e.session = :session) "
)
_COUNT = (
    "SELECT COUNT(DISTINCT id) FROM entries e WHERE e.at_us >= :since AND e.at_us < :until "  # noqa: S608 - as above
    f"AND {_OF_PROJECT} AND (:session IS NULL OR e.session = :session)"
)
_NEWEST = f"{_LIST} AND (:at IS NULL OR (e.at_us, e.id) < (:at, :id)) ORDER BY e.at_us DESC, e.id DESC LIMIT :limit"
_OLDEST = (
    f"{_LIST} AND (:at IS NULL OR (e.at_us, e.id) > (:at, :id)) ORDER BY e.at_us, e.path, e.position, e.id LIMIT :limit"
)


@dataclass(frozen=True, slots=True)
class Day:
    """A day that has entries, and how many."""

    date: date
    episodes: int


class Timeline:
    """Entries in the order in which they happened. All methods may be called from any thread."""

    def __init__(
        self, manifest: Manifest, *, zone: tzinfo, project_ids: Callable[[str], Sequence[str]] = lambda id_: (id_,)
    ) -> None:
        self._manifest = manifest
        self._zone = zone
        self.project_ids = project_ids

    def get(self, id: str) -> Episode:  # noqa: A002 - the word of the domain
        """Return an entry.

        Raises:
            UnknownEpisode: No file holds it.
        """
        rows = self._rows(f"{_FROM} WHERE e.id = ? ORDER BY e.path, e.position LIMIT 1", (id,))
        if not rows:
            raise UnknownEpisode(f"there is no episode with the id {shown_id(id)}")
        return rows[0]

    def find(self, *, session: str | None, turn: str | None, key: str | None) -> Episode | None:
        """Return the entry that memoryd wrote for a turn, else for a key's digest."""
        if session is not None and turn is not None:
            clause, values = "e.session = :session AND e.turn = :turn", {"session": session, "turn": turn}
        elif key is not None:
            clause, values = "e.key = :key", {"key": key}
        else:
            return None
        rows = self._rows(
            f"{_FROM} WHERE {clause} AND e.written ORDER BY e.id <> e.anchor, e.path, e.position LIMIT 1", values
        )
        return rows[0] if rows else None

    def entries(
        self,
        window: Window,
        *,
        project: str | None = None,
        session: str | None = None,
        after: tuple[datetime, str] | None = None,
        limit: int = 50,
        newest_first: bool = True,
    ) -> list[Episode]:
        """Return entries of a window; ``after`` is the (at, id) of the last one that was seen."""
        values = {
            **_bounds(window),
            "project": self._ids_of(project),
            "session": session,
            "at": None if after is None else micros(after[0]),
            "id": None if after is None else after[1],
            "limit": limit,
        }
        return self._rows(_NEWEST if newest_first else _OLDEST, values)

    def count(self, window: Window, *, project: str | None = None, session: str | None = None) -> int:
        """Return how many entries a window has."""
        values = {**_bounds(window), "project": self._ids_of(project), "session": session}
        with self._manifest.reading() as connection:
            row = connection.execute(_COUNT, values).fetchone()
        return int(row[0])

    def _ids_of(self, project: str | None) -> str | None:
        return None if project is None else json.dumps(list(self.project_ids(project)))

    def holds(self, id: str) -> bool:  # noqa: A002 - the word of the domain
        """Tell whether some file holds an entry."""
        with self._manifest.reading() as connection:
            return connection.execute("SELECT 1 FROM entries WHERE id = ? LIMIT 1", (id,)).fetchone() is not None

    def episode_of_piece(self, id: str) -> str | None:  # noqa: A002 - as above
        """Return the entry that a piece belongs to."""
        with self._manifest.reading() as connection:
            row = connection.execute(
                "SELECT e.id FROM chunks c JOIN episodes e ON e.path = c.path AND e.position = c.position "
                "WHERE c.id = ? ORDER BY c.path, c.ordinal LIMIT 1",
                (id,),
            ).fetchone()
        return None if row is None else str(row[0])

    def day_of(self, id: str) -> date:  # noqa: A002 - as above
        """Return the local day of an entry.

        Raises:
            UnknownEpisode: No file holds it.
        """
        return self.get(id).at.astimezone(self._zone).date()

    def days(self) -> list[Day]:
        """Return the local days that have entries, in order."""
        found: Counter[date] = Counter()
        until = _FIRST_US
        with self._manifest.reading() as connection:
            while (row := connection.execute(_NEXT_AT, (until,)).fetchone()) is not None:
                since = int(row[0])
                day = instant(since, 0).astimezone(self._zone).date()
                until = max(self._end_of(day), since + 1)
                found[day] += connection.execute(_BETWEEN, (since, until)).fetchone()[0]
        return [Day(day, found[day]) for day in sorted(found)]

    def _end_of(self, day: date) -> int:
        if day == date.max:
            return _LAST_US
        return micros(datetime.combine(day + timedelta(days=1), time(), self._zone))

    def read_day(self, day: date) -> list[Episode]:
        """Return the entries of a local day, whatever file they stand in, by their time, then by their place."""
        if day == date.max:
            return []
        since, until = (datetime.combine(one, time(), self._zone) for one in (day, day + timedelta(days=1)))
        return self._rows(
            f"{_FROM} WHERE e.at_us >= ? AND e.at_us < ? AND {_IS_FIRST} ORDER BY e.at_us, e.path, e.position",
            (micros(since), micros(until)),
        )

    def _rows(self, query: str, values: tuple[str | int, ...] | Mapping[str, str | int | None]) -> list[Episode]:
        with self._manifest.reading() as connection:
            return [episode_of(row) for row in connection.execute(query, values)]


def _bounds(window: Window) -> dict[str, int]:
    """Return a window's ends; one that is open gets the ends of time, so that the index by time is always of use."""
    since, until = window.since, window.until
    return {
        "since": _FIRST_US if since is None else micros(since),
        "until": _LAST_US if until is None else micros(until),
    }


def episode_of(row: tuple[object, ...]) -> Episode:
    """Return the entry of a row of ``COLUMNS``."""
    id_, title, text, at_us, offset_min, path, first, last, project, session, turn, transcript, key, files = row
    return Episode(
        id=str(id_),
        title=str(title),
        text=str(text),
        at=instant(at_us, offset_min),
        path=str(path),
        lines=(int(str(first)), int(str(last))),
        project=_text(project),
        session=_text(session),
        turn=_text(turn),
        transcript=_text(transcript),
        key=_text(key),
        files=tuple(json.loads(str(files))),
    )


def micros(at: datetime) -> int:
    """Return an instant as microseconds since 1970."""
    return (at - _EPOCH) // timedelta(microseconds=1)


def instant(at_us: object, offset_min: object) -> datetime:
    """Return the instant of stored microseconds, with the offset it was written with."""
    assert isinstance(at_us, int)
    assert isinstance(offset_min, int)
    return (_EPOCH + timedelta(microseconds=at_us)).astimezone(_zone(offset_min))


@lru_cache(maxsize=256)
def _zone(offset_min: int) -> timezone:
    return timezone(timedelta(minutes=offset_min))


def _text(value: object) -> str | None:
    return None if value is None else str(value)
