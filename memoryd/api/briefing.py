"""What a session is told unasked: the facts gathered from both memories, for ``/v1/context`` and for hooks alike.

Whatever is shown is noted by (session, agent) and not shown again. A showing is no read: it says nothing of what an
agent found useful.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from datetime import time as clock_time
from itertools import islice
from pathlib import Path

from episodic.episode import Episode
from memoryd.api.facets import conventions_for, declared_tags
from memoryd.api.known import Known, map_part
from memoryd.api.leading import LeadingNotes
from memoryd.api.outlook import Outlooks
from memoryd.api.services import Services
from memoryd.render.brief import (
    LINE_UNITS,
    conventions_part,
    counted,
    days_part,
    decision_line,
    degraded_part,
    id_of,
    lines_part,
    local,
    news_part,
    outcome_of,
)
from memoryd.render.brief import conflicts_part as conflicts_of
from memoryd.render.budget import Part
from memoryd.render.gate import LEAST_WORDS, telling_words
from memoryd.render.lines import Lines
from memoryd.render.news import News
from memoryd.text.window import Window
from semantic.errors import SemanticError
from semantic.model import Decision, Element, Note
from semantic.project.naming import Project

MOST_DEGRADED = 4
MOST_NEWS = 12
DAYS_TOLD = 2
EARLIER_DAYS = 5
MOST_DAYS_LOOKED_AT = 12
SHARES = {
    "degraded": 0.1,
    "conflicts": 0.12,
    "news": 0.2,
    "conventions": 0.2,
    "heads": 0.25,
    "elements": 0.25,
    "own": 0.15,
    "map": 0.1,
}
"""How much of the text a part may take at first; what others leave is shared out in the same order."""
BY_MEMORY = frozenset({"degraded"})
"""Parts that are told again each time: they are about now."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a session works: its project, and the tags that the project declares.

    Both are ``None`` where no working folder is named: then all projects are meant, and not none of them.
    """

    project: Project | None = None
    tags: tuple[str, ...] | None = None

    @property
    def id(self) -> str | None:
        """The project's id."""
        return None if self.project is None else self.project.id

    @property
    def ids(self) -> frozenset[str | None]:
        """The ids under which entries of the place may stand, and ``None``, for those of no project."""
        return frozenset({None} if self.project is None else {None, self.project.id, *self.project.merged})

    def holds(self, one: Element | Decision) -> bool:
        """Tell whether a thing concerns whoever works here: it is the person's own, or of this project."""
        return one.scope == "user" or self.tags is None or (self.project is not None and one.project == self.id)


