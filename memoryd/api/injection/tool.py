"""What is told when a tool touches a file: at most three things known of it, once."""

from __future__ import annotations

import os
from pathlib import Path, PurePath

from memoryd.api.briefing import Briefing, Place
from memoryd.api.changes import wrote_file
from memoryd.api.injection.told import LINE_UNITS, TOUCHED_UNITS, Told
from memoryd.api.services import Services
from memoryd.api.touched import Touched
from memoryd.capture.payload import Payload
from memoryd.render.brief import element_line, lines_part, render_context
from memoryd.text.canonical import digest
from semantic.model import Element

MOST_TOUCHED = 3
WRITERS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
"""Tools that change a file."""
_FILE_KEYS = ("file_path", "notebook_path", "path")


class Tools:
    """Answers tools before and after they are used."""

    def __init__(self, services: Services, briefing: Briefing) -> None:
        self._services = services
        self._briefing = briefing
        self._touched = Touched()

    def answer(self, payload: Payload, session: str) -> Told | None:
        """Return what is known of the file that a tool touches; a file is spoken of once, whatever is known of it."""
        path = touched_file(payload)
        if path is None:
            return None
        services, agent = self._services, payload.agent
        if payload.event == "PostToolUse" and payload.tool in WRITERS:
            wrote_file(services, session, Path(path), agent)
        known = services.seen.known(session, agent)
        spoken_of = f"file:{digest(path, length=20)}"
        if spoken_of in known:
            return None
        place = self._briefing.place(payload.cwd)
        touching = [one for one in self._touching(path, payload.cwd, place) if one.id not in known][:MOST_TOUCHED]
        if not touching:
            return None
        since, zone = services.unconfirmed(touching), services.zone
        days = {id_: f"{at.astimezone(zone):%Y-%m-%d}" for id_, at in since.items()}
        lines = (element_line(one, units=LINE_UNITS, unconfirmed=days.get(one.id)) for one in touching)
        opening = self._briefing.opening(place, is_short=True)
        brief = render_context([lines_part("touched", lines)], TOUCHED_UNITS, opening=opening)
        return Told(brief, lambda: services.seen.mark(session, [spoken_of], agent))

    def _touching(self, path: str, cwd: str | None, place: Place) -> list[Element]:
        names = {path}
        for root in [cwd, *([root.path for root in place.project.roots] if place.project is not None else [])]:
            folder = Path(root or "/").parent if root and root.endswith("/.git") else Path(root or "/")
            if root and PurePath(path).is_relative_to(folder):
                names.add(PurePath(path).relative_to(folder).as_posix())
        return self._touched.of(self._services.semantic.projection(), place, names)


def touched_file(payload: Payload) -> str | None:
    """Return the path of the file that a tool touches, whole where the working folder is known; ``None``: none."""
    named = next((value for key in _FILE_KEYS if isinstance(value := payload.tool_values.get(key), str)), None)
    if named is None or not named.strip() or "\0" in named:
        return None
    return os.path.normpath(os.path.join(payload.cwd or "", named))  # noqa: PTH118 - a path that need not be there
