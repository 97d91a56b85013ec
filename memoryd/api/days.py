"""``/v1/days``: the calendar, and one day in order to its end."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from typing import Annotated

from fastapi import APIRouter, Path, Response

from memoryd.api.conventions import LIMIT_MOST, cut_page, decode_cursor, encode_cursor
from memoryd.api.errors import BadParameter
from memoryd.api.present import Presenter, page_body
from memoryd.api.request import LIMIT_DEFAULT, Cursor, Limit
from memoryd.api.route import answer, documented, new_router
from memoryd.api.schemas.episodes import DayEpisodes, DayPage
from memoryd.api.services import Services

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)

DayName = Annotated[str, Path(description="A date, YYYY-MM-DD", examples=["2026-11-30"])]


def days_router(services: Services) -> APIRouter:
    """Return the routes of the calendar."""
    router = new_router(services, "days")
    present = Presenter(services.zone)

    @router.get("/days", operation_id="list_days", responses=documented(DayPage, text="Newest first"))
    def list_days(cursor: Cursor = None, limit: Limit = LIMIT_DEFAULT) -> Response:
        """List the days that hold something: entries of the journal, and dated notes."""
        episodes = {day.date: day.episodes for day in services.episodic.days()}
        notes = Counter(
            note.at.astimezone(services.zone).date() for note in services.semantic.notes() if note.at is not None
        )
        before = str(decode_cursor(cursor, str)[0]) if cursor else None
        dates = sorted((d for d in {*episodes, *notes} if before is None or d.isoformat() < before), reverse=True)
        page = dates[:limit]
        body = {
            "items": [{"date": d.isoformat(), "episodes": episodes.get(d, 0), "notes": notes.get(d, 0)} for d in page],
            "next_cursor": encode_cursor(page[-1].isoformat()) if len(dates) > limit else None,
        }
        return answer(services, body)

    @router.get("/days/{date}", operation_id="get_day", responses=documented(DayEpisodes, text="The day, in order"))
    def get_day(date: DayName, cursor: Cursor = None, limit: Limit = LIMIT_MOST) -> Response:
        """Return every entry of one local day, in order. A day without entries is an empty list."""
        day = _parse_day(date)
        superseded = services.semantic.projection().superseded_episodes
        page, following = cut_page(services.episodic.read_day(day), limit, cursor)
        items = [present.episode(episode, superseded.get(episode.id)) for episode in page]
        return answer(services, page_body(items, following, date=day.isoformat()))

    return router


def _parse_day(text: str) -> date:
    wrong = BadParameter("path/date", "date", "must be a date such as 2026-11-30")
    if _DATE.fullmatch(text) is None:
        raise wrong
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise wrong from error