class Briefing:
    """Gathers the facts of a place. It keeps nothing but what ``services.seen`` keeps."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._outlooks = Outlooks()
        self._leading = LeadingNotes(services.semantic)
        self._known = Known(services)

    def place(self, cwd: str | None) -> Place:
        """Return where a working folder belongs; nothing is minted."""
        if cwd is None or not Path(cwd).is_absolute():
            return Place()
        try:
            project = self._services.semantic.project_for(Path(cwd), mint=False)
        except SemanticError:
            project = None
        tags = [*declared_tags(Path(cwd))]
        if project is not None:
            for id_ in (project.id, *project.merged):
                tags += self._services.project_tags.get(id_, ())
            tags += [f"project/{name.casefold()}" for name in (project.name, *project.aliases)]
        return Place(project, tuple(dict.fromkeys(tags)))

    def opening(self, place: Place, *, is_short: bool = False) -> str:
        """Return what stands first: whose words these are, when, and where; the short form is for what follows."""
        services = self._services
        now = local(services.clock(), services.zone)
        if is_short:
            return f"Records of the past. Now: {now}."
        where = f" Project: {place.project.name} ({place.project.id})." if place.project is not None else ""
        return (
            "Noted earlier by this person and their agents on this machine; records of the past, to be checked where "
            f"it matters. Now: {now}.{where}"
        )

    def parts(
        self,
        place: Place,
        *,
        session: str | None = None,
        agent: str | None = None,
        units: int = LINE_UNITS,
        as_of: datetime | None = None,
        own: Collection[str] = (),
    ) -> list[Part]:
        """Return the parts in the order in which they are given up last; without what the session was shown.

        ``own`` are sessions whose own doings stand in the context already.
        """
        services = self._services
        picture = services.semantic.projection(as_of)
        known = services.seen.known(session, agent) if session is not None else frozenset()
        news = self.news(session, place) if session is not None and as_of is None else News((), 0, {})
        outlook = self._outlooks.of(picture, place, is_now=as_of is None)
        heads = outlook.heads
        if fresh := {one.id for one in news.decisions}:
            heads = [one for one in heads if one.id not in fresh]
        if own:
            heads = [one for one in heads if one.session not in own]
        reasons = [] if as_of is not None else services.shortcomings()[:MOST_DEGRADED]
        if as_of is not None:
            reasons = [f"as of {local(as_of, services.zone)}: notes and what is put away have no past"]
        leading = self._leading.now()
        projects = [*picture.projects] if place.tags is None else [] if place.id is None else [place.id]
        parts = [
            degraded_part(reasons),
            conflicts_of(outlook.conflicts, services.zone),
            news_part(news.decisions, services.zone, more=news.more, units=units),
            conventions_part(conventions_for(leading.conventions, place.tags), units),
            lines_part("heads", Lines(heads, lambda one: decision_line(one, services.zone, units=units))),
            *self._known.parts(picture, outlook, projects, units=units, own=own, is_now=as_of is None),
            map_part(picture, outlook, [note for note in leading.hubs if _is_of(note, place)]),
            self._days(place, units, as_of, own),
        ]
        return [part if part.name in BY_MEMORY else _unseen(part, known) for part in parts]

    def news(self, session: str, place: Place, limit: int = MOST_NEWS) -> News:
        """Return what others recorded since the session last looked; a session that never did has no news."""
        picture = self._services.semantic.projection()
        written, cursor = self._services.written, self._services.seen.cursor(session)
        if cursor is None:
            return News((), 0, written.cursor(picture))
        return written.since(picture, cursor, session=session, concerns=place.holds, limit=limit)

    def register(self, session: str, place: Place) -> None:
        """Note that a session is there; what others record from its first look on is news to it."""
        seen = self._services.seen
        seen.begin(session, project=place.id)
        if seen.cursor(session) is None:
            seen.set_cursor(session, self._services.written.cursor(self._services.semantic.projection()))

    def settle(self, session: str, news: News) -> None:
        """Note up to where a session knows the log."""
        self._services.seen.set_cursor(session, news.cursor)

    def _days(self, place: Place, units: int, as_of: datetime | None, own: Collection[str]) -> Part:
        """Return the last two days on which something was noted here, newest first, and which days before have more.

        They are not today and yesterday: after a weekend, or a week on something else, those would say nothing.
        """
        services = self._services
        now = as_of or services.clock()
        recent: list[Episode] = []
        earlier: list[str] = []
        told = others = 0
        since = None
        for day in islice(self._days_with_entries(now), MOST_DAYS_LOOKED_AT):
            if told == DAYS_TOLD:
                if len(earlier) == EARLIER_DAYS:
                    break
                earlier += [day.isoformat()] if self._has_entries(day, place) else []
                continue
            entries = [one for one in services.episodic.read_day(day) if one.at <= now]
            ours = [one for one in entries if place.tags is None or one.project in place.ids]
            shown = [one for one in ours if one.session not in own and _tells(one)]
            recent += reversed(shown)
            told += bool(shown)
            others += len(entries) - len(ours)
            since = day
        tail = [f"- In other projects since {since}: {counted(others, 'entry', 'entries')}"] if others else []
        if earlier:
            tail.append(f"- Earlier days with entries: {', '.join(earlier)}")
        return days_part(recent, services.zone, units, tail)

    def _days_with_entries(self, now: datetime) -> Iterator[date]:
        """Yield local days that have entries, the last first. The whole calendar would take too long to count."""
        services = self._services
        end = now + timedelta(microseconds=1)
        while before := services.episodic.list(Window(None, end), limit=1):
            day = before[0].at.astimezone(services.zone).date()
            yield day
            end = datetime.combine(day, clock_time.min, services.zone)

    def _has_entries(self, day: date, place: Place) -> bool:
        """Tell whether something of the place's project was noted on a day."""
        start, end = (
            datetime.combine(one, clock_time.min, self._services.zone) for one in (day, day + timedelta(days=1))
        )
        return bool(self._services.episodic.list(Window(start, end), project=place.id, limit=1))


def _unseen(part: Part, known: Collection[str]) -> Part:
    if not known:
        return part
    if isinstance(part.lines, Lines):
        return Part(part.name, part.title, part.lines.without(known))
    return Part(part.name, part.title, tuple(line for line in part.lines if id_of(line) not in known))


def _tells(entry: Episode) -> bool:
    """Tell whether an entry says more than that somebody went on: "ok" and "done" are kept, and worth no line here."""
    return sum(telling_words(f"{entry.title} {outcome_of(entry.text)[:400]}").values()) >= LEAST_WORDS


def _is_of(note: Note, place: Place) -> bool:
    """Tell whether a note may lead in a place: it belongs to no project, or to this one."""
    projects = [tag for tag in note.tags if tag.startswith("project/")]
    return place.tags is None or not projects or any(tag in place.tags for tag in projects)
